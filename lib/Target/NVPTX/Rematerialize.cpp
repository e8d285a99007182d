// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Rematerialize.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

/// The operations that one value may cost.
static constexpr unsigned kMostOperations = 64;

/// The operations of a loop that waits: nothing in it needs registers.
static constexpr size_t kWait = 24;

/// The PTX that reads a coordinate of the thread; empty for other values.
static StringRef getCoordinate(const Value *value) {
  auto *call = dyn_cast<IntrinsicInst>(value);
  if (!call)
    return {};
  switch (call->getIntrinsicID()) {
  case Intrinsic::nvvm_read_ptx_sreg_tid_x:
    return "mov.u32 $0, %tid.x;";
  case Intrinsic::nvvm_read_ptx_sreg_ctaid_x:
    return "mov.u32 $0, %ctaid.x;";
  default:
    return {};
  }
}

/// What lane 0 has, where all lanes have the same: the number of the warp. Null
/// for other values.
static Value *getWarp(Value *value) {
  Value *all, *thread;
  if (match(value,
            m_Intrinsic<Intrinsic::nvvm_shfl_sync_idx_i32>(
                m_AllOnes(), m_Value(all), m_Zero(), m_SpecificInt(31))) &&
      match(all, m_LShr(m_Value(thread), m_SpecificInt(5))) &&
      match(thread, m_Intrinsic<Intrinsic::nvvm_read_ptx_sreg_tid_x>()))
    return all;
  return nullptr;
}

/// Whether it is arithmetic that may be done anywhere, and again.
static bool isArithmetic(const Instruction &op) {
  if (!op.getType()->isIntegerTy() && !op.getType()->isPointerTy())
    return false;
  if (auto *call = dyn_cast<IntrinsicInst>(&op))
    switch (call->getIntrinsicID()) {
    case Intrinsic::smin:
    case Intrinsic::smax:
    case Intrinsic::umin:
    case Intrinsic::umax:
    case Intrinsic::fshl:
    case Intrinsic::fshr:
      return true;
    default:
      return false;
    }
  if (op.isIntDivRem())
    return isa<ConstantInt>(op.getOperand(1));
  if (auto *compare = dyn_cast<ICmpInst>(&op))
    return !compare->getOperand(0)->getType()->isVectorTy();
  return isa<BinaryOperator, SelectInst, GetElementPtrInst, ZExtInst, SExtInst,
             TruncInst, PtrToIntInst, IntToPtrInst, AddrSpaceCastInst>(op);
}

namespace {
class Rematerializer {
public:
  explicit Rematerializer(Function &kernel)
      : kernel(kernel), dominators(kernel), loops(dominators) {}

  void run() {
    for (Loop *loop : loops.getLoopsInPreorder()) {
      size_t size = 0;
      for (BasicBlock *block : loop->blocks())
        size += block->size();
      if (size > kWait)
        computing.push_back(loop);
    }
    if (computing.empty())
      return;
    // What is cloned is no candidate.
    SmallVector<Instruction *> users;
    for (BasicBlock &block : kernel)
      for (Instruction &user : block)
        if (!isa<PHINode>(user))
          users.push_back(&user);
    for (Instruction *user : users)
      for (Use &use : user->operands())
        if (auto *value = dyn_cast<Instruction>(use.get()))
          visit(use, *value);
  }

private:
  using Place = Instruction *;
  using Crossed = SmallVector<Loop *, 4>;

  /// Whether a value is alive in a loop only to be used at `place`.
  bool crosses(const Instruction &value, const Loop &loop, Place place) const {
    return !loop.contains(value.getParent()) &&
           !loop.contains(place->getParent()) &&
           dominators.dominates(value.getParent(), loop.getHeader()) &&
           dominators.dominates(loop.getHeader(), place->getParent()) &&
           none_of(value.users(), [&](const User *user) {
             return loop.contains(cast<Instruction>(user));
           });
  }

  /// Where to compute what `user` needs behind `loop`: in front of the loops
  /// that only the user is in.
  Place findPlace(Instruction *user, const Loop &loop) const {
    Place place = user;
    for (Loop *around = loops.getLoopFor(user->getParent());
         around && !around->contains(&loop); around = around->getParentLoop())
      place = dominators.getNode(around->getHeader())
                  ->getIDom()
                  ->getBlock()
                  ->getTerminator();
    return place;
  }

  void visit(Use &use, Instruction &value) {
    auto *user = cast<Instruction>(use.getUser());
    if (user->getParent() == value.getParent() || !isArithmetic(value))
      return;
    // Behind all loops.
    if (any_of(computing, [&](Loop *loop) {
          return isPotentiallyReachable(user->getParent(), loop->getHeader(),
                                        nullptr, &dominators, &loops);
        }))
      return;
    for (Loop *loop : computing) {
      if (!crosses(value, *loop, user))
        continue;
      Place place = findPlace(user, *loop);
      if (!crosses(value, *loop, place))
        continue;
      Crossed crossed;
      for (Loop *other : computing)
        if (crosses(value, *other, place))
          crossed.push_back(other);
      unsigned operations = 0;
      if (!canClone(value, crossed, place, operations))
        continue;
      use.set(clone(value, crossed, place));
      return;
    }
  }

  /// Whether a value is there at `place` whatever becomes of its uses there.
  bool isThere(Value *value, const Crossed &crossed, Place place) const {
    auto *op = dyn_cast<Instruction>(value);
    return !op || none_of(crossed, [&](const Loop *loop) {
      return crosses(*op, *loop, place);
    });
  }

  bool canClone(Value &value, const Crossed &crossed, Place place,
                unsigned &operations) const {
    if (isThere(&value, crossed, place) || !getCoordinate(&value).empty())
      return true;
    if (Value *warp = getWarp(&value))
      return canClone(*warp, crossed, place, operations);
    auto &op = cast<Instruction>(value);
    return isArithmetic(op) && ++operations <= kMostOperations &&
           all_of(op.operands(), [&](Value *operand) {
             return canClone(*operand, crossed, place, operations);
           });
  }

  Value *clone(Value &value, const Crossed &crossed, Place place) {
    if (isThere(&value, crossed, place))
      return &value;
    if (Value *warp = getWarp(&value))
      return clone(*warp, crossed, place);
    // Blocks are visited from their beginnings on, so a clone in the block is
    // in front of the next place; those of ends are apart.
    auto &known = place->isTerminator() ? clonesAtEnd : clones;
    std::pair key(place->getParent(), &value);
    if (Value *again = known.lookup(key))
      return again;
    IRBuilder<> builder(place);
    if (StringRef text = getCoordinate(&value); !text.empty()) {
      // Not the intrinsic, which would be one with that at the entry again.
      auto *type = FunctionType::get(builder.getInt32Ty(), false);
      return known[key] = builder.CreateCall(
                 InlineAsm::get(type, text, "=r", /*hasSideEffects=*/true));
    }
    Instruction *copy = cast<Instruction>(value).clone();
    for (Use &operand : copy->operands())
      operand.set(clone(*operand.get(), crossed, place));
    copy->insertBefore(place->getIterator());
    return known[key] = copy;
  }

  Function &kernel;
  DominatorTree dominators;
  LoopInfo loops;
  SmallVector<Loop *> computing;
  /// Of the values, in a block and at its end.
  DenseMap<std::pair<BasicBlock *, Value *>, Value *> clones, clonesAtEnd;
};
} // namespace

void hk::rematerialize(Function &kernel) { Rematerializer(kernel).run(); }

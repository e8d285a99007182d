// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Equal loop nests in one function: the layers of a network are alike, and the
// time to compile them should not grow with their number.

#include "LoopsKernel.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace hk;

namespace {
/// A loop nest, and the buffers and functions that it takes from around it.
struct Nest {
  scf::ForOp loop;
  SmallVector<Value> arguments;
};

/// Equal nests, and the function that does what each of them does.
struct Group {
  OwningOpRef<func::FuncOp> function;
  SmallVector<Nest> nests;
};
} // namespace

/// The function of a nest that is alone so far. Constants go into it: which
/// they are is part of what a nest does.
static Group buildGroup(scf::ForOp loop) {
  llvm::SetVector<Value> captures(loop->operand_begin(), loop->operand_end());
  getUsedValuesDefinedAbove(loop.getRegion(), captures);
  Group group;
  Nest nest{loop, {}};
  SmallVector<Value> constants;
  for (Value value : captures)
    (matchPattern(value, m_Constant()) ? constants : nest.arguments)
        .push_back(value);

  OpBuilder builder(loop.getContext());
  Location loc = loop.getLoc();
  auto function = func::FuncOp::create(
      builder, loc, "nest",
      builder.getFunctionType(TypeRange(ValueRange(nest.arguments)), {}));
  function.setPrivate();
  function->setAttr("passthrough",
                    builder.getArrayAttr(builder.getStringAttr("noinline")));
  Block *block = function.addEntryBlock();
  builder.setInsertionPointToEnd(block);
  IRMapping mapping;
  mapping.map(nest.arguments, block->getArguments());
  for (Value constant : constants)
    mapping.map(constant,
                builder.clone(*constant.getDefiningOp())->getResult(0));
  builder.clone(*loop, mapping);
  func::ReturnOp::create(builder, loc);
  group.function = function;
  group.nests.push_back(std::move(nest));
  return group;
}

static bool areEqual(Group &a, Group &b) {
  return a.function->getFunctionType() == b.function->getFunctionType() &&
         OperationEquivalence::isRegionEquivalentTo(
             &a.function->getBody(), &b.function->getBody(),
             OperationEquivalence::IgnoreLocations);
}

void hk::shareNests(Block &block, func::FuncOp kernel) {
  SmallVector<Group> groups;
  for (auto loop : block.getOps<scf::ForOp>()) {
    if (loop.getNumResults() != 0)
      continue;
    Group group = buildGroup(loop);
    auto *equal = llvm::find_if(
        groups, [&](Group &other) { return areEqual(group, other); });
    if (equal == groups.end())
      groups.push_back(std::move(group));
    else
      equal->nests.push_back(std::move(group.nests.front()));
  }

  unsigned count = 0;
  for (Group &group : groups) {
    if (group.nests.size() == 1)
      continue;
    func::FuncOp function = group.function.release();
    function.setSymName((kernel.getSymName() + ".nest" + Twine(count++)).str());
    kernel->getBlock()->getOperations().insert(kernel->getIterator(), function);
    for (Nest &nest : group.nests) {
      OpBuilder builder(nest.loop);
      func::CallOp::create(builder, nest.loop.getLoc(), function,
                           nest.arguments);
      nest.loop.erase();
    }
  }
}

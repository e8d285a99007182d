// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hk/Analysis/IsomorphicLayers.h"

#include "hk/Dialect/HK/HKDialect.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include <map>

using namespace mlir;
using namespace hk;

//===----------------------------------------------------------------------===//
// Keys of parameters
//===----------------------------------------------------------------------===//

/// The key with each run of digits replaced by '#'.
static std::string getSkeleton(StringRef key) {
  std::string skeleton;
  for (size_t i = 0; i < key.size(); ++i) {
    bool digit = llvm::isDigit(key[i]);
    if (!digit)
      skeleton += key[i];
    else if (i == 0 || !llvm::isDigit(key[i - 1]))
      skeleton += '#';
  }
  return skeleton;
}

namespace {
/// Where one integer stands in a key.
struct KeyNumber {
  size_t begin, end;
  int64_t value;
};
} // namespace

/// The run of digits of `key` that starts at `begin`, if it reads back as it
/// is written (no leading zeros, not too long).
static std::optional<KeyNumber> parseNumber(StringRef key, size_t begin) {
  size_t end = begin;
  while (end < key.size() && llvm::isDigit(key[end]))
    ++end;
  StringRef digits = key.slice(begin, end);
  KeyNumber number{begin, end, 0};
  if (digits.size() > 15 || (digits.size() > 1 && digits[0] == '0') ||
      digits.getAsInteger(10, number.value))
    return std::nullopt;
  return number;
}

static std::string putNumber(StringRef key, int64_t number) {
  auto [head, tail] = key.split("{}");
  return (head + Twine(number) + tail).str();
}

/// Compares the keys of two layers, one after another. Sets `number` to the
/// integer of the first one that is one larger in the second, and `hole` to
/// the key with "{}" in its place. Returns why this cannot be done.
static std::optional<std::string> compareKeys(StringRef first, StringRef second,
                                              std::string &hole,
                                              int64_t &number) {
  std::optional<std::pair<KeyNumber, KeyNumber>> found;
  for (size_t i = 0, j = 0; i < first.size() && j < second.size();) {
    if (!llvm::isDigit(first[i]) || !llvm::isDigit(second[j])) {
      ++i, ++j;
      continue;
    }
    size_t iEnd = first.find_if_not(llvm::isDigit, i);
    size_t jEnd = second.find_if_not(llvm::isDigit, j);
    iEnd = std::min(iEnd, first.size());
    jEnd = std::min(jEnd, second.size());
    if (first.slice(i, iEnd) != second.slice(j, jEnd)) {
      std::optional<KeyNumber> a = parseNumber(first, i),
                               b = parseNumber(second, j);
      if (!a || !b || found || b->value != a->value + 1)
        return ("expects the key \"" + first +
                "\" with one integer larger by one in the next layer, but got "
                "\"" +
                second + "\"")
            .str();
      found = {*a, *b};
    }
    i = iEnd, j = jEnd;
  }
  assert(found && "keys are equal");
  hole = (first.take_front(found->first.begin) + "{}" +
          first.drop_front(found->first.end))
             .str();
  number = found->first.value;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// The sequence
//===----------------------------------------------------------------------===//

/// Parameters and constants: what can stand anywhere.
static bool isLeaf(Operation *op) {
  return op->getNumOperands() == 0 && op->getNumRegions() == 0 &&
         op->getNumResults() == 1 && isMemoryEffectFree(op);
}

LayerSequence::LayerSequence(Block &block) : block(block) {
  for (Operation &op : block) {
    if (isLeaf(&op) || op.hasTrait<OpTrait::IsTerminator>())
      continue;
    positions[&op] = ops.size();
    ops.push_back(&op);
  }
  number();
}

std::optional<unsigned> LayerSequence::getPosition(Value value) const {
  auto it = positions.find(value.getDefiningOp());
  if (it == positions.end())
    return std::nullopt;
  return it->second;
}

void LayerSequence::number() {
  // A signature is a list of uniqued pointers, so comparing is exact.
  std::map<SmallVector<const void *>, unsigned> numbers;
  unsigned fresh = 0;
  for (Operation *op : ops) {
    if (op->getNumRegions() != 0 || !isMemoryEffectFree(op)) {
      signatures.push_back(fresh++); // Like no other operation.
      continue;
    }
    SmallVector<const void *> signature{
        op->getName().getAsOpaquePointer(),
        op->getAttrDictionary().getAsOpaquePointer()};
    for (Type type : op->getResultTypes())
      signature.push_back(type.getAsOpaquePointer());
    for (Value operand : op->getOperands()) {
      signature.push_back(operand.getType().getAsOpaquePointer());
      Operation *def = operand.getDefiningOp();
      if (auto param = dyn_cast_or_null<ParamOp>(def)) {
        signature.push_back(
            StringAttr::get(op->getContext(), getSkeleton(param.getKey()))
                .getAsOpaquePointer());
        signature.push_back(param.getFromAttr().getAsOpaquePointer());
      } else if (def && isLeaf(def)) {
        signature.push_back(def->getName().getAsOpaquePointer());
        signature.push_back(def->getAttrDictionary().getAsOpaquePointer());
      } else {
        signature.append({nullptr, nullptr});
      }
    }
    auto [it, isNew] = numbers.try_emplace(std::move(signature), fresh);
    fresh += isNew;
    signatures.push_back(it->second);
  }
}

SmallVector<LayerSequence::Candidate> LayerSequence::findCandidates() const {
  // If a signature stands m times in a layer, the period is the distance to
  // its m-th next occurrence. Few signatures (they hold the names of
  // parameters) stand more than once in a layer, so this misses nothing that
  // is a layer, and it keeps the search near-linear.
  constexpr unsigned kOccurrences = 8;
  llvm::DenseMap<unsigned, SmallVector<unsigned>> occurrences;
  llvm::SetVector<unsigned> periods;
  for (auto [i, signature] : llvm::enumerate(signatures)) {
    SmallVector<unsigned> &seen = occurrences[signature];
    for (unsigned before : ArrayRef<unsigned>(seen).take_back(kOccurrences))
      periods.insert(i - before);
    seen.push_back(i);
  }

  SmallVector<Candidate> candidates;
  unsigned size = signatures.size();
  for (unsigned period : periods) {
    unsigned equal = 0;
    for (unsigned i = 0; i + period <= size; ++i) {
      if (i + period < size && signatures[i] == signatures[i + period]) {
        ++equal;
        continue;
      }
      if (equal >= period)
        candidates.push_back({period, i - equal, equal + period});
      equal = 0;
    }
  }
  llvm::sort(candidates, [](const Candidate &a, const Candidate &b) {
    return std::make_tuple(b.covered(), a.period, a.begin) <
           std::make_tuple(a.covered(), b.period, b.begin);
  });
  return candidates;
}

std::optional<LayerRun> LayerSequence::findLongestRun(
    SmallVectorImpl<LayerMismatch> &mismatches) const {
  auto rank = [](const Attempt &attempt) {
    const LayerRun &run = *attempt.run;
    return std::make_pair(run.period * run.layers, ~unsigned(run.slots.size()));
  };
  Attempt best;
  for (const Candidate &candidate : findCandidates()) {
    if (best.run && candidate.covered() <= rank(best).first)
      break;
    unsigned end = candidate.begin + candidate.length;
    for (unsigned rotation = 0; rotation < candidate.period; ++rotation) {
      unsigned begin = candidate.begin + rotation;
      unsigned layers = (end - begin) / candidate.period;
      if (layers < 2)
        break;
      Attempt next = attempt(begin, candidate.period, layers);
      bool better = next.run ? !best.run || rank(next) > rank(best)
                             : !best.run && (best.mismatches.empty() ||
                                             next.progress > best.progress);
      if (better)
        best = std::move(next);
    }
  }
  llvm::append_range(mismatches, best.mismatches);
  if (best.run)
    explainNeighbours(*best.run, mismatches);
  return std::move(best.run);
}

//===----------------------------------------------------------------------===//
// Matching
//===----------------------------------------------------------------------===//

/// Classifies an operand by the second layer of a run, and checks it against
/// the first. Returns why it does not fit.
std::optional<std::string>
LayerSequence::matchSecond(LayerRun &run, std::optional<int64_t> &number,
                           unsigned op, unsigned operand) const {
  unsigned first = run.begin, second = run.begin + run.period;
  Value before = ops[first + op]->getOperand(operand);
  Value value = ops[second + op]->getOperand(operand);
  LayerOperand &kind = run.operands[op].emplace_back();

  if (auto param = value.getDefiningOp<ParamOp>()) {
    // A parameter in one is a parameter in both: it is part of the signature.
    auto paramBefore = cast<ParamOp>(before.getDefiningOp());
    kind.kind = LayerOperand::Tied;
    if (param.getKey() == paramBefore.getKey())
      return std::nullopt;
    kind.kind = LayerOperand::Parameter;
    int64_t numberHere;
    if (std::optional<std::string> why = compareKeys(
            paramBefore.getKey(), param.getKey(), kind.key, numberHere))
      return why;
    if (!number)
      number = numberHere;
    if (*number != numberHere)
      return ("expects the number " + Twine(*number + 1) +
              " of its layer in the key \"" + param.getKey() + "\", but got " +
              Twine(numberHere + 1))
          .str();
    return std::nullopt;
  }
  if (Operation *def = value.getDefiningOp(); def && isLeaf(def))
    return std::nullopt; // Equal: it is part of the signature.

  std::optional<unsigned> position = getPosition(value);
  std::optional<unsigned> positionBefore = getPosition(before);
  if (position && *position >= second) {
    kind.kind = LayerOperand::Inner;
    kind.index = *position - second;
    kind.result = cast<OpResult>(value).getResultNumber();
    if (before == ops[first + kind.index]->getResult(kind.result))
      return std::nullopt;
    return "expects the same value of its layer as in the layer before, but "
           "got another";
  }
  if (position && *position >= first) {
    if (positionBefore && *positionBefore >= first)
      return "expects a value of the layer before it, as the layer before "
             "has, but got a value of that layer in both";
    LayerSlot slot{*position - first, cast<OpResult>(value).getResultNumber(),
                   before, op, operand};
    kind.kind = LayerOperand::Carried;
    // Two slots may read one result, if the first layer reads two values.
    for (kind.index = 0; kind.index < run.slots.size(); ++kind.index) {
      const LayerSlot &other = run.slots[kind.index];
      if (std::tie(other.op, other.result, other.init) ==
          std::tie(slot.op, slot.result, slot.init))
        return std::nullopt;
    }
    run.slots.push_back(slot);
    return std::nullopt;
  }
  if (value == before)
    return std::nullopt;
  return "expects the same value from before the layers as in the layer "
         "before, but got another";
}

/// Checks an operand of a later layer against the class that the first two
/// gave it.
std::optional<std::string> LayerSequence::matchNext(const LayerRun &run,
                                                    unsigned layer, unsigned op,
                                                    unsigned operand) const {
  unsigned begin = run.begin + layer * run.period;
  const LayerOperand &kind = run.operands[op][operand];
  Value value = ops[begin + op]->getOperand(operand);
  Value first = ops[run.begin + op]->getOperand(operand);
  switch (kind.kind) {
  case LayerOperand::Inner:
    if (value == ops[begin + kind.index]->getResult(kind.result))
      return std::nullopt;
    return "expects the same value of its layer as in the layers before, but "
           "got another";
  case LayerOperand::Carried: {
    const LayerSlot &slot = run.slots[kind.index];
    if (value == ops[begin - run.period + slot.op]->getResult(slot.result))
      return std::nullopt;
    return "expects the same value of the layer before as in the layers "
           "before, but got another";
  }
  case LayerOperand::Outer: {
    Operation *def = value.getDefiningOp();
    if (value == first || (def && isLeaf(def) && !isa<ParamOp>(def)))
      return std::nullopt;
    return "expects the same value from before the layers as in the layers "
           "before, but got another";
  }
  case LayerOperand::Tied:
  case LayerOperand::Parameter: {
    std::string expected = kind.kind == LayerOperand::Tied
                               ? first.getDefiningOp<ParamOp>().getKey().str()
                               : putNumber(kind.key, run.firstNumber + layer);
    auto param = value.getDefiningOp<ParamOp>();
    if (param && param.getKey() == expected)
      return std::nullopt;
    return "expects the parameter \"" + expected +
           "\" by the layers before, but got " +
           (param ? "\"" + param.getKey().str() + "\"" : "another value");
  }
  }
  llvm_unreachable("unknown kind of operand");
}

/// The longest run of layers that starts at `begin`, at most `limit` of them.
LayerRun LayerSequence::grow(unsigned begin, unsigned period, unsigned limit,
                             std::optional<LayerMismatch> &mismatch,
                             unsigned &matched) const {
  LayerRun run;
  run.begin = begin;
  run.period = period;
  run.layers = 1;
  run.operands.resize(period);
  std::optional<int64_t> number;
  matched = 0;
  for (; run.layers < limit; ++run.layers) {
    for (unsigned op = 0; op < period; ++op, ++matched) {
      Operation *operation = ops[begin + run.layers * period + op];
      for (unsigned i = 0, e = operation->getNumOperands(); i < e; ++i) {
        std::optional<std::string> why =
            run.layers == 1 ? matchSecond(run, number, op, i)
                            : matchNext(run, run.layers, op, i);
        if (!why)
          continue;
        mismatch = {operation->getLoc(), *why};
        return run;
      }
    }
    run.firstNumber = number.value_or(0);
  }
  return run;
}

/// Matches all layers of a candidate in one rotation, and keeps the longest
/// run.
LayerSequence::Attempt LayerSequence::attempt(unsigned begin, unsigned period,
                                              unsigned layers) const {
  Attempt result;
  // Without parameters, these are not layers.
  ArrayRef<Operation *> first = ArrayRef<Operation *>(ops).slice(begin, period);
  if (llvm::none_of(first, [](Operation *op) {
        return llvm::any_of(op->getOperands(), [](Value operand) {
          return isa_and_nonnull<ParamOp>(operand.getDefiningOp());
        });
      }))
    return result;
  for (unsigned layer = 0; layer + 1 < layers;) {
    std::optional<LayerMismatch> mismatch;
    unsigned matched = 0;
    LayerRun run =
        grow(begin + layer * period, period, layers - layer, mismatch, matched);
    result.progress = std::max(result.progress, matched);
    if (mismatch)
      result.mismatches.push_back(*mismatch);
    layer += run.layers;
    if (run.layers < 2)
      continue;
    // Where nothing is handed on, these are not layers.
    if (!run.slots.empty())
      splitAtEscapes(run, result);
  }
  return result;
}

/// Cuts a run after each layer whose results are used after the run, and keeps
/// the longest part: a loop gives out only what its last iteration hands on.
void LayerSequence::splitAtEscapes(const LayerRun &run,
                                   Attempt &attempt) const {
  auto isCarried = [&](unsigned op, unsigned result) {
    return llvm::any_of(run.slots, [&](const LayerSlot &slot) {
      return slot.op == op && slot.result == result;
    });
  };
  unsigned first = 0;
  for (unsigned layer = 0; layer < run.layers; ++layer) {
    Operation *escapes = nullptr, *lost = nullptr;
    for (unsigned op = 0; op < run.period; ++op) {
      for (OpResult result :
           ops[run.begin + layer * run.period + op]->getResults())
        for (Operation *user : result.getUsers()) {
          Operation *ancestor = block.findAncestorOpInBlock(*user);
          auto it = positions.find(ancestor);
          if (it != positions.end() && it->second < run.end())
            continue;
          escapes = result.getOwner();
          if (!isCarried(op, result.getResultNumber()))
            lost = result.getOwner();
        }
    }
    bool isLast = layer + 1 == run.layers;
    if (!escapes && !isLast)
      continue;
    if (Operation *op = lost ? lost : isLast ? nullptr : escapes)
      attempt.mismatches.push_back(
          {op->getLoc(),
           "expects only the last layer's result to be used after the layers, "
           "but this value of layer " +
               std::to_string(run.firstNumber + layer) + " is"});
    unsigned layers = layer + 1 - first - (lost ? 1 : 0);
    if (layers >= 2 && (!attempt.run || layers > attempt.run->layers)) {
      LayerRun part = run;
      part.begin += first * run.period;
      part.layers = layers;
      part.firstNumber += first;
      for (LayerSlot &slot : part.slots)
        slot.init = ops[part.begin + slot.userOp]->getOperand(slot.userOperand);
      attempt.run = std::move(part);
    }
    first = layer + 1;
  }
}

//===----------------------------------------------------------------------===//
// Layers that differ
//===----------------------------------------------------------------------===//

/// Says where the layer before or after a run differs, if its parameters tell
/// that there is one.
void LayerSequence::explainNeighbour(
    const LayerRun &run, bool after,
    SmallVectorImpl<LayerMismatch> &out) const {
  int64_t number = after ? run.firstNumber + run.layers : run.firstNumber - 1;
  llvm::StringSet<> expected;
  for (const auto &operands : run.operands)
    for (const LayerOperand &operand : operands)
      if (operand.kind == LayerOperand::Parameter)
        expected.insert(putNumber(operand.key, number));
  bool isThere = llvm::any_of(block.getOps<ParamOp>(), [&](ParamOp param) {
    return expected.contains(param.getKey()) && !param.getLayer();
  });
  if (!isThere)
    return;
  for (unsigned i = 0; i < run.period; ++i) {
    unsigned op = after ? i : run.period - 1 - i;
    int64_t other = after ? int64_t(run.end()) + i : int64_t(run.begin) - 1 - i;
    if (other < 0 || other >= int64_t(ops.size()))
      return;
    if (signatures[other] == signatures[run.begin + op])
      continue;
    StringRef name = ops[run.begin + op]->getName().getStringRef();
    StringRef got = ops[other]->getName().getStringRef();
    std::string message = ("expects layer " + Twine(number) + " to have " +
                           name + " here as its neighbours have, but got " +
                           (name == got ? "one with other attributes, types or "
                                          "parameters"
                                        : got))
                              .str();
    out.push_back({ops[other]->getLoc(), message});
    return;
  }
}

void LayerSequence::explainNeighbours(
    const LayerRun &run, SmallVectorImpl<LayerMismatch> &out) const {
  explainNeighbour(run, /*after=*/false, out);
  explainNeighbour(run, /*after=*/true, out);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The work of attention with the projection of its keys and values, as the code
// of hk-to-tile does it: a CTA owns a sequence, or several short ones, or some
// rows of a long one, and some heads.

#include "KernelCosts.h"

#include "hk/Analysis/KernelDescription.h"
#include "hk/Analysis/ProjectedHeads.h"
#include "hk/Analysis/ProjectedRows.h"
#include "hk/Target/Devices/Device.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace hk;
using llvm::alignTo;
using llvm::divideCeil;

/// The registers of a thread for sums that grow together
/// (lib/Conversion/HKToTile/EmitLinear.cpp).
static constexpr int64_t kTogetherRegisters = 96;
/// Instructions of a thread for a key or value that is published, and for a
/// value that is looked at whether it is finite.
static constexpr double kPublish = 0.25, kLook = 1.5;
/// Barriers around what is published.
static constexpr double kBarriers = 2;

/// What a CTA does, and in which steps.
struct KernelDescription::Projection {
  ProjectedHeads heads;
  ProjectedRows own;
  int64_t unitRows;
  /// The CTAs of a sequence, one after another, and how many times its rows one
  /// of them computes keys of, on average.
  int64_t parts;
  double keyBlocks;
  /// Times that it loads rows, those of other CTAs for each of `publications`;
  /// its own stay in registers.
  double rowPasses;
  /// Times that keys are published, and blocks of query heads.
  int64_t publications, blocks;
  /// Features of keys and of values that are published at once, and of query
  /// heads that are computed at once.
  int64_t keyColumns, queryColumns;
  /// Features of the linear operations that the CTA computes, and how deep.
  int64_t keyFeatures, queryFeatures, depth;
  /// The input is in registers whole; else it comes in steps. Either comes so
  /// many times, of which some are copies for all units, as rows that follow
  /// each other.
  bool isWhole;
  double passes, copies;
  int64_t tileBytes;
};

/// What the linear operations of a projection compute: the attention's query,
/// key and value, and nothing else. The attention comes last.
bool KernelDescription::isProjection(ArrayRef<Operation *> ops) const {
  if (attentions.size() != 1 || !attentions.front().isProjected || storesView)
    return false;
  bool isBefore = true;
  for (Operation *op : ops) {
    if (isa<AttentionOp>(op))
      isBefore = false;
    else if (!isBefore && !isa<CastOp>(op))
      return false;
    if (isBefore && isUsedOutside(op->getResult(0)))
      return false;
    if (!isa<LinearOp>(op))
      continue;
    for (Operation *user : op->getResult(0).getUsers())
      if (!isa<AttentionOp, SplitOp>(user))
        return false;
  }
  return llvm::all_of(linears, [](const Linear &linear) {
    return linear.input != Input::Blocks && !linear.sums;
  });
}

std::string
KernelDescription::whyProjectionRefused(const CUDASchedule &s) const {
  int64_t unitRows = s.rows / s.units;
  if (s.rows % s.units != 0 || unitRows % kTileRows != 0)
    return "a warp needs whole tiles of 16 rows";
  ProjectedRows own = ProjectedRows::get(s.rows, s.units, shape.sequence);
  if (!own.isEven(s.rows, s.units))
    return "the sequences of a CTA have to share out its rows and warps";
  if (own.rows >= 2 * std::max(shape.sequence, kTileRows))
    return "half of the rows would be behind the end of a sequence";
  if (shape.headDim % 8 != 0)
    return llvm::formatv("heads have to be a multiple of 8 features where keys "
                         "are computed, and are {0}",
                         shape.headDim);
  if (s.keys % kTileRows != 0 || own.rows % s.keys != 0)
    return "keys have to be a multiple of 16 and divide the rows";
  if (s.heads < 1 ||
      !ProjectedHeads::areLegal(s.heads, shape.heads, shape.group))
    return "heads of a CTA have to divide all, and be whole groups or part of "
           "one";
  int64_t most = kSlabRegisters * kWarp / unitRows / 8 * 8;
  if (widest > most)
    return llvm::formatv("a row of {0} features does not fit into the "
                         "registers of a warp with {1} rows, which hold {2}",
                         widest, unitRows, most);
  return {};
}

KernelDescription::Projection
KernelDescription::getProjection(const CUDASchedule &s) const {
  Projection p;
  const Attention &attention = attentions.front();
  p.heads = ProjectedHeads::get(s.heads, shape.group, shape.headDim, s.block);
  p.own = ProjectedRows::get(s.rows, s.units, shape.sequence);
  p.unitRows = s.rows / s.units;
  p.parts = divideCeil(shape.sequence, p.own.rows);
  p.keyBlocks = attention.isCausal ? double(p.parts + 1) / 2 : double(p.parts);
  p.publications = s.heads / p.heads.sharing;
  p.blocks = s.heads / p.heads.heads;
  p.keyColumns = p.heads.keyHeads * shape.headDim;
  p.queryColumns = p.heads.heads * shape.headDim;

  // The linear operations compute all three, or some of them.
  int64_t all = 0, query = attention.heads * shape.headDim,
          key = attention.kvHeads * shape.headDim;
  p.depth = 0;
  p.isWhole = true;
  for (const Linear &linear : linears) {
    all += linear.features;
    p.depth = std::max(p.depth, linear.depth);
    p.isWhole &= hasWholeInput(linear, s);
  }
  int64_t queries = all == query + 2 * key || all == query + key ? 1 : 0;
  int64_t keys = (all - queries * query) / key;
  p.queryFeatures = queries * p.blocks * p.queryColumns;
  p.keyFeatures = keys * p.publications * p.keyColumns;
  double others = p.publications * (p.keyBlocks - 1);
  p.rowPasses = 1 + others;

  // One pass for each publication, with the first block of queries if the sums
  // fit beside; one for each other block, and for keys of each block of rows of
  // another CTA.
  int64_t together = slab(p.unitRows, keys * p.keyColumns + p.queryColumns);
  bool isShared = p.heads.sharing > p.heads.heads;
  int64_t ofKeys =
      slab(p.unitRows, keys * p.keyColumns) <= kTogetherRegisters ? 1 : keys;
  if (p.isWhole)
    p.passes = p.rowPasses;
  else if (together <= kTogetherRegisters && !isShared)
    p.passes = p.publications + others;
  else
    p.passes = ofKeys * (p.publications + others) + queries * p.blocks;

  // Rows of several sequences follow each other where nothing is padded.
  // Others, and what a loop loads whole, are copied if they are operands as
  // they are.
  bool isOperand = llvm::all_of(linears, [&](const Linear &linear) {
    return linear.rowBytes == linear.depth * shape.operandBytes;
  });
  bool follow = p.own.sequences == 1 || p.own.rows == shape.sequence;
  p.copies = 0;
  if (!p.isWhole && (follow || isOperand))
    p.copies = p.passes;
  else if (p.parts > 1 && isOperand)
    p.copies = others;

  int64_t rows = std::gcd(p.keyColumns, p.queryColumns);
  int64_t columns = p.isWhole ? alignTo(p.depth, 8)
                              : std::min<int64_t>(alignTo(p.depth, 8), s.depth);
  constexpr int64_t kTileBytes = 32 * 1024;
  while (p.isWhole && columns % 16 == 0 &&
         rows * columns * shape.operandBytes > kTileBytes)
    columns /= 2;
  p.tileBytes = rows * columns * shape.operandBytes;
  return p;
}

int64_t KernelDescription::getProjectionRegisters(const CUDASchedule &s) const {
  Projection p = getProjection(s);
  int64_t bytes = shape.operandBytes;
  auto registers = [&](int64_t columns, int64_t size) {
    return slab(p.unitRows, columns) * size / 4;
  };
  // The rows that are normalised, then what is multiplied of them.
  int64_t input = p.isWhole ? registers(p.depth, bytes)
                            : registers(std::min(p.depth, s.depth), bytes);
  int64_t most = widest > 0 ? registers(widest, 4 + bytes) : input;
  // Sums beside the input, and beside those that are rounded already.
  int64_t sums = registers(std::max(p.keyColumns, p.queryColumns), 4);
  if (!p.isWhole)
    sums = std::min<int64_t>(
        std::max(sums, registers(2 * p.keyColumns + p.queryColumns, 4)),
        std::max(sums, kTogetherRegisters));
  most = std::max(most, input + sums + registers(2 * p.keyColumns, bytes));
  // Beside the rows of other CTAs, its own wait for the next heads.
  if (p.isWhole && p.parts > 1 && p.publications > 1)
    most += input;
  // The query and the contexts, scores and their powers.
  bool isLast = p.blocks == 1;
  most = std::max(most, (p.isWhole && !isLast ? input : 0) +
                            registers(p.queryColumns, 4 + bytes) +
                            registers(s.keys, 4 + bytes));
  return kOverhead + 8 + most;
}

int64_t KernelDescription::getProjectionShared(const CUDASchedule &s) const {
  Projection p = getProjection(s);
  int64_t slot = alignTo(p.tileBytes, 1024);
  if (p.copies > 0)
    slot +=
        alignTo(s.rows * (p.isWhole ? p.depth : std::min(p.depth, s.depth)) *
                    shape.operandBytes,
                1024);
  return s.stages * slot +
         2 * alignTo(p.parts * s.rows * p.keyColumns * shape.operandBytes,
                     1024);
}

KernelWork KernelDescription::getProjectionWork(const CUDASchedule &s,
                                                const Device &device) const {
  Projection p = getProjection(s);
  const Attention &attention = attentions.front();
  int64_t bytes = shape.operandBytes;
  int64_t runs = shape.heads / s.heads;
  int64_t groups = divideCeil(batch, p.own.sequences);
  bool isHalf = bytes == 2;
  double ctas = double(groups) * p.parts * runs, rows = s.rows, heads = s.heads;
  double products = operands == Operands::TF32x3 ? 3 : 1;

  KernelWork work;
  work.ctas = groups * p.parts * runs;
  work.units = s.units;
  // An input that comes in steps is copied by lanes; a warpgroup gives
  // registers away.
  bool copiesByLanes = p.copies > 0 || s.ctas > 0;
  work.threads = kWarp * (s.units + (copiesByLanes ? 4 : 1));
  work.ctasOfSM = s.ctas;
  work.registers = getProjectionRegisters(s);
  work.shared = getProjectionShared(s);

  // The four warps of a warpgroup multiply with the same B: weights, and keys
  // if their rows are of one sequence.
  bool sharesKeys = s.usesWarpgroups && p.own.hasWarpgroups();
  auto addProduct = [&](double flops, bool isTogether) {
    if (isTogether) {
      work.warpgroupFlops += ctas * flops;
      work.instructions +=
          ctas * kWarp * kGroupInstructions * flops / kGroupProduct;
      return;
    }
    (isHalf ? work.f16Flops : work.tf32Flops) += ctas * flops * products;
    work.instructions += ctas * kWarp * flops * products /
                         (isHalf ? kHalfProduct : kWordProduct);
  };
  auto addOperand = [&](double read) {
    work.sharedBytes += ctas * read;
    work.instructions +=
        ctas * kWarp * read / (isHalf ? kMatrixLoad : kWordLoad);
    if (products > 1)
      work.instructions += ctas * kSplit * read / bytes;
  };

  // What all units, or all warpgroups, read: `read` for each.
  auto addB = [&](double read, bool isTogether) {
    if (isTogether)
      work.sharedBytes += ctas * read / kWarpgroup;
    else
      addOperand(read);
  };

  // What is done to the rows is done for each run of heads; biases and the
  // scale of a context are of the run's features alone.
  double features = p.queryFeatures + p.keyFeatures;
  double ofFeatures = double(shape.heads * shape.headDim), biases = 0,
         rowBytes = 0, weights = 0;
  for (const Linear &linear : linears) {
    biases += linear.hasBias ? double(linear.features) : 0;
    rowBytes = std::max(rowBytes, double(linear.rowBytes));
    weights += double(alignTo(linear.features, 8)) * linear.depth * bytes;
  }
  ofFeatures += biases;
  double ofOthers = biases * p.keyFeatures / features * (p.keyBlocks - 1);
  double all = groups * p.parts * rows;
  work.instructions += all * ((instructions - ofFeatures) * runs * p.rowPasses +
                              ofFeatures + ofOthers);
  work.mufu += all * mufu * runs * p.rowPasses;

  // The projection.
  double depth = alignTo(p.depth, isHalf ? 16 : 8);
  double computed = p.keyFeatures * p.keyBlocks + p.queryFeatures;
  double weight = computed * depth * bytes;
  addProduct(2 * rows * computed * depth, s.usesWarpgroups);
  addB(s.units * weight, s.usesWarpgroups);
  work.sharedBytes += ctas * weight;
  double input = (loaded * p.rowPasses + rowBytes * p.passes) * runs + stored +
                 attention.queryBytes;
  work.l2Bytes = batch * double(shape.sequence) * input + ctas * weight;
  if (p.copies > 0) {
    double step = rows * depth * bytes * p.copies;
    work.sharedBytes += ctas * step;
    addOperand(step);
  }
  work.instructions += 0.15 * all * rowBytes * (p.passes - p.copies) * runs;

  // What is published: K and V of the CTA's heads of keys.
  double published = 2.0 * rows * p.publications * p.keyColumns * p.keyBlocks;
  work.sharedBytes += ctas * published * bytes;
  work.instructions +=
      ctas * published * (kPublish + (attention.hides ? kLook / 2 : 0));

  // The keys that the rows of each unit, or warpgroup, see, in whole blocks:
  // all units of a CTA on average, the last one of a CTA on average, and those
  // of the CTA that sees most.
  double seen = 0, most = 0, heaviest = 0;
  int64_t together = sharesKeys ? kWarpgroup : 1;
  for (int64_t part = 0; part < p.parts; ++part) {
    double ofPart = 0, ofUnit = 0;
    for (int64_t unit = 1; unit <= p.own.units; ++unit) {
      int64_t keys = shape.sequence;
      if (attention.isCausal)
        keys = std::min<int64_t>(keys, part * s.rows + alignTo(unit, together) *
                                                           p.unitRows);
      ofUnit = double(alignTo(keys, s.keys));
      ofPart += ofUnit * p.own.sequences;
    }
    seen += ofPart / p.parts;
    most += ofUnit / p.parts;
    heaviest = std::max(heaviest, ofPart);
  }
  double scores = heads * seen * p.unitRows;
  double columns = shape.headDim;
  double ofScore =
      2 * (double(alignTo(shape.headDim, isHalf ? 16 : 8)) + columns);
  addProduct(scores * ofScore, sharesKeys);
  work.mufu += ctas * scores;
  work.instructions += ctas * scores * (kScore + columns / s.keys);
  addB(heads * seen * 2 * columns * bytes, sharesKeys);

  // Of a causal sequence, the last CTA has most to do.
  double mostComputed = p.keyFeatures * p.parts + p.queryFeatures;
  double mostFlops =
      2 * rows * mostComputed * depth + heads * heaviest * p.unitRows * ofScore;
  if (attention.isCausal && p.parts > 1)
    work.imbalance =
        mostFlops / (2 * rows * computed * depth + scores * ofScore);

  // The steps of the unit that sees most.
  double steps = p.isWhole ? 1 : double(divideCeil(p.depth, s.depth));
  double linearBlocks =
      p.isWhole ? 2 * p.publications * p.keyBlocks + p.blocks : p.passes;
  work.stages = reductions * p.rowPasses + linearBlocks * steps +
                (kBarriers + attention.hides * p.keyBlocks) * p.publications +
                kKeyStages * heads * most / s.keys;
  double loadsOfRows = std::max<int64_t>(loads, 1);
  work.loads = 1 + loadsOfRows;
  if (!p.isWhole && p.copies == 0) // Each unit waits for its own rows.
    work.loads += p.passes * steps;
  if (p.isWhole && p.copies == 0) // And for those of the CTAs before it.
    work.loads += loadsOfRows * (p.rowPasses - 1);
  work.trips = weight / p.tileBytes / s.stages;
  if (p.copies > 0)
    work.trips = std::max(work.trips, p.copies * steps / s.stages);

  double memory = batch * double(shape.sequence) * (touched + stored) + weights;
  constexpr double kCacheShare = 0.75;
  work.memoryBytes = memory > kCacheShare * device.l2Size ? memory : 0;
  return work;
}

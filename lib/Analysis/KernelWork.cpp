// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a schedule makes of a kernel: the work of each resource, as the code of
// hk-to-tile does it.

#include "KernelCosts.h"

#include "hk/Analysis/KernelDescription.h"
#include "hk/Dialect/Tile/RegisterSplit.h"
#include "hk/Target/Devices/Device.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace hk;
using llvm::alignTo;
using llvm::divideCeil;

// The limits of hk-to-tile (lib/Conversion/HKToTile/KernelPlan.cpp): registers
// of an input that is held whole, of the rows of a line kernel, and the bytes
// of a tile where the schedule leaves the choice.
static constexpr int64_t kInputRegisters = 96, kLineRegisters = 64,
                         kTileBytes = 32 * 1024;

/// Those of tile-residency: an operand of fewer registers is always held; of
/// another, so many columns are fetched at once.
static constexpr int64_t kFewRegisters = 32, kFetchColumns = 16,
                         kGroupFetchColumns = 64;
/// How the lanes of a warp hold a row, and how many rows come at once.
static std::pair<int64_t, int64_t> getLineRows(int64_t features,
                                               int64_t unitRows) {
  int64_t lanes = 1;
  while (lanes < kWarp && lanes * 4 < features)
    lanes *= 2;
  int64_t group = kWarp / lanes;
  int64_t registers = divideCeil(features, 4 * lanes) * 4;
  int64_t most = std::max<int64_t>(1, kLineRegisters / registers) * group;
  int64_t rows = std::min<int64_t>(alignTo(unitRows, group), most);
  return {rows, rows / group * registers};
}

//===----------------------------------------------------------------------===//
// What is refused
//===----------------------------------------------------------------------===//

std::string KernelDescription::whyRefused(const CUDASchedule &s) const {
  if (shape.family == CUDAFamily::Projection)
    return whyProjectionRefused(s);
  bool isLine = shape.family == CUDAFamily::Line;
  int64_t unitRows = s.rows / s.units;
  if (llvm::any_of(attentions, [](auto &a) { return a.isProjected; }))
    return "a kernel that computes keys ends with their attention";
  if (s.rows % s.units != 0 || (!isLine && unitRows % kTileRows != 0))
    return "a warp needs whole tiles of 16 rows";
  if (s.rows >= 2 * std::max(shape.sequence, kTileRows))
    return "half of the rows would be behind the end of a sequence";
  if (shape.family == CUDAFamily::Gemm && (s.columns % 8 || s.depth % 8))
    return "columns and depth have to be multiples of 8";
  if (s.heads > 1 && shape.heads % s.heads != 0)
    return "heads of a CTA have to divide all";
  if (s.rowBlocks > 1 &&
      (shape.sequence <= s.rows ||
       llvm::none_of(attentions, [](auto &a) { return a.isCausal; })))
    return "blocks of rows are taken in pairs where they differ in work";
  if (!attentions.empty() && s.keys % kTileRows != 0)
    return "keys have to be a multiple of 16";
  int64_t most = kSlabRegisters * kWarp / alignTo(unitRows, kTileRows) / 8 * 8;
  if (!isLine && widest > most)
    return llvm::formatv("a row of {0} features does not fit into the "
                         "registers of a warp with {1} rows, which hold {2}",
                         widest, unitRows, most);
  return {};
}

//===----------------------------------------------------------------------===//
// Registers and shared memory
//===----------------------------------------------------------------------===//

bool KernelDescription::hasWholeInput(const Linear &linear,
                                      const CUDASchedule &s) const {
  int64_t registers = s.rows / s.units * alignTo(linear.depth, 8) *
                      shape.operandBytes / (4 * kWarp);
  return !linear.sums && (linear.input == Input::Rows ||
                          (s.columns == 0 && registers <= kInputRegisters));
}

int64_t KernelDescription::getTileBytes(const Linear &linear,
                                        const CUDASchedule &s) const {
  int64_t rows = alignTo(linear.features, 8),
          columns = alignTo(linear.depth, 8);
  bool isWhole = hasWholeInput(linear, s);
  if (!linear.sums)
    rows = std::min(rows, s.columns > 0 ? s.columns : s.block);
  if (!isWhole)
    columns =
        std::min(columns, linear.input == Input::Blocks ? s.block : s.depth);
  while ((isWhole || linear.sums) && columns % 16 == 0 &&
         rows * columns * shape.operandBytes > kTileBytes)
    columns /= 2;
  return rows * columns * shape.operandBytes;
}

int64_t KernelDescription::getRegisters(const CUDASchedule &s) const {
  int64_t unitRows = s.rows / s.units, bytes = shape.operandBytes;
  switch (shape.family) {
  case CUDAFamily::Line:
    return std::min<int64_t>(
        255, kOverhead + 16 + 2 * getLineRows(shape.features, unitRows).second);
  case CUDAFamily::Gemm: {
    // The sums, and a step of the input or the bias. An input that comes in one
    // step is loaded as it is in memory.
    const Linear &linear = linears.front();
    bool isOneStep = linear.depth <= s.depth;
    int64_t size = isOneStep ? linear.rowBytes / linear.depth : bytes;
    int64_t step = slab(unitRows, std::min(s.depth, linear.depth)) * size / 4;
    return kOverhead + 8 + slab(unitRows, s.columns) +
           std::max(step, linear.hasBias ? s.columns / 4 : 0);
  }
  case CUDAFamily::Attention:
    // The query and the context of a head, scores, and their powers.
    bytes = attentions.front().elementBytes;
    return kOverhead + (s.usesWarpgroups ? 0 : 8) +
           slab(unitRows, shape.headDim) * (4 + bytes) / 4 +
           slab(unitRows, s.keys) * (4 + bytes) / 4;
  case CUDAFamily::Projection:
    return getProjectionRegisters(s);
  case CUDAFamily::Chain:
    break;
  }
  // Residency is of 16 rows, and of 32 keys.
  int64_t block = slab(unitRows, s.block);
  if (!attentions.empty())
    block = std::max(block, slab(unitRows, std::max<int64_t>(s.keys - 32, 0)) *
                                (4 + bytes) / 4);
  return kOverhead + resident * alignTo(unitRows, kTileRows) / kTileRows +
         block;
}

int64_t KernelDescription::getQueryRegisters(const CUDASchedule &s) const {
  return slab(s.rows / s.units, shape.headDim) *
         attentions.front().elementBytes / 4;
}

bool KernelDescription::isQueryStaged(const CUDASchedule &s) const {
  if (shape.family != CUDAFamily::Attention || !s.usesWarpgroups)
    return false;
  const Attention &attention = attentions.front();
  return attention.elementBytes == 2 &&
         attention.queryBytes ==
             attention.heads * attention.headDim * attention.elementBytes;
}

bool KernelDescription::isQueryPublished(const CUDASchedule &s,
                                         const KernelWork &work,
                                         const Device &device) const {
  int64_t limit = std::min<int64_t>(255, device.registers / work.threads);
  if (auto split = tile::RegisterSplit::get(
          s.units, work.threads / kWarp - s.units, s.ctas, device.registers))
    limit = split->consumer;
  return getQueryRegisters(s) >= kFewRegisters && work.registers > limit;
}

int64_t KernelDescription::getShared(const CUDASchedule &s) const {
  if (shape.family == CUDAFamily::Projection)
    return getProjectionShared(s);
  int64_t tile = 0, input = 0, keys = 0;
  for (const Linear &linear : linears) {
    tile = std::max(tile, getTileBytes(linear, s));
    if (s.columns > 0 && linear.depth > s.depth)
      input = std::max(input, s.rows * s.depth * shape.operandBytes);
  }
  for (const Attention &attention : attentions)
    keys = std::max<int64_t>(keys, s.keys * alignTo(attention.headDim, 8) *
                                       attention.elementBytes);
  // Keys and values alternate in one ring, and a block of both is held.
  return s.stages * (alignTo(tile, 1024) + alignTo(input, 1024)) +
         std::max<int64_t>(s.stages, 3) * alignTo(keys, 1024);
}

//===----------------------------------------------------------------------===//
// Work
//===----------------------------------------------------------------------===//

KernelWork KernelDescription::getWork(const CUDASchedule &s,
                                      const Device &device) const {
  if (shape.family == CUDAFamily::Projection)
    return getProjectionWork(s, device);
  KernelWork work;
  int64_t unitRows = s.rows / s.units, bytes = shape.operandBytes;
  int64_t rowBlocks = batch * divideCeil(shape.sequence, s.rows);
  double tokens = double(batch) * shape.sequence;
  double computed = double(rowBlocks) * s.rows;
  int64_t runs = 1;
  if (s.columns > 0)
    runs = divideCeil(shape.features, s.columns);
  else if (s.heads > 0 && shape.heads > 0)
    runs = divideCeil(shape.heads, s.heads);
  bool isHalf = bytes == 2;
  double passes = operands == Operands::TF32x3 ? 3 : 1;

  int64_t items = batch * runs *
                  divideCeil(divideCeil(shape.sequence, s.rows), s.rowBlocks);
  work.ctas = s.isPersistent ? std::min(items, s.ctas * device.sms) : items;
  // What a CTA does one after another.
  double itemsOfCTA = double(items) / double(work.ctas);
  work.units = s.units;
  bool isLine = shape.family == CUDAFamily::Line;
  // Warps that copy (tile-partition): keys and values are many small copies.
  int64_t producers = isLine ? 0 : attentions.empty() ? 1 : 4;
  if (s.ctas > 0)
    producers = kWarpgroup;
  work.threads = kWarp * (s.units + producers);
  work.ctasOfSM = s.ctas;
  work.registers = getRegisters(s);
  work.shared = getShared(s);
  bool isQueryShared = shape.family == CUDAFamily::Attention &&
                       isQueryPublished(s, work, device);
  if (isQueryShared) {
    // In its place is what is fetched; and 32 rows have twice the sums and
    // maxima of 16.
    work.registers +=
        slab(unitRows, s.usesWarpgroups ? kGroupFetchColumns : kFetchColumns) *
            (4 + attentions.front().elementBytes) / 4 -
        getQueryRegisters(s);
  }
  bool isQueryStaged = this->isQueryStaged(s);
  if (isQueryShared || isQueryStaged)
    work.shared += alignTo(s.rows * alignTo(shape.headDim, 8) *
                               attentions.front().elementBytes,
                           1024);

  work.instructions = instructions * computed;
  work.mufu = mufu * computed;
  work.l2Bytes = (loaded + stored) * tokens;
  double memory = (touched + stored) * tokens;
  work.stages = reductions;
  work.loads = 1 + std::max<int64_t>(loads, 1);

  if (!isLine) // What the CTA loads first and stores last.
    work.exposedBytes = (loaded + stored) * tokens;
  if (isQueryStaged) // Of what it does in between, nothing waits.
    work.exposedBytes /=
        double(std::max<int64_t>(s.heads, 1) * s.rowBlocks) * itemsOfCTA;
  if (shape.family == CUDAFamily::Gemm)
    work.exposedBytes += double(work.ctas) *
                         double(std::min(s.depth, shape.depth)) *
                         double(s.rows + s.columns) * bytes;

  auto addProduct = [&](double flops) {
    if (s.usesWarpgroups) {
      work.warpgroupFlops += flops;
      work.instructions += kWarp * kGroupInstructions * flops / kGroupProduct;
      return;
    }
    (isHalf ? work.f16Flops : work.tf32Flops) += flops * passes;
    work.instructions +=
        kWarp * flops * passes / (isHalf ? kHalfProduct : kWordProduct);
  };
  // What the units read of shared memory to multiply, to registers.
  auto addOperand = [&](double read, double size) {
    work.sharedBytes += read;
    work.instructions += kWarp * read / (size == 2 ? kMatrixLoad : kWordLoad);
    if (passes > 1)
      work.instructions += kSplit * read / size;
  };
  // B, for each of the units, or for each warpgroup.
  auto addB = [&](double bytes, double size) {
    if (s.usesWarpgroups)
      work.sharedBytes += bytes * double(s.units) / kWarpgroup;
    else
      addOperand(bytes * double(s.units), size);
  };

  for (const Linear &linear : linears) {
    double n = alignTo(linear.features, 8);
    double k = alignTo(linear.depth, isHalf ? 16 : 8);
    double weight = n * k * bytes;
    addProduct(2 * computed * n * k);
    addB(double(rowBlocks) * weight, bytes);
    // Each block of rows brings all of the weight in, run by run.
    work.sharedBytes += rowBlocks * weight;
    work.l2Bytes += rowBlocks * weight;
    memory += weight;
    bool isWhole = hasWholeInput(linear, s);
    double blocks = isWhole || linear.sums || s.columns > 0
                        ? 1
                        : double(divideCeil(linear.features, s.block));
    double reads = blocks * runs;
    work.l2Bytes += tokens * linear.rowBytes * reads;
    if (s.columns > 0 && linear.depth > s.depth) {
      // The input comes through shared memory.
      work.sharedBytes += computed * k * bytes * runs;
      addOperand(computed * k * bytes * runs, bytes);
      work.trips += double(divideCeil(linear.depth, s.depth)) / s.stages;
    } else {
      work.instructions += 0.15 * computed * linear.rowBytes * reads;
    }
    if (linear.sums || s.columns > 0)
      work.stages += double(divideCeil(
          linear.depth, linear.input == Input::Blocks ? s.block : s.depth));
    else
      work.stages += double(divideCeil(linear.features, s.block)) *
                     (isWhole ? 1 : double(divideCeil(linear.depth, s.depth)));
    work.trips += weight / runs / getTileBytes(linear, s) / s.stages;
  }

  double attentionFlops = 0, heaviest = 1;
  for (const Attention &attention : attentions) {
    // The keys that the blocks of rows of a sequence see, in whole blocks.
    int64_t blocks = divideCeil(shape.sequence, s.rows);
    int64_t all = alignTo(shape.sequence, s.keys);
    double sum = double(blocks) * all, most = double(all);
    if (attention.isCausal) {
      sum = 0;
      for (int64_t i = 1; i <= blocks; ++i)
        sum += alignTo(std::min(i * s.rows, shape.sequence), s.keys);
    }
    // Of two blocks, one from each end, a CTA has what all others have, but for
    // one in the middle.
    double largest = most * blocks / sum;
    if (s.rowBlocks > 1)
      largest = 1 + double(blocks % 2) / double(blocks);
    // Of many, one CTA has half of the largest more than the mean; of few, one
    // has one more than others.
    if (itemsOfCTA > 1)
      largest = std::max(1 + largest / (2 * itemsOfCTA),
                         std::ceil(itemsOfCTA) / itemsOfCTA);
    heaviest = std::max(heaviest, largest);
    double heads = double(batch) * attention.heads;
    double scores = heads * sum * s.rows;
    double depth =
        alignTo(attention.headDim, attention.elementBytes == 2 ? 16 : 8);
    double columns = alignTo(attention.headDim, 8);
    double flops = 2 * scores * (depth + columns);
    attentionFlops += flops;
    addProduct(flops);
    work.mufu += scores;
    // Warps rescale the context once for each block of keys; warpgroups rarely.
    if (s.usesWarpgroups)
      work.instructions +=
          scores * kGroupScore +
          kWarp * kGroupBlock * scores / double(s.keys * unitRows);
    else
      work.instructions += scores * (kScore + columns / s.keys);
    double keys = heads * sum * 2 * columns * attention.elementBytes;
    work.sharedBytes += keys;
    addB(keys, attention.elementBytes);
    if (isQueryShared) // In every block of keys.
      addOperand(scores / s.keys * columns * attention.elementBytes,
                 attention.elementBytes);
    work.l2Bytes += keys + tokens * attention.queryBytes;
    work.instructions += 0.15 * computed * attention.queryBytes;
    double headsOfCTA = double(attention.heads) / runs;
    double steps =
        headsOfCTA * sum / blocks * s.rowBlocks / s.keys * itemsOfCTA;
    work.stages += kKeyStages * steps;
    work.trips += 2 * steps / std::max<int64_t>(s.stages, 3);
  }
  double products = work.f16Flops + work.tf32Flops + work.warpgroupFlops;
  if (products > 0)
    work.imbalance = 1 + (heaviest - 1) * attentionFlops * passes / products;

  if (isLine) {
    int64_t rows = getLineRows(shape.features, unitRows).first;
    work.loads = double(loads + 1) * double(divideCeil(unitRows, rows));
  }
  // What fits stays in the second-level cache from kernel to kernel.
  constexpr double kCacheShare = 0.75;
  work.memoryBytes = memory > kCacheShare * device.l2Size ? memory : 0;
  return work;
}

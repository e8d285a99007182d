// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rules that choose the schedule of a kernel on a GPU.

#ifndef HK_ANALYSIS_CUDASCHEDULE_H
#define HK_ANALYSIS_CUDASCHEDULE_H

#include <cstdint>
#include <optional>

namespace hk {

/// What the rules need to know of a GPU.
struct CUDALimits {
  /// Streaming multiprocessors.
  int64_t processors;
  /// Bytes of shared memory that one CTA may have.
  int64_t sharedPerCTA;
};

/// What a kernel is, to its schedule.
enum class CUDAFamily {
  /// Row-wise operations, no linear operation: rows stream through.
  Line,
  /// One linear operation, with what is done to each element of its result.
  Gemm,
  /// Attention alone.
  Attention,
  /// Attention and what its keys and values are computed from: a CTA owns a
  /// sequence, several short ones, or some rows of a long one.
  Projection,
  /// Anything else: a warp keeps its rows.
  Chain
};

/// What the rules need to know of a kernel.
struct CUDAKernelShape {
  CUDAFamily family = CUDAFamily::Line;
  /// Sequences, or nothing if the batch is dynamic.
  std::optional<int64_t> batch;
  /// The rows (tokens) of one sequence.
  int64_t sequence = 1;
  /// The features of the result.
  int64_t features = 1;
  /// The features that the linear operation reads (Gemm).
  int64_t depth = 1;
  /// Attention: heads of the query, and features of one; 0 for none.
  int64_t heads = 0;
  int64_t headDim = 0;
  /// Query heads that share keys and values.
  int64_t group = 1;
  /// Bytes of an operand of the matrix units: 2, or 4 for tf32 and tf32x3.
  int64_t operandBytes = 2;
};

/// The parameters of #hk.cuda, but for the architecture and the operands.
struct CUDASchedule {
  int64_t rows;
  int64_t units;
  int64_t columns;
  int64_t heads;
  int64_t block;
  int64_t depth;
  int64_t keys;
  int64_t stages;
  /// wgmma, where shapes allow it, instead of mma.sync.
  bool usesWarpgroups = false;
  /// With wgmma: the CTAs that are to share an SM, as their registers are cut
  /// out for; 0 leaves that to ptxas.
  int64_t ctas = 0;
  /// The blocks of rows of a CTA: 2 takes one from each end of the sequence.
  int64_t rowBlocks = 1;
  /// The grid has no more CTAs than the GPU holds, and each takes several.
  bool isPersistent = false;
};

/// The schedule of a kernel.
///
/// Rows are a power of two, at least 16 a warp but for Line kernels (the
/// matrix units' tile is 16 rows), and no more than the sequence needs. With a
/// static batch, rows, then columns, are halved until nine processors of ten
/// have a CTA; a dynamic batch is taken to be large.
///
/// - Line: 8 warps; rows so that a warp asks for 2 KB at once, which keeps
///   the memory busy, but no more than 8.
/// - Gemm: 128 rows (64 where 128 would compute much for nothing) by 128
///   features in 4 warps, down to 64 by 32; 64 deep. Two CTAs a processor
///   have 3 or 4 stages each; where the shared memory is too small for that,
///   the depth is halved. Operands of 4 bytes: 64 features, 32 deep.
/// - Attention: 64 rows and 64 keys; sequences of 512 and more with heads of
///   at most 64 take 128 rows and 128 keys; heads above 128 take 32 keys, so
///   that scores and result stay in registers. One head a CTA.
/// - Projection: all rows of a sequence, 16 a warp, as many keys at a time as
///   divide them, up to 64; one head a CTA, or, of heads of less than 16
///   features, as many as a block has room for. Three stages.
/// - Chain: 64 rows in 4 warps; with few rows, fewer warps. Blocks of 64
///   features, 64 deep.
///
/// Operands of 4 bytes halve block, depth and keys: the bytes of a tile in
/// shared memory stay the same.
CUDASchedule chooseCUDASchedule(const CUDALimits &limits,
                                const CUDAKernelShape &shape);

} // namespace hk

#endif // HK_ANALYSIS_CUDASCHEDULE_H

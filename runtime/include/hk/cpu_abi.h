/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How the runtime calls a CPU kernel that the compiler made. */
#ifndef HK_CPU_ABI_H
#define HK_CPU_ABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a kernel is given. Field offsets are part of the module format: the
 * compiler loads them by number (8 bytes each, in this order).
 *
 * `buffers` are the operands, then the results, of a dispatch: base addresses
 * of dense row-major tensors whose dimension 0 is the batch. `packed` holds
 * one address for every packed value of the variant, by slot, already at the
 * layer of the dispatch. `scratch` is the worker's own, 64-byte aligned, at
 * least as large as the variant asks for, and holds nothing between calls. */
typedef struct hk_cpu_args {
  void *const *buffers;
  const void *const *packed;
  int64_t batch;
  void *scratch;
  void *const *imports; /* libm functions the variant names, by slot */
} hk_cpu_args;

/* Runs workgroups [first, last) of the dispatch. */
typedef void (*hk_cpu_kernel)(const hk_cpu_args *args, uint64_t first,
                              uint64_t last);

#ifdef __cplusplus
}
#endif

#endif /* HK_CPU_ABI_H */

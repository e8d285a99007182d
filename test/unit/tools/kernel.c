/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The kernels of the test module: y = x + x * g, on [B, 3, 4], a workgroup a
 * sequence. Compiled once a kernel, to code without relocations. */
#include "hk/cpu_abi.h"

void hk_test_kernel(const hk_cpu_args *args, uint64_t first, uint64_t last) {
#ifdef KERNEL_VALUE
  const KERNEL_TYPE *x = args->buffers[0];
  KERNEL_TYPE *y = args->buffers[2]; /* 1 is the mask or the lengths */
  const KERNEL_TYPE *g = args->packed[0];
  for (uint64_t i = first * 12; i < last * 12; ++i)
    y[i] = KERNEL_VALUE;
#else
  (void)args;
  (void)first;
  (void)last;
#endif
}

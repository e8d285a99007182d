/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Kernels of test modules, as the compiler would make them: code alone, no
 * data, no calls but imports. A workgroup is one sequence: a row of 8. */
#include "hk/cpu_abi.h"

enum { kWidth = 8 };

/* out = in * w + b, by way of the scratch. */
void affine(const hk_cpu_args *args, uint64_t first, uint64_t last) {
  const float *in = args->buffers[0];
  float *out = args->buffers[1];
  const float *w = args->packed[0], *b = args->packed[1];
  volatile float *scratch = args->scratch;
  for (uint64_t row = first; row < last; ++row) {
    for (int i = 0; i < kWidth; ++i)
      scratch[i] = in[row * kWidth + i] * w[i];
    for (int i = 0; i < kWidth; ++i)
      out[row * kWidth + i] = scratch[i] + b[i];
  }
}

/* The same in float64, without scratch. */
void affine_f64(const hk_cpu_args *args, uint64_t first, uint64_t last) {
  const double *in = args->buffers[0];
  double *out = args->buffers[1];
  const double *w = args->packed[0], *b = args->packed[1];
  for (uint64_t i = first * kWidth; i < last * kWidth; ++i)
    out[i] = in[i] * w[i % kWidth] + b[i % kWidth];
}

/* out = in + in + in; needs no parameters. */
void triple(const hk_cpu_args *args, uint64_t first, uint64_t last) {
  const float *in = args->buffers[0];
  float *out = args->buffers[1];
  for (uint64_t i = first * kWidth; i < last * kWidth; ++i)
    out[i] = in[i] + in[i] + in[i];
}

/* out = f(in), with f the first import, a double(double). */
void apply_import(const hk_cpu_args *args, uint64_t first, uint64_t last) {
  const float *in = args->buffers[0];
  float *out = args->buffers[1];
  double (*function)(double) = (double (*)(double))args->imports[0];
  for (uint64_t i = first * kWidth; i < last * kWidth; ++i)
    out[i] = (float)function(in[i]);
}

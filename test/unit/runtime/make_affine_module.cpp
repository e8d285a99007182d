// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes affineCudaModule() and its checkpoint, for tests of C and of the
// tools:
//   hk_make_affine_module MODULE CHECKPOINT
#include "module_builder.h"
#include "safetensors_builder.h"

#include <cstdio>

int main(int argc, char **argv) {
  if (argc != 3) {
    std::fprintf(stderr, "expects 2 paths, but got %d\n", argc - 1);
    return 1;
  }
  hk::test::writeFile(argv[1], hk::test::affineCudaModule().bytes());
  hk::test::writeFile(argv[2], hk::test::affineCheckpoint());
  return 0;
}

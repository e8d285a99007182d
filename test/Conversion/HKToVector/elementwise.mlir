// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s --hk-to-vector --canonicalize --cse | FileCheck %s

#v4 = #hk.cpu<isa = "x86-64-v4", rows = 64, mr = 12, nr = 32, keys = 64>
#base = #hk.cpu<isa = "x86-64", rows = 64, mr = 4, nr = 8, keys = 64>
#grid = affine_map<()[B] -> (B)>
!x = tensor<?x64x32xf32>
!two = tensor<?x64x64xf32>

// One loop nest and no scratch: views of columns, a product, a mask.

// CHECK-LABEL: func.func @gated
// CHECK-SAME: hk.scratch = 0 : i64
// CHECK: scf.for
// CHECK:   scf.for
// CHECK:     vector.load %{{.*}} : memref<64x64xf32>, vector<16xf32>
// CHECK:     vector.load %{{.*}} : memref<64x64xf32>, vector<16xf32>
// CHECK:     arith.mulf
// CHECK:     arith.select %{{[0-9]+}}, %{{[0-9]+}}, %{{[a-z_0-9]+}} : vector<16xf32>
// CHECK:     vector.store
// CHECK-NOT: scf.for
// CHECK: return
hk.executable @gated {
  hk.variant #v4 grid(#grid) {
  ^bb0(%x: !two, %n: tensor<?xi32>):
    %a, %b = hk.split %x : !two -> !x, !x
    %g = hk.activation relu %a : !x
    %m = hk.mul %g, %b : !x, !x
    %y = hk.mask_rows %m lengths(%n) : !x, tensor<?xi32>
    hk.yield %y : !x
  }
}

// A mask in memory is a byte a token.

// CHECK-LABEL: func.func @masked
// CHECK: %[[BYTE:.*]] = memref.load %{{.*}} : memref<64xi8>
// CHECK: arith.cmpi ne, %[[BYTE]], %c0_i8 : i8
hk.executable @masked {
  hk.variant #v4 grid(#grid) {
  ^bb0(%x: !x, %valid: tensor<?x64xi1>):
    %y = hk.mask_rows %x key_mask(%valid) : !x, tensor<?x64xi1>
    hk.yield %y : !x
  }
}

// A value with two uses is stored once: 64 rows of 32 f32.

// CHECK-LABEL: func.func @twice
// CHECK-SAME: hk.scratch = 8192 : i64
hk.executable @twice {
  hk.variant #v4 grid(#grid) {
  ^bb0(%x: !x):
    %a = hk.activation silu %x : !x
    %y = hk.mul %a, %a : !x, !x
    hk.yield %y : !x
  }
}

// Three values that are never there together take two places.

// CHECK-LABEL: func.func @reuse
// CHECK-SAME: hk.scratch = 16384 : i64
hk.executable @reuse {
  hk.variant #v4 grid(#grid) {
  ^bb0(%x: !x):
    %a = hk.layer_norm %x : !x
    %b = hk.layer_norm %a : !x
    %c = hk.layer_norm %b : !x
    %y = hk.layer_norm %c : !x
    hk.yield %y : !x
  }
}

// Casts: half precision where the machine has it, integers where it has not,
// and bf16 always in integers.

// CHECK-LABEL: func.func @cast_v4
// CHECK: arith.extf %{{.*}} : vector<16xf16> to vector<16xf32>
// CHECK: arith.shrui
// CHECK: vector.store %{{.*}} : memref<64x32xbf16>, vector<16xbf16>
hk.executable @cast_v4 {
  hk.variant #v4 grid(#grid) {
  ^bb0(%x: tensor<?x64x32xf16>):
    %a = hk.cast %x : tensor<?x64x32xf16> to !x
    %b = hk.activation relu %a : !x
    %y = hk.cast %b : !x to tensor<?x64x32xbf16>
    hk.yield %y : tensor<?x64x32xbf16>
  }
}

// A result that is an argument, or is yielded twice, is copied.

// CHECK-LABEL: func.func @copies
// CHECK-COUNT-3: vector.store
// CHECK-NOT: vector.store
// CHECK: return
hk.executable @copies {
  hk.variant #v4 grid(#grid) {
  ^bb0(%x: !x):
    %y = hk.activation relu %x : !x
    hk.yield %y, %y, %x : !x, !x, !x
  }
}

// CHECK-LABEL: func.func @cast_base
// CHECK-NOT: arith.extf
// CHECK-NOT: arith.truncf
// CHECK: return
hk.executable @cast_base {
  hk.variant #base grid(#grid) {
  ^bb0(%x: tensor<?x64x32xf16>):
    %a = hk.cast %x : tensor<?x64x32xf16> to !x
    %b = hk.activation relu %a : !x
    %y = hk.cast %b : !x to tensor<?x64x32xf16>
    hk.yield %y : tensor<?x64x32xf16>
  }
}

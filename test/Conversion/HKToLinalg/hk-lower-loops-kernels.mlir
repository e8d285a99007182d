// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -hk-lower-loops-kernels | FileCheck %s
// RUN: hk-opt %s -hk-lower-loops-kernels -remarks-filter=".*" -remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s -check-prefix=REMARK
// RUN: hk-opt %s -hk-lower-loops-kernels | FileCheck %s -check-prefix=LEFT
// What is made is lowered to LLVM by the passes that every CPU kernel takes.
// RUN: hk-opt %s -pass-pipeline='builtin.module(hk-lower-loops-kernels,builtin.module(hk-cpu-to-llvm))' | FileCheck %s -check-prefix=LLVM

!x = tensor<?x8x4xf32>
!d = tensor<?x8x4xf64>

hk.packed @w : tensor<4x4xf64> {
  %w = hk.param "w" from f32 : tensor<4x4xf64>
  hk.yield %w : tensor<4x4xf64>
}
hk.packed @g layers(0 to 2) : tensor<4xf64> {
^bb0(%l: index):
  %g = hk.param "{}.g"[%l] from f32 : tensor<4xf64>
  hk.yield %g : tensor<4xf64>
}

// The variant stays; one that is not of #hk.loops is not looked at.
// CHECK: hk.executable @block
// CHECK: hk.variant #hk.cpu
// CHECK: hk.variant #hk.loops
// REMARK: remark: {{.*}}hk-lower-loops-kernels{{.*}}Function=block{{.*}}lowered to plain loops{{.*}}Scratch=1472
hk.executable @block {
  hk.variant #hk.cpu<isa = "x86-64", rows = 8, mr = 4, nr = 8, keys = 8> grid(affine_map<()[B] -> (B)>) {
  ^bb0(%x: !x, %m: tensor<?x8xi1>, %l: index):
    %0 = hk.cast %x : !x to !d
    hk.yield %0 : !d
  }
  hk.variant #hk.loops<isa = "x86-64", rows = 8> grid(affine_map<()[B] -> (B)>) {
  ^bb0(%x: !x, %m: tensor<?x8xi1>, %l: index):
    %w = hk.packed.get @w : tensor<4x4xf64>
    %g = hk.packed.get @g[%l] : tensor<4xf64>
    %again = hk.packed.get @w : tensor<4x4xf64>
    %0 = hk.cast %x : !x to !d
    %1 = hk.layer_norm %0, %g : !d, tensor<4xf64>
    %2 = hk.linear %1, %w : !d, tensor<4x4xf64>
    %3 = hk.linear %1, %again, %g : !d, tensor<4x4xf64>, tensor<4xf64>
    %4 = hk.attention %2, %3, %1 key_mask(%m) {num_heads = 2 : i32, causal} : !d, !d, !d, tensor<?x8xi1>
    %5 = hk.add %4, %0 : !d, !d
    %6 = hk.activation gelu_erf %5 : !d
    hk.yield %6 : !d
  }
}
hk.executable @lengths {
  hk.variant #hk.loops<isa = "x86-64", rows = 8> grid(affine_map<()[B] -> (B)>) {
  ^bb0(%x: tensor<64x8x4xf32>, %n: tensor<64xi32>):
    %0 = hk.mask_rows %x lengths(%n) : tensor<64x8x4xf32>, tensor<64xi32>
    hk.yield %0, %x : tensor<64x8x4xf32>, tensor<64x8x4xf32>
  }
}

// CHECK-LABEL: module @"x86-64.loops" attributes {hk.isa = "x86-64"} {
// CHECK:         func.func @block(%[[ARGS:.*]]: !llvm.ptr, %[[FIRST:.*]]: i64, %[[LAST:.*]]: i64)
// CHECK-SAME:      attributes {hk.executable = @block, hk.imports = ["erf", "exp"], hk.packed = [@w, @g], hk.scratch = 1472 : i64, hk.variant = 1 : i64} {
// The table of buffers, the bases of x, m and y.
// CHECK:           %[[P:.*]] = llvm.getelementptr %[[ARGS]][0] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
// CHECK:           %[[BUFFERS:.*]] = llvm.load %[[P]] : !llvm.ptr -> !llvm.ptr
// CHECK:           %[[P:.*]] = llvm.getelementptr %[[BUFFERS]][0]
// CHECK:           %[[X:.*]] = llvm.load %[[P]]
// CHECK:           %[[P:.*]] = llvm.getelementptr %[[BUFFERS]][1]
// CHECK:           %[[M:.*]] = llvm.load %[[P]]
// CHECK:           %[[P:.*]] = llvm.getelementptr %[[BUFFERS]][2]
// CHECK:           %[[Y:.*]] = llvm.load %[[P]]
// The packed values, by slot.
// CHECK:           %[[P:.*]] = llvm.getelementptr %[[ARGS]][1]
// CHECK:           %[[PACKED:.*]] = llvm.load %[[P]]
// CHECK:           llvm.getelementptr %[[PACKED]][0]
// CHECK:           %[[W:.*]] = builtin.unrealized_conversion_cast %{{.*}} to memref<4x4xf64>
// CHECK:           llvm.getelementptr %[[PACKED]][1]
// CHECK:           %[[G:.*]] = builtin.unrealized_conversion_cast %{{.*}} to memref<4xf64>
// Live in the attention: x, h, q, k and the result, 256 bytes each; the mask, the
// scores and the context of a query, a cache line each.
// CHECK:           llvm.getelementptr %[[ARGS]][3]
// CHECK:           %[[SCRATCH:.*]] = builtin.unrealized_conversion_cast %{{.*}} to memref<1472xi8>
// CHECK:           %[[P:.*]] = llvm.getelementptr %[[ARGS]][4]
// CHECK:           %[[IMPORTS:.*]] = llvm.load %[[P]]
// CHECK:           %[[P:.*]] = llvm.getelementptr %[[IMPORTS]][0]
// CHECK:           %[[ERF:.*]] = llvm.load %[[P]]
// CHECK:           %[[P:.*]] = llvm.getelementptr %[[IMPORTS]][1]
// CHECK:           %[[EXP:.*]] = llvm.load %[[P]]
// A sequence is 8 * 4 * 4 bytes of x, 8 of the mask and 8 * 4 * 8 of y.
// CHECK:           scf.for %[[B:.*]] = %[[FIRST]] to %[[LAST]] step %{{.*}} : i64 {
// CHECK:             %[[O:.*]] = arith.muli %[[B]], %c128_i64
// CHECK:             llvm.getelementptr %[[X]][%[[O]]] : (!llvm.ptr, i64) -> !llvm.ptr, i8
// CHECK:             %[[XB:.*]] = builtin.unrealized_conversion_cast %{{.*}} to memref<1x8x4xf32>
// CHECK:             %[[O:.*]] = arith.muli %[[B]], %c8_i64
// CHECK:             llvm.getelementptr %[[M]][%[[O]]]
// CHECK:             %[[MB:.*]] = builtin.unrealized_conversion_cast %{{.*}} to memref<1x8xi8>
// CHECK:             %[[O:.*]] = arith.muli %[[B]], %c256_i64
// CHECK:             llvm.getelementptr %[[Y]][%[[O]]]
// CHECK:             %[[YB:.*]] = builtin.unrealized_conversion_cast %{{.*}} to memref<1x8x4xf64>
// CHECK:             memref.view %[[SCRATCH]]
// A byte of the mask that is not zero is true.
// CHECK:             %[[BYTE:.*]] = memref.load %[[MB]]
// CHECK:             arith.cmpi ne, %[[BYTE]], %c0_i8 : i8
// CHECK:             memref.load %[[XB]]
// CHECK:             arith.extf
// CHECK:             memref.load %[[G]]
// CHECK:             memref.load %[[W]]
// CHECK:             llvm.call %[[EXP]](%{{.*}}) : !llvm.ptr, (f64) -> f64
// CHECK:             llvm.call %[[ERF]](%{{.*}}) : !llvm.ptr, (f64) -> f64
// CHECK:             memref.store %{{.*}}, %[[YB]]
// The result is written in place: nothing is copied after it.
// CHECK-NOT:         memref.load
// CHECK:           return

// The static batch is one, and the length a number beside the buffers. x, which
// is a result as well, is copied.
// CHECK:         func.func @lengths(
// CHECK-SAME:      hk.imports = [], hk.packed = [], hk.scratch = 0 : i64, hk.variant = 0 : i64
// CHECK-DAG:       %[[N:.*]] = builtin.unrealized_conversion_cast %{{.*}} to memref<1xi32>
// CHECK:           memref.load %[[N]]
// CHECK:           arith.select

// Nothing of hk, no tensor and no allocation is left.
// LEFT:     module @"x86-64.loops"
// LEFT-NOT: {{ }}hk.{{[a-z_.]+}} %
// LEFT-NOT: tensor
// LEFT-NOT: memref.alloc
// LEFT-NOT: memref.copy
// LEFT-NOT: math.e
// LEFT-NOT: math.tanh

// LLVM:     llvm.func @block(
// LLVM-NOT: memref
// LLVM:     llvm.call %{{.*}}(%{{.*}}) : !llvm.ptr, (f64) -> f64

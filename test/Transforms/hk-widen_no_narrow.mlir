// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -hk-widen | FileCheck %s
// RUN: hk-opt %s -hk-widen -remarks-filter=".*" -remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s -allow-empty -check-prefix=REMARK
// REMARK-NOT: remark

// f32 and f64 networks, oracles and declarations stay as they are.
// CHECK-LABEL: func.func @single(
// CHECK-NEXT:    %[[Y:.*]] = hk.add
// CHECK-NEXT:    %[[Z:.*]] = hk.cast %[[Y]] : tensor<2x4xf32> to tensor<2x4xf64>
// CHECK-NEXT:    return %[[Z]]
func.func @single(%x: tensor<2x4xf32>) -> tensor<2x4xf64> {
  %y = hk.add %x, %x : tensor<2x4xf32>, tensor<2x4xf32>
  %z = hk.cast %y : tensor<2x4xf32> to tensor<2x4xf64>
  return %z : tensor<2x4xf64>
}

// CHECK-LABEL: func.func @single.oracle(
// CHECK-NEXT:    hk.cast %{{.*}} : tensor<2x4xf16> to tensor<2x4xf64>
// CHECK-NEXT:    return
func.func @single.oracle(%x: tensor<2x4xf16>) -> tensor<2x4xf64> attributes {hk.oracle_of = @single} {
  %y = hk.cast %x : tensor<2x4xf16> to tensor<2x4xf64>
  return %y : tensor<2x4xf64>
}

// CHECK: func.func private @declared(tensor<2x4xf16>)
func.func private @declared(tensor<2x4xf16>)

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -hk-to-linalg -canonicalize -split-input-file | FileCheck %s

// CHECK-DAG: #[[ID:.*]] = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
// CHECK-DAG: #[[COL:.*]] = affine_map<(d0, d1, d2) -> (d2)>
// CHECK-LABEL: func.func @linear(
// CHECK-SAME:    %[[X:.*]]: tensor<?x8x4xf64>, %[[W:.*]]: tensor<3x4xf64>, %[[B:.*]]: tensor<3xf64>) -> tensor<?x8x3xf64>
// CHECK-DAG:     %[[ZERO:.*]] = arith.constant 0.000000e+00 : f64
// CHECK-DAG:     %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG:     %[[C4:.*]] = arith.constant 4 : index
// CHECK:         %[[BATCH:.*]] = tensor.dim %[[X]], %[[C0]]
// CHECK:         %[[E:.*]] = tensor.empty(%[[BATCH]]) : tensor<?x8x3xf64>
// CHECK:         %[[Y:.*]] = linalg.generic {indexing_maps = [#[[COL]], #[[ID]]], iterator_types = ["parallel", "parallel", "parallel"]}
// CHECK-SAME:      ins(%[[B]] : tensor<3xf64>) outs(%[[E]] : tensor<?x8x3xf64>)
// CHECK:         ^bb0(%[[BIAS:.*]]: f64, %{{.*}}: f64):
// CHECK:           %[[I:.*]] = linalg.index 0
// CHECK:           %[[J:.*]] = linalg.index 1
// CHECK:           %[[N:.*]] = linalg.index 2
// CHECK:           %[[S:.*]] = scf.for %[[K:.*]] = %[[C0]] to %[[C4]] {{.*}} iter_args(%[[ACC:.*]] = %[[ZERO]]) -> (f64)
// CHECK:             %[[XE:.*]] = tensor.extract %[[X]][%[[I]], %[[J]], %[[K]]]
// CHECK:             %[[WE:.*]] = tensor.extract %[[W]][%[[N]], %[[K]]]
// CHECK:             %[[P:.*]] = arith.mulf %[[XE]], %[[WE]] : f64
// CHECK:             %[[A:.*]] = arith.addf %[[ACC]], %[[P]] fastmath<reassoc,contract> : f64
// CHECK:             scf.yield %[[A]]
// CHECK:           %[[R:.*]] = arith.addf %[[S]], %[[BIAS]] : f64
// CHECK:           linalg.yield %[[R]] : f64
// CHECK:         return %[[Y]]
func.func @linear(%x: tensor<?x8x4xf64>, %w: tensor<3x4xf64>, %b: tensor<3xf64>) -> tensor<?x8x3xf64> {
  %y = hk.linear %x, %w, %b : tensor<?x8x4xf64>, tensor<3x4xf64>, tensor<3xf64>
  return %y : tensor<?x8x3xf64>
}

// -----

// f16 computes in f32 and rounds once, at the end; an f64 weight asks for f64.
// CHECK-LABEL: func.func @mixed(
// CHECK:         scf.for
// CHECK:           arith.extf {{.*}} : f16 to f64
// CHECK-NOT:       arith.truncf
// CHECK:           scf.yield %{{.*}} : f64
// CHECK:         %[[Y:.*]] = arith.truncf {{.*}} : f64 to f16
// CHECK:         linalg.yield %[[Y]] : f16
// CHECK:         arith.extf {{.*}} : f16 to f32
// CHECK:         arith.addf {{.*}} : f32
// CHECK:         arith.truncf {{.*}} : f32 to f16
func.func @mixed(%x: tensor<2x4xf16>, %w: tensor<4x4xf64>) -> tensor<2x4xf16> {
  %y = hk.linear %x, %w : tensor<2x4xf16>, tensor<4x4xf64>
  %z = hk.add %x, %y : tensor<2x4xf16>, tensor<2x4xf16>
  return %z : tensor<2x4xf16>
}

// -----

// Mean and variance in two passes over the row, then the elements.
// CHECK-LABEL: func.func @layer_norm(
// CHECK-SAME:    %[[X:.*]]: tensor<2x3x4xf32>, %[[G:.*]]: tensor<4xf32>, %[[B:.*]]: tensor<4xf32>)
// CHECK-DAG:     %[[COUNT:.*]] = arith.constant 4.000000e+00 : f32
// CHECK-DAG:     %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
// CHECK-DAG:     %[[EPS:.*]] = arith.constant 1.250000e-01 : f32
// CHECK:         %[[ROWS:.*]]:2 = linalg.generic {{.*}} outs({{.*}} : tensor<2x3xf32>, tensor<2x3xf32>)
// CHECK:           %[[SUM:.*]] = scf.for
// CHECK:           %[[MEAN:.*]] = arith.divf %[[SUM]], %[[COUNT]]
// CHECK:           %[[SQUARES:.*]] = scf.for
// CHECK:             %[[D:.*]] = arith.subf %{{.*}}, %[[MEAN]]
// CHECK:             arith.mulf %[[D]], %[[D]]
// CHECK:           %[[VAR:.*]] = arith.divf %[[SQUARES]], %[[COUNT]]
// CHECK:           %[[VE:.*]] = arith.addf %[[VAR]], %[[EPS]]
// CHECK:           %[[ROOT:.*]] = math.sqrt %[[VE]]
// CHECK:           %[[F:.*]] = arith.divf %[[ONE]], %[[ROOT]]
// CHECK:           linalg.yield %[[MEAN]], %[[F]]
// CHECK:         linalg.generic {{.*}} ins(%[[X]], %[[ROWS]]#0, %[[ROWS]]#1, %[[G]], %[[B]] :
// CHECK:         ^bb0(%[[E:.*]]: f32, %[[M:.*]]: f32, %[[R:.*]]: f32, %[[GE:.*]]: f32, %[[BE:.*]]: f32, %{{.*}}: f32):
// CHECK:           %[[T0:.*]] = arith.subf %[[E]], %[[M]]
// CHECK:           %[[T1:.*]] = arith.mulf %[[T0]], %[[R]]
// CHECK:           %[[T2:.*]] = arith.mulf %[[T1]], %[[GE]]
// CHECK:           %[[T3:.*]] = arith.addf %[[T2]], %[[BE]]
// CHECK:           linalg.yield %[[T3]]
func.func @layer_norm(%x: tensor<2x3x4xf32>, %g: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<2x3x4xf32> {
  %y = hk.layer_norm %x, %g, %b {eps = 0.125 : f64} : tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32>
  return %y : tensor<2x3x4xf32>
}

// -----

// CHECK-LABEL: func.func @rms_norm(
// CHECK-SAME:    %[[X:.*]]: tensor<2x4xf64>)
// CHECK:         %[[ROWS:.*]] = linalg.generic {{.*}} outs({{.*}} : tensor<2xf64>)
// CHECK:           %[[E:.*]] = tensor.extract %[[X]]
// CHECK:           arith.mulf %[[E]], %[[E]]
// CHECK:           math.sqrt
// CHECK:         linalg.generic {{.*}} ins(%[[X]], %[[ROWS]] :
// CHECK:         ^bb0(%[[A:.*]]: f64, %[[R:.*]]: f64, %{{.*}}: f64):
// CHECK-NEXT:      %[[Y:.*]] = arith.mulf %[[A]], %[[R]]
// CHECK-NEXT:      linalg.yield %[[Y]]
func.func @rms_norm(%x: tensor<2x4xf64>) -> tensor<2x4xf64> {
  %y = hk.rms_norm %x : tensor<2x4xf64>
  return %y : tensor<2x4xf64>
}

// -----

// CHECK-LABEL: func.func @activations(
// CHECK:         math.erf
// CHECK:         math.tanh
// CHECK:         arith.maximumf
// CHECK:         math.exp
func.func @activations(%x: tensor<2x4xf64>) -> (tensor<2x4xf64>, tensor<2x4xf64>, tensor<2x4xf64>, tensor<2x4xf64>) {
  %a = hk.activation gelu_erf %x : tensor<2x4xf64>
  %b = hk.activation gelu_tanh %x : tensor<2x4xf64>
  %c = hk.activation relu %x : tensor<2x4xf64>
  %d = hk.activation silu %x : tensor<2x4xf64>
  return %a, %b, %c, %d : tensor<2x4xf64>, tensor<2x4xf64>, tensor<2x4xf64>, tensor<2x4xf64>
}

// -----

// A masked row is selected away, not multiplied by zero.
// CHECK-DAG: #[[ID:.*]] = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
// CHECK-DAG: #[[SEQ:.*]] = affine_map<(d0, d1, d2) -> (d0)>
// CHECK-DAG: #[[ROW:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func.func @mask_rows(
// CHECK-DAG:     %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK:         linalg.generic {indexing_maps = [#[[ID]], #[[SEQ]], #[[ID]]]
// CHECK:         ^bb0(%[[X:.*]]: f32, %[[LEN:.*]]: i32, %{{.*}}: f32):
// CHECK:           %[[I:.*]] = linalg.index 1
// CHECK:           %[[N:.*]] = arith.index_cast %[[LEN]] : i32 to index
// CHECK:           %[[V:.*]] = arith.cmpi slt, %[[I]], %[[N]]
// CHECK:           arith.select %[[V]], %[[X]], %[[ZERO]]
// CHECK:         linalg.generic {indexing_maps = [#[[ID]], #[[ROW]], #[[ID]]]
// CHECK:         ^bb0(%[[X:.*]]: f32, %[[V:.*]]: i1, %{{.*}}: f32):
// CHECK-NEXT:      arith.select %[[V]], %[[X]], %[[ZERO]]
func.func @mask_rows(%x: tensor<?x8x4xf32>, %n: tensor<?xi32>, %m: tensor<?x8xi1>) -> tensor<?x8x4xf32> {
  %y = hk.mask_rows %x lengths(%n) : tensor<?x8x4xf32>, tensor<?xi32>
  %z = hk.mask_rows %y key_mask(%m) : tensor<?x8x4xf32>, tensor<?x8xi1>
  return %z : tensor<?x8x4xf32>
}

// -----

// Straight from f64 to bf16, but over f32 between types that hold no values of
// each other.
// CHECK-LABEL: func.func @cast(
// CHECK:         arith.truncf {{.*}} : f64 to bf16
// CHECK:         %[[W:.*]] = arith.extf {{.*}} : bf16 to f32
// CHECK:         arith.truncf %[[W]] : f32 to f16
// CHECK:         arith.extf {{.*}} : f16 to f64
func.func @cast(%x: tensor<2x4xf64>) -> tensor<2x4xf64> {
  %a = hk.cast %x : tensor<2x4xf64> to tensor<2x4xbf16>
  %b = hk.cast %a : tensor<2x4xbf16> to tensor<2x4xf16>
  %c = hk.cast %b : tensor<2x4xf16> to tensor<2x4xf64>
  return %c : tensor<2x4xf64>
}

// -----

// CHECK-LABEL: func.func @split(
// CHECK-SAME:    %[[X:.*]]: tensor<?x8x6xf32>)
// CHECK:         tensor.extract_slice %[[X]][0, 0, 0] [%{{.*}}, 8, 4] [1, 1, 1] : tensor<?x8x6xf32> to tensor<?x8x4xf32>
// CHECK:         tensor.extract_slice %[[X]][0, 0, 4] [%{{.*}}, 8, 2] [1, 1, 1] : tensor<?x8x6xf32> to tensor<?x8x2xf32>
func.func @split(%x: tensor<?x8x6xf32>) -> (tensor<?x8x4xf32>, tensor<?x8x2xf32>) {
  %a, %b = hk.split %x : tensor<?x8x6xf32> -> tensor<?x8x4xf32>, tensor<?x8x2xf32>
  return %a, %b : tensor<?x8x4xf32>, tensor<?x8x2xf32>
}

// -----

// One row of scores at a time: no tensor is S x S. Query i of 8 sees the keys
// below i + 1 and below the length. Heads 0 and 1 read key head 0.
// CHECK-LABEL: func.func @attention(
// CHECK-SAME:    %[[Q:.*]]: tensor<?x8x16xf32>, %[[K:.*]]: tensor<?x8x8xf32>, %[[V:.*]]: tensor<?x8x8xf32>, %[[L:.*]]: tensor<?xi32>)
// CHECK-NOT:     8x8xf32>{{$}}
// CHECK-DAG:     %[[SCALE:.*]] = arith.constant 5.000000e-01 : f32
// CHECK-DAG:     %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-DAG:     %[[INF:.*]] = arith.constant 0xFF800000 : f32
// CHECK:         scf.for %[[B:[a-z0-9]+]] =
// CHECK:           %[[LE:.*]] = tensor.extract %[[L]][%[[B]]]
// CHECK:           %[[LI:.*]] = arith.index_cast %[[LE]] : i32 to index
// CHECK:           %[[KEYS:.*]] = arith.minsi %[[LI]], %c8
// CHECK:           scf.for %[[I:[a-z0-9]+]] =
// CHECK:             %[[NEXT:.*]] = arith.addi %[[I]], %c1
// CHECK:             %[[BOUND:.*]] = arith.minsi %[[KEYS]], %[[NEXT]]
// CHECK:             scf.for %[[H:[a-z0-9]+]] =
// CHECK:               %[[G:.*]] = arith.divui %[[H]], %c2
// CHECK:               %[[ROW:.*]] = tensor.empty() : tensor<8xf32>
// CHECK:               %[[S:.*]]:2 = scf.for %[[J:.*]] = %c0 to %[[BOUND]] step %c1 iter_args(%{{.*}} = %[[ROW]], %[[TOP:.*]] = %[[INF]])
// CHECK:                 %[[DOT:.*]] = scf.for
// CHECK:                 %[[SJ:.*]] = arith.mulf %[[DOT]], %[[SCALE]]
// CHECK:                 tensor.insert %[[SJ]]
// CHECK:                 arith.maximumf %[[TOP]], %[[SJ]]
// CHECK:               linalg.fill ins(%[[ZERO]]
// CHECK:               %[[C:.*]]:2 = scf.for %{{.*}} = %c0 to %[[BOUND]]
// CHECK:                 %[[SH:.*]] = arith.subf %{{.*}}, %[[S]]#1
// CHECK:                 math.exp %[[SH]]
// CHECK:               %[[NONE:.*]] = arith.cmpf oeq, %[[C]]#1, %[[ZERO]]
// CHECK:               scf.for
// CHECK:                 arith.divf %{{.*}}, %[[C]]#1
// CHECK:                 arith.select %[[NONE]], %[[ZERO]]
func.func @attention(%q: tensor<?x8x16xf32>, %k: tensor<?x8x8xf32>, %v: tensor<?x8x8xf32>, %l: tensor<?xi32>) -> tensor<?x8x16xf32> {
  %y = hk.attention %q, %k, %v lengths(%l) {num_heads = 4 : i32, num_kv_heads = 2 : i32, causal} : tensor<?x8x16xf32>, tensor<?x8x8xf32>, tensor<?x8x8xf32>, tensor<?xi32>
  return %y : tensor<?x8x16xf32>
}

// -----

// Masked keys: -inf for the score, and zero for the weight and the value.
// CHECK-LABEL: func.func @attention_key_mask(
// CHECK-SAME:    %[[M:[a-z0-9]+]]: tensor<2x8xi1>)
// CHECK:         %[[V0:.*]] = tensor.extract %[[M]]
// CHECK:         arith.select %[[V0]], %{{.*}}, %cst{{.*}} : f64
// CHECK:         %[[P:.*]] = math.exp2
// CHECK:         %[[V1:.*]] = tensor.extract %[[M]]
// CHECK:         arith.select %[[V1]], %[[P]], %cst
// CHECK:         %[[V2:.*]] = tensor.extract %[[M]]
// CHECK:         arith.select %[[V2]], %{{.*}}, %cst
func.func @attention_key_mask(%q: tensor<2x8x4xf64>, %m: tensor<2x8xi1>) -> tensor<2x8x4xf64> {
  %y = hk.attention %q, %q, %q key_mask(%m) {num_heads = 1 : i32, base2, scale = 1.0 : f64} : tensor<2x8x4xf64>, tensor<2x8x4xf64>, tensor<2x8x4xf64>, tensor<2x8xi1>
  return %y : tensor<2x8x4xf64>
}

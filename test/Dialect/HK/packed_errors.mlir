// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{expects a static, non-empty tensor type of rank 1 or 2 of f16, bf16, f32 or f64, but got 'tensor<2x8x16xf32>'}}
hk.packed @packed_c1_rank : tensor<2x8x16xf32> {
  %z = hk.pack.zeros : tensor<2x8x16xf32>
  hk.yield %z : tensor<2x8x16xf32>
}

// -----

// expected-error @+1 {{expects a static, non-empty tensor type of rank 1 or 2 of f16, bf16, f32 or f64, but got 'tensor<?xf32>'}}
hk.packed @packed_c1_dynamic : tensor<?xf32> {
  %z = hk.pack.zeros : tensor<8xf32>
  hk.yield %z : tensor<8xf32>
}

// -----

// expected-error @+1 {{expects a static, non-empty tensor type of rank 1 or 2 of f16, bf16, f32 or f64, but got 'tensor<0xf32>'}}
hk.packed @packed_c1_empty : tensor<0xf32> {
  %z = hk.pack.zeros : tensor<0xf32>
  hk.yield %z : tensor<0xf32>
}

// -----

// expected-error @+1 {{expects a static, non-empty tensor type of rank 1 or 2 of f16, bf16, f32 or f64, but got 'tensor<8xi32>'}}
hk.packed @packed_c1_element_type : tensor<8xi32> {
  %z = hk.pack.zeros : tensor<8xf32>
  hk.yield %z : tensor<8xf32>
}

// -----

// expected-error @+1 {{expects a static, non-empty tensor type of rank 1 or 2 of f16, bf16, f32 or f64, but got 'f32'}}
hk.packed @packed_c1_scalar : f32 {
  %z = hk.pack.zeros : tensor<8xf32>
  hk.yield %z : tensor<8xf32>
}

// -----

// expected-error @+1 {{expects the region to yield one value, but got 0 from hk.yield}}
hk.packed @packed_c2_no_value : tensor<8xf32> {
  hk.yield
}

// -----

// expected-error @+1 {{expects the region to yield one value, but got 0 from hk.pack.zeros}}
hk.packed @packed_c2_no_yield : tensor<8xf32> {
  %y = hk.pack.zeros : tensor<8xf32>
  %z = hk.pack.scale %y by 2.0 : tensor<8xf32>
  %a = "hk.pack.zeros"() : () -> tensor<8xf32>
}

// -----

// expected-error @+1 {{expects the region to yield a value of the shape and layout of 'tensor<8xf32>', but got 'tensor<9xf32>'}}
hk.packed @packed_c2_shape : tensor<8xf32> {
  %z = hk.pack.zeros : tensor<9xf32>
  hk.yield %z : tensor<9xf32>
}

// -----

// expected-error @+1 {{expects the region to yield a value of the shape and layout of 'tensor<8x4xf32, #hk.panels<4>>', but got 'tensor<8x4xf32>'}}
hk.packed @packed_c2_layout : tensor<8x4xf32, #hk.panels<4>> {
  %z = hk.pack.zeros : tensor<8x4xf32>
  hk.yield %z : tensor<8x4xf32>
}

// -----

// expected-error @+1 {{expects hk.param, hk.packed.get and hk.pack.* in the region, but got arith.constant}}
hk.packed @packed_c3_other_operation : tensor<8xf32> {
  %z = arith.constant dense<1.0> : tensor<8xf32>
  hk.yield %z : tensor<8xf32>
}

// -----

// expected-error @+1 {{expects bounds of layers with 0 <= a < b, but got 4 to 4}}
hk.packed @packed_c4_no_layer layers(4 to 4) : tensor<8xf32> {
^bb0(%l: index):
  %z = hk.pack.zeros : tensor<8xf32>
  hk.yield %z : tensor<8xf32>
}

// -----

// expected-error @+1 {{expects bounds of layers with 0 <= a < b, but got -1 to 4}}
hk.packed @packed_c4_negative layers(-1 to 4) : tensor<8xf32> {
^bb0(%l: index):
  %z = hk.pack.zeros : tensor<8xf32>
  hk.yield %z : tensor<8xf32>
}

// -----

// expected-error @+1 {{expects both bounds of layers, but got one}}
"hk.packed"() <{sym_name = "packed_c4_one_bound", type = tensor<8xf32>, layer_begin = 0 : i64}> ({
^bb0(%l: index):
  %z = hk.pack.zeros : tensor<8xf32>
  hk.yield %z : tensor<8xf32>
}) : () -> ()

// -----

// expected-error @+1 {{expects one argument of type index in the region, but got ()}}
hk.packed @packed_c4_layers_without_argument layers(0 to 4) : tensor<8xf32> {
  %z = hk.pack.zeros : tensor<8xf32>
  hk.yield %z : tensor<8xf32>
}

// -----

// expected-error @+1 {{expects no argument in the region, but got ('index')}}
hk.packed @packed_c4_argument_without_layers : tensor<8xf32> {
^bb0(%l: index):
  %z = hk.pack.zeros : tensor<8xf32>
  hk.yield %z : tensor<8xf32>
}

// -----

// expected-error @+1 {{failed to verify constraint: region with 1 blocks}}
hk.packed @packed_no_block : tensor<8xf32> {
}

// -----

// expected-error @+1 {{expects a non-empty block}}
"hk.packed"() <{sym_name = "packed_empty_block", type = tensor<8xf32>}> ({
^bb0:
}) : () -> ()

// -----

func.func @packed_get_c1_no_symbol() {
  // expected-error @+1 {{expects @w to be a hk.packed of type 'tensor<8xf32>', but got no such symbol}}
  %0 = hk.packed.get @w : tensor<8xf32>
  return
}

// -----

hk.packed @w : tensor<8xf32> {
  %z = hk.pack.zeros : tensor<8xf32>
  hk.yield %z : tensor<8xf32>
}
func.func @packed_get_c1_type() {
  // expected-error @+1 {{expects @w to be a hk.packed of type 'tensor<8xf64>', but got 'tensor<8xf32>'}}
  %0 = hk.packed.get @w : tensor<8xf64>
  return
}

// -----

func.func @w() { return }
func.func @packed_get_c1_function() {
  // expected-error @+1 {{expects @w to be a hk.packed of type 'tensor<8xf32>', but got no such symbol}}
  %0 = hk.packed.get @w : tensor<8xf32>
  return
}

// -----

hk.packed @w : tensor<8xf32> {
  %z = hk.pack.zeros : tensor<8xf32>
  hk.yield %z : tensor<8xf32>
}
func.func @packed_get_c2_layer(%l: index) {
  // expected-error @+1 {{expects no layer for @w, but got one}}
  %0 = hk.packed.get @w[%l] : tensor<8xf32>
  return
}

// -----

hk.packed @w layers(0 to 2) : tensor<8xf32> {
^bb0(%l: index):
  %z = hk.pack.zeros : tensor<8xf32>
  hk.yield %z : tensor<8xf32>
}
func.func @packed_get_c2_no_layer() {
  // expected-error @+1 {{expects a layer for @w, but got none}}
  %0 = hk.packed.get @w : tensor<8xf32>
  return
}

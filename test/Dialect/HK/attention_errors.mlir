// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -split-input-file -verify-diagnostics

!x = tensor<?x8x64xf32>
func.func @attention_c1_rank(%q: tensor<?x64xf32>) {
  // expected-error @+1 {{expects query to be [B, S, num_heads * hd], but got 'tensor<?x64xf32>'}}
  %0 = hk.attention %q, %q, %q {num_heads = 4 : i32} : tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x64xf32>
  return
}

// -----

func.func @attention_c1_unranked(%q: tensor<*xf32>) {
  // expected-error @+1 {{'hk.attention' op expects a ranked tensor, but got 'tensor<*xf32>'}}
  %0 = hk.attention %q, %q, %q {num_heads = 4 : i32} : tensor<*xf32>, tensor<*xf32>, tensor<*xf32>
  return
}

// -----

func.func @attention_c1_dynamic_sequence(%q: tensor<?x?x64xf32>) {
  // expected-error @+1 {{expects query to be static and not empty but for dimension 0, but got 'tensor<?x?x64xf32>'}}
  %0 = hk.attention %q, %q, %q {num_heads = 4 : i32} : tensor<?x?x64xf32>, tensor<?x?x64xf32>, tensor<?x?x64xf32>
  return
}

// -----

!x = tensor<?x8x64xf32>
func.func @attention_c2_num_heads(%q: !x) {
  // expected-error @+1 {{expects num_heads to divide 64, but got 5}}
  %0 = hk.attention %q, %q, %q {num_heads = 5 : i32} : !x, !x, !x
  return
}

// -----

!x = tensor<?x8x64xf32>
func.func @attention_c2_num_heads_zero(%q: !x) {
  // expected-error @+1 {{expects num_heads to divide 64, but got 0}}
  %0 = hk.attention %q, %q, %q {num_heads = 0 : i32} : !x, !x, !x
  return
}

// -----

!x = tensor<?x8x64xf32>
func.func @attention_c2_num_heads_negative(%q: !x) {
  // expected-error @+1 {{expects num_heads to divide 64, but got -4}}
  %0 = hk.attention %q, %q, %q {num_heads = -4 : i32} : !x, !x, !x
  return
}

// -----

!x = tensor<?x8x64xf32>
func.func @attention_c3_num_kv_heads(%q: !x) {
  // expected-error @+1 {{expects num_kv_heads to divide num_heads = 4, but got 3}}
  %0 = hk.attention %q, %q, %q {num_heads = 4 : i32, num_kv_heads = 3 : i32} : !x, !x, !x
  return
}

// -----

!x = tensor<?x8x64xf32>
func.func @attention_c3_num_kv_heads_zero(%q: !x) {
  // expected-error @+1 {{expects num_kv_heads to divide num_heads = 4, but got 0}}
  %0 = hk.attention %q, %q, %q {num_heads = 4 : i32, num_kv_heads = 0 : i32} : !x, !x, !x
  return
}

// -----

!x = tensor<?x8x64xf32>
func.func @attention_c4_key(%q: !x) {
  // expected-error @+1 {{expects key to be 'tensor<?x8x32xf32>', but got 'tensor<?x8x64xf32>'}}
  %0 = hk.attention %q, %q, %q {num_heads = 4 : i32, num_kv_heads = 2 : i32} : !x, !x, !x
  return
}

// -----

!x = tensor<?x8x64xf32>
func.func @attention_c4_value(%q: !x, %v: tensor<?x9x64xf32>) {
  // expected-error @+1 {{expects value to be 'tensor<?x8x64xf32>', but got 'tensor<?x9x64xf32>'}}
  %0 = hk.attention %q, %q, %v {num_heads = 4 : i32} : !x, !x, tensor<?x9x64xf32>
  return
}

// -----

!x = tensor<?x8x64xf32>
func.func @attention_c5_two_masks(%q: !x, %n: tensor<?xi32>, %m: tensor<?x8xi1>) {
  // expected-error @+1 {{expects at most one of lengths and key_mask, but got both}}
  %0 = hk.attention %q, %q, %q lengths(%n) key_mask(%m) {num_heads = 4 : i32} : !x, !x, !x, tensor<?xi32>, tensor<?x8xi1>
  return
}

// -----

!x = tensor<?x8x64xf32>
func.func @attention_c6_lengths(%q: !x, %n: tensor<8xi32>) {
  // expected-error @+1 {{expects lengths with the batch of 'tensor<?x8x64xf32>', but got 'tensor<8xi32>'}}
  %0 = hk.attention %q, %q, %q lengths(%n) {num_heads = 4 : i32} : !x, !x, !x, tensor<8xi32>
  return
}

// -----

!x = tensor<?x8x64xf32>
func.func @attention_c6_key_mask(%q: !x, %m: tensor<?x9xi1>) {
  // expected-error @+1 {{expects key_mask of the first two dimensions of 'tensor<?x8x64xf32>', but got 'tensor<?x9xi1>'}}
  %0 = hk.attention %q, %q, %q key_mask(%m) {num_heads = 4 : i32} : !x, !x, !x, tensor<?x9xi1>
  return
}

// -----

!x = tensor<?x8x64xf32>
func.func @attention_c7_scale(%q: !x) {
  // expected-error @+1 {{expects a finite scale, but got}}
  %0 = hk.attention %q, %q, %q {num_heads = 4 : i32, scale = 0x7FF0000000000000 : f64} : !x, !x, !x
  return
}

// -----

!x = tensor<?x8x64xf32>
func.func @attention_no_num_heads(%q: !x) {
  // expected-error @+1 {{'hk.attention' op requires attribute 'num_heads'}}
  %0 = hk.attention %q, %q, %q {causal} : !x, !x, !x
  return
}

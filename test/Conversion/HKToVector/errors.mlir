// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s --hk-to-vector --verify-diagnostics --split-input-file

#cpu = #hk.cpu<isa = "x86-64-v4", rows = 64, mr = 12, nr = 32, keys = 64>
#grid = affine_map<()[B] -> (B)>
hk.executable @f64 {
  hk.variant #cpu grid(#grid) {
  ^bb0(%x: tensor<?x8x8xf64>):
    // expected-error@+1 {{expects no f64 in a #hk.cpu kernel, but got 'tensor<?x8x8xf64>'}}
    %y = hk.activation relu %x : tensor<?x8x8xf64>
    hk.yield %y : tensor<?x8x8xf64>
  }
}

// -----

#cpu = #hk.cpu<isa = "x86-64-v4", rows = 64, mr = 12, nr = 32, keys = 64>
#grid = affine_map<()[B] -> (B)>
hk.executable @half {
  hk.variant #cpu grid(#grid) {
  ^bb0(%x: tensor<?x8x8xf16>):
    // expected-error@+1 {{expects f32 operands in a #hk.cpu kernel, but got 'tensor<?x8x8xf16>' (hk-widen inserts the casts)}}
    %y = hk.layer_norm %x : tensor<?x8x8xf16>
    hk.yield %y : tensor<?x8x8xf16>
  }
}

// -----

#cpu = #hk.cpu<isa = "x86-64-v4", rows = 64, mr = 12, nr = 32, keys = 64>
#grid = affine_map<()[B] -> (B)>
hk.packed @w : tensor<8x8xf32> {
  %w = hk.param "w" from f32 : tensor<8x8xf64>
  hk.yield %w : tensor<8x8xf64>
}
hk.executable @no_panels {
  hk.variant #cpu grid(#grid) {
  ^bb0(%x: tensor<?x8x8xf32>):
    %w = hk.packed.get @w : tensor<8x8xf32>
    // expected-error@+1 {{expects a packed weight in panels in a #hk.cpu kernel, but got 'tensor<8x8xf32>'}}
    %y = hk.linear %x, %w : tensor<?x8x8xf32>, tensor<8x8xf32>
    hk.yield %y : tensor<?x8x8xf32>
  }
}

// -----

#cpu = #hk.cpu<isa = "x86-64-v4", rows = 64, mr = 12, nr = 32, keys = 64>
#grid = affine_map<()[B] -> (B)>
hk.executable @no_sequence {
  // expected-error@+1 {{expects an operand or result [B, S, D] in a #hk.cpu kernel, but got none}}
  hk.variant #cpu grid(#grid) {
  ^bb0(%x: tensor<?x8xf32>):
    %y = hk.activation relu %x : tensor<?x8xf32>
    hk.yield %y : tensor<?x8xf32>
  }
}

// -----

#cpu = #hk.cpu<isa = "x86-64-v4", rows = 64, mr = 12, nr = 32, keys = 64>
#grid = affine_map<()[B] -> (B)>
hk.executable @unknown {
  hk.variant #cpu grid(#grid) {
  ^bb0(%x: tensor<8x8x8xf32>):
    // expected-error@+1 {{expects an operation that #hk.cpu has a lowering for, but got hk.pack.scale}}
    %y = hk.pack.scale %x by 2.0 : tensor<8x8x8xf32>
    hk.yield %y : tensor<8x8x8xf32>
  }
}

// -----

#cpu = #hk.cpu<isa = "x86-64-v4", rows = 64, mr = 12, nr = 32, keys = 64>
#grid = affine_map<()[B] -> (B)>
hk.packed @w : tensor<8x8xf32, #hk.panels<8>> {
  %w = hk.param "w" : tensor<8x8xf32>
  %p = hk.pack.layout %w : tensor<8x8xf32> -> tensor<8x8xf32, #hk.panels<8>>
  hk.yield %p : tensor<8x8xf32, #hk.panels<8>>
}
hk.executable @bias_is_an_argument {
  hk.variant #cpu grid(#grid) {
  ^bb0(%x: tensor<?x8x8xf32>, %b: tensor<8xf32>):
    %w = hk.packed.get @w : tensor<8x8xf32, #hk.panels<8>>
    // expected-error@+1 {{expects a packed bias in a #hk.cpu kernel, but got <block argument> of type 'tensor<8xf32>' at index: 1}}
    %y = hk.linear %x, %w, %b : tensor<?x8x8xf32>, tensor<8x8xf32, #hk.panels<8>>, tensor<8xf32>
    hk.yield %y : tensor<?x8x8xf32>
  }
}

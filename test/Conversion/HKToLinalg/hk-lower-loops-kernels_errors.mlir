// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -hk-lower-loops-kernels -split-input-file -verify-diagnostics

hk.executable @rows {
  // expected-error@+1 {{expects a grid of one workgroup a sequence (affine_map<()[s0] -> (s0)>) with a #hk.loops schedule, but got affine_map<()[s0] -> (s0 * 2)>}}
  hk.variant #hk.loops<isa = "x86-64", rows = 4> grid(affine_map<()[B] -> (B * 2)>) {
  ^bb0(%x: tensor<?x8x4xf32>):
    hk.yield %x : tensor<?x8x4xf32>
  }
}

// -----

hk.executable @argument {
  // expected-error@+1 {{expects arguments with a batch and otherwise static, but got 'f32'}}
  hk.variant #hk.loops<isa = "x86-64", rows = 8> grid(affine_map<()[B] -> (B)>) {
  ^bb0(%x: tensor<?x8x4xf32>, %y: f32):
    hk.yield %x : tensor<?x8x4xf32>
  }
}

// -----

hk.packed @w.p8 : tensor<4x4xf64, #hk.panels<8>> {
  %w = hk.param "w" : tensor<4x4xf64>
  %p = hk.pack.layout %w : tensor<4x4xf64> -> tensor<4x4xf64, #hk.panels<8>>
  hk.yield %p : tensor<4x4xf64, #hk.panels<8>>
}
hk.executable @panels {
  hk.variant #hk.loops<isa = "x86-64", rows = 8> grid(affine_map<()[B] -> (B)>) {
  ^bb0(%x: tensor<?x8x4xf64>):
    // expected-error@+1 {{expects dense and static packed values in a #hk.loops variant, but got 'tensor<4x4xf64, #hk.panels<8>>'}}
    %w = hk.packed.get @w.p8 : tensor<4x4xf64, #hk.panels<8>>
    %y = hk.linear %x, %w : tensor<?x8x4xf64>, tensor<4x4xf64, #hk.panels<8>>
    hk.yield %y : tensor<?x8x4xf64>
  }
}

// -----

hk.executable @foreign {
  hk.variant #hk.loops<isa = "x86-64", rows = 8> grid(affine_map<()[B] -> (B)>) {
  ^bb0(%x: tensor<?x8x4xf64>):
    // expected-error@+1 {{'arith.addf' op expects only operations on activations, hk.packed.get and hk.yield in a #hk.loops variant, but got this one}}
    %y = arith.addf %x, %x : tensor<?x8x4xf64>
    hk.yield %y : tensor<?x8x4xf64>
  }
}

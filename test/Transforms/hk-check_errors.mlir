// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -split-input-file -verify-diagnostics -hk-check

// expected-error @+1 {{expects a module with at least one public function, but got none}}
module {}

// -----

// expected-error @+1 {{expects functions in a module, but got memref.global}}
memref.global @g : memref<4xf32>

// -----

// expected-error @+1 {{expects public functions only, but got a private one: inline it first (-inline -symbol-dce)}}
func.func private @f(%x: tensor<?x8x16xf32>) -> tensor<?x8x16xf32> {
  %0 = hk.activation relu %x : tensor<?x8x16xf32>
  return %0 : tensor<?x8x16xf32>
}

// -----

func.func @called(%x: tensor<?x8x16xf32>) -> tensor<?x8x16xf32> {
  %0 = hk.activation relu %x : tensor<?x8x16xf32>
  return %0 : tensor<?x8x16xf32>
}
func.func @caller(%x: tensor<?x8x16xf32>) -> tensor<?x8x16xf32> {
  // expected-error @+1 {{expects the operations of a network, and scf.for, but got func.call: inline it first (-inline -symbol-dce)}}
  %0 = func.call @called(%x) : (tensor<?x8x16xf32>) -> tensor<?x8x16xf32>
  return %0 : tensor<?x8x16xf32>
}

// -----

// expected-error @+1 {{expects a function with a body, but got a declaration}}
func.func private @declared(tensor<?x8x16xf32>) -> tensor<?x8x16xf32>

// -----

// expected-error @+1 {{expects a function of one block, but got 2}}
func.func @blocks(%x: tensor<?x8x16xf32>) -> tensor<?x8x16xf32> {
  cf.br ^bb1
^bb1:
  return %x : tensor<?x8x16xf32>
}

// -----

// expected-error @+1 {{expects at least one input and one result, but got 0 and 0}}
func.func @nothing() {
  return
}

// -----

// expected-error @+1 {{expects input #0 to be a ranked tensor without an encoding, but got 'memref<8x16xf32>'}}
func.func @memref(%x: memref<8x16xf32>, %y: tensor<?x8x16xf32>) -> tensor<?x8x16xf32> {
  %0 = hk.activation relu %y : tensor<?x8x16xf32>
  return %0 : tensor<?x8x16xf32>
}

// -----

// expected-error @+1 {{expects input #0 to be an activation [B, S, D], but got 'tensor<?x16xf32>'}}
func.func @rank(%x: tensor<?x16xf32>, %y: tensor<?x8x16xf32>) -> tensor<?x8x16xf32> {
  %0 = hk.activation relu %y : tensor<?x8x16xf32>
  return %0 : tensor<?x8x16xf32>
}

// -----

// expected-error @+1 {{expects input #1 to be lengths [B], but got 'tensor<?x8xi32>'}}
func.func @lengths(%x: tensor<?x8x16xf32>, %n: tensor<?x8xi32>) -> tensor<?x8x16xf32> {
  %0 = hk.activation relu %x : tensor<?x8x16xf32>
  return %0 : tensor<?x8x16xf32>
}

// -----

// expected-error @+1 {{expects input #1 to be a key mask [B, S], but got 'tensor<?xi1>'}}
func.func @key_mask(%x: tensor<?x8x16xf32>, %m: tensor<?xi1>) -> tensor<?x8x16xf32> {
  %0 = hk.activation relu %x : tensor<?x8x16xf32>
  return %0 : tensor<?x8x16xf32>
}

// -----

// expected-error @+1 {{expects input #0 to have elements of f16, bf16 or f32, or of i32 (lengths) or i1 (a key mask), but got 'tensor<?x8x16xf64>'}}
func.func @element(%x: tensor<?x8x16xf64>, %y: tensor<?x8x16xf32>) -> tensor<?x8x16xf32> {
  %0 = hk.activation relu %y : tensor<?x8x16xf32>
  return %0 : tensor<?x8x16xf32>
}

// -----

func.func @inner_element(%x: tensor<?x8x16xf32>) -> tensor<?x8x16xf32> {
  // expected-error @+1 {{expects the result of hk.cast to have elements of f16, bf16 or f32, but got 'tensor<?x8x16xf64>'}}
  %0 = hk.cast %x : tensor<?x8x16xf32> to tensor<?x8x16xf64>
  %1 = hk.cast %0 : tensor<?x8x16xf64> to tensor<?x8x16xf32>
  return %1 : tensor<?x8x16xf32>
}

// -----

// expected-error @+1 {{expects input #0 to be static but for the batch and not empty, but got 'tensor<?x?x16xf32>'}}
func.func @dynamic(%x: tensor<?x?x16xf32>, %y: tensor<?x8x16xf32>) -> tensor<?x8x16xf32> {
  %0 = hk.activation relu %y : tensor<?x8x16xf32>
  return %0 : tensor<?x8x16xf32>
}

// -----

// expected-error @+1 {{expects input #1 to have the batch ? as dimension 0, but got 'tensor<4xi32>'}}
func.func @batch(%x: tensor<?x8x16xf32>, %n: tensor<4xi32>) -> tensor<?x8x16xf32> {
  %0 = hk.activation relu %x : tensor<?x8x16xf32>
  return %0 : tensor<?x8x16xf32>
}

// -----

// expected-error @+1 {{expects input #0 to be static but for the batch and not empty, but got 'tensor<0x8x16xf32>'}}
func.func @no_batch(%x: tensor<0x8x16xf32>, %y: tensor<?x8x16xf32>) -> tensor<?x8x16xf32> {
  %0 = hk.activation relu %y : tensor<?x8x16xf32>
  return %0 : tensor<?x8x16xf32>
}

// -----

// expected-error @+1 {{expects input #1 to have the sequence length 8 as dimension 1, but got 'tensor<?x9x16xf32>'}}
func.func @sequence(%x: tensor<?x8x16xf32>, %y: tensor<?x9x16xf32>) -> tensor<?x8x16xf32> {
  %0 = hk.activation relu %x : tensor<?x8x16xf32>
  return %0 : tensor<?x8x16xf32>
}

// -----

// A result may not be a mask.
// expected-error @+1 {{expects result #0 to have elements of f16, bf16 or f32, but got 'tensor<?xi32>'}}
func.func @mask_result(%n: tensor<?xi32>) -> tensor<?xi32> {
  return %n : tensor<?xi32>
}

// -----

func.func @input_result(%x: tensor<?x8x16xf32>) -> tensor<?x8x16xf32> {
  // expected-error @+1 {{expects result #0 to be computed by the function, but got an input}}
  return %x : tensor<?x8x16xf32>
}

// -----

func.func @same_result(%x: tensor<?x8x16xf32>) -> (tensor<?x8x16xf32>, tensor<?x8x16xf32>) {
  %0 = hk.activation relu %x : tensor<?x8x16xf32>
  // expected-error @+1 {{expects result #1 to be a value of its own, but got that of result #0}}
  return %0, %0 : tensor<?x8x16xf32>, tensor<?x8x16xf32>
}

// -----

// A parameter is not an activation.
func.func @parameter_input(%x: tensor<16x8x16xf32>) -> tensor<16x8x16xf32> {
  %w = hk.param "w" : tensor<16x16xf32>
  // expected-error @+1 {{expects the result of hk.linear to be an activation [B, S, D], but got 'tensor<16x16xf32>'}}
  %0 = hk.linear %w, %w : tensor<16x16xf32>, tensor<16x16xf32>
  %1 = hk.activation relu %x : tensor<16x8x16xf32>
  return %1 : tensor<16x8x16xf32>
}

// -----

func.func @operation(%x: tensor<?x8x16xf32>) -> tensor<?x8x16xf32> {
  // expected-error @+1 {{expects the operations of a network, and scf.for, but got arith.addf}}
  %0 = arith.addf %x, %x : tensor<?x8x16xf32>
  return %0 : tensor<?x8x16xf32>
}

// -----

// What later passes make is not for users to write.
func.func @kernel(%x: tensor<?x8x16xf32>) -> tensor<?x8x16xf32> {
  // expected-error @+1 {{expects the operations of a network, and scf.for, but got hk.kernel}}
  %0 = hk.kernel @k(%a = %x : tensor<?x8x16xf32>) -> (tensor<?x8x16xf32>) scope(row) {
    %1 = hk.activation relu %a : tensor<?x8x16xf32>
    hk.yield %1 : tensor<?x8x16xf32>
  }
  return %0 : tensor<?x8x16xf32>
}

// -----

func.func @step(%x: tensor<?x8x16xf32>) -> tensor<?x8x16xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  // expected-error @+1 {{expects a loop over layers with constant bounds, the lower one at least 0 and below the upper one, and a step of 1, but got another}}
  %0 = scf.for %l = %c0 to %c2 step %c2 iter_args(%t = %x) -> (tensor<?x8x16xf32>) {
    %1 = hk.activation relu %t : tensor<?x8x16xf32>
    scf.yield %1 : tensor<?x8x16xf32>
  }
  return %0 : tensor<?x8x16xf32>
}

// -----

func.func @many(%x: tensor<?x8x16xf32>) -> tensor<?x8x16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cn = arith.constant 1000000000 : index
  // expected-error @+1 {{expects at most 4096 layers, but got 1000000000}}
  %0 = scf.for %l = %c0 to %cn step %c1 iter_args(%t = %x) -> (tensor<?x8x16xf32>) {
    %w = hk.param "{}.w"[%l] : tensor<16x16xf32>
    %1 = hk.linear %t, %w : tensor<?x8x16xf32>, tensor<16x16xf32>
    scf.yield %1 : tensor<?x8x16xf32>
  }
  return %0 : tensor<?x8x16xf32>
}

// -----

func.func @key_types(%x: tensor<?x8x16xf32>) -> tensor<?x8x16xf32> {
  // expected-note @+1 {{the other use is here}}
  %w = hk.param "w" : tensor<16x16xf32>
  // expected-error @+1 {{expects parameter "w" to be stored as 'tensor<16x16xf32>' as elsewhere, but got 'tensor<16x16xf16>'}}
  %u = hk.param "w" from f16 : tensor<16x16xf32>
  %0 = hk.linear %x, %w : tensor<?x8x16xf32>, tensor<16x16xf32>
  %1 = hk.linear %0, %u : tensor<?x8x16xf32>, tensor<16x16xf32>
  return %1 : tensor<?x8x16xf32>
}

// -----

// A key of a loop is one of a single layer, too.
func.func @layer_key(%x: tensor<?x8x16xf32>) -> tensor<?x8x16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  // expected-note @+1 {{the other use is here}}
  %v = hk.param "2.w" : tensor<16xf32>
  %n = hk.rms_norm %x, %v : tensor<?x8x16xf32>, tensor<16xf32>
  %0 = scf.for %l = %c0 to %c4 step %c1 iter_args(%t = %n) -> (tensor<?x8x16xf32>) {
    // expected-error @+1 {{expects parameter "2.w" to be stored as 'tensor<16xf32>' as elsewhere, but got 'tensor<16x16xf32>'}}
    %w = hk.param "{}.w"[%l] : tensor<16x16xf32>
    %1 = hk.linear %t, %w : tensor<?x8x16xf32>, tensor<16x16xf32>
    scf.yield %1 : tensor<?x8x16xf32>
  }
  return %0 : tensor<?x8x16xf32>
}

// -----

func.func @layer(%x: tensor<?x8x16xf32>) -> tensor<?x8x16xf32> {
  %c4 = arith.constant 4 : index
  // expected-error @+1 {{expects the layer of a parameter to be the index of a loop, but got another value}}
  %w = hk.param "{}.w"[%c4] : tensor<16x16xf32>
  %0 = hk.linear %x, %w : tensor<?x8x16xf32>, tensor<16x16xf32>
  return %0 : tensor<?x8x16xf32>
}

// -----

func.func @parameter_element(%x: tensor<?x8x16xf32>) -> tensor<?x8x16xf32> {
  // expected-error @+1 {{expects a parameter of f16, bf16 or f32, but got 'f64'}}
  %w = hk.param "w" : tensor<16x16xf64>
  %0 = hk.linear %x, %w : tensor<?x8x16xf32>, tensor<16x16xf64>
  return %0 : tensor<?x8x16xf32>
}

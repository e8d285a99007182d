// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s --hk-to-tile --verify-diagnostics --split-input-file

#s = #hk.cuda<arch = "sm_90a", rows = 64, units = 4, columns = 0, heads = 0, block = 64, depth = 64, keys = 64, stages = 3, operands = f16>
#grid = affine_map<()[B] -> (B)>
hk.executable @f64 {
  // expected-error@+1 {{expects no f64 in a #hk.cuda kernel, but got 'tensor<?x8x8xf64>'}}
  hk.variant #s grid(#grid) {
  ^bb0(%x: tensor<?x8x8xf64>):
    %y = hk.activation relu %x : tensor<?x8x8xf64>
    hk.yield %y : tensor<?x8x8xf64>
  }
}

// -----

#s = #hk.cuda<arch = "sm_90a", rows = 64, units = 4, columns = 0, heads = 0, block = 64, depth = 64, keys = 64, stages = 3, operands = f16>
#grid = affine_map<()[B] -> (B)>
hk.executable @cast_f64 {
  hk.variant #s grid(#grid) {
  ^bb0(%x: tensor<?x8x8xf32>):
    // expected-error@+1 {{expects no f64 in a #hk.cuda kernel, but got 'tensor<?x8x8xf64>'}}
    %y = hk.cast %x : tensor<?x8x8xf32> to tensor<?x8x8xf64>
    %z = hk.cast %y : tensor<?x8x8xf64> to tensor<?x8x8xf32>
    hk.yield %z : tensor<?x8x8xf32>
  }
}

// -----

#s = #hk.cuda<arch = "sm_90a", rows = 64, units = 4, columns = 0, heads = 0, block = 64, depth = 64, keys = 64, stages = 3, operands = f16>
#grid = affine_map<()[B] -> (B)>
hk.executable @half {
  hk.variant #s grid(#grid) {
  ^bb0(%x: tensor<?x8x8xf16>):
    // expected-error@+1 {{expects f32 operands in a #hk.cuda kernel, but got 'tensor<?x8x8xf16>' (hk-widen inserts the casts)}}
    %y = hk.layer_norm %x : tensor<?x8x8xf16>
    hk.yield %y : tensor<?x8x8xf16>
  }
}

// -----

#s = #hk.cuda<arch = "sm_90a", rows = 64, units = 4, columns = 0, heads = 0, block = 64, depth = 64, keys = 64, stages = 3, operands = f16>
#grid = affine_map<()[B] -> (B)>
hk.executable @no_sequence {
  // expected-error@+1 {{expects activations [B, S, D], masks [B, S] and lengths [B] in a #hk.cuda kernel, but got 'tensor<?x8xf32>'}}
  hk.variant #s grid(#grid) {
  ^bb0(%x: tensor<?x8xf32>):
    %y = hk.activation relu %x : tensor<?x8xf32>
    hk.yield %y : tensor<?x8xf32>
  }
}

// -----

#s = #hk.cuda<arch = "sm_90a", rows = 64, units = 4, columns = 0, heads = 0, block = 64, depth = 64, keys = 64, stages = 3, operands = f16>
#grid = affine_map<()[B] -> (B)>
hk.executable @nothing {
  // expected-error@+1 {{expects an operand or result [B, S, D] in a #hk.cuda kernel, but got none}}
  hk.variant #s grid(#grid) {
  ^bb0(%n: tensor<?xi32>):
    hk.yield
  }
}

// -----

#s = #hk.cuda<arch = "sm_90a", rows = 64, units = 4, columns = 0, heads = 0, block = 64, depth = 64, keys = 64, stages = 3, operands = f16>
#grid = affine_map<()[B] -> (B)>
hk.executable @two_lengths {
  // expected-error@+1 {{expects sequences of one length in a #hk.cuda kernel, but got 8 and 9 rows}}
  hk.variant #s grid(#grid) {
  ^bb0(%x: tensor<?x8x8xf32>, %y: tensor<?x9x8xf32>):
    hk.yield %x, %y : tensor<?x8x8xf32>, tensor<?x9x8xf32>
  }
}

// -----

#s = #hk.cuda<arch = "sm_90a", rows = 64, units = 4, columns = 0, heads = 0, block = 64, depth = 64, keys = 64, stages = 3, operands = f16>
#grid = affine_map<()[B] -> (B)>
hk.packed @w : tensor<8x8xf32, #hk.panels<8>> {
  %w = hk.param "w" from f32 : tensor<8x8xf64>
  %p = hk.pack.layout %w : tensor<8x8xf64> -> tensor<8x8xf64, #hk.panels<8>>
  hk.yield %p : tensor<8x8xf64, #hk.panels<8>>
}
hk.executable @panels {
  hk.variant #s grid(#grid) {
  ^bb0(%x: tensor<?x8x8xf32>):
    %w = hk.packed.get @w : tensor<8x8xf32, #hk.panels<8>>
    // expected-error@+1 {{expects a packed weight without a layout in a #hk.cuda kernel, but got 'tensor<8x8xf32, #hk.panels<8>>'}}
    %y = hk.linear %x, %w : tensor<?x8x8xf32>, tensor<8x8xf32, #hk.panels<8>>
    hk.yield %y : tensor<?x8x8xf32>
  }
}

// -----

#s = #hk.cuda<arch = "sm_90a", rows = 64, units = 4, columns = 0, heads = 0, block = 64, depth = 64, keys = 64, stages = 3, operands = f16>
#grid = affine_map<()[B] -> (B)>
hk.packed @g : tensor<8xf16> {
  %g = hk.param "g" from f32 : tensor<8xf64>
  hk.yield %g : tensor<8xf64>
}
hk.executable @gamma {
  hk.variant #s grid(#grid) {
  ^bb0(%x: tensor<?x8x8xf32>):
    %h = hk.packed.get @g : tensor<8xf16>
    %g = hk.cast %h : tensor<8xf16> to tensor<8xf32>
    // expected-error@+1 {{expects a packed gamma in a #hk.cuda kernel, but got}}
    %y = hk.rms_norm %x, %g : tensor<?x8x8xf32>, tensor<8xf32>
    hk.yield %y : tensor<?x8x8xf32>
  }
}

// -----

#s = #hk.cuda<arch = "sm_90a", rows = 64, units = 4, columns = 0, heads = 0, block = 64, depth = 64, keys = 64, stages = 3, operands = f16>
#grid = affine_map<()[B] -> (B)>
hk.executable @parameter {
  hk.variant #s grid(#grid) {
  ^bb0(%x: tensor<?x8x8xf32>):
    // expected-error@+1 {{expects an operation that #hk.cuda has a lowering for, but got hk.param}}
    %g = hk.param "g" : tensor<8xf32>
    %y = hk.rms_norm %x, %g : tensor<?x8x8xf32>, tensor<8xf32>
    hk.yield %y : tensor<?x8x8xf32>
  }
}

// -----

#s = #hk.cuda<arch = "sm_90a", rows = 72, units = 4, columns = 0, heads = 0, block = 64, depth = 64, keys = 64, stages = 3, operands = f16>
#grid = affine_map<()[B] -> (B)>
hk.packed @w : tensor<8x8xf32> {
  %w = hk.param "w" from f32 : tensor<8x8xf64>
  hk.yield %w : tensor<8x8xf64>
}
hk.executable @rows {
  // expected-error@+1 {{expects units of a multiple of 16 rows in this #hk.cuda kernel, but got 72 rows for 4 units}}
  hk.variant #s grid(#grid) {
  ^bb0(%x: tensor<?x8x8xf32>):
    %w = hk.packed.get @w : tensor<8x8xf32>
    %y = hk.linear %x, %w : tensor<?x8x8xf32>, tensor<8x8xf32>
    hk.yield %y : tensor<?x8x8xf32>
  }
}

// -----

#s = #hk.cuda<arch = "sm_90a", rows = 64, units = 4, columns = 0, heads = 0, block = 20, depth = 64, keys = 64, stages = 3, operands = f16>
#grid = affine_map<()[B] -> (B)>
hk.packed @w : tensor<64x8xf32> {
  %w = hk.param "w" from f32 : tensor<64x8xf64>
  hk.yield %w : tensor<64x8xf64>
}
hk.executable @block {
  hk.variant #s grid(#grid) {
  ^bb0(%x: tensor<?x8x8xf32>):
    %w = hk.packed.get @w : tensor<64x8xf32>
    // expected-error@+1 {{expects blocks and runs of columns of a multiple of 8 in a #hk.cuda kernel, but got tiles of 20 features and 8 input features}}
    %y = hk.linear %x, %w : tensor<?x8x8xf32>, tensor<64x8xf32>
    hk.yield %y : tensor<?x8x64xf32>
  }
}

// -----

#s = #hk.cuda<arch = "sm_90a", rows = 64, units = 4, columns = 0, heads = 0, block = 64, depth = 64, keys = 64, stages = 3, operands = f16>
#grid = affine_map<()[B] -> (B)>
hk.packed @w : tensor<16x8xf32> {
  %w = hk.param "w" from f32 : tensor<16x8xf64>
  hk.yield %w : tensor<16x8xf64>
}
hk.executable @split {
  hk.variant #s grid(#grid) {
  ^bb0(%x: tensor<?x8x8xf32>):
    %w = hk.packed.get @w : tensor<16x8xf32>
    %y = hk.linear %x, %w : tensor<?x8x8xf32>, tensor<16x8xf32>
    // expected-error@+1 {{expects runs of columns in registers that begin at a multiple of 8, outside of kernels that stream rows, but got one at column 12}}
    %0, %1 = hk.split %y : tensor<?x8x16xf32> -> tensor<?x8x12xf32>, tensor<?x8x4xf32>
    hk.yield %0, %1 : tensor<?x8x12xf32>, tensor<?x8x4xf32>
  }
}

// -----

#s = #hk.cuda<arch = "sm_90a", rows = 64, units = 4, columns = 0, heads = 0, block = 64, depth = 64, keys = 64, stages = 3, operands = f16>
#grid = affine_map<()[B] -> (B)>
hk.executable @attention_input {
  hk.variant #s grid(#grid) {
  ^bb0(%x: tensor<?x8x8xf32>):
    %n = hk.rms_norm %x : tensor<?x8x8xf32>
    // expected-error@+1 {{expects queries, keys and values in memory, or computed by blocks, in a #hk.cuda kernel, but got}}
    %y = hk.attention %n, %x, %x {num_heads = 1 : i32} : tensor<?x8x8xf32>, tensor<?x8x8xf32>, tensor<?x8x8xf32>
    hk.yield %y : tensor<?x8x8xf32>
  }
}

// -----

#s = #hk.cuda<arch = "sm_90a", rows = 64, units = 4, columns = 0, heads = 0, block = 64, depth = 64, keys = 64, stages = 3, operands = f16>
#grid = affine_map<()[B] -> (B)>
hk.packed @w : tensor<12x12xf32> {
  %w = hk.param "w" from f32 : tensor<12x12xf64>
  hk.yield %w : tensor<12x12xf64>
}
hk.executable @heads {
  hk.variant #s grid(#grid) {
  ^bb0(%x: tensor<?x8x12xf32>):
    %w = hk.packed.get @w : tensor<12x12xf32>
    // expected-error@+1 {{expects heads of a multiple of 8 columns where another operation reads them, but got 4}}
    %a = hk.attention %x, %x, %x {num_heads = 3 : i32} : tensor<?x8x12xf32>, tensor<?x8x12xf32>, tensor<?x8x12xf32>
    %y = hk.linear %a, %w : tensor<?x8x12xf32>, tensor<12x12xf32>
    hk.yield %y : tensor<?x8x12xf32>
  }
}

// -----

#s = #hk.cuda<arch = "sm_90a", rows = 128, units = 4, columns = 0, heads = 0, block = 64, depth = 64, keys = 64, stages = 3, operands = f16>
#grid = affine_map<()[B] -> (B)>
hk.packed @w : tensor<256x8xf32> {
  %w = hk.param "w" from f32 : tensor<256x8xf64>
  hk.yield %w : tensor<256x8xf64>
}
hk.executable @wide {
  hk.variant #s grid(#grid) {
  ^bb0(%x: tensor<?x8x8xf32>):
    %w = hk.packed.get @w : tensor<256x8xf32>
    // expected-error@+1 {{expects at most 224 columns of a row that is held in registers by units of 32 rows, but got 256}}
    %y = hk.linear %x, %w : tensor<?x8x8xf32>, tensor<256x8xf32>
    %z = hk.rms_norm %y : tensor<?x8x256xf32>
    hk.yield %z : tensor<?x8x256xf32>
  }
}

// -----

#s = #hk.cuda<arch = "sm_90a", rows = 64, units = 4, columns = 64, heads = 0, block = 64, depth = 64, keys = 64, stages = 3, operands = f16>
#grid = affine_map<()[B] -> (B)>
hk.packed @w : tensor<8x8xf32> {
  %w = hk.param "w" from f32 : tensor<8x8xf64>
  hk.yield %w : tensor<8x8xf64>
}
hk.executable @columns {
  // expected-error@+1 {{expects results of one width that are computed by blocks of one linear operation where a schedule has columns, but got a result of 'tensor<?x8x8xf32>'}}
  hk.variant #s grid(#grid) {
  ^bb0(%x: tensor<?x8x8xf32>):
    %w = hk.packed.get @w : tensor<8x8xf32>
    %y = hk.linear %x, %w : tensor<?x8x8xf32>, tensor<8x8xf32>
    %z = hk.rms_norm %y : tensor<?x8x8xf32>
    hk.yield %z : tensor<?x8x8xf32>
  }
}

// -----

#s = #hk.cuda<arch = "sm_90a", rows = 64, units = 4, columns = 0, heads = 1, block = 64, depth = 64, keys = 64, stages = 3, operands = f16>
#grid = affine_map<()[B] -> (B)>
hk.packed @w : tensor<8x8xf32> {
  %w = hk.param "w" from f32 : tensor<8x8xf64>
  hk.yield %w : tensor<8x8xf64>
}
hk.executable @no_attention {
  // expected-error@+1 {{computed by blocks of one attention where a schedule has heads, but got a result of 'tensor<?x8x8xf32>'}}
  hk.variant #s grid(#grid) {
  ^bb0(%x: tensor<?x8x8xf32>):
    %w = hk.packed.get @w : tensor<8x8xf32>
    %y = hk.linear %x, %w : tensor<?x8x8xf32>, tensor<8x8xf32>
    hk.yield %y : tensor<?x8x8xf32>
  }
}

// -----

#s = #hk.cuda<arch = "sm_90a", rows = 64, units = 4, columns = 0, heads = 1, block = 64, depth = 64, keys = 64, stages = 3, operands = f16>
#grid = affine_map<()[B] -> (B * 2)>
hk.packed @w : tensor<24x8xf32> {
  %w = hk.param "w" from f32 : tensor<24x8xf64>
  hk.yield %w : tensor<24x8xf64>
}
hk.executable @projected_from_attention {
  hk.variant #s grid(#grid) {
  ^bb0(%x: tensor<?x65x8xf32>):
    %w = hk.packed.get @w : tensor<24x8xf32>
    %z = hk.attention %x, %x, %x {num_heads = 1 : i32, num_kv_heads = 1 : i32} : tensor<?x65x8xf32>, tensor<?x65x8xf32>, tensor<?x65x8xf32>
    %n = hk.rms_norm %z : tensor<?x65x8xf32>
    %p = hk.linear %n, %w : tensor<?x65x8xf32>, tensor<24x8xf32>
    %q, %k, %v = hk.split %p : tensor<?x65x24xf32> -> tensor<?x65x8xf32>, tensor<?x65x8xf32>, tensor<?x65x8xf32>
    // expected-error@+1 {{expects a CTA that has all rows of a sequence where a #hk.cuda kernel computes keys or values from another attention, but got 64 of 65}}
    %y = hk.attention %q, %k, %v {num_heads = 1 : i32, num_kv_heads = 1 : i32} : tensor<?x65x8xf32>, tensor<?x65x8xf32>, tensor<?x65x8xf32>
    hk.yield %y : tensor<?x65x8xf32>
  }
}

// -----

#s = #hk.cuda<arch = "sm_90a", rows = 48, units = 3, columns = 0, heads = 1, block = 64, depth = 64, keys = 32, stages = 3, operands = f16>
#grid = affine_map<()[B] -> (B)>
hk.packed @w : tensor<24x8xf32> {
  %w = hk.param "w" from f32 : tensor<24x8xf64>
  hk.yield %w : tensor<24x8xf64>
}
hk.executable @projected_keys {
  hk.variant #s grid(#grid) {
  ^bb0(%x: tensor<?x33x8xf32>):
    %w = hk.packed.get @w : tensor<24x8xf32>
    %p = hk.linear %x, %w : tensor<?x33x8xf32>, tensor<24x8xf32>
    %q, %k, %v = hk.split %p : tensor<?x33x24xf32> -> tensor<?x33x8xf32>, tensor<?x33x8xf32>, tensor<?x33x8xf32>
    // expected-error@+1 {{expects keys that are a multiple of 8 and divide the rows that a CTA has of a sequence, where a #hk.cuda kernel computes them, but got 32 for 48 rows}}
    %y = hk.attention %q, %k, %v {num_heads = 1 : i32, num_kv_heads = 1 : i32} : tensor<?x33x8xf32>, tensor<?x33x8xf32>, tensor<?x33x8xf32>
    hk.yield %y : tensor<?x33x8xf32>
  }
}

// -----

#s = #hk.cuda<arch = "sm_90a", rows = 112, units = 7, columns = 0, heads = 1, block = 64, depth = 64, keys = 16, stages = 3, operands = f16>
#grid = affine_map<()[B] -> (B)>
hk.packed @w : tensor<24x8xf32> {
  %w = hk.param "w" from f32 : tensor<24x8xf64>
  hk.yield %w : tensor<24x8xf64>
}
hk.executable @projected_sequences {
  hk.variant #s grid(#grid) {
  ^bb0(%x: tensor<?x20x8xf32>):
    %w = hk.packed.get @w : tensor<24x8xf32>
    %p = hk.linear %x, %w : tensor<?x20x8xf32>, tensor<24x8xf32>
    %q, %k, %v = hk.split %p : tensor<?x20x24xf32> -> tensor<?x20x8xf32>, tensor<?x20x8xf32>, tensor<?x20x8xf32>
    // expected-error@+1 {{expects rows and units that the sequences of a CTA can share out, each padded to whole units, where a #hk.cuda kernel computes keys or values, but got 112 rows and 7 units for 3 sequences of 20}}
    %y = hk.attention %q, %k, %v {num_heads = 1 : i32, num_kv_heads = 1 : i32} : tensor<?x20x8xf32>, tensor<?x20x8xf32>, tensor<?x20x8xf32>
    hk.yield %y : tensor<?x20x8xf32>
  }
}

// -----

#s = #hk.cuda<arch = "sm_90a", rows = 32, units = 2, columns = 0, heads = 0, block = 64, depth = 64, keys = 16, stages = 3, operands = f16>
#grid = affine_map<()[B] -> (B)>
hk.packed @w : tensor<24x8xf32> {
  %w = hk.param "w" from f32 : tensor<24x8xf64>
  hk.yield %w : tensor<24x8xf64>
}
hk.executable @stored_keys_of_sequences {
  hk.variant #s grid(#grid) {
  ^bb0(%x: tensor<?x16x8xf32>):
    %w = hk.packed.get @w : tensor<24x8xf32>
    %p = hk.linear %x, %w : tensor<?x16x8xf32>, tensor<24x8xf32>
    %q, %k, %v = hk.split %p : tensor<?x16x24xf32> -> tensor<?x16x8xf32>, tensor<?x16x8xf32>, tensor<?x16x8xf32>
    %y = hk.attention %q, %k, %v {num_heads = 1 : i32} : tensor<?x16x8xf32>, tensor<?x16x8xf32>, tensor<?x16x8xf32>
    // expected-error@+1 {{expects keys and values that a #hk.cuda kernel computes, where a CTA has several sequences, but got some from memory and 2 sequences}}
    %z = hk.attention %x, %x, %x {num_heads = 1 : i32} : tensor<?x16x8xf32>, tensor<?x16x8xf32>, tensor<?x16x8xf32>
    hk.yield %y, %z : tensor<?x16x8xf32>, tensor<?x16x8xf32>
  }
}

// -----

#s = #hk.cuda<arch = "sm_90a", rows = 64, units = 4, columns = 0, heads = 1, block = 64, depth = 64, keys = 64, stages = 3, operands = f16, row_blocks = 2>
#grid = affine_map<()[B] -> (B)>
hk.packed @w : tensor<72x8xf32> {
  %w = hk.param "w" from f32 : tensor<72x8xf64>
  hk.yield %w : tensor<72x8xf64>
}
hk.executable @projected_row_blocks {
  hk.variant #s grid(#grid) {
  ^bb0(%x: tensor<?x8x8xf32>):
    %w = hk.packed.get @w : tensor<72x8xf32>
    %p = hk.linear %x, %w : tensor<?x8x8xf32>, tensor<72x8xf32>
    %q, %k, %v = hk.split %p : tensor<?x8x72xf32> -> tensor<?x8x24xf32>, tensor<?x8x24xf32>, tensor<?x8x24xf32>
    // expected-error@+1 {{expects row_blocks of 1 where a #hk.cuda kernel computes keys or values, but got 2}}
    %y = hk.attention %q, %k, %v {num_heads = 2 : i32, num_kv_heads = 2 : i32} : tensor<?x8x24xf32>, tensor<?x8x24xf32>, tensor<?x8x24xf32>
    hk.yield %y : tensor<?x8x24xf32>
  }
}

// -----

#s = #hk.cuda<arch = "sm_90a", rows = 64, units = 4, columns = 0, heads = 1, block = 64, depth = 64, keys = 64, stages = 3, operands = f16, mma = wgmma, ctas = 1, persistent = true>
#grid = affine_map<()[B] -> (B)>
hk.packed @w : tensor<72x8xf32> {
  %w = hk.param "w" from f32 : tensor<72x8xf64>
  hk.yield %w : tensor<72x8xf64>
}
hk.executable @projected_persistent {
  hk.variant #s grid(#grid) {
  ^bb0(%x: tensor<?x8x8xf32>):
    %w = hk.packed.get @w : tensor<72x8xf32>
    %p = hk.linear %x, %w : tensor<?x8x8xf32>, tensor<72x8xf32>
    %q, %k, %v = hk.split %p : tensor<?x8x72xf32> -> tensor<?x8x24xf32>, tensor<?x8x24xf32>, tensor<?x8x24xf32>
    // expected-error@+1 {{expects no persistent CTAs where a #hk.cuda kernel computes keys or values, but got some}}
    %y = hk.attention %q, %k, %v {num_heads = 2 : i32, num_kv_heads = 2 : i32} : tensor<?x8x24xf32>, tensor<?x8x24xf32>, tensor<?x8x24xf32>
    hk.yield %y : tensor<?x8x24xf32>
  }
}

// -----

#s = #hk.cuda<arch = "sm_90a", rows = 64, units = 4, columns = 0, heads = 1, block = 64, depth = 64, keys = 64, stages = 3, operands = f16>
#grid = affine_map<()[B] -> (B)>
hk.packed @w : tensor<72x8xf32> {
  %w = hk.param "w" from f32 : tensor<72x8xf64>
  hk.yield %w : tensor<72x8xf64>
}
hk.executable @projected_head_columns {
  hk.variant #s grid(#grid) {
  ^bb0(%x: tensor<?x8x8xf32>):
    %w = hk.packed.get @w : tensor<72x8xf32>
    %p = hk.linear %x, %w : tensor<?x8x8xf32>, tensor<72x8xf32>
    %q, %k, %v = hk.split %p : tensor<?x8x72xf32> -> tensor<?x8x24xf32>, tensor<?x8x24xf32>, tensor<?x8x24xf32>
    // expected-error@+1 {{expects heads of a multiple of 8 columns where a #hk.cuda kernel computes keys or values, but got 12}}
    %y = hk.attention %q, %k, %v {num_heads = 2 : i32, num_kv_heads = 2 : i32} : tensor<?x8x24xf32>, tensor<?x8x24xf32>, tensor<?x8x24xf32>
    hk.yield %y : tensor<?x8x24xf32>
  }
}

// -----

#s = #hk.cuda<arch = "sm_90a", rows = 64, units = 4, columns = 0, heads = 3, block = 64, depth = 64, keys = 64, stages = 3, operands = f16>
#grid = affine_map<()[B] -> (B)>
hk.packed @w : tensor<96x8xf32> {
  %w = hk.param "w" from f32 : tensor<96x8xf64>
  hk.yield %w : tensor<96x8xf64>
}
hk.executable @projected_groups {
  hk.variant #s grid(#grid) {
  ^bb0(%x: tensor<?x8x8xf32>):
    %w = hk.packed.get @w : tensor<96x8xf32>
    %p = hk.linear %x, %w : tensor<?x8x8xf32>, tensor<96x8xf32>
    %q, %k, %v = hk.split %p : tensor<?x8x96xf32> -> tensor<?x8x48xf32>, tensor<?x8x24xf32>, tensor<?x8x24xf32>
    // expected-error@+1 {{expects the heads of a CTA to divide all, and to be whole groups or part of one, where a #hk.cuda kernel computes keys or values, but got 3 of 6, in groups of 2}}
    %y = hk.attention %q, %k, %v {num_heads = 6 : i32, num_kv_heads = 3 : i32} : tensor<?x8x48xf32>, tensor<?x8x24xf32>, tensor<?x8x24xf32>
    hk.yield %y : tensor<?x8x48xf32>
  }
}

// -----

#s = #hk.cuda<arch = "sm_90a", rows = 64, units = 4, columns = 0, heads = 0, block = 64, depth = 64, keys = 64, stages = 3, operands = f16>
#grid = affine_map<()[B] -> (B)>
hk.packed @g layers(0 to 2) : tensor<8xf32> {
^bb0(%l: index):
  %g = hk.param "{}.g"[%l] from f32 : tensor<8xf64>
  hk.yield %g : tensor<8xf64>
}
hk.executable @layer_before {
  hk.variant #s grid(#grid) {
  ^bb0(%x: tensor<?x8x8xf32>, %l: index):
    %c = arith.constant -1 : index
    %k = arith.addi %l, %c : index
    // expected-error@+1 {{expects the layer that is an argument, or that and a constant which is not negative, in a #hk.cuda kernel, but got }}
    %g = hk.packed.get @g[%k] : tensor<8xf32>
    %y = hk.rms_norm %x, %g : tensor<?x8x8xf32>, tensor<8xf32>
    hk.yield %y : tensor<?x8x8xf32>
  }
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -hk-cut -split-input-file | FileCheck %s
// RUN: hk-opt %s -hk-cut -split-input-file -remarks-filter="hk-cut" -remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s -check-prefix=REMARK
// RUN: hk-opt %s -pass-pipeline="builtin.module(func.func(hk-cut{devices=a100 assumed-batch=1}))" -split-input-file | FileCheck %s -check-prefix=SMALL
// RUN: not hk-opt %s -pass-pipeline="builtin.module(func.func(hk-cut{devices=abacus}))" -split-input-file 2>&1 | FileCheck %s -check-prefix=UNKNOWN
// How the plans of a GPU are cut: `safe` by operations, `chains` by row chains,
// `fused` by row chains where they pay.
// UNKNOWN: error: 'func.func' op expects devices of a100, {{.*}}, but got 'abacus'

!x = tensor<?x128x256xf32>
!qkv = tensor<?x128x768xf32>
!h = tensor<?x128x1024xf32>
!n = tensor<?xi32>

hk.packed @qkv : tensor<768x256xf32> {
  %z = hk.pack.zeros : tensor<768x256xf64>
  hk.yield %z : tensor<768x256xf64>
}
hk.packed @o : tensor<256x256xf32> {
  %z = hk.pack.zeros : tensor<256x256xf64>
  hk.yield %z : tensor<256x256xf64>
}
hk.packed @up : tensor<1024x256xf32> {
  %z = hk.pack.zeros : tensor<1024x256xf64>
  hk.yield %z : tensor<1024x256xf64>
}
hk.packed @down : tensor<256x1024xf32> {
  %z = hk.pack.zeros : tensor<256x1024xf64>
  hk.yield %z : tensor<256x1024xf64>
}

// CHECK-LABEL: func.func private @layer.safe(
// CHECK:         hk.kernel @norm(
// CHECK-NEXT:      hk.layer_norm
// CHECK-NEXT:      hk.yield
// CHECK:         hk.kernel @linear(
// CHECK:           hk.linear
// CHECK-NEXT:      hk.yield
// CHECK:         hk.kernel @attention(
// CHECK-NEXT:      hk.split
// CHECK-NEXT:      hk.attention
// CHECK-NEXT:      hk.yield
// CHECK:         hk.kernel @linear(
// CHECK:           hk.linear
// CHECK-NEXT:      hk.add
// CHECK-NEXT:      hk.mask_rows
// CHECK-NEXT:      hk.yield
// CHECK:         hk.kernel @norm(
// CHECK:         hk.kernel @linear(
// CHECK:           hk.linear
// CHECK-NEXT:      hk.activation
// CHECK-NEXT:      hk.yield
// CHECK:         hk.kernel @linear(
// CHECK:           hk.linear
// CHECK-NEXT:      hk.add
// CHECK-NEXT:      hk.yield
// CHECK:         hk.kernel @norm(
// CHECK-NEXT:      hk.layer_norm
// CHECK-NEXT:      hk.mask_rows
// CHECK-NEXT:      hk.yield
// CHECK-NOT:     hk.kernel
// REMARK: Function=layer.safe | Remark="cut before hk.linear: a linear operation begins a kernel"
// REMARK: Function=layer.safe | Remark="cut before hk.attention: attention is a kernel of its own"
// REMARK: Function=layer.safe | Remark="cut before hk.linear: attention is a kernel of its own"
// REMARK: Function=layer.safe | Remark="cut before hk.layer_norm: a norm begins a kernel"
func.func private @layer.safe(%x: !x, %n: !n) -> !x attributes {hk.arch = "sm_90a", hk.operands = "f16", hk.plan = "safe", hk.plan_of = @layer, hk.rank = 1 : i64, hk.role = "safe"} {
  %qkv = hk.packed.get @qkv : tensor<768x256xf32>
  %o = hk.packed.get @o : tensor<256x256xf32>
  %up = hk.packed.get @up : tensor<1024x256xf32>
  %down = hk.packed.get @down : tensor<256x1024xf32>
  %0 = hk.layer_norm %x : !x
  %1 = hk.linear %0, %qkv : !x, tensor<768x256xf32>
  %2:3 = hk.split %1 : !qkv -> !x, !x, !x
  %3 = hk.attention %2#0, %2#1, %2#2 {num_heads = 8 : i32} : !x, !x, !x
  %4 = hk.linear %3, %o : !x, tensor<256x256xf32>
  %5 = hk.add %x, %4 : !x, !x
  %6 = hk.mask_rows %5 lengths(%n) : !x, !n
  %7 = hk.layer_norm %6 : !x
  %8 = hk.linear %7, %up : !x, tensor<1024x256xf32>
  %9 = hk.activation gelu_erf %8 : !h
  %10 = hk.linear %9, %down : !h, tensor<256x1024xf32>
  %11 = hk.add %6, %10 : !x, !x
  %12 = hk.layer_norm %11 : !x
  %13 = hk.mask_rows %12 lengths(%n) : !x, !n
  return %13 : !x
}

// 256 features: the residual takes 128 registers, the normalised row 64.
// CHECK-LABEL: func.func private @layer.chains(
// CHECK:         hk.kernel @norm_linear(
// CHECK:         hk.kernel @attention_linear_norm_linear_norm(
// CHECK:           hk.attention
// CHECK:           hk.layer_norm
// CHECK:           hk.layer_norm
// CHECK-NEXT:      hk.mask_rows
// CHECK-NEXT:      hk.yield
// CHECK-NOT:     hk.kernel
// REMARK: Function=layer.chains | Remark="cut before hk.attention: attention reads keys and values of rows that other CTAs compute"
// REMARK: Function=layer.chains | Remark="kernel @norm_linear: 2 operations, as a row chain 192 registers of resident values"
// REMARK: Function=layer.chains | Remark="kernel @attention_linear_norm_linear_norm: 11 operations, as a row chain 192 registers of resident values"
func.func private @layer.chains(%x: !x, %n: !n) -> !x attributes {hk.arch = "sm_90a", hk.operands = "f16", hk.plan = "chains", hk.plan_of = @layer, hk.rank = 2 : i64, hk.role = "candidate"} {
  %qkv = hk.packed.get @qkv : tensor<768x256xf32>
  %o = hk.packed.get @o : tensor<256x256xf32>
  %up = hk.packed.get @up : tensor<1024x256xf32>
  %down = hk.packed.get @down : tensor<256x1024xf32>
  %0 = hk.layer_norm %x : !x
  %1 = hk.linear %0, %qkv : !x, tensor<768x256xf32>
  %2:3 = hk.split %1 : !qkv -> !x, !x, !x
  %3 = hk.attention %2#0, %2#1, %2#2 {num_heads = 8 : i32} : !x, !x, !x
  %4 = hk.linear %3, %o : !x, tensor<256x256xf32>
  %5 = hk.add %x, %4 : !x, !x
  %6 = hk.mask_rows %5 lengths(%n) : !x, !n
  %7 = hk.layer_norm %6 : !x
  %8 = hk.linear %7, %up : !x, tensor<1024x256xf32>
  %9 = hk.activation gelu_erf %8 : !h
  %10 = hk.linear %9, %down : !h, tensor<256x1024xf32>
  %11 = hk.add %6, %10 : !x, !x
  %12 = hk.layer_norm %11 : !x
  %13 = hk.mask_rows %12 lengths(%n) : !x, !n
  return %13 : !x
}


// The same, by price: attention with all of its heads in one CTA has few CTAs;
// with its projection, a CTA owns a sequence and has a few heads.
// CHECK-LABEL: func.func private @layer.fused(
// CHECK:         hk.kernel @{{(norm_)?}}linear_attention({{.*}} scope(sequence)
// CHECK:           hk.linear
// CHECK-NEXT:      hk.split
// CHECK-NEXT:      hk.attention
// CHECK-NEXT:      hk.yield
// CHECK:         hk.kernel @linear_norm(
// CHECK:         hk.kernel @linear(
// CHECK:         hk.kernel @linear(
// CHECK:         hk.kernel @norm(
// CHECK-NOT:     hk.kernel
// REMARK: remark: [Passed] Joined |{{.*}} Function=layer.fused | Remark="no cut before hk.attention: the chain is predicted to take {{[0-9.]+}} us, and {{[0-9.]+}} us with a cut here"
// REMARK: remark: [Passed] Cut |{{.*}} Function=layer.fused | Remark="cut before hk.linear: the chain is predicted to take {{[0-9.]+}} us, and {{[0-9.]+}} us without a cut here"
// REMARK: Function=layer.fused | Remark="kernel @{{(norm_)?}}linear_attention: {{[23]}} operations, attention with its projection"
// With one sequence, a linear operation alone can use more of the GPU.
// SMALL-LABEL: func.func private @layer.fused(
// SMALL:         hk.kernel @{{(norm_)?}}linear_attention(
// SMALL:         hk.kernel @linear(
// SMALL:         hk.kernel @norm(
// SMALL:         hk.kernel @linear(
func.func private @layer.fused(%x: !x, %n: !n) -> !x attributes {hk.arch = "sm_90a", hk.operands = "f16", hk.plan = "fused", hk.plan_of = @layer, hk.rank = 0 : i64, hk.role = "candidate"} {
  %qkv = hk.packed.get @qkv : tensor<768x256xf32>
  %o = hk.packed.get @o : tensor<256x256xf32>
  %up = hk.packed.get @up : tensor<1024x256xf32>
  %down = hk.packed.get @down : tensor<256x1024xf32>
  %0 = hk.layer_norm %x : !x
  %1 = hk.linear %0, %qkv : !x, tensor<768x256xf32>
  %2:3 = hk.split %1 : !qkv -> !x, !x, !x
  %3 = hk.attention %2#0, %2#1, %2#2 {num_heads = 8 : i32} : !x, !x, !x
  %4 = hk.linear %3, %o : !x, tensor<256x256xf32>
  %5 = hk.add %x, %4 : !x, !x
  %6 = hk.mask_rows %5 lengths(%n) : !x, !n
  %7 = hk.layer_norm %6 : !x
  %8 = hk.linear %7, %up : !x, tensor<1024x256xf32>
  %9 = hk.activation gelu_erf %8 : !h
  %10 = hk.linear %9, %down : !h, tensor<256x1024xf32>
  %11 = hk.add %6, %10 : !x, !x
  %12 = hk.layer_norm %11 : !x
  %13 = hk.mask_rows %12 lengths(%n) : !x, !n
  return %13 : !x
}

// -----

!x = tensor<?x128x256xf32>
!h = tensor<?x128x128xf32>
!qkv = tensor<?x128x512xf32>
!long = tensor<?x1024x64xf32>
!deep = tensor<?x1024x1024xf32>
hk.packed @qkv : tensor<512x256xf32> {
  %z = hk.pack.zeros : tensor<512x256xf64>
  hk.yield %z : tensor<512x256xf64>
}
hk.packed @w : tensor<64x64xf32> {
  %z = hk.pack.zeros : tensor<64x64xf64>
  hk.yield %z : tensor<64x64xf64>
}
hk.packed @deep : tensor<64x1024xf32> {
  %z = hk.pack.zeros : tensor<64x1024xf64>
  hk.yield %z : tensor<64x1024xf64>
}

// Attention with its projection wherever a CTA can own a sequence, whatever the
// price; the norm is where it is cheapest.
// CHECK-LABEL: func.func private @projected(
// CHECK:         hk.kernel @{{.*}}linear_attention({{.*}} scope(sequence)
// CHECK:           hk.attention
// CHECK-NEXT:      hk.yield
// CHECK-NOT:     hk.kernel
// REMARK: Function=projected | Remark="no cut before hk.attention: a CTA computes the keys that its queries see"
func.func private @projected(%x: !x) -> !x attributes {hk.arch = "sm_90a", hk.operands = "f16", hk.plan = "projected", hk.plan_of = @f, hk.rank = 0 : i64, hk.role = "candidate"} {
  %qkv = hk.packed.get @qkv : tensor<512x256xf32>
  %0 = hk.rms_norm %x : !x
  %1 = hk.linear %0, %qkv : !x, tensor<512x256xf32>
  %2:3 = hk.split %1 : !qkv -> !x, !h, !h
  %3 = hk.attention %2#0, %2#1, %2#2 {num_heads = 4 : i32, num_kv_heads = 2 : i32} : !x, !h, !h
  return %3 : !x
}

// No CTA has so many rows: each has some, and computes keys of others. That is
// a plan as long as it is not predicted to be much slower than two kernels.
// CHECK-LABEL: func.func private @long(
// CHECK:         hk.kernel @linear_attention(
// REMARK: Function=long | Remark="no cut before hk.attention: a CTA computes the keys that its queries see"
func.func private @long(%x: !long) -> !long attributes {hk.arch = "sm_90a", hk.operands = "f16", hk.plan = "projected", hk.plan_of = @f, hk.rank = 0 : i64, hk.role = "candidate"} {
  %w = hk.packed.get @w : tensor<64x64xf32>
  %0 = hk.linear %x, %w : !long, tensor<64x64xf32>
  %1 = hk.attention %0, %0, %0 {num_heads = 4 : i32} : !long, !long, !long
  return %1 : !long
}

// CHECK-LABEL: func.func private @long_and_deep(
// CHECK:         hk.kernel @linear(
// CHECK:         hk.kernel @attention(
// REMARK: Function=long_and_deep | Remark="cut before hk.attention: the chain is predicted to take {{[0-9.]+}} us, and {{[0-9.]+}} us without a cut here"
func.func private @long_and_deep(%x: !deep) -> !long attributes {hk.arch = "sm_90a", hk.operands = "f16", hk.plan = "projected", hk.plan_of = @f, hk.rank = 0 : i64, hk.role = "candidate"} {
  %w = hk.packed.get @deep : tensor<64x1024xf32>
  %0 = hk.linear %x, %w : !deep, tensor<64x1024xf32>
  %1 = hk.attention %0, %0, %0 {num_heads = 4 : i32} : !long, !long, !long
  return %1 : !long
}

// A cast that a loop reads too has to be stored, which a kernel that ends with
// the attention does not.
// CHECK-LABEL: func.func private @widened(
// CHECK:         hk.kernel @norm(
// CHECK:           hk.yield %{{.*}}, %{{.*}} : tensor<?x128x256xf32>, tensor<?x128x256xf32>
// CHECK:         hk.kernel @linear_attention(
func.func private @widened(%h: tensor<?x128x256xf16>) -> (!x, !x) attributes {hk.arch = "sm_90a", hk.operands = "f16", hk.plan = "projected", hk.plan_of = @f, hk.rank = 0 : i64, hk.role = "candidate"} {
  %x = hk.cast %h : tensor<?x128x256xf16> to !x
  %qkv = hk.packed.get @qkv : tensor<512x256xf32>
  %n = hk.layer_norm %x : !x
  %1 = hk.linear %n, %qkv : !x, tensor<512x256xf32>
  %2:3 = hk.split %1 : !qkv -> !x, !h, !h
  %c = hk.attention %2#0, %2#1, %2#2 {num_heads = 4 : i32, num_kv_heads = 2 : i32} : !x, !h, !h
  return %c, %x : !x, !x
}

// Keys that somebody else reads, too.
// CHECK-LABEL: func.func private @returned(
// CHECK:         hk.kernel @linear(
// CHECK:         hk.kernel @attention(
// REMARK: Function=returned | Remark="cut before hk.attention: attention reads keys and values that are computed with more than their projection"
func.func private @returned(%x: !x) -> (!x, !qkv) attributes {hk.arch = "sm_90a", hk.operands = "f16", hk.plan = "projected", hk.plan_of = @f, hk.rank = 0 : i64, hk.role = "candidate"} {
  %qkv = hk.packed.get @qkv : tensor<512x256xf32>
  %1 = hk.linear %x, %qkv : !x, tensor<512x256xf32>
  %2:3 = hk.split %1 : !qkv -> !x, !h, !h
  %3 = hk.attention %2#0, %2#1, %2#2 {num_heads = 4 : i32, num_kv_heads = 2 : i32} : !x, !h, !h
  return %3, %1 : !x, !qkv
}

// -----

!x = tensor<?x8x512xf32>
hk.packed @w : tensor<512x512xf32> {
  %z = hk.pack.zeros : tensor<512x512xf64>
  hk.yield %z : tensor<512x512xf64>
}

// Rows that do not fit: cut as in `safe`.
// CHECK-LABEL: func.func private @wide(
// CHECK:         hk.kernel @norm(
// CHECK:         hk.kernel @linear(
// CHECK-NOT:     hk.kernel
// REMARK: Function=wide | Remark="cut before hk.linear: the rows of a warp would need 384 registers at hk.rms_norm, above the limit of 200"
func.func private @wide(%x: !x) -> !x attributes {hk.arch = "sm_80", hk.operands = "f16", hk.plan = "fused", hk.plan_of = @f, hk.rank = 0 : i64, hk.role = "candidate"} {
  %w = hk.packed.get @w : tensor<512x512xf32>
  %0 = hk.rms_norm %x : !x
  %1 = hk.linear %0, %w : !x, tensor<512x512xf32>
  return %1 : !x
}

// -----

!x = tensor<?x8x64xf32>
!h = tensor<?x8x128xf32>
hk.packed @w : tensor<128x64xf32> {
  %z = hk.pack.zeros : tensor<128x64xf64>
  hk.yield %z : tensor<128x64xf64>
}

// A gate reads two runs of features of one result: not while it is computed.
// CHECK-LABEL: func.func private @gated(
// CHECK:         hk.kernel @linear({{.*}} -> (tensor<?x8x128xf32>)
// CHECK:         hk.kernel @activation_mul(
// CHECK-NEXT:      hk.split
// CHECK-NEXT:      hk.activation
// CHECK-NEXT:      hk.mul
// CHECK-NOT:     hk.kernel
// REMARK: Function=gated | Remark="cut before hk.activation: it reads some of the features that the kernel before computes"
func.func private @gated(%x: !x) -> !x attributes {hk.arch = "sm_80", hk.operands = "f16", hk.plan = "fused", hk.plan_of = @f, hk.rank = 0 : i64, hk.role = "candidate"} {
  %w = hk.packed.get @w : tensor<128x64xf32>
  %0 = hk.linear %x, %w : !x, tensor<128x64xf32>
  %1:2 = hk.split %0 : !h -> !x, !x
  %2 = hk.activation silu %1#0 : !x
  %3 = hk.mul %2, %1#1 : !x, !x
  return %3 : !x
}

// -----

!x = tensor<?x8x64xf32>

// What does not depend on a kernel does not join it; attention comes first,
// even if another function computed its keys.
// CHECK-LABEL: func.func private @apart(
// CHECK:         hk.kernel @norm(
// CHECK:         hk.kernel @activation(
// CHECK:         hk.kernel @attention(
// CHECK-NOT:     hk.kernel
// REMARK: Function=apart | Remark="cut before hk.activation: it reads nothing that the kernel before computes"
// REMARK: Function=apart | Remark="cut before hk.attention: attention begins a kernel"
func.func private @apart(%x: !x, %k: !x) -> (!x, !x) attributes {hk.arch = "sm_80", hk.operands = "f16", hk.plan = "fused", hk.plan_of = @f, hk.rank = 0 : i64, hk.role = "candidate"} {
  %0 = hk.rms_norm %x : !x
  %1 = hk.activation relu %x : !x
  %2 = hk.attention %1, %k, %k {num_heads = 2 : i32} : !x, !x, !x
  return %0, %2 : !x, !x
}

// -----

!x = tensor<?x8x36xf32>
!w = tensor<36x36xf32>
hk.packed @w : !w {
  %z = hk.pack.zeros : tensor<36x36xf64>
  hk.yield %z : tensor<36x36xf64>
}

// Heads that end within a group of registers' columns go through memory.
// CHECK-LABEL: func.func private @odd_heads(
// CHECK:         hk.kernel @attention(
// CHECK:         hk.kernel @linear_norm(
// CHECK-NOT:     hk.kernel
// REMARK: Function=odd_heads | Remark="cut before hk.linear: it would read heads of 12 columns, no multiple of 8, from registers"
func.func private @odd_heads(%q: !x, %k: !x) -> !x attributes {hk.arch = "sm_80", hk.operands = "f16", hk.plan = "chains", hk.plan_of = @f, hk.rank = 0 : i64, hk.role = "candidate"} {
  %w = hk.packed.get @w : !w
  %0 = hk.attention %q, %k, %k {num_heads = 3 : i32} : !x, !x, !x
  %1 = hk.linear %0, %w : !x, !w
  %2 = hk.rms_norm %1 : !x
  return %2 : !x
}

// -----

!x = tensor<?x8x64xf32>
!w = tensor<64x64xf32>
hk.packed @w layers(0 to 3) : !w {
^bb0(%l: index):
  %z = hk.pack.zeros : tensor<64x64xf64>
  hk.yield %z : tensor<64x64xf64>
}

// A kernel that reads this layer and the next: the index of this layer, and
// the sum in the kernel. Equal constants are one layer.
// CHECK-LABEL: func.func private @rotated(
// CHECK:         scf.for %[[L:[a-z0-9]*]] =
// CHECK-NEXT:      hk.kernel @linear_norm_linear({{.*}}, %[[I:.*]] = %[[L]] : index)
// CHECK-NEXT:        hk.packed.get @w[%[[I]]]
// CHECK:             hk.rms_norm
// CHECK-NEXT:        %[[ONE:.*]] = arith.constant 1 : index
// CHECK-NEXT:        %[[NEXT:.*]] = arith.addi %[[I]], %[[ONE]] : index
// CHECK-NEXT:        hk.packed.get @w[%[[NEXT]]]
// CHECK:           scf.yield
// CHECK:         hk.kernel @linear_norm_linear({{.*}}, %[[I:.*]] = %{{.*}} : index)
// CHECK:           hk.packed.get @w[%[[I]]]
// CHECK:           hk.packed.get @w[%[[I]]]
func.func private @rotated(%x: !x) -> !x attributes {hk.arch = "sm_80", hk.operands = "f16", hk.plan = "fused", hk.plan_of = @f, hk.rank = 0 : i64, hk.role = "candidate"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %r = scf.for %l = %c0 to %c2 step %c1 iter_args(%t = %x) -> (!x) {
    %w0 = hk.packed.get @w[%l] : !w
    %a = hk.linear %t, %w0 : !x, !w
    %n = arith.addi %l, %c1 : index
    %w1 = hk.packed.get @w[%n] : !w
    %b = hk.rms_norm %a : !x
    %c = hk.linear %b, %w1 : !x, !w
    scf.yield %c : !x
  }
  %last = arith.constant 2 : index
  %w2 = hk.packed.get @w[%c2] : !w
  %w3 = hk.packed.get @w[%last] : !w
  %d = hk.linear %r, %w2 : !x, !w
  %e = hk.rms_norm %d : !x
  %f = hk.linear %e, %w3 : !x, !w
  return %f : !x
}

// -----

!x = tensor<?x8x64xf32>
!s = tensor<?x8x64xf16>
!w = tensor<64x64xf32>
hk.packed @w : !w {
  %z = hk.pack.zeros : tensor<64x64xf64>
  hk.yield %z : tensor<64x64xf64>
}

// A cast that keeps all values costs nothing where it is read: it goes into each
// kernel that reads it, as a split does. One that rounds is work.
// CHECK-LABEL: func.func private @widening(
// CHECK-SAME:    %[[H:.*]]: tensor<?x8x64xf16>)
// CHECK-NEXT:    hk.kernel @norm(%{{.*}} = %[[H]] : tensor<?x8x64xf16>)
// CHECK-NEXT:      hk.cast
// CHECK-NEXT:      hk.rms_norm
// CHECK-NEXT:      hk.yield
// CHECK:         hk.kernel @linear({{.*}}, %[[A:.*]] = %[[H]] : tensor<?x8x64xf16>)
// CHECK:           hk.linear
// CHECK-NEXT:      hk.cast %[[A]] : tensor<?x8x64xf16> to tensor<?x8x64xf32>
// CHECK-NEXT:      hk.add
// CHECK-NOT:     hk.kernel
func.func private @widening(%h: !s) -> !x attributes {hk.arch = "sm_80", hk.operands = "f16", hk.plan = "safe", hk.plan_of = @f, hk.rank = 0 : i64, hk.role = "safe"} {
  %w = hk.packed.get @w : !w
  %x = hk.cast %h : !s to !x
  %0 = hk.rms_norm %x : !x
  %1 = hk.linear %0, %w : !x, !w
  %2 = hk.add %1, %x : !x, !x
  return %2 : !x
}

// CHECK-LABEL: func.func private @rounding(
// CHECK:         hk.kernel @cast(
// CHECK-NEXT:      hk.cast %{{.*}} : tensor<?x8x64xf32> to tensor<?x8x64xf16>
// CHECK-NEXT:      hk.yield
// CHECK:         hk.kernel @linear({{.*}} : tensor<?x8x64xf16>)
// CHECK-NEXT:      hk.cast %{{.*}} : tensor<?x8x64xf16> to tensor<?x8x64xf32>
// CHECK-NOT:     hk.kernel
func.func private @rounding(%x: !x) -> !x attributes {hk.arch = "sm_80", hk.operands = "f16", hk.plan = "safe", hk.plan_of = @f, hk.rank = 0 : i64, hk.role = "safe"} {
  %w = hk.packed.get @w : !w
  %h = hk.cast %x : !x to !s
  %y = hk.cast %h : !s to !x
  %0 = hk.linear %y, %w : !x, !w
  return %0 : !x
}

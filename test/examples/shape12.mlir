// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A pre-norm Transformer, written by hk-model: B = 64, S = 32, D = 128, heads = 4,
// FFN = 128, layers = 4.
!x = tensor<64x32x128xf32>
!m = tensor<64x32xi1>
!v = tensor<128xf32>
!w = tensor<128x128xf32>

func.func @forward(%x: !x {hk.name = "x"}, %valid: !m {hk.name = "valid"}) -> (!x {hk.name = "y"}) {
  // Layer 0
  %l0_n1_g = hk.param "layers.0.n1.weight" : !v
  %l0_n1_b = hk.param "layers.0.n1.bias" : !v
  %l0_n1 = hk.layer_norm %x, %l0_n1_g, %l0_n1_b {eps = 1.0e-5 : f64} : !x, !v, !v
  %l0_q_w = hk.param "layers.0.att.q.weight" : !w
  %l0_q_b = hk.param "layers.0.att.q.bias" : !v
  %l0_q = hk.linear %l0_n1, %l0_q_w, %l0_q_b : !x, !w, !v
  %l0_k_w = hk.param "layers.0.att.k.weight" : !w
  %l0_k_b = hk.param "layers.0.att.k.bias" : !v
  %l0_k = hk.linear %l0_n1, %l0_k_w, %l0_k_b : !x, !w, !v
  %l0_v_w = hk.param "layers.0.att.v.weight" : !w
  %l0_v_b = hk.param "layers.0.att.v.bias" : !v
  %l0_v = hk.linear %l0_n1, %l0_v_w, %l0_v_b : !x, !w, !v
  %l0_c = hk.attention %l0_q, %l0_k, %l0_v key_mask(%valid) {num_heads = 4 : i32, causal} : !x, !x, !x, !m
  %l0_o_w = hk.param "layers.0.att.o.weight" : !w
  %l0_o_b = hk.param "layers.0.att.o.bias" : !v
  %l0_o = hk.linear %l0_c, %l0_o_w, %l0_o_b : !x, !w, !v
  %l0_om = hk.mask_rows %l0_o key_mask(%valid) : !x, !m
  %l0_r = hk.add %x, %l0_om : !x, !x
  %l0_n2_g = hk.param "layers.0.n2.weight" : !v
  %l0_n2_b = hk.param "layers.0.n2.bias" : !v
  %l0_n2 = hk.layer_norm %l0_r, %l0_n2_g, %l0_n2_b {eps = 1.0e-5 : f64} : !x, !v, !v
  %l0_fi_w = hk.param "layers.0.fi.weight" : !w
  %l0_fi_b = hk.param "layers.0.fi.bias" : !v
  %l0_fi = hk.linear %l0_n2, %l0_fi_w, %l0_fi_b : !x, !w, !v
  %l0_a = hk.activation gelu_erf %l0_fi : !x
  %l0_fo_w = hk.param "layers.0.fo.weight" : !w
  %l0_fo_b = hk.param "layers.0.fo.bias" : !v
  %l0_fo = hk.linear %l0_a, %l0_fo_w, %l0_fo_b : !x, !w, !v
  %l0_x = hk.add %l0_r, %l0_fo : !x, !x
  %l0_xm = hk.mask_rows %l0_x key_mask(%valid) : !x, !m

  // Layer 1
  %l1_n1_g = hk.param "layers.1.n1.weight" : !v
  %l1_n1_b = hk.param "layers.1.n1.bias" : !v
  %l1_n1 = hk.layer_norm %l0_xm, %l1_n1_g, %l1_n1_b {eps = 1.0e-5 : f64} : !x, !v, !v
  %l1_q_w = hk.param "layers.1.att.q.weight" : !w
  %l1_q_b = hk.param "layers.1.att.q.bias" : !v
  %l1_q = hk.linear %l1_n1, %l1_q_w, %l1_q_b : !x, !w, !v
  %l1_k_w = hk.param "layers.1.att.k.weight" : !w
  %l1_k_b = hk.param "layers.1.att.k.bias" : !v
  %l1_k = hk.linear %l1_n1, %l1_k_w, %l1_k_b : !x, !w, !v
  %l1_v_w = hk.param "layers.1.att.v.weight" : !w
  %l1_v_b = hk.param "layers.1.att.v.bias" : !v
  %l1_v = hk.linear %l1_n1, %l1_v_w, %l1_v_b : !x, !w, !v
  %l1_c = hk.attention %l1_q, %l1_k, %l1_v key_mask(%valid) {num_heads = 4 : i32, causal} : !x, !x, !x, !m
  %l1_o_w = hk.param "layers.1.att.o.weight" : !w
  %l1_o_b = hk.param "layers.1.att.o.bias" : !v
  %l1_o = hk.linear %l1_c, %l1_o_w, %l1_o_b : !x, !w, !v
  %l1_om = hk.mask_rows %l1_o key_mask(%valid) : !x, !m
  %l1_r = hk.add %l0_xm, %l1_om : !x, !x
  %l1_n2_g = hk.param "layers.1.n2.weight" : !v
  %l1_n2_b = hk.param "layers.1.n2.bias" : !v
  %l1_n2 = hk.layer_norm %l1_r, %l1_n2_g, %l1_n2_b {eps = 1.0e-5 : f64} : !x, !v, !v
  %l1_fi_w = hk.param "layers.1.fi.weight" : !w
  %l1_fi_b = hk.param "layers.1.fi.bias" : !v
  %l1_fi = hk.linear %l1_n2, %l1_fi_w, %l1_fi_b : !x, !w, !v
  %l1_a = hk.activation gelu_erf %l1_fi : !x
  %l1_fo_w = hk.param "layers.1.fo.weight" : !w
  %l1_fo_b = hk.param "layers.1.fo.bias" : !v
  %l1_fo = hk.linear %l1_a, %l1_fo_w, %l1_fo_b : !x, !w, !v
  %l1_x = hk.add %l1_r, %l1_fo : !x, !x
  %l1_xm = hk.mask_rows %l1_x key_mask(%valid) : !x, !m

  // Layer 2
  %l2_n1_g = hk.param "layers.2.n1.weight" : !v
  %l2_n1_b = hk.param "layers.2.n1.bias" : !v
  %l2_n1 = hk.layer_norm %l1_xm, %l2_n1_g, %l2_n1_b {eps = 1.0e-5 : f64} : !x, !v, !v
  %l2_q_w = hk.param "layers.2.att.q.weight" : !w
  %l2_q_b = hk.param "layers.2.att.q.bias" : !v
  %l2_q = hk.linear %l2_n1, %l2_q_w, %l2_q_b : !x, !w, !v
  %l2_k_w = hk.param "layers.2.att.k.weight" : !w
  %l2_k_b = hk.param "layers.2.att.k.bias" : !v
  %l2_k = hk.linear %l2_n1, %l2_k_w, %l2_k_b : !x, !w, !v
  %l2_v_w = hk.param "layers.2.att.v.weight" : !w
  %l2_v_b = hk.param "layers.2.att.v.bias" : !v
  %l2_v = hk.linear %l2_n1, %l2_v_w, %l2_v_b : !x, !w, !v
  %l2_c = hk.attention %l2_q, %l2_k, %l2_v key_mask(%valid) {num_heads = 4 : i32, causal} : !x, !x, !x, !m
  %l2_o_w = hk.param "layers.2.att.o.weight" : !w
  %l2_o_b = hk.param "layers.2.att.o.bias" : !v
  %l2_o = hk.linear %l2_c, %l2_o_w, %l2_o_b : !x, !w, !v
  %l2_om = hk.mask_rows %l2_o key_mask(%valid) : !x, !m
  %l2_r = hk.add %l1_xm, %l2_om : !x, !x
  %l2_n2_g = hk.param "layers.2.n2.weight" : !v
  %l2_n2_b = hk.param "layers.2.n2.bias" : !v
  %l2_n2 = hk.layer_norm %l2_r, %l2_n2_g, %l2_n2_b {eps = 1.0e-5 : f64} : !x, !v, !v
  %l2_fi_w = hk.param "layers.2.fi.weight" : !w
  %l2_fi_b = hk.param "layers.2.fi.bias" : !v
  %l2_fi = hk.linear %l2_n2, %l2_fi_w, %l2_fi_b : !x, !w, !v
  %l2_a = hk.activation gelu_erf %l2_fi : !x
  %l2_fo_w = hk.param "layers.2.fo.weight" : !w
  %l2_fo_b = hk.param "layers.2.fo.bias" : !v
  %l2_fo = hk.linear %l2_a, %l2_fo_w, %l2_fo_b : !x, !w, !v
  %l2_x = hk.add %l2_r, %l2_fo : !x, !x
  %l2_xm = hk.mask_rows %l2_x key_mask(%valid) : !x, !m

  // Layer 3
  %l3_n1_g = hk.param "layers.3.n1.weight" : !v
  %l3_n1_b = hk.param "layers.3.n1.bias" : !v
  %l3_n1 = hk.layer_norm %l2_xm, %l3_n1_g, %l3_n1_b {eps = 1.0e-5 : f64} : !x, !v, !v
  %l3_q_w = hk.param "layers.3.att.q.weight" : !w
  %l3_q_b = hk.param "layers.3.att.q.bias" : !v
  %l3_q = hk.linear %l3_n1, %l3_q_w, %l3_q_b : !x, !w, !v
  %l3_k_w = hk.param "layers.3.att.k.weight" : !w
  %l3_k_b = hk.param "layers.3.att.k.bias" : !v
  %l3_k = hk.linear %l3_n1, %l3_k_w, %l3_k_b : !x, !w, !v
  %l3_v_w = hk.param "layers.3.att.v.weight" : !w
  %l3_v_b = hk.param "layers.3.att.v.bias" : !v
  %l3_v = hk.linear %l3_n1, %l3_v_w, %l3_v_b : !x, !w, !v
  %l3_c = hk.attention %l3_q, %l3_k, %l3_v key_mask(%valid) {num_heads = 4 : i32, causal} : !x, !x, !x, !m
  %l3_o_w = hk.param "layers.3.att.o.weight" : !w
  %l3_o_b = hk.param "layers.3.att.o.bias" : !v
  %l3_o = hk.linear %l3_c, %l3_o_w, %l3_o_b : !x, !w, !v
  %l3_om = hk.mask_rows %l3_o key_mask(%valid) : !x, !m
  %l3_r = hk.add %l2_xm, %l3_om : !x, !x
  %l3_n2_g = hk.param "layers.3.n2.weight" : !v
  %l3_n2_b = hk.param "layers.3.n2.bias" : !v
  %l3_n2 = hk.layer_norm %l3_r, %l3_n2_g, %l3_n2_b {eps = 1.0e-5 : f64} : !x, !v, !v
  %l3_fi_w = hk.param "layers.3.fi.weight" : !w
  %l3_fi_b = hk.param "layers.3.fi.bias" : !v
  %l3_fi = hk.linear %l3_n2, %l3_fi_w, %l3_fi_b : !x, !w, !v
  %l3_a = hk.activation gelu_erf %l3_fi : !x
  %l3_fo_w = hk.param "layers.3.fo.weight" : !w
  %l3_fo_b = hk.param "layers.3.fo.bias" : !v
  %l3_fo = hk.linear %l3_a, %l3_fo_w, %l3_fo_b : !x, !w, !v
  %l3_x = hk.add %l3_r, %l3_fo : !x, !x
  %l3_xm = hk.mask_rows %l3_x key_mask(%valid) : !x, !m

  %y_g = hk.param "norm.weight" : !v
  %y_b = hk.param "norm.bias" : !v
  %y = hk.layer_norm %l3_xm, %y_g, %y_b {eps = 1.0e-5 : f64} : !x, !v, !v
  %ym = hk.mask_rows %y key_mask(%valid) : !x, !m
  return %ym : !x
}

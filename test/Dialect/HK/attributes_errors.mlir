// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{expects isa to be "x86-64", "x86-64-v3" or "x86-64-v4", but got "x86-64-v2"}}
func.func @cpu_isa() attributes {a = #hk.cpu<isa = "x86-64-v2", rows = 64, mr = 12, nr = 32, keys = 64>} { return }

// -----

// expected-error @+1 {{expects rows to be positive, but got 0}}
func.func @cpu_rows() attributes {a = #hk.cpu<isa = "x86-64", rows = 0, mr = 12, nr = 32, keys = 64>} { return }

// -----

// expected-error @+1 {{expects mr to be positive, but got -1}}
func.func @cpu_mr() attributes {a = #hk.cpu<isa = "x86-64", rows = 1, mr = -1, nr = 32, keys = 64>} { return }

// -----

// expected-error @+1 {{expects nr to be positive, but got 0}}
func.func @cpu_nr() attributes {a = #hk.cpu<isa = "x86-64", rows = 1, mr = 1, nr = 0, keys = 64>} { return }

// -----

// expected-error @+1 {{expects keys to be positive, but got 0}}
func.func @cpu_keys() attributes {a = #hk.cpu<isa = "x86-64", rows = 1, mr = 1, nr = 1, keys = 0>} { return }

// -----

// expected-error @+1 {{expects isa to be "x86-64", "x86-64-v3" or "x86-64-v4", but got "armv8"}}
func.func @loops_isa() attributes {a = #hk.loops<isa = "armv8", rows = 8>} { return }

// -----

// expected-error @+1 {{expects rows to be positive, but got 0}}
func.func @loops_rows() attributes {a = #hk.loops<isa = "x86-64", rows = 0>} { return }

// -----

// expected-error @+1 {{expects the panel width to be positive, but got 0}}
func.func @panels_width() attributes {a = #hk.panels<0>} { return }

// -----

// expected-error @+1 {{expects an offset that is not negative, but got -256}}
func.func @workspace_offset() attributes {a = #hk.workspace<-256>} { return }

// -----

// expected-error @+1 {{expects an index that is not negative, but got -1}}
func.func @result_index() attributes {a = #hk.result<-1>} { return }

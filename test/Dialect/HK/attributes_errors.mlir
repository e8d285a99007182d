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

// -----

// expected-error @+1 {{expects arch to be sm_80, sm_86, sm_89, sm_90a or sm_120, but got "sm_90"}}
func.func @cuda_arch() attributes {a = #hk.cuda<arch = "sm_90", rows = 64, units = 4, columns = 0, heads = 0, block = 64, depth = 64, keys = 64, stages = 3, operands = f16>} { return }

// -----

// expected-error @+1 {{expects columns and heads not to be negative, but got -1 and 0}}
func.func @cuda_columns() attributes {a = #hk.cuda<arch = "sm_80", rows = 64, units = 4, columns = -1, heads = 0, block = 64, depth = 64, keys = 64, stages = 3, operands = f16>} { return }

// -----

// expected-error @+1 {{expects columns and heads not to be negative, but got 0 and -1}}
func.func @cuda_heads() attributes {a = #hk.cuda<arch = "sm_80", rows = 64, units = 4, columns = 0, heads = -1, block = 64, depth = 64, keys = 64, stages = 3, operands = f16>} { return }

// -----

// expected-error @+1 {{expects rows to be positive, but got 0}}
func.func @cuda_rows() attributes {a = #hk.cuda<arch = "sm_80", rows = 0, units = 4, columns = 0, heads = 0, block = 64, depth = 64, keys = 64, stages = 3, operands = f16>} { return }

// -----

// expected-error @+1 {{expects units to be positive, but got 0}}
func.func @cuda_units() attributes {a = #hk.cuda<arch = "sm_80", rows = 64, units = 0, columns = 0, heads = 0, block = 64, depth = 64, keys = 64, stages = 3, operands = f16>} { return }

// -----

// expected-error @+1 {{expects block to be positive, but got 0}}
func.func @cuda_block() attributes {a = #hk.cuda<arch = "sm_80", rows = 64, units = 4, columns = 0, heads = 0, block = 0, depth = 64, keys = 64, stages = 3, operands = f16>} { return }

// -----

// expected-error @+1 {{expects depth to be positive, but got 0}}
func.func @cuda_depth() attributes {a = #hk.cuda<arch = "sm_80", rows = 64, units = 4, columns = 0, heads = 0, block = 64, depth = 0, keys = 64, stages = 3, operands = f16>} { return }

// -----

// expected-error @+1 {{expects keys to be positive, but got 0}}
func.func @cuda_keys() attributes {a = #hk.cuda<arch = "sm_80", rows = 64, units = 4, columns = 0, heads = 0, block = 64, depth = 64, keys = 0, stages = 3, operands = f16>} { return }

// -----

// expected-error @+1 {{expects stages to be positive, but got 0}}
func.func @cuda_stages() attributes {a = #hk.cuda<arch = "sm_80", rows = 64, units = 4, columns = 0, heads = 0, block = 64, depth = 64, keys = 64, stages = 0, operands = f16>} { return }

// -----

// expected-error @+1 {{expects units to divide rows, but got 64 rows and 3 units}}
func.func @cuda_divides() attributes {a = #hk.cuda<arch = "sm_80", rows = 64, units = 3, columns = 0, heads = 0, block = 64, depth = 64, keys = 64, stages = 3, operands = f16>} { return }

// -----

// expected-error @+1 {{expects ctas of 0, or more with wgmma, but got 2}}
func.func @cuda_ctas_sync() attributes {a = #hk.cuda<arch = "sm_90a", rows = 192, units = 4, columns = 0, heads = 0, block = 64, depth = 64, keys = 64, stages = 3, operands = f16, ctas = 2>} { return }

// -----

// expected-error @+1 {{expects row_blocks of 1 or 2, but got 3}}
func.func @cuda_row_blocks() attributes {a = #hk.cuda<arch = "sm_90a", rows = 64, units = 4, columns = 0, heads = 1, block = 64, depth = 64, keys = 64, stages = 3, operands = f16, row_blocks = 3>} { return }

// -----

// expected-error @+1 {{expects ctas of 1 or more and row_blocks of 1 with persistent, but got 0 and 1}}
func.func @cuda_persistent_ctas() attributes {a = #hk.cuda<arch = "sm_90a", rows = 64, units = 4, columns = 0, heads = 1, block = 64, depth = 64, keys = 64, stages = 3, operands = f16, mma = wgmma, persistent = true>} { return }

// -----

// expected-error @+1 {{expects ctas of 1 or more and row_blocks of 1 with persistent, but got 2 and 2}}
func.func @cuda_persistent_row_blocks() attributes {a = #hk.cuda<arch = "sm_90a", rows = 64, units = 4, columns = 0, heads = 1, block = 64, depth = 64, keys = 64, stages = 3, operands = f16, mma = wgmma, ctas = 2, row_blocks = 2, persistent = true>} { return }

// -----

// expected-error @+1 {{expects ctas of 0, or more with wgmma, but got -1}}
func.func @cuda_ctas_negative() attributes {a = #hk.cuda<arch = "sm_90a", rows = 192, units = 4, columns = 0, heads = 0, block = 64, depth = 64, keys = 64, stages = 3, operands = f16, mma = wgmma, ctas = -1>} { return }

// -----

// expected-error @+1 {{expects sm_90a for wgmma, but got "sm_120"}}
func.func @cuda_wgmma_arch() attributes {a = #hk.cuda<arch = "sm_120", rows = 192, units = 4, columns = 0, heads = 0, block = 64, depth = 64, keys = 64, stages = 3, operands = f16, mma = wgmma>} { return }

// -----

// expected-error @+1 {{expects operands of f16 or bf16 for wgmma, but got tf32x3}}
func.func @cuda_wgmma_operands() attributes {a = #hk.cuda<arch = "sm_90a", rows = 192, units = 4, columns = 0, heads = 0, block = 64, depth = 64, keys = 64, stages = 3, operands = tf32x3, mma = wgmma>} { return }

// -----

// expected-error @+1 {{expects a multiple of 4 units for wgmma, but got 6}}
func.func @cuda_wgmma_units() attributes {a = #hk.cuda<arch = "sm_90a", rows = 192, units = 6, columns = 0, heads = 0, block = 64, depth = 64, keys = 64, stages = 3, operands = f16, mma = wgmma, ctas = 1>} { return }

// -----

// expected-error @+1 {{expects operands of f16 for cuBLASLt, but got tf32}}
func.func @cublaslt_operands() attributes {a = #hk.cublaslt<operands = tf32>} { return }

// -----

// expected-error @+2 {{expected ::hk::Operands to be one of: f16, bf16, tf32, tf32x3}}
// expected-error @+1 {{failed to parse HK_CUDAAttr parameter 'operands'}}
func.func @cuda_operands() attributes {a = #hk.cuda<arch = "sm_80", rows = 64, units = 4, columns = 0, heads = 0, block = 64, depth = 64, keys = 64, stages = 3, operands = fp8>} { return }

// -----

// expected-error @+1 {{expects rows to be positive, but got 0}}
func.func @tiles_rows() attributes {a = #hk.tiles<rows = 0, columns = 8>} { return }

// -----

// expected-error @+1 {{expects columns to be positive, but got -8}}
func.func @tiles_columns() attributes {a = #hk.tiles<rows = 8, columns = -8>} { return }

// -----

// expected-error @+1 {{expects rows and columns that are multiples of 8, but got 8 and 12}}
func.func @tiles_multiples() attributes {a = #hk.tiles<rows = 8, columns = 12>} { return }

// -----

// expected-error @+1 {{expects strips of 8, 16 or 32 that divide rows and columns, but got strips of 16 of 24 rows and of 8 of 64 columns}}
func.func @tiles_strips() attributes {a = #hk.tiles<rows = 24, columns = 64, strip_rows = 16>} { return }

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The owner of the precompiled header; it has no code of its own.

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SupportRoutines.h"

#include "hk/Target/CPU/Isa.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

// String instructions: a loop here would be recognised as memset and call
// itself. They are fast for the long runs that are not expanded in place.
static constexpr char memoryRoutines[] = R"(
define ptr @memset(ptr returned %to, i32 %value, i64 %size) minsize optsize noinline {
  %r = call { ptr, i64 } asm sideeffect "rep stosb",
      "={di},={cx},0,1,{ax},~{memory},~{dirflag},~{fpsr},~{flags}"
      (ptr %to, i64 %size, i32 %value)
  ret ptr %to
}

define ptr @memcpy(ptr returned %to, ptr %from, i64 %size) minsize optsize noinline {
  %r = call { ptr, ptr, i64 } asm sideeffect "rep movsb",
      "={di},={si},={cx},0,1,2,~{memory},~{dirflag},~{fpsr},~{flags}"
      (ptr %to, ptr %from, i64 %size)
  ret ptr %to
}

define ptr @memmove(ptr returned %to, ptr %from, i64 %size) minsize optsize noinline {
  %t = ptrtoint ptr %to to i64
  %f = ptrtoint ptr %from to i64
  %distance = sub i64 %t, %f
  %overlaps = icmp ult i64 %distance, %size
  br i1 %overlaps, label %backward, label %forward
forward:
  %r = call { ptr, ptr, i64 } asm sideeffect "rep movsb",
      "={di},={si},={cx},0,1,2,~{memory},~{dirflag},~{fpsr},~{flags}"
      (ptr %to, ptr %from, i64 %size)
  ret ptr %to
backward:
  %last = sub i64 %size, 1
  %to.last = getelementptr i8, ptr %to, i64 %last
  %from.last = getelementptr i8, ptr %from, i64 %last
  %s = call { ptr, ptr, i64 } asm sideeffect "std; rep movsb; cld",
      "={di},={si},={cx},0,1,2,~{memory},~{dirflag},~{fpsr},~{flags}"
      (ptr %to.last, ptr %from.last, i64 %size)
  ret ptr %to
}
)";

// f16 -> f32: moving the exponent and the fraction to their place gives a value
// that is 2^112 too small, also for subnormals; f32 -> f16 rounds to nearest
// even, by integer addition for normal results and, for subnormal ones, by
// adding 0.5, whose unit in the last place is that of a subnormal f16.
static constexpr char halfRoutines[] = R"(
define float @__extendhfsf2(half %x) minsize optsize noinline {
  %i = bitcast half %x to i16
  %b = zext i16 %i to i32
  %s = and i32 %b, 32768
  %sign = shl i32 %s, 16
  %m = and i32 %b, 32767
  %magnitude = shl i32 %m, 13
  %small = bitcast i32 %magnitude to float
  %scaled = fmul float %small, 0x46F0000000000000
  %finite = bitcast float %scaled to i32
  %is.special = icmp uge i32 %m, 31744
  %inf = or i32 %magnitude, 2139095040
  %is.nan = icmp ugt i32 %m, 31744
  %quiet = select i1 %is.nan, i32 4194304, i32 0
  %special = or i32 %inf, %quiet
  %r = select i1 %is.special, i32 %special, i32 %finite
  %signed = or i32 %r, %sign
  %f = bitcast i32 %signed to float
  ret float %f
}

define half @__truncsfhf2(float %x) minsize optsize noinline {
  %b = bitcast float %x to i32
  %t = lshr i32 %b, 16
  %sign = and i32 %t, 32768
  %a = and i32 %b, 2147483647
  %q = lshr i32 %a, 13
  %odd = and i32 %q, 1
  %bias = add i32 %odd, 4095
  %based = sub i32 %a, 939524096
  %rounded = add i32 %based, %bias
  %normal = lshr i32 %rounded, 13
  %magnitude = bitcast i32 %a to float
  %sum = fadd float %magnitude, 0.5
  %sum.bits = bitcast float %sum to i32
  %subnormal = sub i32 %sum.bits, 1056964608
  %is.subnormal = icmp ult i32 %a, 947912704
  %finite = select i1 %is.subnormal, i32 %subnormal, i32 %normal
  %is.inf = icmp uge i32 %a, 1199570944
  %inf = select i1 %is.inf, i32 31744, i32 %finite
  %payload = and i32 %q, 1023
  %nan = or i32 %payload, 32256
  %is.nan = icmp ugt i32 %a, 2139095040
  %r = select i1 %is.nan, i32 %nan, i32 %inf
  %signed = or i32 %r, %sign
  %i = trunc i32 %signed to i16
  %h = bitcast i16 %i to half
  ret half %h
}
)";

static constexpr StringLiteral names[] = {"memset", "memcpy", "memmove",
                                          "__extendhfsf2", "__truncsfhf2"};

bool hk::isSupportRoutine(StringRef name) {
  return llvm::is_contained(names, name);
}

Error hk::addSupportRoutines(Module &module, const Isa &isa) {
  std::string routines = memoryRoutines;
  if (!isa.convertsHalf)
    routines += halfRoutines;
  SMDiagnostic diagnostic;
  std::unique_ptr<Module> parsed =
      parseAssemblyString(routines, diagnostic, module.getContext());
  if (!parsed)
    return createStringError("support routines: " + diagnostic.getMessage());
  parsed->setTargetTriple(module.getTargetTriple());
  parsed->setDataLayout(module.getDataLayout());
  if (Linker::linkModules(module, std::move(parsed)))
    return createStringError("expects kernels that do not define the routines "
                             "of a C library");
  SmallVector<GlobalValue *> values;
  for (StringRef name : names)
    if (Function *function = module.getFunction(name))
      values.push_back(function);
  appendToCompilerUsed(module, values);
  return Error::success();
}

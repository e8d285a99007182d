// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SupportRoutines.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

// String instructions: a loop here would be recognised as memset and call
// itself. They are fast for the long runs that are not expanded in place.
static constexpr char routines[] = R"(
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

static constexpr StringLiteral names[] = {"memset", "memcpy", "memmove"};

bool hk::isSupportRoutine(StringRef name) {
  return llvm::is_contained(names, name);
}

Error hk::addSupportRoutines(Module &module) {
  SMDiagnostic diagnostic;
  std::unique_ptr<Module> parsed =
      parseAssemblyString(routines, diagnostic, module.getContext());
  if (!parsed)
    return createStringError("support routines: " + diagnostic.getMessage());
  parsed->setTargetTriple(module.getTargetTriple());
  parsed->setDataLayout(module.getDataLayout());
  if (Linker::linkModules(module, std::move(parsed)))
    return createStringError("expects kernels that do not define memset, "
                             "memcpy or memmove");
  SmallVector<GlobalValue *> values;
  for (StringRef name : names)
    values.push_back(module.getFunction(name));
  appendToCompilerUsed(module, values);
  return Error::success();
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The linker of images, on objects that LLVM makes from IR, and on broken ones.

#include "hk/Target/CPU/Image.h"
#include "hk/Target/CPU/Isa.h"

#include "Target/CPU/Compiler.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <sys/mman.h>

using namespace hk;

namespace {

/// The object of a module of LLVM IR for baseline x86-64, not optimised, so
/// that what the test writes is what is linked.
std::string compile(llvm::StringRef ir) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  auto module = llvm::parseAssemblyString(ir, diagnostic, context);
  EXPECT_TRUE(module) << diagnostic.getMessage().str();
  auto compiler = llvm::cantFail(Compiler::create(*findIsa("x86-64")));
  llvm::cantFail(compiler.prepare(
      *module, [](llvm::StringRef name) { return name.starts_with("entry"); }));
  auto object =
      llvm::cantFail(compiler.emit(*module, llvm::CodeGenFileType::ObjectFile));
  return std::string(object.begin(), object.end());
}

llvm::Expected<Image> link(const std::string &object) {
  return linkImage(llvm::MemoryBufferRef(object, "object"));
}

/// What is wrong with an object.
std::string linkError(const std::string &object) {
  auto image = link(object);
  if (image)
    return "linked";
  return llvm::toString(image.takeError());
}

/// An image in memory, as the runtime maps it.
class Mapped {
public:
  explicit Mapped(const Image &image)
      : image(image), size(image.bytes.size()),
        base(mmap(nullptr, size, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
    std::memcpy(base, image.bytes.data(), size);
    EXPECT_EQ(mprotect(base, size, PROT_READ | PROT_EXEC), 0);
  }
  ~Mapped() { munmap(base, size); }

  template <typename Function> Function *get(const char *name) const {
    char *address = static_cast<char *>(base) + image.symbols.at(name);
    return reinterpret_cast<Function *>(address);
  }

private:
  const Image &image;
  size_t size;
  void *base;
};

TEST(Image, CallsAndConstantsWorkAtAnyAddress) {
  Image image = llvm::cantFail(link(compile(R"(
    @table = constant [4 x double] [double 1.5, double 2.5, double 3.5, double 4.5]
    define double @helper(i64 %i) noinline {
      %p = getelementptr [4 x double], ptr @table, i64 0, i64 %i
      %v = load double, ptr %p
      %r = fmul double %v, 10.0
      ret double %r
    }
    define double @entry(i64 %i) {
      %a = call double @helper(i64 %i)
      %b = fadd double %a, 0.25
      ret double %b
    }
  )")));
  Mapped mapped(image);
  auto *entry = mapped.get<double(int64_t)>("entry");
  EXPECT_EQ(entry(0), 15.25);
  EXPECT_EQ(entry(3), 45.25);
  EXPECT_EQ(image.symbols.count("helper"), 0u) << "only entries are visible";
}

TEST(Image, SectionsAreAligned) {
  Image image = llvm::cantFail(link(compile(R"(
    define <16 x float> @entry(<16 x float> %x) {
      %y = fadd <16 x float> %x, <float 1.0, float 2.0, float 3.0, float 4.0,
        float 5.0, float 6.0, float 7.0, float 8.0, float 9.0, float 10.0,
        float 11.0, float 12.0, float 13.0, float 14.0, float 15.0, float 16.0>
      ret <16 x float> %y
    }
  )")));
  // The constants 1, 2, 3, 4 are read by aligned instructions.
  const float numbers[] = {1, 2, 3, 4};
  auto *bytes = reinterpret_cast<const uint8_t *>(numbers);
  auto found = std::search(image.bytes.begin(), image.bytes.end(), bytes,
                           bytes + sizeof(numbers));
  ASSERT_NE(found, image.bytes.end());
  EXPECT_EQ((found - image.bytes.begin()) % 16, 0);
}

TEST(Image, SameInputGivesSameBytes) {
  const char *ir = "define i64 @entry(i64 %x) {\n ret i64 %x\n}";
  EXPECT_EQ(llvm::cantFail(link(compile(ir))).bytes,
            llvm::cantFail(link(compile(ir))).bytes);
}

TEST(Image, RoutinesSetAndMoveMemory) {
  Image image = llvm::cantFail(link(compile(R"(
    declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
    declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)
    define void @entry_set(ptr %p, i64 %n) {
      call void @llvm.memset.p0.i64(ptr %p, i8 7, i64 %n, i1 false)
      ret void
    }
    define void @entry_move(ptr %p, ptr %q, i64 %n) {
      call void @llvm.memmove.p0.p0.i64(ptr %p, ptr %q, i64 %n, i1 false)
      ret void
    }
  )")));
  Mapped mapped(image);
  char text[16] = "0123456789abcde";
  auto *move = mapped.get<void(char *, const char *, int64_t)>("entry_move");
  move(text + 2, text, 8); // upwards, overlapping
  EXPECT_STREQ(text, "0101234567abcde");
  move(text, text + 2, 8); // and downwards
  EXPECT_STREQ(text, "0123456767abcde");
  mapped.get<void(char *, int64_t)>("entry_set")(text, 3);
  EXPECT_EQ(std::string(text, 4), "\7\7\7"
                                  "3");
}

TEST(Image, HalfConversionsAreThoseOfTheCompiler) {
  Image image = llvm::cantFail(link(compile(R"(
    define float @entry_extend(i16 %x) {
      %h = bitcast i16 %x to half
      %f = fpext half %h to float
      ret float %f
    }
    define i16 @entry_truncate(float %x) {
      %h = fptrunc float %x to half
      %i = bitcast half %h to i16
      ret i16 %i
    }
  )")));
  Mapped mapped(image);
  auto *extend = mapped.get<float(uint16_t)>("entry_extend");
  auto *truncate = mapped.get<uint16_t(float)>("entry_truncate");
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    uint16_t pattern = bits;
    _Float16 half;
    std::memcpy(&half, &pattern, 2);
    float wide = extend(pattern), expected = static_cast<float>(half);
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(wide) && (truncate(wide) & 0x7c00) == 0x7c00 &&
                  (truncate(wide) & 0x3ff) != 0);
      continue;
    }
    ASSERT_EQ(std::memcmp(&wide, &expected, 4), 0) << bits;
    ASSERT_EQ(truncate(wide), pattern);
    // Halfway to the next number, and a little beside it.
    float next = std::nextafter(expected, INFINITY);
    for (float x : {next, expected * 1.00048828125f, expected * 1.0005f,
                    expected + 2.98023223876953125e-8f}) {
      _Float16 rounded = static_cast<_Float16>(x);
      uint16_t wanted;
      std::memcpy(&wanted, &rounded, 2);
      ASSERT_EQ(truncate(x), wanted) << x;
    }
  }
}

TEST(Image, UndefinedSymbolIsNamed) {
  EXPECT_EQ(linkError(compile("declare double @exp(double)\n"
                              "define double @entry(double %x) {\n"
                              "  %y = call double @exp(double %x)\n"
                              "  ret double %y\n}")),
            "expects code that calls nothing outside the module, but got a use "
            "of 'exp'");
}

TEST(Image, WritableDataIsNamed) {
  EXPECT_EQ(linkError(compile("@counter = global i64 1\n"
                              "define i64 @entry() {\n"
                              "  %x = load i64, ptr @counter\n"
                              "  ret i64 %x\n}")),
            "expects code and constants only, but got writable data in section "
            "'.data'");
  EXPECT_EQ(linkError(compile("@zeros = global [8 x i64] zeroinitializer\n"
                              "define i64 @entry() {\n"
                              "  %x = load i64, ptr @zeros\n"
                              "  ret i64 %x\n}")),
            "expects code and constants only, but got writable data in section "
            "'.bss'");
}

TEST(Image, AddressesInDataAreRefused) {
  // A table of addresses has to be written to when it is loaded.
  EXPECT_EQ(linkError(compile("@table = constant [2 x ptr] [ptr @f, ptr @g]\n"
                              "define i64 @f() {\n  ret i64 1\n}\n"
                              "define i64 @g() {\n  ret i64 2\n}\n"
                              "define ptr @entry(i64 %i) {\n"
                              "  %p = getelementptr ptr, ptr @table, i64 %i\n"
                              "  %f = load ptr, ptr %p\n"
                              "  ret ptr %f\n}")),
            "expects code and constants only, but got writable data in section "
            "'.data.rel.ro'");
}

TEST(Image, OtherRelocationsAreNamed) {
  EXPECT_EQ(linkError(compile(
                "define i64 @entry() {\n"
                "  %x = call i64 asm \"movabsq $$entry, $0\", \"=r\"()\n"
                "  ret i64 %x\n}")),
            "expects code that may lie at any address, but got relocation "
            "'R_X86_64_64'");
}

TEST(Image, BrokenObjectsAreRefused) {
  std::string object = compile("define i64 @entry() {\n ret i64 1\n}");
  EXPECT_NE(linkError("not an object"), "linked");
  EXPECT_NE(linkError(""), "linked");
  std::string machine = object;
  machine[18] = 3; // e_machine: i386
  EXPECT_EQ(linkError(machine),
            "expects a relocatable x86-64 object, but got machine 3, type 1");
  // Headers that point past the end.
  for (size_t size = 0; size < object.size(); size += 16)
    EXPECT_NE(linkError(object.substr(0, size)), "linked") << size;
}

} // namespace

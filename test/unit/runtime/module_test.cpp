// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reader of module files: the header, the hash, the FlatBuffers verifier.
#include "module.h"

#include "expect_status.h"
#include "module_builder.h"
#include "module_json.h"
#include "session.h"

#include <cstring>
#include <nlohmann/json.hpp>
#include <random>

namespace hk {
namespace {

using test::affineModule;
using test::Bytes;
using test::expectError;
using test::expectOk;
using test::ModuleFile;

Status load(const Bytes &bytes) {
  std::shared_ptr<Module> module;
  return Module::loadMemory(bytes.data(), bytes.size(), module);
}

Bytes withHeader(std::function<void(format::FileHeader &)> change) {
  ModuleFile file = affineModule();
  file.changeHeader = std::move(change);
  return file.bytes();
}

TEST(Module, LoadsFromMemoryAndFromAFile) {
  const Bytes bytes = affineModule().bytes();
  std::shared_ptr<Module> module;
  expectOk(Module::loadMemory(bytes.data(), bytes.size(), module));
  EXPECT_EQ(module->metadata().functions()->size(), 2u);
  test::TemporaryFile file(bytes);
  expectOk(Module::load(file.path(), module));
  EXPECT_EQ(module->metadata().functions()->size(), 2u);
  // Any alignment.
  Bytes shifted(1);
  shifted.insert(shifted.end(), bytes.begin(), bytes.end());
  expectOk(Module::loadMemory(shifted.data() + 1, bytes.size(), module));
}

TEST(Module, MessagesNameTheFile) {
  std::shared_ptr<Module> module;
  expectError(Module::load("/no/such/module.hkm", module), HK_NOT_FOUND,
              "/no/such/module.hkm: cannot open the file");
  expectError(Module::load("/tmp", module), HK_ENVIRONMENT,
              "/tmp: expects a regular file, but got a directory");
  test::TemporaryFile empty({});
  expectError(Module::load(empty.path(), module), HK_MALFORMED,
              concat(empty.path(), ": expects a module file, but got an empty "
                                   "file"));
}

TEST(Module, RefusesAnythingTruncated) {
  const Bytes bytes = affineModule().bytes();
  for (size_t size = 0; size < bytes.size(); size += size < 128 ? 1 : 64) {
    const Status status = load(Bytes(bytes.begin(), bytes.begin() + size));
    ASSERT_EQ(status.code(), HK_MALFORMED) << size;
    if (size > 0) {
      ASSERT_NE(status.message().find("the file is truncated"),
                std::string::npos)
          << size << ": " << status.message();
    }
  }
}

TEST(Module, RefusesTrailingBytes) {
  Bytes bytes = affineModule().bytes();
  const size_t size = bytes.size();
  bytes.push_back(0);
  expectError(load(bytes), HK_MALFORMED,
              concat("expects a file of ", size, " bytes, but got ", size + 1));
}

TEST(Module, RefusesAnotherMagic) {
  expectError(load(withHeader([](auto &h) { h.magic[3] = 'X'; })), HK_MALFORMED,
              "module: expects a module file (magic 'HKMODULE'), but got "
              "'HKMXDULE'");
  expectError(load({0x7f, 'E', 'L', 'F'}), HK_MALFORMED, "but got '\\x7fELF'");
}

TEST(Module, VersionsNameBothSides) {
  expectError(load(withHeader([](auto &h) {
                h.versionMajor = 3;
                h.versionMinor = 7;
              })),
              HK_UNSUPPORTED,
              "expects module format version 2.0, but got version 3.7; use a "
              "newer runtime");
  expectError(load(withHeader([](auto &h) { h.versionMajor = 0; })),
              HK_UNSUPPORTED,
              "expects module format version 2.0, but got version 0.0; compile "
              "the module again");
  expectOk(load(withHeader([](auto &h) { h.versionMinor = 9; })));
}

TEST(Module, RefusesHostileHeaders) {
  using Header = format::FileHeader;
  const std::pair<const char *, void (*)(Header &)> cases[] = {
      {"expects metadata inside the file",
       [](Header &h) { h.metadataOffset = UINT64_MAX - 63; }},
      {"expects metadata inside the file",
       [](Header &h) { h.metadataSize = UINT64_MAX; }},
      {"expects metadata inside the file",
       [](Header &h) { h.metadataSize = h.fileSize; }},
      {"expects metadata inside the file",
       [](Header &h) { h.metadataOffset = 0; }},
      {"expects metadata inside the file",
       [](Header &h) { h.metadataOffset = 72; }},
      {"expects a file of 18446744073709551615 bytes",
       [](Header &h) { h.fileSize = UINT64_MAX; }},
      {"expects a file of 0 bytes", [](Header &h) { h.fileSize = 0; }},
      {"expects zeros at the end of the header, but got 1",
       [](Header &h) { h.padding[15] = 1; }},
      {"expects metadata with hash", [](Header &h) { h.metadataHash ^= 1; }},
      {"expects metadata with hash", [](Header &h) { h.metadataSize -= 1; }},
  };
  for (const auto &[message, change] : cases)
    expectError(load(withHeader(change)), HK_MALFORMED, message);
}

TEST(Module, RefusesMetadataThatIsTooSmall) {
  Bytes bytes = affineModule().bytes();
  format::FileHeader header;
  std::memcpy(&header, bytes.data(), sizeof(header));
  header.metadataSize = 8;
  std::memcpy(bytes.data(), &header, sizeof(header));
  test::fixMetadataHash(bytes);
  expectError(load(bytes), HK_MALFORMED,
              "expects metadata of 16 bytes to 2 GB, but got 8 bytes");
}

TEST(Module, RefusesMetadataOfAnotherKind) {
  Bytes bytes = affineModule().bytes();
  bytes[format::kHeaderSize + 4] = 'X';
  test::fixMetadataHash(bytes);
  expectError(load(bytes), HK_MALFORMED,
              "expects metadata with identifier 'HKM1', but got 'XKM1'");
}

TEST(Module, RefusesMetadataThatIsNotFlatBuffers) {
  Bytes bytes = affineModule().bytes();
  std::memset(bytes.data() + format::kHeaderSize, 0xff, 4);
  test::fixMetadataHash(bytes);
  expectError(load(bytes), HK_MALFORMED,
              "expects well-formed FlatBuffers metadata");
}

TEST(Module, DamagedMetadataIsFoundByItsHash) {
  Bytes bytes = affineModule().bytes();
  bytes[200] ^= 4;
  expectError(load(bytes), HK_MALFORMED, "the file is damaged");
}

TEST(Module, DamagedCodeIsFoundWhenItIsMapped) {
  Bytes bytes = affineModule().bytes();
  bytes.back() ^= 1;
  std::shared_ptr<Module> module;
  const uint8_t *code = nullptr;
  bool fresh = false;
  expectOk(Module::loadMemory(bytes.data(), bytes.size(), module));
  expectError(module->mapCode(0, code, fresh), HK_MALFORMED,
              "module: expects section 0 with hash");
}

TEST(Module, CodeIsMappedOnce) {
  const ModuleFile contents = affineModule();
  test::TemporaryFile file(contents.bytes());
  std::shared_ptr<Module> module;
  expectOk(Module::load(file.path(), module));
  const uint8_t *first = nullptr, *second = nullptr;
  bool fresh = false;
  expectOk(module->mapCode(0, first, fresh));
  EXPECT_TRUE(fresh);
  expectOk(module->mapCode(0, second, fresh));
  EXPECT_FALSE(fresh);
  EXPECT_EQ(first, second);
  EXPECT_EQ(std::memcmp(first, contents.sections[0].data(),
                        contents.sections[0].size()),
            0);
}

/// Packs everything that a module which passed can still be asked for.
void exercise(const Module &module) {
  (void)moduleToJson(module.metadata());
  ExternalWorkers one(
      1,
      [](void *, uint32_t, hk_parallel_body body, void *state) {
        body(state, 0);
      },
      nullptr);
  std::vector<uint32_t> all;
  for (uint32_t i = 0; i < module.metadata().packed()->size(); ++i)
    all.push_back(i);
  PackedValues values;
  (void)packValues(module.metadata(), all, nullptr, one, 1 << 20, values);
}

TEST(Module, ByteFlipsNeverCrash) {
  const Bytes valid = affineModule().bytes();
  format::FileHeader header;
  std::memcpy(&header, valid.data(), sizeof(header));
  std::mt19937 random(20261129);
  size_t accepted = 0;
  for (int i = 0; i < 8000; ++i) {
    Bytes bytes = valid;
    const size_t flips = 1 + random() % 4;
    for (size_t f = 0; f < flips; ++f)
      bytes[random() % (format::kHeaderSize + header.metadataSize)] ^=
          1u << random() % 8;
    // With a right hash, so that the checks behind it are reached.
    std::memcpy(bytes.data(), valid.data(), format::kHeaderSize);
    test::fixMetadataHash(bytes);
    std::shared_ptr<Module> module;
    const Status status =
        Module::loadMemory(bytes.data(), bytes.size(), module);
    if (status.ok()) {
      ++accepted;
      exercise(*module);
    } else {
      ASSERT_EQ(status.code(), HK_MALFORMED) << status.message();
      ASSERT_FALSE(status.message().empty());
    }
  }
  // Names and padding may change freely.
  EXPECT_GT(accepted, 0u);
}

TEST(ModuleJson, HasTheFieldsOfTheSchema) {
  const Bytes bytes = affineModule().bytes();
  std::shared_ptr<Module> module;
  expectOk(Module::loadMemory(bytes.data(), bytes.size(), module));
  const auto json = nlohmann::json::parse(moduleToJson(module->metadata()));
  EXPECT_EQ(json["producer"], "hk test");
  EXPECT_EQ(json["functions"][0]["name"], "forward");
  EXPECT_EQ(json["functions"][0]["inputs"][0]["type"]["dtype"], "f32");
  EXPECT_EQ(json["functions"][0]["inputs"][0]["type"]["shape"],
            nlohmann::json({-1, 8}));
  EXPECT_EQ(json["functions"][0]["plans"][0]["dispatches"][1]["layer"], 1);
  EXPECT_EQ(json["functions"][0]["plans"][0]["dispatches"][0]["bindings"][1],
            nlohmann::json({{"kind", "Workspace"},
                            {"offset_per_sequence", 0},
                            {"offset_constant", 0}}));
  EXPECT_EQ(json["executables"][0]["variants"][0]["isa"], "x86-64");
  EXPECT_EQ(json["packed"][2]["program"][2]["opcode"], "ScaleDim");
  EXPECT_EQ(json["packed"][0]["program"][0]["key"], "layers.{}.w");
  EXPECT_EQ(json["sections"][0]["kind"], "CpuCode");
  EXPECT_EQ(json["remarks"][0]["message"], "folded two layers into one");
}

TEST(ModuleJson, ReplacesTextThatIsNotUnicode) {
  ModuleFile file = affineModule();
  file.metadata.producer = "hk \xff\xfe";
  const Bytes bytes = file.bytes();
  std::shared_ptr<Module> module;
  expectOk(Module::loadMemory(bytes.data(), bytes.size(), module));
  const auto json = nlohmann::json::parse(moduleToJson(module->metadata()));
  EXPECT_EQ(json["producer"], "hk \xef\xbf\xbd\xef\xbf\xbd");
}

} // namespace
} // namespace hk

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "safetensors.h"

#include "checked.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_set>

namespace hk {
namespace {

constexpr uint64_t kMaxHeader = 100'000'000;
constexpr uint32_t kMaxTensorRank = 64;

struct StoredType {
  std::string_view name;
  const char *ours;
  hk_dtype dtype;
  uint64_t bits;
};

constexpr StoredType kTypes[] = {
    {"F64", "f64", HK_DTYPE_F64, 64},
    {"F32", "f32", HK_DTYPE_F32, 32},
    {"F16", "f16", HK_DTYPE_F16, 16},
    {"BF16", "bf16", HK_DTYPE_BF16, 16},
    {"I32", "i32", HK_DTYPE_I32, 32},
    {"BOOL", "i1", HK_DTYPE_I1, 8},
    {"I64", "i64", HK_DTYPE_OTHER, 64},
    {"I16", "i16", HK_DTYPE_OTHER, 16},
    {"I8", "i8", HK_DTYPE_OTHER, 8},
    {"U64", "u64", HK_DTYPE_OTHER, 64},
    {"U32", "u32", HK_DTYPE_OTHER, 32},
    {"U16", "u16", HK_DTYPE_OTHER, 16},
    {"U8", "u8", HK_DTYPE_OTHER, 8},
    {"C64", "c64", HK_DTYPE_OTHER, 64},
    {"F8_E4M3", "f8e4m3", HK_DTYPE_OTHER, 8},
    {"F8_E5M2", "f8e5m2", HK_DTYPE_OTHER, 8},
    {"F8_E8M0", "f8e8m0", HK_DTYPE_OTHER, 8},
    {"F4", "f4", HK_DTYPE_OTHER, 4},
};

/// What the header says of one tensor, before it is checked.
struct Entry {
  std::string key;
  const StoredType *type = nullptr;
  bool hasShape = false;
  std::vector<uint64_t> shape;
  std::vector<uint64_t> offsets; // begin, end
};

/// Receives the header's JSON event by event: repeated keys stay visible, and
/// nesting cannot exhaust the stack.
///
///   { "__metadata__": {string: string, ...},
///     key: {"dtype": string, "shape": [n, ...], "data_offsets": [n, n]}, ... }
class HeaderReader : public nlohmann::json::json_sax_t {
public:
  std::vector<Entry> entries;
  std::string failure;

  bool start_object(std::size_t) override {
    if (depth_ == 0 || (depth_ == 1 && !inArray_)) {
      ++depth_;
      fields_.clear();
      return true;
    }
    return unexpected("an object");
  }

  bool key(string_t &name) override {
    if (depth_ == 1) {
      if (!keys_.insert(name).second)
        return fail("expects each key once, but got '" + printable(name) +
                    "' twice");
      inMetadata_ = name == "__metadata__";
      if (!inMetadata_) {
        entries.emplace_back();
        entries.back().key = name;
      }
      return true;
    }
    if (!fields_.insert(name).second)
      return fail(where() + "expects each field once, but got '" +
                  printable(name) + "' twice");
    field_ = name;
    return true;
  }

  bool end_object() override {
    --depth_;
    if (depth_ == 1 && !inMetadata_) {
      const Entry &entry = entries.back();
      if (!entry.type || !entry.hasShape || entry.offsets.size() != 2)
        return fail(where() +
                    "expects the fields dtype, shape and data_offsets (two "
                    "numbers), but they are not all there");
    }
    return true;
  }

  bool start_array(std::size_t) override {
    if (depth_ != 2 || inArray_ || inMetadata_ ||
        (field_ != "shape" && field_ != "data_offsets"))
      return unexpected("an array");
    inArray_ = true;
    if (field_ == "shape")
      entries.back().hasShape = true;
    return true;
  }

  bool end_array() override {
    inArray_ = false;
    return true;
  }

  bool number_unsigned(number_unsigned_t value) override {
    if (!inArray_)
      return unexpected("a number");
    std::vector<uint64_t> &numbers =
        field_ == "shape" ? entries.back().shape : entries.back().offsets;
    if (numbers.size() >= kMaxTensorRank)
      return fail(where() + concat("expects at most ", kMaxTensorRank,
                                   " numbers in an array, but got more"));
    numbers.push_back(value);
    return true;
  }

  bool string(string_t &value) override {
    if (depth_ != 2 || inArray_)
      return unexpected("a string");
    if (inMetadata_)
      return true;
    if (field_ != "dtype")
      return unexpected("a string");
    for (const StoredType &type : kTypes)
      if (type.name == value)
        entries.back().type = &type;
    if (!entries.back().type)
      return fail(where() +
                  "expects a known dtype such as F32 or BF16, but "
                  "got '" +
                  printable(value) + "'");
    return true;
  }

  bool null() override { return unexpected("null"); }
  bool boolean(bool) override { return unexpected("a truth value"); }
  bool number_integer(number_integer_t value) override {
    return unexpected(concat("the negative number ", value));
  }
  bool number_float(number_float_t, const string_t &text) override {
    return unexpected("the number " + printable(text));
  }
  bool binary(binary_t &) override { return unexpected("binary data"); }
  bool parse_error(std::size_t position, const std::string &,
                   const nlohmann::detail::exception &) override {
    return fail(concat("expects a header of JSON, but got something else at "
                       "byte ",
                       8 + position));
  }

private:
  std::string where() const {
    if (depth_ == 0 || inMetadata_ || entries.empty())
      return "header: ";
    return "tensor '" + printable(entries.back().key) + "': ";
  }
  bool unexpected(const std::string &what) {
    return fail(where() +
                "expects fields dtype, shape and data_offsets of "
                "their types, but got " +
                what);
  }
  bool fail(std::string message) {
    if (failure.empty())
      failure = std::move(message);
    return false;
  }

  int depth_ = 0;
  bool inArray_ = false;
  bool inMetadata_ = false;
  std::string field_;
  std::unordered_set<std::string> keys_;
  std::unordered_set<std::string> fields_;
};

/// Checks one entry against the `dataSize` bytes that follow the header.
Status checkEntry(const Entry &entry, uint64_t dataSize) {
  const uint64_t begin = entry.offsets[0], end = entry.offsets[1];
  if (begin > end || end > dataSize)
    return malformed("expects data_offsets in order and up to ", dataSize,
                     ", but got ", begin, " and ", end,
                     end > dataSize ? "; the file is truncated or damaged"
                                    : "");
  uint64_t elements = 1;
  for (uint64_t size : entry.shape)
    if (size > INT64_MAX || !multiply(elements, size, elements))
      return malformed("expects a size of less than 2^63 bytes, but got more");
  uint64_t bits;
  if (!multiply(elements, entry.type->bits, bits) || bits % 8 != 0)
    return malformed("expects a size of whole bytes and less than 2^61, but "
                     "got ",
                     elements, " elements of ", entry.type->bits, " bits");
  if (bits / 8 != end - begin)
    return malformed("expects ", bits / 8,
                     " bytes for its dtype and shape, but got ", end - begin);
  return Status();
}

} // namespace

Status parseSafetensors(const uint8_t *data, uint64_t size,
                        std::vector<ParamTensor> &tensors) {
  if (size < 8)
    return malformed("expects a safetensors file, but got only ", size,
                     " bytes");
  uint64_t headerSize = 0;
  for (int i = 7; i >= 0; --i)
    headerSize = (headerSize << 8) | data[i];
  if (headerSize > kMaxHeader)
    return malformed("expects a safetensors header of at most ", kMaxHeader,
                     " bytes, but got a length of ", headerSize,
                     "; is this a safetensors file?");
  if (headerSize > size - 8)
    return malformed("expects a header of ", headerSize, " bytes, but got ",
                     size - 8, "; the file is truncated");
  const char *header = reinterpret_cast<const char *>(data) + 8;
  if (headerSize == 0 || header[0] != '{')
    return malformed("expects a safetensors header that begins with '{', but "
                     "got '",
                     printable({header, headerSize ? size_t(1) : 0}), "'");

  HeaderReader reader;
  if (!nlohmann::json::sax_parse(header, header + headerSize, &reader))
    return malformed(reader.failure.empty()
                         ? "expects a header of JSON, but got something else"
                         : reader.failure);

  const uint8_t *bytes = data + 8 + headerSize;
  const uint64_t dataSize = size - 8 - headerSize;
  for (const Entry &entry : reader.entries)
    HK_TRY(checkEntry(entry, dataSize)
               .in(concat("tensor '", printable(entry.key), "'")));

  std::vector<const Entry *> sorted;
  for (const Entry &entry : reader.entries)
    sorted.push_back(&entry);
  std::sort(sorted.begin(), sorted.end(), [](const Entry *a, const Entry *b) {
    return a->offsets < b->offsets;
  });
  uint64_t covered = 0;
  for (const Entry *entry : sorted) {
    if (entry->offsets[0] != covered)
      return malformed(
          "tensor '", printable(entry->key), "': expects data that begins at ",
          covered, ", where the one before ends, but got ", entry->offsets[0]);
    covered = entry->offsets[1];
  }
  if (covered != dataSize)
    return malformed("expects tensors that cover ", dataSize,
                     " bytes of data, but got ", covered);

  tensors.clear();
  tensors.reserve(reader.entries.size());
  for (Entry &entry : reader.entries) {
    ParamTensor tensor;
    tensor.key = std::move(entry.key);
    tensor.dtype = entry.type->dtype;
    tensor.dtypeName = entry.type->ours;
    tensor.shape.assign(entry.shape.begin(), entry.shape.end());
    tensor.data = bytes + entry.offsets[0];
    tensors.push_back(std::move(tensor));
  }
  return Status();
}

} // namespace hk

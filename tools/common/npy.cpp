// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/npy.h"

#include "common/error.h"
#include "common/file.h"

#include <cerrno>
#include <cstring>
#include <memory>
#include <sys/stat.h>

using namespace hk::tools;

namespace {

constexpr char kMagic[] = "\x93NUMPY";
constexpr size_t kMagicSize = 6;
constexpr size_t kMaxHeaderSize = 1 << 20;
constexpr size_t kMaxRank = 32;

struct Descriptor {
  const char *text;
  ElementType type;
};
constexpr Descriptor kDescriptors[] = {
    {"<f8", ElementType::F64}, {"<f4", ElementType::F32},
    {"<f2", ElementType::F16}, {"<u2", ElementType::BF16},
    {"<i4", ElementType::I32}, {"|b1", ElementType::I1},
};

struct Header {
  std::string descriptor;
  bool fortranOrder = false;
  std::vector<int64_t> shape;
};

/// Parses the header, a Python dict literal with three known keys.
class HeaderParser {
public:
  HeaderParser(const std::string &path, const std::string &text)
      : path(path), text(text) {}

  Header parse() {
    Header header;
    bool seen[3] = {false, false, false};
    expect('{');
    while (!accept('}')) {
      std::string key = parseString();
      expect(':');
      int which = key == "descr" ? 0 : key == "fortran_order" ? 1 : 2;
      if (which == 2 && key != "shape")
        fail("only the keys 'descr', 'fortran_order' and 'shape'",
             "'" + key + "'");
      if (seen[which])
        fail("each header key once", "'" + key + "' twice");
      seen[which] = true;
      if (which == 0)
        header.descriptor = parseDescriptor();
      else if (which == 1)
        header.fortranOrder = parseBool();
      else
        header.shape = parseShape();
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skipSpace();
    if (position != text.size())
      fail("nothing after the header's '}'", describeNext());
    for (int i = 0; i < 3; ++i)
      if (!seen[i])
        fail("the header keys 'descr', 'fortran_order' and 'shape'",
             "not all of them");
    return header;
  }

private:
  [[noreturn]] void fail(const std::string &expected, const std::string &got) {
    userError(path + ": expects " + expected + ", but got " + got);
  }
  std::string describeNext() {
    return position < text.size() ? "'" + text.substr(position, 1) + "'"
                                  : "the end of the header";
  }
  void skipSpace() {
    while (position < text.size() && std::strchr(" \t\r\n", text[position]) &&
           text[position] != '\0')
      ++position;
  }
  bool accept(char c) {
    skipSpace();
    if (position >= text.size() || text[position] != c)
      return false;
    ++position;
    return true;
  }
  void expect(char c) {
    if (!accept(c))
      fail(std::string("'") + c + "' in the header", describeNext());
  }
  std::string parseString() {
    skipSpace();
    char quote = accept('"') ? '"' : '\'';
    if (quote == '\'')
      expect('\'');
    size_t end = text.find(quote, position);
    if (end == std::string::npos || end - position > 64)
      fail("a short string in the header", "one without an end");
    std::string value = text.substr(position, end - position);
    position = end + 1;
    return value;
  }
  std::string parseDescriptor() {
    skipSpace();
    if (position < text.size() && text[position] == '[')
      fail("an array of numbers", "a structured array");
    return parseString();
  }
  bool parseBool() {
    skipSpace();
    for (bool value : {false, true}) {
      std::string word = value ? "True" : "False";
      if (text.compare(position, word.size(), word) == 0) {
        position += word.size();
        return value;
      }
    }
    fail("True or False for 'fortran_order'", describeNext());
  }
  std::vector<int64_t> parseShape() {
    std::vector<int64_t> shape;
    expect('(');
    while (!accept(')')) {
      shape.push_back(parseDimension());
      if (shape.size() > kMaxRank)
        fail("at most " + std::to_string(kMaxRank) + " dimensions", "more");
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return shape;
  }
  int64_t parseDimension() {
    skipSpace();
    size_t first = position;
    int64_t value = 0;
    for (; position < text.size() && text[position] >= '0' &&
           text[position] <= '9';
         ++position)
      if (__builtin_mul_overflow(value, int64_t{10}, &value) ||
          __builtin_add_overflow(value, int64_t{text[position] - '0'}, &value))
        fail("a dimension below 2^63", "a larger one");
    if (position == first)
      fail("a dimension in the header", describeNext());
    return value;
  }

  const std::string &path;
  const std::string &text;
  size_t position = 0;
};

struct Close {
  void operator()(std::FILE *stream) const { std::fclose(stream); }
};

/// A file that is read from front to back, and knows its size.
class InputFile {
public:
  explicit InputFile(const std::string &path)
      : path(path), stream(std::fopen(path.c_str(), "rb")) {
    struct stat status;
    if (!stream || ::fstat(::fileno(stream.get()), &status) != 0)
      environmentError(path + ": expects a file that can be read, but got: " +
                       std::strerror(errno));
    if (!S_ISREG(status.st_mode))
      environmentError(path + ": expects a regular file, but got something "
                              "else");
    left = static_cast<uint64_t>(status.st_size);
  }
  void read(void *data, size_t size, const char *what) {
    if (size > left || std::fread(data, 1, size, stream.get()) != size)
      userError(path + ": expects " + std::to_string(size) + " bytes of " +
                what + ", but got " + std::to_string(left));
    left -= size;
  }
  uint64_t bytesLeft() const { return left; }

private:
  const std::string &path;
  std::unique_ptr<std::FILE, Close> stream;
  uint64_t left = 0;
};

} // namespace

static std::string readHeader(InputFile &file, const std::string &path) {
  char magic[kMagicSize];
  if (file.bytesLeft() < kMagicSize)
    userError(path + ": expects an .npy file, but got " +
              std::to_string(file.bytesLeft()) + " bytes");
  file.read(magic, kMagicSize, "magic");
  if (std::memcmp(magic, kMagic, kMagicSize) != 0)
    userError(path + ": expects an .npy file, which starts with \"\\x93NUMPY\","
                     " but got another start");
  uint8_t version[2];
  file.read(version, 2, "version");
  if (version[0] < 1 || version[0] > 3)
    throw ToolError(ExitUnsupported,
                    path + ": expects .npy format version 1, 2 or 3, but got " +
                        std::to_string(version[0]));
  uint8_t length[4] = {0, 0, 0, 0};
  file.read(length, version[0] == 1 ? 2 : 4, "header length");
  size_t size = length[0] | size_t{length[1]} << 8 | size_t{length[2]} << 16 |
                size_t{length[3]} << 24;
  if (size > kMaxHeaderSize)
    userError(path + ": expects a header of at most " +
              std::to_string(kMaxHeaderSize) + " bytes, but got " +
              std::to_string(size));
  std::string text(size, '\0');
  file.read(&text[0], size, "header");
  return text;
}

Tensor hk::tools::readNpy(const std::string &path) {
  InputFile file(path);
  std::string text = readHeader(file, path);
  Header header = HeaderParser(path, text).parse();
  const Descriptor *found = nullptr;
  for (const Descriptor &descriptor : kDescriptors)
    if (header.descriptor == descriptor.text)
      found = &descriptor;
  if (!found)
    userError(path +
              ": expects little-endian float64, float32, float16, int32, bool, "
              "or uint16 (the bits of bf16), but got '" +
              header.descriptor + "'");
  if (header.fortranOrder && header.shape.size() > 1)
    userError(path + ": expects C order, but got Fortran order; save "
                     "numpy.ascontiguousarray(array)");
  int64_t bytes = 0;
  if (!byteSizeOf(found->type, header.shape, bytes))
    userError(path + ": expects fewer than 2^63 bytes, but got shape " +
              formatShape(header.shape));
  if (static_cast<uint64_t>(bytes) != file.bytesLeft())
    userError(path + ": expects " + std::to_string(bytes) +
              " bytes of data for " + formatType(found->type, header.shape) +
              ", but got " + std::to_string(file.bytesLeft()));
  Tensor tensor(found->type, header.shape);
  file.read(tensor.data(), tensor.byteSize(), "data");
  return tensor;
}

void hk::tools::writeNpy(const std::string &path, const Tensor &tensor) {
  const char *descriptor = "";
  for (const Descriptor &candidate : kDescriptors)
    if (candidate.type == tensor.type())
      descriptor = candidate.text;
  std::string header = std::string("{'descr': '") + descriptor +
                       "', 'fortran_order': False, 'shape': (";
  for (int64_t dim : tensor.shape())
    header += std::to_string(dim) + ", ";
  if (tensor.shape().size() > 1)
    header.resize(header.size() - 2);
  else if (tensor.shape().size() == 1)
    header.pop_back(); // "(3,)"
  header += "), }";
  // NumPy maps the data at a multiple of 64 bytes, after a newline.
  size_t prefix = kMagicSize + 4;
  size_t total = (prefix + header.size() + 1 + 63) / 64 * 64;
  header.resize(total - prefix - 1, ' ');
  header += '\n';
  OutputFile file(path);
  file.write(kMagic, kMagicSize);
  uint8_t rest[4] = {1, 0, static_cast<uint8_t>(header.size()),
                     static_cast<uint8_t>(header.size() >> 8)};
  file.write(rest, sizeof rest);
  file.write(header);
  file.write(tensor.data(), tensor.byteSize());
  file.commit();
}

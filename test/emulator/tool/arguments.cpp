// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "arguments.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

namespace hk::emulator {
namespace {

struct NumberType {
  const char *name;
  const char *numpy;
  size_t size;
};

constexpr NumberType kTypes[] = {
    {"u8", "|u1", 1},  {"s8", "|i1", 1},  {"u16", "<u2", 2}, {"s16", "<i2", 2},
    {"f16", "<f2", 2}, {"u32", "<u4", 4}, {"s32", "<i4", 4}, {"f32", "<f4", 4},
    {"u64", "<u8", 8}, {"s64", "<i8", 8}, {"f64", "<f8", 8}};

const NumberType &typeOf(const std::string &name) {
  for (const NumberType &type : kTypes)
    if (name == type.name)
      return type;
  throw ArgumentError("expects a type such as f32, but got '" + name + "'");
}

std::vector<std::string> split(const std::string &text, size_t parts) {
  std::vector<std::string> result;
  size_t start = 0;
  while (result.size() + 1 < parts) {
    const size_t colon = text.find(':', start);
    if (colon == std::string::npos)
      throw ArgumentError("expects " + std::to_string(parts) +
                          " parts between colons, but got '" + text + "'");
    result.push_back(text.substr(start, colon - start));
    start = colon + 1;
  }
  result.push_back(text.substr(start));
  return result;
}

bool isNpy(const std::string &path) {
  return path.size() > 4 && path.compare(path.size() - 4, 4, ".npy") == 0;
}

/// The array's bytes; the type and shape are the kernel's business.
std::vector<uint8_t> dataOf(const std::string &path) {
  std::vector<uint8_t> bytes = readFile(path);
  if (!isNpy(path))
    return bytes;
  if (bytes.size() < 12 || std::memcmp(bytes.data(), "\x93NUMPY", 6) != 0)
    throw ArgumentError("expects a NumPy file, but got '" + path + "'");
  const size_t lengthBytes = bytes[6] == 1 ? 2 : 4;
  size_t header = 0;
  std::memcpy(&header, bytes.data() + 8, lengthBytes);
  header += 8 + lengthBytes;
  if (header > bytes.size())
    throw ArgumentError("expects a whole NumPy file, but got '" + path + "'");
  return {bytes.begin() + static_cast<ptrdiff_t>(header), bytes.end()};
}

std::string npyHeader(const NumberType &type, size_t count) {
  std::string header = "{'descr': '" + std::string(type.numpy) +
                       "', 'fortran_order': False, 'shape': (" +
                       std::to_string(count) + ",), }";
  while ((10 + header.size() + 1) % 64)
    header += ' ';
  header += '\n';
  const auto length = static_cast<uint16_t>(header.size());
  std::string start("\x93NUMPY\x01\x00", 8);
  start += static_cast<char>(length & 0xff);
  start += static_cast<char>(length >> 8);
  return start + header;
}

} // namespace

uint64_t parseUnsigned(const std::string &text) {
  char *end = nullptr;
  errno = 0;
  const uint64_t value = std::strtoull(text.c_str(), &end, 0);
  if (errno || end == text.c_str() || *end || text[0] == '-')
    throw ArgumentError("expects a number, but got '" + text + "'");
  return value;
}

std::vector<uint8_t> readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<uint8_t> bytes((std::istreambuf_iterator<char>(file)),
                             std::istreambuf_iterator<char>());
  if (!file.good() && !file.eof())
    throw ArgumentError("expects a file that can be read, but got '" + path +
                        "'");
  return bytes;
}

void Arguments::put(const void *value, size_t size, const std::string &text) {
  if (next == parameters.size())
    throw ArgumentError("expects " + std::to_string(parameters.size()) +
                        " arguments, but got '" + text + "' too");
  const ParameterInfo &parameter = parameters[next++];
  if (parameter.size != size)
    throw ArgumentError("expects " + std::to_string(parameter.size) +
                        " bytes for parameter '" + parameter.name +
                        "', but got '" + text + "'");
  packed.resize(parameter.offset + size);
  std::memcpy(packed.data() + parameter.offset, value, size);
}

void Arguments::addBuffer(const std::vector<uint8_t> &data,
                          const std::string &text) {
  const uint64_t address = memory.allocate(data.size(), "'" + text + "'");
  if (!address)
    throw ArgumentError("expects a buffer of at least one byte that fits the "
                        "device, but got '" +
                        text + "'");
  memory.write(address, data.data(), data.size());
  put(&address, sizeof(address), text);
}

void Arguments::add(const std::string &text) {
  const std::string kind = split(text, 2)[0];
  if (kind == "in") {
    addBuffer(dataOf(split(text, 2)[1]), text);
    return;
  }
  if (kind == "out") {
    const auto parts = split(text, 4);
    const size_t bytes = typeOf(parts[1]).size * parseUnsigned(parts[2]);
    const uint64_t address = memory.allocate(bytes, "'" + text + "'");
    if (!address)
      throw ArgumentError("expects a buffer of at least one byte that fits the "
                          "device, but got '" +
                          text + "'");
    put(&address, sizeof(address), text);
    results.push_back({address, bytes, parts[1], parts[3]});
    return;
  }
  if (kind == "inout") {
    const auto parts = split(text, 4);
    typeOf(parts[1]);
    const std::vector<uint8_t> data = dataOf(parts[2]);
    addBuffer(data, text);
    uint64_t address;
    std::memcpy(&address, packed.data() + packed.size() - 8, 8);
    results.push_back({address, data.size(), parts[1], parts[3]});
    return;
  }
  const NumberType &type = typeOf(kind);
  const std::string number = split(text, 2)[1];
  char *end = nullptr;
  uint64_t bits = 0;
  if (kind[0] == 'f') {
    const double value = std::strtod(number.c_str(), &end);
    const float narrow = static_cast<float>(value);
    if (type.size == 2)
      throw ArgumentError("expects f32 or f64 for a number, but got f16");
    if (type.size == 4)
      std::memcpy(&bits, &narrow, 4);
    else
      std::memcpy(&bits, &value, 8);
  } else {
    bits = number[0] == '-'
               ? static_cast<uint64_t>(std::strtoll(number.c_str(), &end, 0))
               : std::strtoull(number.c_str(), &end, 0);
  }
  if (number.empty() || *end)
    throw ArgumentError("expects a number, but got '" + text + "'");
  put(&bits, type.size, text);
}

std::vector<uint8_t> Arguments::bytes() const {
  if (next != parameters.size())
    throw ArgumentError("expects " + std::to_string(parameters.size()) +
                        " arguments (--arg), but got " + std::to_string(next));
  return packed;
}

void Arguments::writeResults() {
  for (const Result &result : results) {
    std::vector<char> data(result.bytes);
    memory.read(result.address, data.data(), data.size());
    std::ofstream file(result.path, std::ios::binary);
    if (isNpy(result.path)) {
      const NumberType &type = typeOf(result.type);
      const std::string header = npyHeader(type, result.bytes / type.size);
      file.write(header.data(), static_cast<std::streamsize>(header.size()));
    }
    file.write(data.data(), static_cast<std::streamsize>(data.size()));
    if (!file.good())
      throw WriteError("expects a file that can be written, but got '" +
                       result.path + "'");
  }
}

} // namespace hk::emulator

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mma.sync.aligned.m16n8kK: D = A * B + C over the registers of a warp.
//
// Products are exact in f32. They are added to C in f32, in ascending k; an
// f16 accumulator is rounded once at the end.
#include "float_format.h"
#include "lanes.h"

namespace hk::emulator {
namespace {

constexpr unsigned kM = 16, kN = 8, kMaxK = 16;

// Instruction::type is the accumulator, type2 the operands, option is K.

float element(Type type, uint64_t bits, unsigned half) {
  if (type == Type::TF32)
    return tf32Operand(static_cast<uint32_t>(bits));
  const auto value = static_cast<uint16_t>(bits >> (16 * half));
  return type == Type::F16 ? halfToFloat(value) : bfloatToFloat(value);
}

/// Calls `f(row, column, register, lane, half)` for all elements of A. With g
/// = lane / 4 and t = lane % 4, registers alternate between rows g and g + 8
/// first, then go on along k by half of a register tile.
template <typename F> void eachA(bool wide, unsigned k, F f) {
  const unsigned perRegister = wide ? 1 : 2;
  const unsigned registers = kM * k / kWarpSize / perRegister;
  for (unsigned r = 0; r < registers; ++r)
    for (unsigned l = 0; l < kWarpSize; ++l)
      for (unsigned h = 0; h < perRegister; ++h)
        f(l / 4 + 8 * (r & 1),
          (l % 4) * perRegister + h + (r >> 1) * 4 * perRegister, r, l, h);
}

template <typename F> void eachB(bool wide, unsigned k, F f) {
  const unsigned perRegister = wide ? 1 : 2;
  const unsigned registers = kN * k / kWarpSize / perRegister;
  for (unsigned r = 0; r < registers; ++r)
    for (unsigned l = 0; l < kWarpSize; ++l)
      for (unsigned h = 0; h < perRegister; ++h)
        f((l % 4) * perRegister + h + r * 4 * perRegister, l / 4, r, l, h);
}

void multiply(Execution &x, const Instruction &i, uint32_t mask) {
  if (!x.converge(mask, ~uint32_t(0)))
    return;
  const unsigned k = i.option;
  const bool wide = i.type2 == Type::TF32;
  const bool halfResult = i.type == Type::F16;
  const size_t countA = kM * k / kWarpSize / (wide ? 1 : 2);
  const size_t countB = kN * k / kWarpSize / (wide ? 1 : 2);
  const size_t countD = halfResult ? 2 : 4;
  const uint64_t *from[10];
  for (size_t r = 0; r < i.fromList.size(); ++r)
    from[r] = x.read(i.fromList[r], mask);
  float a[kM][kMaxK], b[kN][kMaxK], d[kM][kN];
  eachA(wide, k,
        [&](unsigned row, unsigned column, unsigned r, unsigned l, unsigned h) {
          a[row][column] = element(i.type2, from[r][l], h);
        });
  eachB(wide, k,
        [&](unsigned row, unsigned column, unsigned r, unsigned l, unsigned h) {
          b[column][row] = element(i.type2, from[countA + r][l], h);
        });
  const uint64_t *const *c = from + countA + countB;
  for (unsigned l = 0; l < kWarpSize; ++l)
    for (unsigned e = 0; e < 4; ++e)
      d[l / 4 + 8 * (e >> 1)][2 * (l % 4) + (e & 1)] =
          halfResult ? element(Type::F16, c[e >> 1][l], e & 1)
                     : get<float>(c[e][l]);
  for (unsigned row = 0; row < kM; ++row)
    for (unsigned column = 0; column < kN; ++column) {
      float sum = d[row][column];
      for (unsigned j = 0; j < k; ++j)
        sum += a[row][j] * b[column][j];
      d[row][column] = sum;
    }
  for (size_t r = 0; r < countD; ++r)
    setLanes(x, i.toList[r], mask, [&](unsigned l) -> uint64_t {
      const size_t rowOf = l / 4 + 8 * (halfResult ? r : r >> 1);
      const unsigned column = 2 * (l % 4);
      if (!halfResult)
        return put<float>(d[rowOf][column + (r & 1)]);
      return halfFromDouble(d[rowOf][column]) |
             static_cast<uint32_t>(halfFromDouble(d[rowOf][column + 1])) << 16;
    });
}

void decodeMma(Decoder &d) {
  Instruction &i = d.result;
  if (!d.take("sync") || !d.take("aligned"))
    d.fail("expects '.sync.aligned'");
  const int shape = d.takeOneOf({"m16n8k4", "m16n8k8", "m16n8k16"});
  if (shape < 0 || !d.take("row") || !d.take("col"))
    d.unsupported("mma of another shape than m16n8k4, k8, k16 with .row.col");
  i.option = 4u << shape;
  i.type = d.takeType();
  const Type a = i.type2 = d.takeType();
  const Type b = d.takeType(), c = d.takeType();
  const bool known = a == Type::TF32                     ? i.option <= 8
                     : a == Type::F16 || a == Type::BF16 ? i.option >= 8
                                                         : false;
  const bool result =
      i.type == Type::F32 || (i.type == Type::F16 && a == Type::F16);
  if (!known || a != b || !result || c != i.type)
    d.unsupported("mma of these types");
  d.expectOperands(4, 4);
  const unsigned perRegister = a == Type::TF32 ? 1 : 2;
  const size_t counts[] = {
      i.type == Type::F16 ? 2u : 4u, kM * i.option / kWarpSize / perRegister,
      kN * i.option / kWarpSize / perRegister, i.type == Type::F16 ? 2u : 4u};
  for (size_t k = 0; k < 4; ++k) {
    const auto elements = d.elements(k);
    if (elements.size() != counts[k])
      d.fail("expects " + std::to_string(counts[k]) + " registers as operand " +
             std::to_string(k + 1) + ", but got " +
             std::to_string(elements.size()));
    for (const TextOperand &one : elements) {
      if (k == 0)
        i.toList.push_back(d.destination(one));
      else
        i.fromList.push_back(d.source(one));
    }
  }
  i.run = multiply;
}

} // namespace

void addMma(DecodeTable &table) { table["mma"] = decodeMma; }

} // namespace hk::emulator

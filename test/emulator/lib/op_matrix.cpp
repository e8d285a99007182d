// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ldmatrix and stmatrix: 8x8 matrices of 16-bit elements between shared memory
// and the lanes of a warp. Lane 8m + r gives the address of row r of matrix m;
// lane 4r + c holds elements (r, 2c) and (r, 2c + 1), or their transposes.
#include "lanes.h"

namespace hk::emulator {
namespace {

struct Matrix {
  uint16_t at[8][8];
};

Place row(Execution &x, const Instruction &i, const uint64_t *base, unsigned m,
          unsigned r) {
  const unsigned lane = 8 * m + r;
  return x.shared(static_cast<uint32_t>(base[lane]) +
                      static_cast<uint64_t>(i.offsets[0]),
                  16, 16, lane, "a matrix row");
}

void load(Execution &x, const Instruction &i, uint32_t mask) {
  if (!x.converge(mask, ~uint32_t(0)))
    return;
  uint64_t base[kWarpSize];
  std::memcpy(base, x.read(i.from[0], mask), sizeof(base));
  for (unsigned m = 0; m < i.toList.size(); ++m) {
    Matrix matrix;
    for (unsigned r = 0; r < 8; ++r)
      x.load(row(x, i, base, m, r), 16, matrix.at[r], 8 * m + r);
    setLanes(x, i.toList[m], mask, [&](unsigned l) -> uint64_t {
      const unsigned r = l / 4, c = 2 * (l % 4);
      const uint32_t low = i.flags ? matrix.at[c][r] : matrix.at[r][c];
      const uint32_t high = i.flags ? matrix.at[c + 1][r] : matrix.at[r][c + 1];
      return low | high << 16;
    });
  }
}

void store(Execution &x, const Instruction &i, uint32_t mask) {
  if (!x.converge(mask, ~uint32_t(0)))
    return;
  const uint64_t *base = x.read(i.from[0], mask);
  for (unsigned m = 0; m < i.fromList.size(); ++m) {
    const uint64_t *from = x.read(i.fromList[m], mask);
    Matrix matrix;
    for (unsigned l = 0; l < kWarpSize; ++l) {
      const unsigned r = l / 4, c = 2 * (l % 4);
      const auto low = static_cast<uint16_t>(from[l]);
      const auto high = static_cast<uint16_t>(from[l] >> 16);
      (i.flags ? matrix.at[c][r] : matrix.at[r][c]) = low;
      (i.flags ? matrix.at[c + 1][r] : matrix.at[r][c + 1]) = high;
    }
    for (unsigned r = 0; r < 8; ++r)
      x.store(row(x, i, base, m, r), 16, matrix.at[r], 8 * m + r);
  }
}

void decode(Decoder &d, bool loads) {
  Instruction &i = d.result;
  if (!d.take("sync") || !d.take("aligned") || !d.take("m8n8"))
    d.fail("expects '.sync.aligned.m8n8'");
  const int count = d.takeOneOf({"x1", "x2", "x4"});
  if (count < 0)
    d.fail("expects '.x1', '.x2' or '.x4'");
  i.flags = d.take("trans");
  d.takeSpace(Space::Shared);
  if (d.takeType() != Type::B16)
    d.unsupported("matrices of other than 16-bit elements");
  d.expectOperands(2, 2);
  d.address(loads ? 1 : 0, 0);
  const auto elements = d.elements(loads ? 0 : 1);
  if (elements.size() != size_t(1) << count)
    d.fail("expects " + std::to_string(1 << count) +
           " registers, one a matrix, but got " +
           std::to_string(elements.size()));
  for (const TextOperand &one : elements) {
    if (loads)
      i.toList.push_back(d.destination(one));
    else
      i.fromList.push_back(d.source(one));
  }
  i.run = loads ? load : store;
}

} // namespace

void addMatrixInstructions(DecodeTable &table) {
  table["ldmatrix"] = [](Decoder &d) { decode(d, true); };
  table["stmatrix"] = [](Decoder &d) { decode(d, false); };
}

} // namespace hk::emulator

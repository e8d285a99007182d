// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// wgmma: m64nNk16 (f16, bf16) and m64nNk8 (tf32) of a warpgroup. Each warp
// computes its own 16 rows, so warps need not meet; the asynchronous group
// machinery is a warp's. Accumulators are in flight until the wait; in lazy
// mode the product is also computed no earlier.
#include "float_format.h"
#include "lanes.h"

#include <algorithm>
#include <array>

namespace hk::emulator {
namespace {

// Instruction::flags.
constexpr uint16_t kTransposeA = 1, kTransposeB = 2, kRegisterA = 4,
                   kNegateA = 8, kNegateB = 16;

/// A matrix in shared memory, as a descriptor says. Addresses and offsets are
/// in units of 16 bytes there.
struct Descriptor {
  explicit Descriptor(uint64_t bits)
      : start(static_cast<uint32_t>(bits & 0x3fff) << 4),
        leading(static_cast<uint32_t>(bits >> 16 & 0x3fff) << 4),
        stride(static_cast<uint32_t>(bits >> 32 & 0x3fff) << 4),
        baseOffset(static_cast<uint32_t>(bits >> 49 & 7)),
        mode(static_cast<uint32_t>(bits >> 62)) {}

  /// Bytes of a swizzled row: 128, 64, 32, or 16 without swizzling.
  uint32_t span() const { return mode == 0 ? 16 : 256 >> mode; }

  /// XORs bits 4.. with bits 7.. of the address: as many as the span has.
  uint32_t swizzle(uint32_t address) const {
    return address ^ ((address >> 3) & (span() - 16));
  }

  /// Byte address of element (row along M or N, k), `size` bytes each.
  uint32_t address(uint32_t row, uint32_t k, uint32_t size,
                   bool transposed) const {
    // Along the contiguous direction, spans lie `leading` apart; across it,
    // groups of 8 rows of a span lie `stride` apart.
    const uint32_t along = (transposed ? row : k) * size;
    const uint32_t across = transposed ? k : row;
    // Without swizzling, major in M or N, the two offsets change places.
    const bool swapped = transposed && mode == 0;
    const uint32_t groupOffset = across / 8 * (swapped ? leading : stride);
    const uint32_t spanOffset = along / span() * (swapped ? stride : leading);
    return swizzle(start + groupOffset + spanOffset + across % 8 * span() +
                   along % span());
  }

  uint32_t start, leading, stride, baseOffset, mode;
};

struct Operands {
  uint64_t a = 0, b = 0;
  bool accumulates = false;
};

float decodeElement(Type type, const uint8_t *bytes) {
  if (type == Type::TF32) {
    uint32_t bits;
    std::memcpy(&bits, bytes, 4);
    return tf32Operand(bits);
  }
  uint16_t bits;
  std::memcpy(&bits, bytes, 2);
  return type == Type::F16 ? halfToFloat(bits) : bfloatToFloat(bits);
}

/// Reads an element, with all checks of a read by the async proxy.
float fetch(Execution &x, Type type, uint32_t address) {
  const unsigned size = type == Type::TF32 ? 4 : 2;
  const Place at = x.shared(address, size, size, 0, "an operand of wgmma");
  x.expectValid(at, size, 0);
  if (x.races()) {
    const std::string wrong = at.cta->races->asyncRead(
        static_cast<uint32_t>(at.offset), size, x.warp->slot, x.warp->clocks,
        x.instruction->text->line);
    if (!wrong.empty())
      x.fault(1, wrong);
  }
  return decodeElement(type, at.data());
}

void compute(Execution &x, const Instruction &i, const Operands &operands) {
  const unsigned n = i.option, k = i.type2 == Type::TF32 ? 8 : 16;
  const unsigned size = i.type2 == Type::TF32 ? 4 : 2;
  float a[16][16];
  if (i.flags & kRegisterA) {
    for (unsigned r = 0; r < 4; ++r) {
      const uint64_t *from = x.read(i.fromList[r], ~uint32_t(0));
      for (unsigned l = 0; l < kWarpSize; ++l) {
        const unsigned row = l / 4 + 8 * (r & 1);
        if (size == 4) {
          a[row][l % 4 + 4 * (r >> 1)] =
              tf32Operand(static_cast<uint32_t>(from[l]));
          continue;
        }
        for (unsigned h = 0; h < 2; ++h) {
          const auto bits = static_cast<uint16_t>(from[l] >> (16 * h));
          a[row][2 * (l % 4) + h + 8 * (r >> 1)] =
              i.type2 == Type::F16 ? halfToFloat(bits) : bfloatToFloat(bits);
        }
      }
    }
  } else {
    const Descriptor descriptor(operands.a);
    const unsigned first = 16 * (x.warp->index % 4);
    for (unsigned row = 0; row < 16; ++row)
      for (unsigned j = 0; j < k; ++j)
        a[row][j] = fetch(
            x, i.type2,
            descriptor.address(first + row, j, size, i.flags & kTransposeA));
  }
  std::vector<std::array<float, 16>> b(n);
  const Descriptor descriptor(operands.b);
  for (unsigned column = 0; column < n; ++column)
    for (unsigned j = 0; j < k; ++j)
      b[column][j] =
          fetch(x, i.type2,
                descriptor.address(column, j, size, i.flags & kTransposeB));
  const float sign =
      ((i.flags & kNegateA) != 0) != ((i.flags & kNegateB) != 0) ? -1.0f : 1.0f;
  const auto dot = [&](float sum, unsigned row, unsigned column) {
    for (unsigned j = 0; j < k; ++j)
      sum += sign * a[row][j] * b[column][j];
    return sum;
  };
  const bool half = i.type == Type::F16;
  for (size_t r = 0; r < i.toList.size(); ++r) {
    uint64_t *d = x.raw(i.toList[r]);
    for (unsigned l = 0; l < kWarpSize; ++l) {
      const auto at = static_cast<unsigned>(r);
      const unsigned row = l / 4 + 8 * (half ? at & 1 : at >> 1 & 1);
      const unsigned column = 8 * (half ? at >> 1 : at >> 2) + 2 * (l % 4);
      if (half) {
        uint64_t bits = 0;
        for (unsigned h = 0; h < 2; ++h) {
          const float old =
              operands.accumulates
                  ? halfToFloat(static_cast<uint16_t>(d[l] >> (16 * h)))
                  : 0.0f;
          bits |= static_cast<uint64_t>(halfFromDouble(
                      static_cast<double>(dot(old, row, column + h))))
                  << (16 * h);
        }
        d[l] = bits;
      } else {
        const unsigned c = column + (at & 1);
        d[l] = put<float>(
            dot(operands.accumulates ? get<float>(d[l]) : 0.0f, row, c));
      }
    }
  }
}

/// Registers that wgmma reads have to be written before a wgmma.fence.
void expectFenced(Execution &x, uint32_t reg, uint32_t mask) {
  if (x.races() && x.warp->unfenced[reg])
    x.fault(mask, "expects wgmma.fence between a write of a register and its "
                  "use, but got none after '" +
                      x.launch.program->text->registers[reg].name +
                      "' was written");
}

void multiply(Execution &x, const Instruction &i, uint32_t mask) {
  if (!x.converge(mask, ~uint32_t(0)))
    return;
  Warp &warp = *x.warp;
  Operands operands;
  if (i.flags & kRegisterA)
    for (const Source &one : i.fromList) {
      x.read(one, mask);
      if (!one.isConstant)
        expectFenced(x, one.index, mask);
    }
  else
    operands.a = x.read(i.from[0], mask)[0];
  operands.b = x.read(i.from[1], mask)[0];
  if (Descriptor(operands.a).baseOffset || Descriptor(operands.b).baseOffset)
    x.fault(mask, "expects descriptors with base offset 0: the emulator models "
                  "no other");
  operands.accumulates =
      (x.read(i.from[2], mask)[0] & 1) != (i.from[2].negated ? 1u : 0u);
  for (const uint32_t reg : i.toList) {
    // One that an earlier wgmma has in flight may go on to accumulate.
    if (operands.accumulates && !warp.inFlight[reg]) {
      x.read({false, false, reg}, mask);
      expectFenced(x, reg, mask);
    }
    ++warp.inFlight[reg];
    warp.valid[reg] = 0;
  }
  WgmmaInFlight flight;
  flight.accumulators = i.toList;
  if (x.launch.options.lazy) {
    const Instruction *at = &i;
    flight.compute = [&x, at, operands] {
      const Instruction *waiting = x.instruction;
      x.instruction = at; // for messages
      compute(x, *at, operands);
      x.instruction = waiting;
    };
  } else {
    compute(x, i, operands);
  }
  warp.openWgmma.push_back(std::move(flight));
}

void commit(Execution &x, const Instruction &, uint32_t mask) {
  if (!x.converge(mask, ~uint32_t(0)))
    return;
  x.warp->wgmmaGroups.push_back(std::move(x.warp->openWgmma));
  x.warp->openWgmma.clear();
}

void wait(Execution &x, const Instruction &i, uint32_t mask) {
  if (!x.converge(mask, ~uint32_t(0)))
    return;
  Warp &warp = *x.warp;
  while (warp.wgmmaGroups.size() > i.option) {
    for (const WgmmaInFlight &flight : warp.wgmmaGroups.front()) {
      if (flight.compute)
        flight.compute();
      for (const uint32_t reg : flight.accumulators)
        if (--warp.inFlight[reg] == 0)
          warp.valid[reg] = ~uint32_t(0);
    }
    warp.wgmmaGroups.pop_front();
  }
}

void fence(Execution &x, const Instruction &, uint32_t mask) {
  if (x.converge(mask, ~uint32_t(0)) && x.races())
    std::fill(x.warp->unfenced.begin(), x.warp->unfenced.end(), uint8_t(0));
}

void decodeMultiply(Decoder &d) {
  Instruction &i = d.result;
  const std::string shape = d.takePrefix("m64n");
  const size_t split = shape.find('k');
  if (split == std::string::npos)
    d.fail("expects a shape such as '.m64n128k16'");
  const unsigned long n = std::strtoul(shape.c_str(), nullptr, 10);
  i.option = static_cast<uint32_t>(n);
  i.type = d.takeType();
  i.type2 = d.takeType();
  const Type b = d.takeType();
  const bool wide = i.type2 == Type::TF32;
  const bool known = i.type2 == Type::F16 || i.type2 == Type::BF16 || wide;
  if (!known || b != i.type2 ||
      (i.type != Type::F32 && (i.type != Type::F16 || b != Type::F16)))
    d.unsupported("wgmma of these types");
  if (shape.substr(split) != (wide ? "k8" : "k16") || n < 8 || n > 256 || n % 8)
    d.fail("expects N from 8 to 256 by 8 and K of 32 bytes, but got '.m64n" +
           shape + "'");
  d.expectOperands(6, 8);
  const bool fromRegisters = d.operand(1).kind == TextOperand::List;
  for (const TextOperand &one : d.elements(0))
    i.toList.push_back(d.destination(one));
  if (i.toList.size() != (i.type == Type::F16 ? n / 4 : n / 2))
    d.fail("expects " + std::to_string(i.type == Type::F16 ? n / 4 : n / 2) +
           " accumulators, but got " + std::to_string(i.toList.size()));
  if (fromRegisters) {
    i.flags |= kRegisterA;
    for (const TextOperand &one : d.elements(1))
      i.fromList.push_back(d.source(one));
    if (i.fromList.size() != 4)
      d.fail("expects 4 registers of A");
  } else {
    i.from[0] = d.source(1);
  }
  i.from[1] = d.source(2);
  i.from[2] = d.source(3);
  if (d.operand(3).kind == TextOperand::Immediate)
    i.from[2] = d.constant(d.immediate(3) != 0);
  i.flags |= d.immediate(4) == 1 ? 0 : kNegateA;
  i.flags |= d.immediate(5) == 1 ? 0 : kNegateB;
  size_t next = 6;
  if (!wide && !fromRegisters && d.operandCount() > next)
    i.flags |= d.immediate(next++) ? kTransposeA : 0;
  if (!wide && d.operandCount() > next)
    i.flags |= d.immediate(next++) ? kTransposeB : 0;
  if (next != d.operandCount())
    d.fail("expects no more operands than the type has");
  i.run = multiply;
}

} // namespace

void addWgmma(DecodeTable &table) {
  table["wgmma"] = [](Decoder &d) {
    const int what =
        d.takeOneOf({"mma_async", "commit_group", "wait_group", "fence"});
    d.take("sync");
    d.take("aligned");
    switch (what) {
    case 0:
      decodeMultiply(d);
      return;
    case 1:
      d.result.run = commit;
      return;
    case 2:
      d.expectOperands(1, 1);
      d.result.option = static_cast<uint32_t>(d.immediate(0));
      d.result.run = wait;
      return;
    case 3:
      d.result.run = fence;
      return;
    default:
      d.unsupported("this wgmma instruction");
    }
  };
}

} // namespace hk::emulator

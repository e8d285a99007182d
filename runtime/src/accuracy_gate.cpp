// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "accuracy_gate.h"

#include "module_check.h"
#include "tensor_check.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace hk {
namespace {

using schema::DType;

/// Of the reference's elements, one in so many has to be finite.
constexpr uint64_t kLeastFinite = 16;
/// Elements of a chunk that are worth a worker.
constexpr uint64_t kShare = 16 * 1024;

/// Calls body(share, begin, end) for ranges that cover [0, count), on the
/// workers. It must not throw.
template <typename Body>
void forShares(Workers &workers, uint64_t count, const Body &body) {
  if (count < 2 * kShare)
    return body(0, 0, count);
  struct State {
    const Body &body;
    uint64_t count;
    uint32_t workers;
  } state = {body, count, workers.count()};
  workers.run(
      [](void *opaque, uint32_t worker) {
        const State &state = *static_cast<const State *>(opaque);
        state.body(worker, state.count * worker / state.workers,
                   state.count * (worker + 1) / state.workers);
      },
      &state);
}

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.6g", value);
  return text;
}

} // namespace

/// "output 0 at [1, 2]"
std::string AccuracyGate::place(uint32_t output, uint64_t index) const {
  const auto &shape = *function_.outputs()->Get(output)->type()->shape();
  std::string text;
  for (uint32_t d = shape.size(); d-- > 0;) {
    const uint64_t size = d == 0 ? UINT64_MAX : shape.Get(d);
    text = concat(index % size, text.empty() ? "" : ", ", text);
    index /= size;
  }
  return concat("output ", output, " at [", text, "]");
}

Status AccuracyGate::reserve(DLTensor *const *outputs,
                             std::vector<void *> &memory) {
  for (uint32_t o = 0; o < function_.outputs()->size(); ++o) {
    auto reference = std::make_unique<Reference>();
    reference->dtype = function_.outputs()->Get(o)->type()->dtype();
    reference->size = bytesOf(*outputs[o]).size;
    HK_TRY(reference->device.allocate(device_, reference->size));
    memory.push_back(reference->device.data());
    bytes_ += reference->size;
    elements_ += reference->size / sizeOf(reference->dtype);
    references_.push_back(std::move(reference));
  }
  return Status();
}

Status AccuracyGate::keep() {
  const bool onHost = bytes_ <= std::min(hostLimit_, physicalMemory() / 4);
  for (uint32_t o = 0; o < references_.size(); ++o)
    HK_TRY(keep(o, onHost));
  return Status();
}

Status AccuracyGate::keep(uint32_t output, bool onHost) {
  Reference &reference = *references_[output];
  const uint64_t width = sizeOf(reference.dtype);
  if (onHost)
    HK_TRY(allocatePages(reference.size, reference.host));
  HK_TRY(reader_.start(reference.device.data(), reference.size));
  uint8_t *target = reference.host.data();
  for (uint64_t start = 0;;) {
    const uint8_t *bytes = nullptr;
    uint64_t size = 0;
    HK_TRY(reader_.next(bytes, size));
    if (size == 0)
      break;
    struct Share {
      uint64_t notFinite = 0, first = kNoElement;
    };
    std::vector<Share> shares(workers_.count());
    forShares(workers_, size / width,
              [&](uint32_t share, uint64_t begin, uint64_t end) {
                shares[share].notFinite =
                    countNotFinite(reference.dtype, bytes, begin, end,
                                   shares[share].first);
                if (onHost)
                  std::memcpy(target + start + begin * width,
                              bytes + begin * width, (end - begin) * width);
              });
    for (const Share &share : shares) {
      notFinite_ += share.notFinite;
      if (share.first != kNoElement && firstNotFinite_.empty())
        firstNotFinite_ = place(output, start / width + share.first);
    }
    start += size;
  }
  if (onHost)
    reference.device.reset();
  return Status();
}

bool AccuracyGate::tellsAnything() const {
  return notFinite_ == 0 ||
         kLeastFinite * (elements_ - notFinite_) >= elements_;
}

std::string AccuracyGate::notFinite() const {
  return concat(notFinite_, " of ", elements_,
                " elements that are not, the first ", firstNotFinite_);
}

void AccuracyGate::tell(uint32_t output, uint64_t start, const uint8_t *got,
                        const uint8_t *expected,
                        const std::vector<GateFindings> &found,
                        double &worstRatio, GateResult &result) const {
  const DType dtype = references_[output]->dtype;
  for (const GateFindings &share : found) {
    result.failed += share.failed;
    result.compared -= share.leftOut;
    result.maxError = std::max(result.maxError, share.maxError);
    if (share.worst == kNoElement || share.worstRatio <= worstRatio)
      continue;
    worstRatio = share.worstRatio;
    result.worst =
        concat(place(output, start + share.worst), ": expects ",
               number(elementOf(dtype, expected, share.worst)), ", but got ",
               number(elementOf(dtype, got, share.worst)));
  }
}

Status AccuracyGate::compare(DLTensor *const *outputs, GateResult &result) {
  result = GateResult();
  double worstRatio = 0;
  std::vector<GateFindings> found(workers_.count());
  for (uint32_t o = 0; o < references_.size() && result.failed == 0; ++o) {
    const Reference &reference = *references_[o];
    const uint64_t width = sizeOf(reference.dtype);
    const bool onHost = reference.host.data() != nullptr;
    HK_TRY(reader_.start(bytesOf(*outputs[o]).begin, reference.size));
    if (!onHost)
      HK_TRY(referenceReader_.start(reference.device.data(), reference.size));
    for (uint64_t start = 0; result.failed == 0;) {
      const uint8_t *got = nullptr;
      const uint8_t *expected =
          onHost ? reference.host.data() + start : nullptr;
      uint64_t size = 0;
      HK_TRY(reader_.next(got, size));
      if (size == 0)
        break;
      if (!onHost)
        HK_TRY(referenceReader_.next(expected, size));
      std::fill(found.begin(), found.end(), GateFindings());
      forShares(workers_, size / width,
                [&](uint32_t share, uint64_t begin, uint64_t end) {
                  compareElements(reference.dtype, got, expected, begin, end,
                                  found[share]);
                });
      result.compared += size / width;
      tell(o, start / width, got, expected, found, worstRatio, result);
      start += size;
    }
  }
  return Status();
}

} // namespace hk

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The accuracy gate: a plan's outputs, which are on the device, against those
// of the reference plan.
#ifndef HK_RUNTIME_ACCURACY_GATE_H
#define HK_RUNTIME_ACCURACY_GATE_H

#include "chunk_reader.h"
#include "gate_elements.h"
#include "memory.h"
#include "thread_pool.h"

#include <string>
#include <vector>

namespace hk {

struct GateResult {
  uint64_t compared = 0; // with the reference, until a chunk failed
  uint64_t failed = 0;
  double maxError = 0; // of the elements that are finite
  /// Where the error is the largest part of what is allowed, if one failed:
  /// "output 0 at [1, 2]: expects 0.5, but got 0.75".
  std::string worst;
};

/// Outputs of the reference plan, for many comparisons.
class AccuracyGate {
public:
  /// Outputs larger than this are left on the device, for the host's sake.
  static constexpr uint64_t kKeptOnHost = uint64_t(8) << 30;

  /// The device is entered while this lives. `stream`: of what writes outputs.
  AccuracyGate(Device &device, Workers &workers,
               const schema::Function &function, void *stream,
               uint64_t hostLimit = kKeptOnHost)
      : device_(device), workers_(workers), function_(function),
        hostLimit_(hostLimit), reader_(device, stream),
        referenceReader_(device, stream) {}

  /// Memory for the reference's outputs, like those of `outputs`, which passed
  /// checkTensor; by output.
  Status reserve(DLTensor *const *outputs, std::vector<void *> &memory);
  /// Keeps what the reference plan wrote there.
  Status keep();

  /// Bytes that a comparison reads.
  uint64_t bytes() const { return bytes_; }
  /// Whether enough of the reference is finite to compare with; elements that
  /// are not are left out.
  bool tellsAnything() const;
  /// "12 of 16 elements that are not, the first output 0 at [1, 2]"
  std::string notFinite() const;

  /// Compares outputs of the same shapes. Ends after the first chunk that has
  /// elements that fail.
  Status compare(DLTensor *const *outputs, GateResult &result);

private:
  struct Reference {
    schema::DType dtype = schema::DType::Invalid;
    uint64_t size = 0; // bytes
    DeviceBuffer device;
    Mapping host; // or empty
  };

  Status keep(uint32_t output, bool onHost);
  std::string place(uint32_t output, uint64_t index) const;
  void tell(uint32_t output, uint64_t start, const uint8_t *got,
            const uint8_t *expected, const std::vector<GateFindings> &found,
            double &worstRatio, GateResult &result) const;

  Device &device_;
  Workers &workers_;
  const schema::Function &function_;
  uint64_t hostLimit_;
  std::vector<std::unique_ptr<Reference>> references_; // by output
  // They end what they still read of these: so they go first.
  ChunkReader reader_, referenceReader_;
  uint64_t bytes_ = 0;
  uint64_t elements_ = 0, notFinite_ = 0;
  std::string firstNotFinite_;
};

} // namespace hk

#endif // HK_RUNTIME_ACCURACY_GATE_H

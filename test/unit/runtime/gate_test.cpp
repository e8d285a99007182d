// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The accuracy gate: element by element, and on outputs of the device.
#include "accuracy_gate.h"
#include "cuda_fixture.h"
#include "half.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

namespace hk {
namespace test {
namespace {

using schema::DType;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// The gate's definition, one element at a time.
bool passes(double got, double expected) {
  const double error = std::fabs(got - expected);
  return std::isfinite(got) && (error <= kGateAbsolute ||
                                error <= kGateRelative * std::fabs(expected));
}

GateFindings compareFloats(const std::vector<float> &got,
                           const std::vector<float> &expected, uint64_t begin,
                           uint64_t end) {
  GateFindings found;
  compareElements(DType::F32, reinterpret_cast<const uint8_t *>(got.data()),
                  reinterpret_cast<const uint8_t *>(expected.data()), begin,
                  end, found);
  return found;
}

TEST(GateElements, AgreeWithTheDefinitionAtItsEdges) {
  // Errors around what is allowed, to the last bit, in every place of a block.
  std::mt19937 random(7);
  std::uniform_real_distribution<float> values(-3, 3);
  std::vector<float> expected(5000), got;
  for (float &value : expected)
    value = values(random);
  got = expected;
  for (size_t i = 0; i < got.size(); i += 7) {
    const double allowed =
        std::max(kGateAbsolute, kGateRelative * std::fabs(double(expected[i])));
    float edge = static_cast<float>(expected[i] + allowed);
    for (int step = static_cast<int>(i % 5) - 2; step != 0;
         step += step < 0 ? 1 : -1)
      edge = std::nextafter(edge, step < 0 ? -kInfinity : kInfinity);
    got[i] = edge;
  }
  uint64_t failed = 0;
  double maxError = 0;
  for (size_t i = 0; i < got.size(); ++i) {
    failed += !passes(got[i], expected[i]);
    maxError = std::max(maxError, std::fabs(double(got[i]) - expected[i]));
  }
  ASSERT_GT(failed, 100u);
  const GateFindings found = compareFloats(got, expected, 0, got.size());
  EXPECT_EQ(found.failed, failed);
  EXPECT_EQ(found.leftOut, 0u);
  EXPECT_NEAR(found.maxError, maxError, 1e-7);
}

TEST(GateElements, OneInAMillionIsFound) {
  for (float wrong : {NAN, kInfinity, -kInfinity, 1.021f})
    for (uint64_t at : {0, 15, 1023, 1024, 99999, 1048575}) {
      std::vector<float> expected(1048576, 1.0f), got(1048576, 1.0f);
      got[at] = wrong;
      const GateFindings found = compareFloats(got, expected, 0, got.size());
      EXPECT_EQ(found.failed, 1u) << wrong << " at " << at;
      EXPECT_EQ(found.worst, at);
    }
}

TEST(GateElements, AReferenceThatIsNotFiniteIsLeftOut) {
  std::vector<float> expected(3000, 1.0f), got(3000, 1.0f);
  for (size_t i : {5, 1500, 2999})
    expected[i] = i == 1500 ? -kInfinity : NAN;
  // Whatever is there instead.
  got[5] = NAN;
  got[1500] = 7;
  const GateFindings found = compareFloats(got, expected, 0, got.size());
  EXPECT_EQ(found.failed, 0u);
  EXPECT_EQ(found.leftOut, 3u);
  uint64_t first = kNoElement;
  EXPECT_EQ(countNotFinite(DType::F32,
                           reinterpret_cast<const uint8_t *>(expected.data()),
                           6, 3000, first),
            2u);
  EXPECT_EQ(first, 1500u);
  // What overflows in float32 does not in float64.
  expected.assign(1024, 3e38f);
  got.assign(1024, -3e38f);
  EXPECT_EQ(compareFloats(got, expected, 0, 1024).failed, 1024u);
}

template <typename Format> void expectNarrowTypes(DType dtype) {
  // Every value there is, against itself and against its neighbour.
  std::vector<uint16_t> all(65536), next(65536);
  for (uint32_t i = 0; i < 65536; ++i) {
    all[i] = static_cast<uint16_t>(i);
    next[i] = static_cast<uint16_t>(i + 1);
  }
  for (const std::vector<uint16_t> &got : {all, next}) {
    GateFindings expected, found;
    for (uint32_t i = 0; i < 65536; ++i) {
      const double reference = Format::toDouble(all[i]);
      if (!std::isfinite(reference))
        ++expected.leftOut;
      else
        expected.failed += !passes(Format::toDouble(got[i]), reference);
    }
    compareElements(dtype, reinterpret_cast<const uint8_t *>(got.data()),
                    reinterpret_cast<const uint8_t *>(all.data()), 0, 65536,
                    found);
    EXPECT_EQ(found.failed, expected.failed);
    EXPECT_EQ(found.leftOut, expected.leftOut);
    uint64_t first = kNoElement;
    EXPECT_EQ(countNotFinite(dtype,
                             reinterpret_cast<const uint8_t *>(all.data()), 0,
                             65536, first),
              expected.leftOut);
  }
}

TEST(GateElements, NarrowFloats) {
  expectNarrowTypes<Float16>(DType::F16);
  expectNarrowTypes<BFloat16>(DType::BF16);
}

TEST(GateElements, IntegersAreEqualOrWrong) {
  const int32_t expected[] = {1, 100000}, got[] = {1, 100001};
  GateFindings found;
  compareElements(DType::I32, reinterpret_cast<const uint8_t *>(got),
                  reinterpret_cast<const uint8_t *>(expected), 0, 2, found);
  EXPECT_EQ(found.failed, 1u);
  EXPECT_EQ(found.worst, 1u);
}

/// Outputs of several chunks.
class GateTest : public CudaTest {
protected:
  void open(int64_t batch, uint64_t hostLimit = AccuracyGate::kKeptOnHost) {
    makeSession(affineCudaModule(), "layers");
    function_ = module_->metadata().functions()->Get(0);
    scope_ = std::make_unique<DeviceScope>(context_->device());
    out_ = std::make_unique<CudaTensor<float>>(batch);
    expectOk(output_.allocate(context_->device(), 4 * out_->data.size()));
    out_->dl.data = output_.data();
    outputs_[0] = &out_->dl;
    gate_ = std::make_unique<AccuracyGate>(
        context_->device(), context_->workers(), *function_, nullptr,
        hostLimit);
    expectOk(gate_->reserve(outputs_, memory_));
    reference_ = static_cast<float *>(memory_[0]);
    count_ = 8 * batch;
    for (int64_t i = 0; i < count_; ++i)
      reference_[i] = got()[i] = static_cast<float>(i % 1000);
  }
  void TearDown() override {
    gate_.reset();
    output_.reset();
    scope_.reset();
    CudaTest::TearDown();
  }
  float *got() { return reinterpret_cast<float *>(output_.data()); }

  void expectManyChunks(uint64_t hostLimit);
  void expectFinite(int64_t finite, bool isEnough);
  GateResult compare() {
    GateResult result;
    expectOk(gate_->compare(outputs_, result));
    return result;
  }

  const schema::Function *function_ = nullptr;
  std::unique_ptr<DeviceScope> scope_;
  std::unique_ptr<CudaTensor<float>> out_;
  DeviceBuffer output_;
  DLTensor *outputs_[1] = {nullptr};
  std::unique_ptr<AccuracyGate> gate_;
  std::vector<void *> memory_;
  float *reference_ = nullptr;
  int64_t count_ = 0;
};

void GateTest::expectManyChunks(uint64_t hostLimit) {
  open(3 * (int64_t(1) << 18) + 5, hostLimit); // 24 MiB and a little
  expectOk(gate_->keep());
  EXPECT_TRUE(gate_->tellsAnything());
  EXPECT_EQ(gate_->bytes(), 4u * count_);
  for (int turn = 0; turn < 2; ++turn) {
    const GateResult result = compare();
    EXPECT_EQ(result.compared, uint64_t(count_));
    EXPECT_EQ(result.failed, 0u);
    EXPECT_EQ(result.maxError, 0);
  }
  got()[count_ - 1] = NAN;
  GateResult result = compare();
  EXPECT_EQ(result.failed, 1u);
  EXPECT_EQ(result.compared, uint64_t(count_));
  EXPECT_EQ(result.worst.substr(0, 25), "output 0 at [786436, 7]: ");
  // What is wrong in the second chunk ends it there.
  got()[(int64_t(1) << 21) + 9] += 500;
  result = compare();
  EXPECT_EQ(result.failed, 1u);
  EXPECT_EQ(result.compared, uint64_t(2) << 21);
  EXPECT_EQ(result.maxError, 500);
}

TEST_F(GateTest, ManyChunks) { expectManyChunks(AccuracyGate::kKeptOnHost); }

TEST_F(GateTest, AReferenceThatStaysOnTheDevice) { expectManyChunks(0); }

TEST_F(GateTest, TheReferenceIsKept) {
  open(100);
  expectOk(gate_->keep());
  EXPECT_EQ(compare().failed, 0u);
  reference_ = nullptr; // freed
  got()[3] = 4;
  EXPECT_EQ(compare().worst, "output 0 at [0, 3]: expects 3, but got 4");
}

void GateTest::expectFinite(int64_t finite, bool isEnough) {
  open(100); // 800 elements
  for (int64_t i = 0; i < count_ - finite; ++i)
    reference_[i] = NAN;
  expectOk(gate_->keep());
  EXPECT_EQ(gate_->tellsAnything(), isEnough);
  EXPECT_EQ(gate_->notFinite(),
            concat(800 - finite, " of 800 elements that are not, the first "
                                 "output 0 at [0, 0]"));
  const GateResult result = compare();
  EXPECT_EQ(result.compared, uint64_t(finite));
  EXPECT_EQ(result.failed, 0u);
}

TEST_F(GateTest, OfWhatIsFiniteOneInSixteenIsEnough) { expectFinite(50, true); }

TEST_F(GateTest, LessIsNot) { expectFinite(49, false); }

TEST_F(GateTest, NothingIsNothing) {
  open(0);
  expectOk(gate_->keep());
  EXPECT_TRUE(gate_->tellsAnything());
  EXPECT_EQ(compare().compared, 0u);
}

TEST_F(GateTest, ErrorsOfTheDriverAreSaid) {
  open(100);
  for (const char *entry : {"cuMemAllocHost_v2", "cuMemcpyDtoHAsync_v2"}) {
    fakeCuda().failures[entry] = cuda::CUDA_ERROR_OUT_OF_MEMORY;
    expectError(gate_->keep(), HK_OUT_OF_MEMORY,
                std::string(entry) == "cuMemAllocHost_v2"
                    ? "cannot allocate 3200 bytes of page-locked memory: "
                      "CUDA_ERROR_OUT_OF_MEMORY (out of memory)"
                    : "cannot copy 3200 bytes from the GPU");
    fakeCuda().failures.clear();
  }
  expectOk(gate_->keep());
  EXPECT_EQ(compare().failed, 0u);
}

} // namespace
} // namespace test
} // namespace hk

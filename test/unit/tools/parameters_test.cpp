// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/parallel.h"
#include "common/parameters.h"
#include "common/random.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace hk::tools;

// The published first outputs of SplitMix64 for the state 1234567.
TEST(Random, IsSplitMix64) {
  RandomStream stream(1234567);
  EXPECT_EQ(stream.bits(0), 6457827717110365317u);
  EXPECT_EQ(stream.bits(1), 3203168211198807973u);
  EXPECT_EQ(stream.bits(2), 9817491932198370423u);
  EXPECT_EQ(stream.bits(3), 4593380528125082431u);
  EXPECT_EQ(stream.bits(4), 16408922859458223821u);
}

TEST(Random, NormalHasUnitVariance) {
  RandomStream stream(7, "x");
  double sum = 0, squares = 0;
  const int count = 100000;
  for (int i = 0; i < count; ++i) {
    double value = stream.normal(i);
    sum += value;
    squares += value * value;
  }
  EXPECT_NEAR(sum / count, 0, 0.02);
  EXPECT_NEAR(squares / count, 1, 0.03);
}

TEST(Random, BelowStaysBelow) {
  RandomStream stream(7);
  bool seen[3] = {};
  for (int i = 0; i < 100; ++i)
    seen[stream.below(i, 3)] = true;
  EXPECT_TRUE(seen[0] && seen[1] && seen[2]);
}

static const std::vector<Parameter> kParameters = {
    {"a.weight", ElementType::F32, {100, 25}},
    {"a.bias", ElementType::F32, {100}},
    {"n.weight", ElementType::F32, {8}},
    {"n.bias", ElementType::F32, {8}},
    {"odd.bias", ElementType::F32, {16}},
};

static void expectWithin(const Tensor &tensor, double low, double high) {
  double least = tensor.at(0), most = tensor.at(0);
  for (int64_t i = 0; i < tensor.elementCount(); ++i) {
    least = std::min(least, tensor.at(i));
    most = std::max(most, tensor.at(i));
  }
  EXPECT_GE(least, low);
  EXPECT_LE(most, high);
  EXPECT_LE(least, low + 0.4 * (high - low));
  EXPECT_GE(most, high - 0.4 * (high - low));
}

TEST(Parameters, PyTorchDefaults) {
  ParameterInitialiser initialiser(kParameters, 1, false);
  expectWithin(initialiser.make(kParameters[0]), -0.2, 0.2);
  expectWithin(initialiser.make(kParameters[1]), -0.2, 0.2);
  expectWithin(initialiser.make(kParameters[2]), 1, 1);
  expectWithin(initialiser.make(kParameters[3]), 0, 0);
  expectWithin(initialiser.make(kParameters[4]), -0.25, 0.25);
}

TEST(Parameters, RandomNorm) {
  ParameterInitialiser initialiser(kParameters, 1, true);
  expectWithin(initialiser.make(kParameters[2]), 0.5, 1.5);
  expectWithin(initialiser.make(kParameters[3]), -0.5, 0.5);
}

TEST(Parameters, DependOnSeedAndKeyAlone) {
  ParameterInitialiser one(kParameters, 1, false), two(kParameters, 2, false);
  std::vector<Parameter> reversed(kParameters.rbegin(), kParameters.rend());
  ParameterInitialiser again(reversed, 1, false);
  Tensor first = one.make(kParameters[0]);
  EXPECT_EQ(first.at(3), again.make(kParameters[0]).at(3));
  EXPECT_NE(first.at(3), two.make(kParameters[0]).at(3));
  EXPECT_NE(first.at(3), one.make(kParameters[1]).at(3));
}

TEST(ParallelRanges, CoverEverythingOnce) {
  for (int64_t count : {0, 1, 1 << 20, (1 << 20) + 7}) {
    std::vector<char> seen(static_cast<size_t>(count), 0);
    parallelRanges(count, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        ++seen[i];
    });
    EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), count);
  }
}

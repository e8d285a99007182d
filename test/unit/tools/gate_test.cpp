// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/gate.h"

#include "common/error.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace hk::tools;

static Tensor make(ElementType type, std::vector<double> values) {
  Tensor tensor(type, {1, static_cast<int64_t>(values.size())});
  for (size_t i = 0; i < values.size(); ++i)
    tensor.set(static_cast<int64_t>(i), values[i]);
  return tensor;
}

static GateReport compare(std::vector<double> y, std::vector<double> reference,
                          Gate gate = {}) {
  GateReport report;
  compareSequence(gate, 0, make(ElementType::F64, y), 0,
                  make(ElementType::F64, reference), 0, report);
  return report;
}

TEST(Gate, PassesByEitherTolerance) {
  EXPECT_TRUE(compare({0.0019, 101.9}, {0, 100}).passed());
  EXPECT_FALSE(compare({0.0021}, {0}).passed());
  EXPECT_FALSE(compare({102.1}, {100}).passed());
  EXPECT_FALSE(compare({-1}, {1}).passed());
}

TEST(Gate, NonFiniteFails) {
  for (double bad : {double(NAN), double(INFINITY), -double(INFINITY)}) {
    GateReport report = compare({1, bad}, {1, 1});
    EXPECT_EQ(report.failed, 1);
    EXPECT_EQ(report.worst.output, "output 0 at [0, 1]");
    EXPECT_TRUE(std::isinf(report.worst.ratio));
  }
}

TEST(Gate, ReportsTheWorstAndTheFirst) {
  GateReport report = compare({1, 2, 5, 4.5}, {1, 1, 4, 1});
  EXPECT_EQ(report.compared, 4);
  EXPECT_EQ(report.failed, 3);
  ASSERT_EQ(report.listed.size(), 3u);
  EXPECT_EQ(report.listed[0].output, "output 0 at [0, 1]");
  EXPECT_EQ(report.worst.output, "output 0 at [0, 3]");
  EXPECT_EQ(report.worst.value, 4.5);
  EXPECT_EQ(report.worst.reference, 1);
  EXPECT_EQ(report.maxError, 3.5);
}

TEST(Gate, ListsOnlyAFew) {
  GateReport report =
      compare(std::vector<double>(50, 1), std::vector<double>(50, 0));
  EXPECT_EQ(report.failed, 50);
  EXPECT_EQ(report.listed.size(), GateReport::kMaxListed);
}

TEST(Gate, NothingComparedIsNoPass) { EXPECT_FALSE(GateReport().passed()); }

TEST(Gate, ZeroTolerance) {
  EXPECT_TRUE(compare({1, 0}, {1, 0}, {0, 0}).passed());
  EXPECT_FALSE(compare({1 + 1e-15}, {1}, {0, 0}).passed());
}

TEST(Gate, ReferenceMustBeFinite) {
  EXPECT_THROW(
      {
        try {
          compare({1}, {double(NAN)});
        } catch (const ToolError &error) {
          EXPECT_EQ(error.code, ExitUserError);
          EXPECT_NE(std::string(error.what())
                        .find("expects a finite reference, but got nan for "
                              "output 0 at [0, 0]"),
                    std::string::npos);
          throw;
        }
      },
      ToolError);
}

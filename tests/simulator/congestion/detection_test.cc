// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "congestion/detection.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace ccsim {
namespace detection_test {

class DetectionTest : public ::testing::Test {
 protected:
  DetectionTest() : ports(5) {
    model.input_buffer_bytes = 16000;
    model.hysteresis_bytes = 300;
    tables.num_ports = 4;
    tables.ports = ports.data();
    tables.setting.control_map = 0x1F;
    tables.setting.threshold = 15;
    tables.setting.marking_rate = 7;
    tables.setting.packet_size = 8;
    ccp_port_mask_set(tables.setting.victim_mask, 2);
  }
  SwitchModel model;
  std::vector<ccp_switch_port_setting> ports;
  ccp_switch_tables tables{};
};

TEST_F(DetectionTest, ThresholdsAreUniformlyDecreasingFillLevels) {
  for (unsigned t = 1; t < 15; ++t) {
    EXPECT_DOUBLE_EQ(ThresholdFillBytes(model, t) - ThresholdFillBytes(model, t + 1), 1000);
  }
  EXPECT_DOUBLE_EQ(ThresholdFillBytes(model, 15), 1000);
  model.threshold_reference_bytes = 32000;
  EXPECT_DOUBLE_EQ(ThresholdFillBytes(model, 15), 2000);
}

TEST_F(DetectionTest, TheReleaseLevelLiesTheHysteresisBelow) {
  const Detection d = MakeDetection(model, tables, 1);
  EXPECT_EQ(d.high_bytes, 1000u);
  EXPECT_EQ(d.low_bytes, 700u);
  EXPECT_EQ(d.marking_rate, 7u);
  EXPECT_EQ(d.min_bytes, 512);
  EXPECT_FALSE(d.victim_mask);
  EXPECT_TRUE(MakeDetection(model, tables, 2).victim_mask);
  model.hysteresis_bytes = 5000;  // below the floor: release when empty
  EXPECT_EQ(MakeDetection(model, tables, 1).low_bytes, 1u);
}

TEST_F(DetectionTest, APortsOwnSettingGoesBeforeTheSwitchs) {
  ports[3] = {true, 0, 1, 4, 99};
  const Detection d = MakeDetection(model, tables, 3);
  EXPECT_EQ(d.high_bytes, 15000u);
  EXPECT_EQ(d.marking_rate, 99u);
  EXPECT_EQ(d.min_bytes, 256);
  EXPECT_EQ(MakeDetection(model, tables, 4).high_bytes, 1000u);
}

TEST_F(DetectionTest, Threshold0NeverMarks) {
  tables.setting.threshold = 0;
  EXPECT_EQ(MakeDetection(model, tables, 1).high_bytes, UINT32_MAX);
  EXPECT_FALSE(MakeDetection(model, tables, 1).marks());
}

TEST_F(DetectionTest, MarksOneInMarkingRatePlusOne) {
  Rng rng(1, 0);
  for (const std::uint32_t rate : {0u, 1u, 9u, 255u}) {
    int marks = 0;
    constexpr int kDraws = 200000;
    for (int i = 0; i < kDraws; ++i) marks += DrawMark(rate, rng);
    const double p = 1.0 / (rate + 1);
    EXPECT_NEAR(marks, kDraws * p, 5 * std::sqrt(kDraws * p * (1 - p)) + 0.5) << rate;
  }
}

}  // namespace detection_test
}  // namespace ccsim

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "engine/islip.hpp"

#include <gtest/gtest.h>

#include "engine/engine.hpp"
#include "engine/running.hpp"
#include "testing.hpp"

namespace ccsim {
namespace islip_test {

using namespace testing;

// Two hosts that send to both of two others, on a switch with the given crossbar whose inputs give one packet at once; payload that
// arrives, in Gb/s, over all four flows.
double ThroughputGbps(double crossbar_gbps) {
  const Bed bed = OneSwitch(4);
  Model model;
  model.switches.read_ports = 1;
  model.scheme = {"voqsw", {{"crossbar_gbps", crossbar_gbps}}};
  const std::vector<Flow> flows = {MakeFlow(bed.h(1), bed.h(3)), MakeFlow(bed.h(1), bed.h(4)), MakeFlow(bed.h(2), bed.h(3)),
                                   MakeFlow(bed.h(2), bed.h(4))};
  const RunOptions options = Options(1e-3, 1e-4);
  Engine engine(bed.fabric, model, flows, nullptr, options);
  RunChecked(engine);
  double sum = 0;
  for (std::size_t flow = 0; flow < flows.size(); ++flow) sum += Gbps(engine, flow, options.sample_interval);
  return sum;
}

TEST(Islip, ACrossbarAsFastAsTheLinksFillsThem) {
  EXPECT_NEAR(ThroughputGbps(16), 2 * kLinkGbps, 0.02 * kLinkGbps);
  EXPECT_NEAR(ThroughputGbps(0), 2 * kLinkGbps, 0.02 * kLinkGbps);
}

TEST(Islip, ASlowCrossbarIsWhatHoldsPacketsUp) { EXPECT_NEAR(ThroughputGbps(8), kLinkGbps, 0.02 * kLinkGbps); }

TEST(Islip, RefusesACrossbarTooSlowToSimulate) {
  try {
    ThroughputGbps(1e-9);
    FAIL() << "it was not refused";
  } catch (const std::invalid_argument& error) {
    EXPECT_EQ(std::string(error.what()),
              "model.scheme.crossbar_gbps is 1e-09; it must be 0, or at least the slowest rate that is simulated, 0.001 Gb/s");
  }
}

}  // namespace islip_test
}  // namespace ccsim

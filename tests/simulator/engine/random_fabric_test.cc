// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// random_fabric_test.cc: random small fabrics, flows, tables and models under the sanitizers; every packet must arrive, in order,
// and every credit come back. tests/ccsim/test_simulation_properties.py does the same from Python, with profiles.
#include <gtest/gtest.h>

#include "engine/engine.hpp"
#include "engine/random_runs.hpp"
#include "engine/run_dry.hpp"
#include "quick.hpp"

namespace ccsim {
namespace random_fabric_test {

using namespace testing;

TEST(RandomFabric, ServiceLevelsAndProgrammingLoseNothing) {
  std::uint64_t packets = 0, becns = 0, held = 0;
  for (std::uint64_t seed = 1; seed <= ibcc_test::RandomCases(300); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Rng rng(seed, 77);
    Bed bed = RandomTree(rng);
    Model model = RandomModel(rng);
    AddServiceLevels(rng, bed.fabric, model);
    std::vector<Flow> flows = RandomFlows(rng, bed);
    AddManyDestinations(rng, bed, flows);
    RunOptions options;
    options.seed = seed;
    options.duration = FromSeconds(0.5);
    options.sample_interval = FromSeconds(0.1);
    for (std::uint64_t i = rng.Below(6); i > 0; --i) {
      const std::shared_ptr<const ccp_tables> tables(RandomTables(rng, bed.fabric).release(), ccp_tables_destroy);
      options.programmings.push_back({FromNs(static_cast<double>(rng.Below(150'000))), tables});
    }
    const auto tables = RandomTables(rng, bed.fabric);
    Engine engine(bed.fabric, model, flows, rng.Below(4) == 0 ? nullptr : tables.get(), options);
    ASSERT_NO_FATAL_FAILURE(RunDry(engine));
    for (const FlowCounters& c : engine.flow_counters()) {
      packets += c.sent_packets;
      becns += c.becn_received;
    }
    for (const PortCounters& c : engine.port_counters()) held += c.credits_held;
  }
  if (ibcc_test::Quick()) return;  // so few need not have all kinds
  EXPECT_GT(packets, 10000u);
  EXPECT_GT(becns, 500u);
  EXPECT_GT(held, 500u);
}

// Queue pairs that have been throttled each by itself are throttled together with all of their SL from some moment on, while messages
// wait for them and the host chooses among VLs.
TEST(RandomFabric, DrawnQueuePairsThatChangeTheirThrottleLoseNothing) {
  std::uint64_t packets = 0, becns = 0;
  for (std::uint64_t seed = 1301; seed <= 1300 + ibcc_test::RandomCases(150); ++seed) {  // 1350 showed it once
    SCOPED_TRACE("seed " + std::to_string(seed));
    Rng rng(seed, 66);
    Bed bed = RandomTree(rng);
    Model model = RandomModel(rng);
    AddServiceLevels(rng, bed.fabric, model);
    SetRandomPathSls(rng, bed.fabric);
    bed.fabric.SetDefaultVlArbitration(RandomArbitration(rng, model.num_vls + 1));
    auto everybody = std::make_shared<Destinations>();
    everybody->endports = bed.hosts;
    std::vector<Flow> flows = RandomFlows(rng, bed);
    for (const std::uint32_t host : bed.hosts) {
      Flow flow;
      flow.src = host;
      flow.destinations = everybody;
      flow.stop = FromSeconds(1e-4);
      flow.message_bytes = 4096;
      flows.push_back(std::move(flow));
    }
    UniformTables settings;
    settings.threshold = 15;
    settings.ccti_timer = 20;
    settings.ccti_increase = 4;
    const Tables first = MakeTables(bed.fabric, settings);
    settings.sl_level = true;
    const std::shared_ptr<const ccp_tables> then(MakeTables(bed.fabric, settings).release(), ccp_tables_destroy);
    RunOptions options;
    options.seed = seed;
    options.duration = FromSeconds(0.5);
    options.sample_interval = FromSeconds(0.1);
    options.programmings.push_back({FromNs(20'000 + static_cast<double>(rng.Below(50'000))), then});
    Engine engine(bed.fabric, model, flows, first.get(), options);
    ASSERT_NO_FATAL_FAILURE(RunDry(engine));
    for (const FlowCounters& c : engine.flow_counters()) {
      packets += c.sent_packets;
      becns += c.becn_received;
    }
  }
  if (ibcc_test::Quick()) return;  // so few need not have all kinds
  EXPECT_GT(packets, 10000u);
  EXPECT_GT(becns, 500u);
}

TEST(RandomFabric, EveryPacketArrivesAndEveryCreditComesBack) {
  std::uint64_t packets = 0, marks = 0;
  for (std::uint64_t seed = 1; seed <= ibcc_test::RandomCases(300); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Rng rng(seed, 99);
    const Bed bed = RandomTree(rng);
    const auto tables = MakeTables(bed.fabric, RandomSettings(rng));
    const std::vector<Flow> flows = RandomFlows(rng, bed);
    RunOptions options;
    options.seed = seed;
    options.duration = FromSeconds(0.5);
    options.sample_interval = FromSeconds(0.1);
    Engine engine(bed.fabric, RandomModel(rng), flows, rng.Below(4) == 0 ? nullptr : tables.get(), options);
    ASSERT_NO_FATAL_FAILURE(RunDry(engine));
    for (const FlowCounters& c : engine.flow_counters()) {
      packets += c.sent_packets;
    }
    for (const PortCounters& c : engine.port_counters()) marks += c.fecn_marked;
  }
  if (ibcc_test::Quick()) return;  // so few need not have all kinds
  EXPECT_GT(packets, 10000u);
  EXPECT_GT(marks, 1000u);
}

}  // namespace random_fabric_test
}  // namespace ccsim

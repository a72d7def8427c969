// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core_program_test.cc: tables that are set while packets are under way.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/engine.hpp"
#include "quick.hpp"
#include "running.hpp"
#include "testing.hpp"

namespace ccsim {
namespace core_program_test {

using testing::Bed;
using testing::Gbps;
using testing::MakeFlow;
using testing::MakeTables;
using testing::Options;
using testing::RunChecked;
using testing::TwoSwitch;
using testing::UniformTables;

using SharedTables = std::shared_ptr<const ccp_tables>;

SharedTables Share(testing::Tables tables) { return {tables.release(), ccp_tables_destroy}; }

UniformTables Settings() {
  UniformTables settings;
  settings.marking_rate = 1;
  settings.packet_size = 8;
  settings.ccti_timer = 30;
  return settings;
}

SharedTables On(const Bed& bed) { return Share(MakeTables(bed.fabric, Settings())); }

// What clears the devices: Threshold 0, no masks, a CCT of one entry without delay.
SharedTables Off(const Bed& bed) {
  UniformTables settings{.threshold = 0, .victim_mask = false, .ccti_timer = 0, .ccti_increase = 0, .ccti_limit = 0};
  return Share(MakeTables(bed.fabric, settings));
}

// The victim H1 to H4 and four contributors to H5.
std::vector<Flow> Incast(const Bed& bed) {
  std::vector<Flow> flows{MakeFlow(bed.h(1), bed.h(4))};
  for (const int i : {2, 3, 6, 7}) flows.push_back(MakeFlow(bed.h(i), bed.h(5)));
  return flows;
}

struct Outcome {
  std::vector<std::uint64_t> series;
  std::vector<std::uint64_t> marked;
  std::vector<double> gbps;  // of each flow over the second half
  bool operator==(const Outcome&) const = default;
};

Outcome RunWith(const ccp_tables* tables, std::vector<Programming> programmings, double duration_s = 0.04) {
  const Bed bed = TwoSwitch();
  const std::vector<Flow> flows = Incast(bed);
  RunOptions options = Options(duration_s, 0.001);
  options.programmings = std::move(programmings);
  Engine engine(bed.fabric, Model{}, flows, tables, options);
  RunChecked(engine);
  Outcome outcome{engine.record().received_bytes, {}, {}};
  for (const PortCounters& c : engine.port_counters()) outcome.marked.push_back(c.fecn_marked);
  for (std::size_t f = 0; f < flows.size(); ++f) {
    outcome.gbps.push_back(Gbps(engine, f, options.sample_interval, engine.record().num_samples / 2));
  }
  return outcome;
}

TEST(Programming, TheSameTablesAgainChangeNothing) {
  const Bed bed = TwoSwitch();
  for (const SharedTables& tables : {On(bed), Off(bed)}) {
    const Outcome once = RunWith(tables.get(), {});
    std::vector<Programming> again;
    for (const double t : {0.0, 0.001, 0.0101, 0.0202, 0.04}) again.push_back({FromSeconds(t), tables});
    EXPECT_EQ(RunWith(tables.get(), again), once);
  }
}

TEST(Programming, OnFromSomeTimeIsInTheEndAsOnFromTheStartAndBeforeItAsOff) {
  IBCC_LONG_TEST();
  const Bed bed = TwoSwitch();
  for (const bool sl_level : {false, true}) {
    UniformTables settings = Settings();
    settings.sl_level = sl_level;
    const SharedTables on = Share(MakeTables(bed.fabric, settings));
    const Outcome never = RunWith(nullptr, {});
    const Outcome always = RunWith(on.get(), {}, 0.2);
    ASSERT_LT(never.gbps[0], 5);
    ASSERT_GT(always.gbps[0], 10);
    const Outcome later = RunWith(nullptr, {{FromSeconds(0.01), on}});
    for (std::size_t i = 0; i < 10 * 5; ++i) EXPECT_EQ(later.series[i], never.series[i]);
    const Outcome in_the_end = RunWith(nullptr, {{FromSeconds(0.01), on}}, 0.2);
    for (std::size_t f = 0; f < 5; ++f) EXPECT_NEAR(in_the_end.gbps[f], always.gbps[f], 0.05 * always.gbps[f]) << f;
    // From cleared devices it is exactly the same as from such that were never set.
    EXPECT_EQ(RunWith(Off(bed).get(), {{FromSeconds(0.01), on}}), later);
    EXPECT_EQ(RunWith(nullptr, {{FromSeconds(0.01), on}}), later);
  }
}

TEST(Programming, OffAgainIsAsOff) {
  const Bed bed = TwoSwitch();
  const Outcome never = RunWith(nullptr, {});
  const Outcome off = RunWith(On(bed).get(), {{FromSeconds(0.01), Off(bed)}});
  for (std::size_t f = 0; f < 5; ++f) EXPECT_NEAR(off.gbps[f], never.gbps[f], 0.01 * never.gbps[f]) << f;
}

TEST(Programming, ACctiStaysWithinItsNewBounds) {
  const Bed bed = TwoSwitch();
  const std::vector<Flow> flows = Incast(bed);
  UniformTables settings = Settings();
  settings.ccti_limit = 5;
  settings.ccti_min = 3;
  RunOptions options = Options(0.02, 0.001);
  options.trace_ccti = true;
  options.programmings = {{FromSeconds(0.0101), Share(MakeTables(bed.fabric, settings))}};
  Engine engine(bed.fabric, Model{}, flows, On(bed).get(), options);
  RunChecked(engine);
  std::uint16_t before = 0;
  for (std::size_t i = 0; i < engine.record().ccti.size(); ++i) {
    const std::uint16_t ccti = engine.record().ccti[i];
    if (i < 10 * flows.size()) {
      before = std::max(before, ccti);
    } else {
      EXPECT_GE(ccti, 3);
      EXPECT_LE(ccti, 5);
    }
  }
  EXPECT_GT(before, 5);
}

TEST(Programming, AControlMapKeepsWhatItDoesNotName) {
  const Bed bed = TwoSwitch();
  const Outcome once = RunWith(On(bed).get(), {});
  testing::Tables off = MakeTables(bed.fabric, {.threshold = 0, .ccti_min = 100});
  for (std::uint32_t i = 0; i < off->num_switches; ++i)
    off->switches[i].setting.control_map = 0x18;                                              // Marking_Rate and starvation
  for (std::uint32_t i = 0; i < off->num_cas; ++i) off->cas[i].setting.control_map = 0xFFFE;  // all SLs but 0
  for (std::uint32_t i = 0; i < off->num_switches; ++i) off->switches[i].setting.marking_rate = 1;
  EXPECT_EQ(RunWith(On(bed).get(), {{FromSeconds(0.01), Share(std::move(off))}}), once);
}

// Queue pairs of flows to many destinations come and go; with the level of control, so do the throttles that they share.
TEST(Programming, LevelsOfControlChangeWhileEverythingIsDelivered) {
  const Bed bed = TwoSwitch();
  auto everyone = std::make_shared<Destinations>();
  everyone->endports = bed.hosts;
  std::vector<Flow> flows;
  for (int i = 1; i <= 7; ++i) {
    flows.push_back(MakeFlow(bed.h(i), 0));
    flows.back().destinations = everyone;
    flows.back().message_bytes = 10000;
    flows.push_back(MakeFlow(bed.h(i), bed.h(i == 5 ? 4 : 5), 3));
    flows.back().queue_pairs = 3;
    for (std::size_t f : {flows.size() - 2, flows.size() - 1}) flows[f].stop = FromSeconds(0.01);
  }
  UniformTables settings = Settings();
  settings.ccti_increase = 3;
  const SharedTables by_qp = Share(MakeTables(bed.fabric, settings));
  settings.sl_level = true;
  const SharedTables by_sl = Share(MakeTables(bed.fabric, settings));
  RunOptions options = Options(0.5, 0.05);
  for (int i = 0; i < 9; ++i) options.programmings.push_back({FromSeconds(0.001 * (i + 1)), i % 2 == 0 ? by_qp : by_sl});
  options.programmings.push_back({FromSeconds(0.02), Off(bed)});
  Engine engine(bed.fabric, Model{}, flows, nullptr, options);
  RunChecked(engine);
  EXPECT_EQ(engine.packets_in_flight(), 0u);
  EXPECT_TRUE(engine.AllCreditsReturned());
  std::uint64_t becns = 0;
  for (const FlowCounters& c : engine.flow_counters()) {
    EXPECT_GT(c.sent_packets, 10u);
    EXPECT_EQ(c.sent_packets, c.received_packets);
    becns += c.becn_received;
  }
  EXPECT_GT(becns, 100u);
}

TEST(Programming, BetweenEventsByHandIsAsByTheOptions) {
  const Bed bed = TwoSwitch();
  const std::vector<Flow> flows = Incast(bed);
  const RunOptions options = Options(0.02, 0.001);
  Engine engine(bed.fabric, Model{}, flows, nullptr, options);
  engine.Program(*On(bed));
  engine.Run([](Time) { return true; });
  Engine at_start(bed.fabric, Model{}, flows, On(bed).get(), options);
  at_start.Run([](Time) { return true; });
  EXPECT_EQ(engine.record().received_bytes, at_start.record().received_bytes);
}

TEST(Programming, RefusesTablesOfAnotherFabricAndTimesBeforeTheStart) {
  const Bed bed = TwoSwitch();
  const Bed other = testing::OneSwitch(3);
  const std::vector<Flow> flows = Incast(bed);
  const auto refusal = [&](Programming programming) -> std::string {
    RunOptions options = Options(0.02, 0.001);
    options.programmings = {std::move(programming)};
    try {
      Engine(bed.fabric, Model{}, flows, nullptr, options);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(refusal({FromSeconds(0.01), On(other)}).find("belong to another fabric"), std::string::npos);
  EXPECT_NE(refusal({-kFsPerSecond, On(bed)}).find("-1.0"), std::string::npos);
}

}  // namespace core_program_test
}  // namespace ccsim

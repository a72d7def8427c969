// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dcqcn_engine_test.cc: devices with NVIDIA's congestion control in whole runs: marks, CNPs and rates as computed by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "engine/engine.hpp"
#include "engine/rng_streams.hpp"
#include "nvidia_tables.hpp"
#include "quick.hpp"
#include "random_runs.hpp"
#include "rng.hpp"
#include "run_dry.hpp"
#include "running.hpp"
#include "testing.hpp"

namespace ccsim {
namespace dcqcn_engine_test {

using testing::Bed;
using testing::MakeFlow;
using testing::MakeNvidiaTables;
using testing::NvidiaSettings;
using testing::Options;
using testing::RunChecked;

constexpr double kUs = 1e-6;

// H1 to H4 on one switch, at 16 Gb/s.
Bed FourHosts(CcDialect dialect = CcDialect::NvidiaDcqcn) {
  Bed bed = testing::OneSwitch(4);
  testing::SetDialects(bed.fabric, dialect);
  return bed;
}

std::vector<Flow> Incast(const Bed& bed) { return {MakeFlow(bed.h(1), bed.h(3)), MakeFlow(bed.h(2), bed.h(3))}; }

// The dense port of a switch to a host: the switch is node 0, and its ports come first.
std::uint32_t ToHost(int host) { return static_cast<std::uint32_t>(host - 1); }

// A run with one CNP for each flow at most, since the next may come 65 ms later.
NvidiaSettings OneCnp() {
  NvidiaSettings settings;
  settings.np.min_time_between_cnps = 0xFFFF;
  return settings;
}

// The CNP sets the rate to 12 Gb/s, and alpha to 1023/1024, which each microsecond lowers by the factor 1 - 5/1024. The rate is cut by half
// of alpha after 4 us; the timer brings it halfway back to 12 Gb/s after 300 us, and again after 600.
TEST(DcqcnEngine, AlphaAndRateAfterASingleCnpAreThoseOfAHand) {
  const Bed bed = FourHosts();
  NvidiaSettings settings = OneCnp();
  settings.rp.rate_to_set_on_first_cnp = 12000;
  const auto tables = MakeNvidiaTables(bed.fabric, settings);
  const std::vector<Flow> flows = Incast(bed);
  RunOptions options = Options(1000 * kUs, 50 * kUs);
  options.trace_ccti = true;
  Engine engine(bed.fabric, Model{}, flows, tables.get(), options);
  RunChecked(engine);
  const RunRecord& record = engine.record();
  const double kept = 1 - 5.0 / 1024;
  const double cut = 12 * (1 - 1023.0 / 1024 * std::pow(kept, 4) / 2);
  const double once = (cut + 12) / 2;
  for (std::size_t f = 0; f < 2; ++f) {
    EXPECT_EQ(engine.flow_counters()[f].becn_received, 1u);
    const auto rate = [&](double us) { return record.rate_gbps[(static_cast<std::size_t>(us / 50) - 1) * 2 + f]; };
    const auto alpha = [&](double us) { return record.alpha[(static_cast<std::size_t>(us / 50) - 1) * 2 + f]; };
    for (const double us : {50.0, 150.0, 300.0}) EXPECT_NEAR(rate(us), cut, 1e-4) << us;
    for (const double us : {350.0, 450.0, 600.0}) EXPECT_NEAR(rate(us), once, 1e-4) << us;
    EXPECT_NEAR(rate(700), (once + 12.005) / 2, 1e-4);
    const double periods = std::log(alpha(50) * 1024 / 1023) / std::log(kept);
    EXPECT_NEAR(periods, std::round(periods), 1e-3);  // so many whole microseconds since the CNP
    EXPECT_GT(periods, 20);
    EXPECT_LT(periods, 50);
    EXPECT_NEAR(alpha(150), alpha(50) * std::pow(kept, 100), 1e-5);
    // Receivers get what the rate allows: a payload of 2048 in 2074 bytes.
    std::uint64_t bytes = 0;  // from 100 to 300 us
    for (const std::size_t sample : {2, 3, 4, 5}) bytes += record.received_bytes[sample * 2 + f];
    EXPECT_NEAR(static_cast<double>(bytes) * 8 / 200e3, cut * 2048 / 2074, 0.02 * cut);
  }
}

// The paper's machine halves the rate by alpha 1 and comes back in steps of 55 us, five of them without adding to the target.
TEST(DcqcnEngine, ThePapersMachineComesBackInStepsOfItsTimer) {
  const Bed bed = FourHosts();
  NvidiaSettings settings = OneCnp();
  settings.rp.rpg_time_reset = 55;
  settings.rp.rpg_threshold = 5;
  settings.rp.dce_tcp_rtt = 55;
  settings.rp.dce_tcp_g = 1020;
  const auto tables = MakeNvidiaTables(bed.fabric, settings);
  Model model;
  model.ca.dcqcn_machine = DcqcnMachine::Paper;
  RunOptions options = Options(220 * kUs, 5 * kUs);
  options.trace_ccti = true;
  const std::vector<Flow> flows = Incast(bed);
  Engine engine(bed.fabric, model, flows, tables.get(), options);
  RunChecked(engine);
  std::vector<float> steps;
  for (std::size_t row = 0; row < engine.record().num_samples; ++row) {
    const float rate = engine.record().rate_gbps[row * 2];
    if (steps.empty() || steps.back() != rate) steps.push_back(rate);
  }
  const double cut = 16 * (1 - 1023.0 / 1024 / 2);
  ASSERT_GE(steps.size(), 5u);
  EXPECT_EQ(steps[0], 16);
  double expected = cut;
  for (std::size_t i = 1; i < 5; ++i, expected = (expected + 16) / 2) EXPECT_NEAR(steps[i], expected, 1e-4) << i;
}

TEST(DcqcnEngine, TheTimerOfTheReceiverLimitsCnps) {
  const Bed bed = FourHosts();
  NvidiaSettings settings;
  settings.ca.en_react = false;  // so that each packet keeps being marked
  settings.np.min_time_between_cnps = 10;
  const auto tables = MakeNvidiaTables(bed.fabric, settings);
  const std::vector<Flow> flows = Incast(bed);
  for (const CnpLimit limit : {CnpLimit::Qp, CnpLimit::Port}) {
    Model model;
    model.ca.cnp_limit = limit;
    Engine engine(bed.fabric, model, flows, tables.get(), Options(1000 * kUs, 1000 * kUs));
    RunChecked(engine);
    const auto& counters = engine.flow_counters();
    EXPECT_GT(counters[0].fecn_received, 300u);
    const std::uint64_t cnps = counters[0].becn_received + counters[1].becn_received;
    // A marked packet of a flow comes each 2.1 us: a CNP each 10 to 12.1 us.
    EXPECT_GE(cnps, limit == CnpLimit::Qp ? 2 * 78u : 85u);
    EXPECT_LE(cnps, limit == CnpLimit::Qp ? 2 * 99u : 99u);
  }
}

// SL 1 has the profile that marks half of all packets, SL 2 the one that marks none.
TEST(DcqcnEngine, ThePacketsSlChoosesTheProfileThatMarksIt) {
  const Bed bed = FourHosts();
  NvidiaSettings settings;
  settings.ca = {};
  settings.profiles[0].profiles[0] = {.min = 5000, .percent = 50, .max = 5000};
  settings.profiles[0].profiles[1] = {.min = 5000, .percent = 0, .max = 5000};
  settings.sl_profile[2] = 2;
  const auto tables = MakeNvidiaTables(bed.fabric, settings);
  const std::vector<Flow> flows{MakeFlow(bed.h(1), bed.h(3), 1), MakeFlow(bed.h(2), bed.h(3), 2)};
  Model model;
  model.switches.mark_above_max = MarkAboveMax::Percent;
  Engine engine(bed.fabric, model, flows, tables.get(), Options(4000 * kUs, 1000 * kUs));
  RunChecked(engine);
  const FlowCounters& marked = engine.flow_counters()[0];
  ASSERT_GT(marked.received_packets, 1800u);
  EXPECT_NEAR(static_cast<double>(marked.fecn_received) / static_cast<double>(marked.received_packets), 0.5, 0.05);
  EXPECT_EQ(engine.flow_counters()[1].fecn_received, 0u);
  EXPECT_EQ(marked.becn_received, 0u);  // en_notify is off
  model.switches.mark_above_max = MarkAboveMax::None;
  Engine none(bed.fabric, model, flows, tables.get(), Options(4000 * kUs, 1000 * kUs));
  RunChecked(none);
  EXPECT_LT(none.flow_counters()[0].fecn_received, 5u);  // while the queue grew over the thresholds
}

// Half of all packets are marked, each by the next number of a stream that nobody else draws from.
TEST(DcqcnEngine, MarksOfAveragedQueuesAreDrawnFromAStreamOfTheirOwn) {
  const Bed bed = FourHosts();
  NvidiaSettings settings;
  settings.ca = {};
  settings.profiles[0].profiles[0] = {.min = 0, .percent = 50, .max = 0};
  const auto tables = MakeNvidiaTables(bed.fabric, settings);
  Model model;
  model.switches.mark_above_max = MarkAboveMax::Percent;
  model.ca.ack_every_packets = 1'000'000;  // an ACK would be a draw, too
  RunOptions options = Options(1000 * kUs, 1000 * kUs);
  options.seed = 7;
  const std::vector<Flow> flows{MakeFlow(bed.h(1), bed.h(3))};
  Engine engine(bed.fabric, model, flows, tables.get(), options);
  RunChecked(engine);
  const PortCounters counters = engine.port_counters(ToHost(3));
  const std::uint64_t left = counters.xmit_packets + counters.cut_packets;
  ASSERT_GT(left, 900u);
  Rng rng(options.seed, rng_streams::kAveragedMarks[0]);
  std::uint64_t marked = 0;
  for (std::uint64_t i = 0; i < left; ++i) marked += rng.Uniform() < 0.5 ? 1 : 0;
  EXPECT_EQ(counters.fecn_marked, marked);
}

// Two flows fill a queue that a slow average follows: with weight 2^-4 and a sample each 4.096 us it reaches 1 - (15/16)^n of what it
// averages. Marking begins when that passes min, and not with the queue itself.
TEST(DcqcnEngine, MarksFollowTheAverageAndNotTheQueue) {
  const Bed bed = FourHosts();
  NvidiaSettings settings;
  settings.ca.en_react = false;
  const auto first_mark_us = [&](std::uint8_t weight) {
    settings.sw.aqs_weight = weight;
    settings.sw.aqs_time = 6;
    const auto tables = MakeNvidiaTables(bed.fabric, settings);
    const std::vector<Flow> flows = Incast(bed);
    RunOptions options = Options(400 * kUs, 400 * kUs);
    options.trace_packets = 4000;
    Engine engine(bed.fabric, Model{}, flows, tables.get(), options);
    RunChecked(engine);
    for (const TraceRow& row : engine.record().packets) {
      if (row.fecn) return AsSeconds(row.time) / kUs;
    }
    return 1e9;
  };
  // The queue grows by 16 Gb/s, 2 bytes a ns, and passes 10,000 bytes after 5 us: the sample at 8.2 us is the first above.
  EXPECT_NEAR(first_mark_us(0), 8.192, 1.5);
  // By hand: a(n) = a(n-1) * 15/16 + 8192 n / 16, above 10,000 from n = 7 on. The queue cannot grow beyond what buffers hold.
  double average = 0;
  int samples = 0;
  while (average < 10000) average = average * 15 / 16 + 8192.0 * ++samples / 16;
  EXPECT_NEAR(first_mark_us(4), samples * 4.096, 2.5);
}

// CNPs travel on SL 5, whose profile marks everything: the marks at the ports to the sources count them.
TEST(DcqcnEngine, CnpsTravelOnTheSlThatIsSet) {
  const Bed bed = FourHosts();
  NvidiaSettings settings;
  settings.profiles[0].profiles[1] = {.min = 0, .percent = 100, .max = 0};
  settings.sl_profile[5] = 2;
  settings.ca.en_react = false;  // so that there are many
  for (const bool set : {true, false}) {
    settings.np.cnp_sl_mode = set;
    settings.np.cnp_sl = 5;
    const auto tables = MakeNvidiaTables(bed.fabric, settings);
    const std::vector<Flow> flows = Incast(bed);
    Engine engine(bed.fabric, Model{}, flows, tables.get(), Options(1000 * kUs, 1000 * kUs));
    RunChecked(engine);
    for (int host = 1; host <= 2; ++host) {
      const std::uint64_t cnps = engine.flow_counters()[static_cast<std::size_t>(host) - 1].becn_received;
      EXPECT_GT(cnps, 100u);
      EXPECT_NEAR(static_cast<double>(engine.port_counters(ToHost(host)).fecn_marked), set ? static_cast<double>(cnps) : 0, 1);
    }
  }
}

// With SLs on VLs of their own, the CNP of SL 1 does not wait on the VL that data have.
TEST(DcqcnEngine, CnpsOfAnotherSlHaveItsVl) {
  Bed bed = FourHosts();
  NvidiaSettings settings;
  settings.np.cnp_sl_mode = true;
  settings.np.cnp_sl = 1;
  settings.ca.en_react = false;
  settings.profiles[0].vl_mask = 2;  // VL 1 alone marks, so only if something travels there
  settings.profiles[0].profiles[0] = {.min = 0, .percent = 100, .max = 0};
  settings.profiles.push_back(settings.profiles[0]);
  settings.profiles[1].vl_mask = 1;
  settings.profiles[1].profiles[0] = {.min = 10000, .percent = 100, .max = 10000};
  const auto tables = MakeNvidiaTables(bed.fabric, settings);
  Model model;
  model.num_vls = 2;
  const std::vector<Flow> flows = Incast(bed);
  Engine engine(bed.fabric, model, flows, tables.get(), Options(1000 * kUs, 1000 * kUs));
  RunChecked(engine);
  EXPECT_GT(engine.port_counters(ToHost(1)).fecn_marked, 100u);
}

// VL 1 alone has thresholds, and comes into being in the run: what travels there is marked from then on.
TEST(DcqcnEngine, VlsThatServiceLevelsBringAreMarkedByTheirThresholds) {
  Bed bed = FourHosts();
  NvidiaSettings settings;
  settings.ca.en_react = false;
  settings.profiles[0].vl_mask = 2;
  const auto tables = MakeNvidiaTables(bed.fabric, settings);
  const std::vector<Flow> flows{MakeFlow(bed.h(1), bed.h(3), 1), MakeFlow(bed.h(2), bed.h(3), 1)};
  Engine engine(bed.fabric, Model{}, flows, tables.get(), Options(1000 * kUs, 1000 * kUs));
  const auto marks = [&] { return engine.port_counters(ToHost(3)).fecn_marked; };
  bool widened = false;
  engine.Run(
      [&](Time now) {
        engine.CheckInvariants();
        if (now < FromSeconds(500 * kUs) || widened) return true;
        EXPECT_EQ(marks(), 0u);
        SlToVl to_second{};
        to_second[1] = 1;
        bed.fabric.SetDefaultSlToVl(to_second);
        engine.SetServiceLevels(bed.fabric);
        widened = true;
        return true;
      },
      {.events = 1 << 10, .time = FromSeconds(100 * kUs)});
  EXPECT_TRUE(widened);
  EXPECT_GT(marks(), 100u);
}

// H1 holds no congestion control, H2 annex A10's, H3 and the switch NVIDIA's. All three send to H4, NVIDIA's, which answers their marks.
TEST(DcqcnEngine, EachDeviceActsByWhatItHolds) {
  Bed bed = testing::OneSwitch(4);
  Fabric& f = bed.fabric;
  const auto node = [&](int host) { return f.endports()[bed.h(host)].node; };
  f.SetDialect(0, CcDialect::NvidiaDcqcn);
  f.SetDialect(node(1), CcDialect::None);
  f.SetDialect(node(3), CcDialect::NvidiaDcqcn);
  f.SetDialect(node(4), CcDialect::Both);
  const auto tables = testing::MakeTables(f, {.threshold = 0, .ccti_increase = 4});
  testing::AddNvidia(*tables, NvidiaSettings{});
  const std::vector<Flow> flows{MakeFlow(bed.h(1), bed.h(4)), MakeFlow(bed.h(2), bed.h(4)), MakeFlow(bed.h(3), bed.h(4)),
                                MakeFlow(bed.h(4), bed.h(1)), MakeFlow(bed.h(3), bed.h(1))};
  RunOptions options = Options(4000 * kUs, 1000 * kUs);
  options.trace_ccti = true;
  Engine engine(f, Model{}, flows, tables.get(), options);
  RunChecked(engine);
  const auto& counters = engine.flow_counters();
  const RunRecord& record = engine.record();
  for (std::size_t flow = 0; flow < 3; ++flow) EXPECT_GT(counters[flow].becn_received, 10u) << flow;
  EXPECT_GT(testing::Gbps(engine, 0, options.sample_interval), 10);  // nothing slows H1 down
  EXPECT_LT(testing::Gbps(engine, 1, options.sample_interval), 4);
  EXPECT_LT(testing::Gbps(engine, 2, options.sample_interval), 4);
  EXPECT_GT(record.ccti[1], 0);
  EXPECT_EQ(record.ccti[2], 0);
  EXPECT_TRUE(std::isnan(record.rate_gbps[0]));
  EXPECT_TRUE(std::isnan(record.rate_gbps[1]));
  EXPECT_LT(record.rate_gbps[2], 16);
  EXPECT_GT(counters[3].fecn_received + counters[4].fecn_received, 10u);  // and H1 answers none of them
  EXPECT_EQ(counters[3].becn_received + counters[4].becn_received, 0u);
}

struct Outcome {
  std::vector<std::uint64_t> series;
  std::uint64_t marks = 0;
  bool operator==(const Outcome&) const = default;
};

Outcome RunWith(CcDialect dialect, const std::vector<testing::Tables>& tables) {
  const Bed bed = FourHosts(dialect);
  const std::vector<Flow> flows = Incast(bed);
  RunOptions options = Options(2000 * kUs, 100 * kUs);
  Engine engine(bed.fabric, Model{}, flows, tables.front().get(), options);
  std::size_t next = 1;
  engine.Run(
      [&](Time) {
        engine.CheckInvariants();
        if (next < tables.size()) engine.Program(*tables[next++]);
        return true;
      },
      {.events = 1 << 15, .time = FromSeconds(500 * kUs)});
  Outcome outcome{engine.record().received_bytes, 0};
  for (const PortCounters& c : engine.port_counters()) outcome.marks += c.fecn_marked;
  return outcome;
}

std::vector<testing::Tables> List(std::initializer_list<ccp_tables*> tables) {
  std::vector<testing::Tables> list;
  for (ccp_tables* one : tables) list.emplace_back(one);
  return list;
}

// Attributes that a device does not know leave it alone, and one of both dialects is as one of a single one while that is enabled.
TEST(DcqcnEngine, DialectsDecideWhichTablesCount) {
  const Bed bed = FourHosts();
  const testing::UniformTables a10{.marking_rate = 1, .ccti_timer = 20};
  const auto both = [&](bool enabled) {
    NvidiaSettings settings;
    settings.sw.en = settings.ca.en_notify = settings.ca.en_react = enabled;
    testing::Tables tables = testing::MakeTables(bed.fabric, a10);
    testing::AddNvidia(*tables, settings);
    return tables.release();
  };
  const auto nvidia = [&] { return MakeNvidiaTables(bed.fabric, NvidiaSettings{}).release(); };
  const Outcome by_a10 = RunWith(CcDialect::A10, List({testing::MakeTables(bed.fabric, a10).release()}));
  const Outcome by_nvidia = RunWith(CcDialect::NvidiaDcqcn, List({nvidia()}));
  EXPECT_GT(by_a10.marks, 50u);
  EXPECT_GT(by_nvidia.marks, 50u);
  EXPECT_NE(by_a10.series, by_nvidia.series);
  EXPECT_EQ(RunWith(CcDialect::A10, List({both(true)})), by_a10);
  EXPECT_EQ(RunWith(CcDialect::NvidiaDcqcn, List({both(true)})), by_nvidia);
  EXPECT_EQ(RunWith(CcDialect::Both, List({both(true)})), by_nvidia);
  EXPECT_EQ(RunWith(CcDialect::Both, List({both(false)})), by_a10);
  EXPECT_EQ(RunWith(CcDialect::None, List({both(true)})).marks, 0u);
  // The same tables again change nothing; others in the run do.
  EXPECT_EQ(RunWith(CcDialect::NvidiaDcqcn, List({nvidia(), nvidia(), nvidia()})), by_nvidia);
  EXPECT_NE(RunWith(CcDialect::Both, List({both(true), both(false), both(true)})), by_nvidia);
}

// H1 to H3 draw among all hosts while H4 is a hot spot: the queue pairs to it are slowed down, and those to others are not.
TEST(DcqcnEngine, AFlowToManyDestinationsHasARateForEach) {
  Bed bed = testing::OneSwitch(6);
  testing::SetDialects(bed.fabric, CcDialect::NvidiaDcqcn);
  auto everyone = std::make_shared<Destinations>();
  everyone->endports = bed.hosts;
  std::vector<Flow> flows;
  for (const int i : {1, 2, 3}) {
    flows.push_back(MakeFlow(bed.h(i), 0));
    flows.back().destinations = everyone;
    flows.back().message_bytes = 4096;
    flows.back().rate_gbps = 8;
  }
  for (const int i : {5, 6}) flows.push_back(MakeFlow(bed.h(i), bed.h(4)));
  for (Flow& flow : flows) flow.stop = FromSeconds(0.004);
  const auto tables = MakeNvidiaTables(bed.fabric, NvidiaSettings{});
  RunOptions options = Options(0.2, 0.001);
  options.trace_ccti = true;
  Engine engine(bed.fabric, Model{}, flows, tables.get(), options);
  ASSERT_NO_FATAL_FAILURE(testing::RunDry(engine));
  EXPECT_LT(engine.record().rate_gbps[0], 12);
  EXPECT_GT(testing::Gbps(engine, 0, options.sample_interval, 1, 4), 5);
  EXPECT_LT(testing::Gbps(engine, 3, options.sample_interval, 1, 4), 9);
  EXPECT_GT(engine.flow_counters()[0].becn_received, 10u);
}

// Whatever devices there are, whatever they hold and while it changes, every packet arrives in order and every credit comes back.
TEST(DcqcnEngine, RandomDevicesLoseNothing) {
  std::uint64_t cnps = 0, slowed = 0;
  for (std::uint64_t seed = 1; seed <= ibcc_test::RandomCases(60); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Rng rng(seed, 55);
    Bed bed = testing::RandomTree(rng);
    for (std::uint32_t node = 0; node < bed.fabric.nodes().size(); ++node)
      bed.fabric.SetDialect(node, static_cast<CcDialect>(rng.Below(kCcDialectNames.size())));
    Model model = testing::RandomModel(rng);
    model.ca.dcqcn_machine = rng.Below(2) == 0 ? DcqcnMachine::Paper : DcqcnMachine::Timers;
    model.ca.cnp_limit = rng.Below(2) == 0 ? CnpLimit::Qp : CnpLimit::Port;
    model.ca.rpg_byte_unit_bytes = 1;
    if (rng.Below(2) == 0) testing::AddServiceLevels(rng, bed.fabric, model);
    std::vector<Flow> flows = testing::RandomFlows(rng, bed);
    testing::AddManyDestinations(rng, bed, flows);
    const auto random_tables = [&] {
      NvidiaSettings settings;
      settings.sw.en = rng.Below(4) != 0;
      settings.sw.aqs_weight = static_cast<std::uint8_t>(rng.Below(4));
      settings.sw.aqs_time = static_cast<std::uint8_t>(rng.Below(6));
      settings.profiles[0].vl_mask = static_cast<std::uint16_t>(rng.Next32() | 1);
      for (auto& profile : settings.profiles[0].profiles) {
        profile.min = static_cast<std::uint32_t>(rng.Below(5000));
        profile.max = profile.min + static_cast<std::uint32_t>(rng.Below(5000));
        profile.percent = static_cast<std::uint8_t>(rng.Below(101));
      }
      for (std::uint8_t& profile : settings.sl_profile) profile = static_cast<std::uint8_t>(1 + rng.Below(3));
      settings.ca = {.en_notify = rng.Below(4) != 0, .en_react = rng.Below(4) != 0, .en_cc_per_plane = false};
      settings.rp.rpg_time_reset = static_cast<std::uint32_t>(1 + rng.Below(300));
      settings.rp.rpg_byte_reset = static_cast<std::uint32_t>(rng.Below(50000));
      settings.rp.rpg_max_rate = rng.Below(3) == 0 ? 5000 : 0;
      settings.rp.rpg_hai_rate = 2000;
      settings.rp.dce_tcp_rtt = 100'000;  // so that alpha is still there in the end
      settings.np.min_time_between_cnps = static_cast<std::uint16_t>(rng.Below(10));
      settings.np.cnp_sl_mode = rng.Below(2) == 0;
      settings.np.cnp_sl = static_cast<std::uint8_t>(rng.Below(4));
      testing::Tables tables = testing::RandomTables(rng, bed.fabric);
      testing::AddNvidia(*tables, settings);
      return tables;
    };
    RunOptions options = Options(0.5, 0.1);
    options.seed = seed;
    options.trace_ccti = true;
    for (std::uint64_t i = rng.Below(4); i > 0; --i) {
      const std::shared_ptr<const ccp_tables> tables(random_tables().release(), ccp_tables_destroy);
      options.programmings.push_back({FromNs(static_cast<double>(rng.Below(150'000))), tables});
    }
    const auto tables = random_tables();
    Engine engine(bed.fabric, model, flows, tables.get(), options);
    ASSERT_NO_FATAL_FAILURE(testing::RunDry(engine));
    for (std::size_t f = 0; f < flows.size(); ++f) {
      cnps += engine.flow_counters()[f].becn_received;
      slowed += engine.record().alpha[f] > 0;
    }
  }
  if (ibcc_test::Quick()) return;  // so few need not have all kinds
  EXPECT_GT(cnps, 500u);
  EXPECT_GT(slowed, 10u);
}

TEST(DcqcnEngine, OtherSchemesRefuseDevicesOfOtherDialects) {
  const Bed bed = FourHosts();
  const std::vector<Flow> flows = Incast(bed);
  Model model;
  model.scheme.name = "dbbm";
  try {
    Engine engine(bed.fabric, model, flows, nullptr, Options(0.001, 0.001));
    FAIL() << "dbbm took NVIDIA's devices";
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(),
                 "model.scheme.name is 'dbbm', and 'S1' has congestion_control 'nvidia-dcqcn'; with other devices than 'a10' it "
                 "must be one of ith, voqsw");
  }
}

}  // namespace dcqcn_engine_test
}  // namespace ccsim

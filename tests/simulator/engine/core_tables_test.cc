// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include <gtest/gtest.h>

#include "engine/engine.hpp"
#include "engine/random_runs.hpp"
#include "engine/running.hpp"
#include "quick.hpp"

namespace ccsim {
namespace core_tables_test {

using namespace testing;

// H1, H2 on S1 and H3, H4 on S2, joined by two links, by ports 3 and 4 of each switch; all routes take the first.
struct TwoWays {
  static constexpr std::uint32_t kS1 = 0, kS2 = 1;  // nodes and ordinals

  explicit TwoWays(double propagation_ns = 25) : bed{Fabric(2048), {}} {
    Fabric& f = bed.fabric;
    f.AddNode("S1", NodeKind::Switch, 1, 4);
    f.AddNode("S2", NodeKind::Switch, 2, 4);
    const LinkRate rate = ParseLinkRate("4xDDR");
    for (std::uint16_t i = 1; i <= 4; ++i) {
      const std::uint32_t host = f.AddNode("H" + std::to_string(i), NodeKind::Host, 100u + i, 1);
      f.Connect(host, 1, i <= 2 ? kS1 : kS2, i <= 2 ? i : i - 2, rate, FromNs(25));
      bed.hosts.push_back(f.endport_index(host, 1));
    }
    f.Connect(kS1, 3, kS2, 3, rate, FromNs(propagation_ns));
    f.Connect(kS1, 4, kS2, 4, rate, FromNs(25));
    for (int i = 1; i <= 4; ++i) {
      f.SetForward(kS1, bed.h(i), static_cast<std::uint8_t>(i <= 2 ? i : 3));
      f.SetForward(kS2, bed.h(i), static_cast<std::uint8_t>(i <= 2 ? 3 : i - 2));
    }
  }

  Bed bed;
};

PortCounters CountersOf(const Engine& engine, std::uint32_t node, std::uint16_t port) {
  for (std::uint32_t i = 0; i < engine.port_names().size(); ++i) {
    if (engine.port_names()[i].node == node && engine.port_names()[i].port == port) return engine.port_counters(i);
  }
  ADD_FAILURE() << "no port " << port << " of node " << node;
  return {};
}

// Runs to the end, doing each of `steps` at its time; everything must add up all the time.
using Steps = std::vector<std::pair<double, std::function<void()>>>;
void RunWith(Engine& engine, const Steps& steps) {
  std::size_t next = 0;
  engine.Run(
      [&](Time now) {
        engine.CheckInvariants();
        for (; next < steps.size() && now >= FromNs(1000 * steps[next].first); ++next) {
          steps[next].second();
          engine.CheckInvariants();
        }
        return true;
      },
      {.events = 1000, .time = FromNs(1000)});
  engine.CheckInvariants();
  EXPECT_EQ(next, steps.size());
}

void ExpectDry(const Engine& engine) {
  EXPECT_EQ(engine.packets_in_flight(), 0u);
  EXPECT_TRUE(engine.AllCreditsReturned());
  for (const FlowCounters& c : engine.flow_counters()) EXPECT_EQ(c.sent_packets, c.received_packets + c.lost_packets);
}

std::vector<Flow> UntilHalfAMillisecond(std::vector<Flow> flows) {
  for (Flow& flow : flows) flow.stop = FromNs(500'000);
  return flows;
}

TEST(EngineTables, LaterPacketsTakeTheNewWayAndNoneIsLost) {
  const TwoWays two;
  const std::vector<Flow> flows = UntilHalfAMillisecond({MakeFlow(two.bed.h(1), two.bed.h(3))});
  Engine engine(two.bed.fabric, Model{}, flows, nullptr, Options(0.001, 1e-4));
  RunWith(engine, {{200, [&] { engine.SetForward(TwoWays::kS1, two.bed.h(3), 4); }}});
  ExpectDry(engine);
  const FlowCounters& c = engine.flow_counters()[0];
  EXPECT_EQ(c.lost_packets, 0u);
  const std::uint64_t first = CountersOf(engine, TwoWays::kS1, 3).xmit_packets;
  const std::uint64_t second = CountersOf(engine, TwoWays::kS1, 4).xmit_packets;
  EXPECT_EQ(first + second, c.sent_packets);
  EXPECT_NEAR(static_cast<double>(first) / static_cast<double>(c.sent_packets), 0.4, 0.02);
}

TEST(EngineTables, WithoutAnEntryPacketsAreRelayErrorsUntilThereIsOne) {
  const TwoWays two;
  const std::vector<Flow> flows =
      UntilHalfAMillisecond({MakeFlow(two.bed.h(1), two.bed.h(3)), MakeFlow(two.bed.h(2), two.bed.h(1))});
  Engine engine(two.bed.fabric, Model{}, flows, nullptr, Options(0.001, 1e-4));
  RunWith(engine, {{100, [&] { engine.SetForward(TwoWays::kS2, two.bed.h(3), kNoRoute); }},
                   {300, [&] { engine.SetForward(TwoWays::kS2, two.bed.h(3), 1); }}});
  ExpectDry(engine);
  const FlowCounters& c = engine.flow_counters()[0];
  EXPECT_NEAR(static_cast<double>(c.lost_packets) / static_cast<double>(c.sent_packets), 0.4, 0.02);
  EXPECT_EQ(CountersOf(engine, TwoWays::kS2, 3).relay_errors, c.lost_packets);
  EXPECT_EQ(engine.flow_counters()[1].lost_packets, 0u);
}

TEST(EngineTables, AnEntryThatLeadsToAnotherAdapterLeadsNowhere) {
  const TwoWays two;
  const std::vector<Flow> flows = UntilHalfAMillisecond({MakeFlow(two.bed.h(1), two.bed.h(3))});
  Engine engine(two.bed.fabric, Model{}, flows, nullptr, Options(0.001, 1e-4));
  RunWith(engine, {{250, [&] { engine.SetForward(TwoWays::kS2, two.bed.h(3), 2); }}});
  ExpectDry(engine);
  EXPECT_NEAR(static_cast<double>(engine.flow_counters()[0].lost_packets),
              static_cast<double>(engine.flow_counters()[0].received_packets), 10.0);
  EXPECT_EQ(CountersOf(engine, TwoWays::kS2, 2).xmit_packets, 0u);
}

TEST(EngineTables, ALinkThatGoesDownLosesWhatIsQueuedForItAndOnItsWire) {
  const TwoWays two(5000);  // about five packets on the wire
  // Two onto one link: its queue is long when it goes down.
  const std::vector<Flow> flows = UntilHalfAMillisecond(
      {MakeFlow(two.bed.h(1), two.bed.h(3)), MakeFlow(two.bed.h(2), two.bed.h(4)), MakeFlow(two.bed.h(3), two.bed.h(4))});
  Engine engine(two.bed.fabric, Model{}, flows, nullptr, Options(0.001, 1e-4));
  PortCounters before, after;
  RunWith(engine, {{200,
                    [&] {
                      before = CountersOf(engine, TwoWays::kS1, 3);
                      engine.SetLink(TwoWays::kS1, 3, false);
                      after = CountersOf(engine, TwoWays::kS1, 3);
                    }},
                   {300, [&] { engine.SetLink(TwoWays::kS2, 3, true); }}});
  ExpectDry(engine);
  // What has come in and could not go out: half of it, as two links feed one.
  EXPECT_EQ(before.discards, 0u);
  EXPECT_NEAR(static_cast<double>(after.discards), 0.2e-3 * 16e9 / 8 / 2074, 4);
  const PortCounters sender = CountersOf(engine, TwoWays::kS1, 3), receiver = CountersOf(engine, TwoWays::kS2, 3);
  EXPECT_NEAR(static_cast<double>(sender.xmit_packets - receiver.rcv_packets), 5, 1);
  // While it was down, H1's packets came to S1 and were thrown away there: nothing was held up.
  EXPECT_GT(engine.flow_counters()[0].lost_packets, 80u);
  EXPECT_NEAR(static_cast<double>(engine.flow_counters()[0].received_packets), 0.6 * 0.5e-3 * 16e9 / 8 / 2074, 20);
  EXPECT_EQ(engine.flow_counters()[2].lost_packets, 0u);
}

TEST(EngineTables, AnAdapterWithoutALinkWaits) {
  const TwoWays two;
  const std::vector<Flow> flows = UntilHalfAMillisecond({MakeFlow(two.bed.h(1), two.bed.h(3))});
  const std::uint32_t h1 = two.bed.fabric.endports()[two.bed.h(1)].node;
  Engine engine(two.bed.fabric, Model{}, flows, nullptr, Options(0.001, 1e-4));
  RunWith(engine, {{100, [&] { engine.SetLink(h1, 1, false); }}, {350, [&] { engine.SetLink(h1, 1, true); }}});
  ExpectDry(engine);
  EXPECT_LE(engine.flow_counters()[0].lost_packets, 1u);  // the one on the wire
  EXPECT_NEAR(static_cast<double>(engine.flow_counters()[0].received_packets), 0.5 * 0.5e-3 * 16e9 / 8 / 2074, 5);
}

TEST(EngineTables, ALinkThatIsDownFromTheStartCarriesOnceItIsUp) {
  const TwoWays two;
  const std::vector<Flow> flows = UntilHalfAMillisecond({MakeFlow(two.bed.h(1), two.bed.h(3))});
  Engine engine(two.bed.fabric, Model{}, flows, nullptr, Options(0.001, 1e-4));
  engine.SetLink(TwoWays::kS1, 3, false);
  RunWith(engine, {{250, [&] { engine.SetLink(TwoWays::kS1, 3, true); }}});
  ExpectDry(engine);
  EXPECT_NEAR(static_cast<double>(engine.flow_counters()[0].lost_packets),
              static_cast<double>(engine.flow_counters()[0].received_packets), 10.0);
}

TEST(EngineTables, AClosedLoopGoesOnAfterAnAckTimeout) {
  IBCC_LONG_TEST();
  const TwoWays two;
  Flow ask = MakeFlow(two.bed.h(1), two.bed.h(3));
  ask.closed = true;
  ask.window = 1;
  ask.message_bytes = 2048;
  Flow answer = MakeFlow(two.bed.h(3), two.bed.h(1));
  answer.closed = true;
  answer.message_bytes = 2048;
  ask.grants = {1};
  answer.grants = {0};
  const std::vector<Flow> flows{ask, answer};
  Engine engine(two.bed.fabric, Model{}, flows, nullptr, Options(0.2, 0.01));
  RunWith(engine,
          {{9990, [&] { engine.SetLink(TwoWays::kS1, 3, false); }}, {20'000, [&] { engine.SetLink(TwoWays::kS1, 3, true); }}});
  EXPECT_EQ(engine.flow_counters()[0].lost_packets + engine.flow_counters()[1].lost_packets, 1u);
  const auto received = [&](std::size_t sample) {
    return engine.record().received_bytes[2 * sample] + engine.record().received_bytes[2 * sample + 1];
  };
  EXPECT_GT(received(0), 0u);
  for (std::size_t sample = 1; sample < 7; ++sample) EXPECT_EQ(received(sample), 0u);  // 4.096 us * 2^14 = 67 ms
  EXPECT_NEAR(static_cast<double>(received(9)), static_cast<double>(received(0)), 20000.0);
}

TEST(EngineTables, SlToVlTablesThatNeedMoreVlsFreeAVictim) {
  // H1 and H2 to H3, and H2 to H4 on SL 1: on one VL, H2's packets to H4 wait behind those to H3.
  const TwoWays two;
  std::vector<Flow> flows{MakeFlow(two.bed.h(1), two.bed.h(3)), MakeFlow(two.bed.h(2), two.bed.h(3)),
                          MakeFlow(two.bed.h(2), two.bed.h(4), 1)};
  flows[2].rate_gbps = 4;
  Fabric fabric = two.bed.fabric;
  fabric.SetForward(TwoWays::kS1, two.bed.h(4), 4);
  Model
      model;  // an adapter's queue pairs stay in the queue that they began in: those to H4 get as many turns there as those to H3
  model.ca.qp_scheduling = QpScheduling::Packet;
  Engine engine(fabric, model, flows, nullptr, Options(0.02, 0.001));
  SlToVl split{};
  for (unsigned sl = 0; sl < kNumSls; ++sl) split[sl] = static_cast<std::uint8_t>(sl % 2);
  Fabric later = fabric;
  later.SetDefaultSlToVl(split);
  RunWith(engine, {{10'000, [&] { engine.SetServiceLevels(later); }}});
  const double before = Gbps(engine, 2, FromSeconds(0.001), 2, 10), after = Gbps(engine, 2, FromSeconds(0.001), 12);
  EXPECT_LT(before, 4.0);
  EXPECT_NEAR(after, 4.0, 0.01);
  EXPECT_EQ(engine.flow_counters()[2].lost_packets, 0u);
}

TEST(EngineTables, WhatAVlArbitrationDoesNotServeIsLost) {
  const TwoWays two;
  std::vector<Flow> flows = UntilHalfAMillisecond(
      {MakeFlow(two.bed.h(1), two.bed.h(3)), MakeFlow(two.bed.h(2), two.bed.h(3), 1), MakeFlow(two.bed.h(1), two.bed.h(4), 1)});
  Model model;
  model.num_vls = 2;
  Engine engine(two.bed.fabric, model, flows, nullptr, Options(0.001, 1e-4));
  Fabric later = two.bed.fabric;
  SlToVl discards{};
  for (unsigned sl = 0; sl < kNumSls; ++sl) discards[sl] = sl % 2 == 0 ? 0 : kNoVl;
  later.SetVlArbitration(TwoWays::kS2, 1, {.high = {}, .low = {{0, 10}}});
  later.SetSlToVl(TwoWays::kS2, 3, 1, discards);  // as whoever knows of the arbitration says
  RunWith(engine, {{250, [&] { engine.SetServiceLevels(later); }}});
  ExpectDry(engine);
  EXPECT_EQ(engine.flow_counters()[0].lost_packets, 0u);
  EXPECT_GT(engine.flow_counters()[1].lost_packets, 40u);
  EXPECT_EQ(engine.flow_counters()[2].lost_packets, 0u);
  EXPECT_EQ(CountersOf(engine, TwoWays::kS2, 1).discards, engine.flow_counters()[1].lost_packets);
}

TEST(EngineTables, AnAdapterDiscardsWhatHasNoVl) {
  const TwoWays two;
  const std::vector<Flow> flows =
      UntilHalfAMillisecond({MakeFlow(two.bed.h(1), two.bed.h(3)), MakeFlow(two.bed.h(1), two.bed.h(4), 3)});
  Engine engine(two.bed.fabric, Model{}, flows, nullptr, Options(0.001, 1e-4));
  Fabric later = two.bed.fabric;
  SlToVl discards{};
  discards[3] = kNoVl;
  later.SetSlToVl(two.bed.fabric.endports()[two.bed.h(1)].node, 0, 1, discards);
  RunWith(engine, {{250, [&] { engine.SetServiceLevels(later); }}});
  ExpectDry(engine);
  EXPECT_EQ(engine.flow_counters()[0].lost_packets, 0u);
  EXPECT_NEAR(static_cast<double>(engine.flow_counters()[1].lost_packets), 120.0, 5.0);
}

TEST(EngineTables, TheSameAgainChangesNothing) {
  const Bed bed = TwoSwitch();
  std::vector<Flow> flows;
  for (const int from : {1, 2, 5, 6}) flows.push_back(MakeFlow(bed.h(from), bed.h(4)));
  flows.push_back(MakeFlow(bed.h(3), bed.h(7), 2));
  const Tables tables = MakeTables(bed.fabric);
  const auto run = [&](bool sets) {
    Engine engine(bed.fabric, Model{}, flows, tables.get(), Options(0.02, 0.001));
    const auto set_all = [&] {
      for (std::uint32_t s = 0; s < bed.fabric.num_switches(); ++s) {
        for (std::uint32_t e = 0; e < engine.num_endports(); ++e) engine.SetForward(s, e, bed.fabric.forward(s, e));
      }
      engine.SetLink(0, 1, true);
      engine.SetServiceLevels(bed.fabric);
    };
    RunWith(engine, sets ? Steps{{3000, set_all}, {9000, set_all}} : Steps{});
    return engine.record().received_bytes;
  };
  EXPECT_EQ(run(false), run(true));
}

TEST(EngineTables, HowOftenItIsAskedChangesNothing) {
  const Bed bed = TwoSwitch();
  std::vector<Flow> flows;
  for (const int from : {1, 2, 5, 6}) flows.push_back(MakeFlow(bed.h(from), bed.h(4)));
  flows[1].rate_gbps = 1;
  const Tables tables = MakeTables(bed.fabric);
  const auto run = [&](const Engine::Questions& when) {
    Engine engine(bed.fabric, Model{}, flows, tables.get(), Options(0.01, 0.001));
    std::uint64_t asked = 0;
    Time last = 0;
    engine.Run(
        [&](Time now) {
          EXPECT_LE(now - last, when.time);
          last = now;
          ++asked;
          return true;
        },
        when);
    return std::make_pair(engine.record().received_bytes, asked);
  };
  const auto seldom = run({}), by_time = run({.events = 1 << 15, .time = FromNs(700)}),
             by_event = run({.events = 7, .time = kNever});
  EXPECT_EQ(seldom.first, by_time.first);
  EXPECT_EQ(seldom.first, by_event.first);
  EXPECT_GE(by_time.second, 10'000'000u / 700);
}

// A run whose tables may change takes other paths through the engine than one whose tables never do: arrivals look at the tables again,
// and what is compiled for fabrics of one VL is left. Its packets are the same to the last byte, whenever the change is.
TEST(EngineTables, ThatTablesMayChangeChangesNothingOnAnyFabric) {
  std::uint64_t packets = 0, marks = 0;
  for (std::uint64_t seed = 1; seed <= ibcc_test::RandomCases(150); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Rng rng(seed, 88);
    Bed bed = RandomTree(rng);
    Model model = RandomModel(rng);
    if (rng.Below(2) == 0) {  // as most fabrics are
      model.num_vls = 1;
      model.ca.control_vl = ControlVl::Data;
      model.switches.threshold_mode = ThresholdMode::Sum;
    } else if (rng.Below(2) == 0) {
      AddServiceLevels(rng, bed.fabric, model);
    }
    std::vector<Flow> flows = RandomFlows(rng, bed);
    AddManyDestinations(rng, bed, flows);
    const Tables tables = RandomTables(rng, bed.fabric);
    const auto run = [&](Time at) {
      RunOptions options = Options(0.01, 0.001);
      options.trace_occupancy = true;
      Engine engine(bed.fabric, model, flows, tables.get(), options);
      bool set = false;
      engine.Run(
          [&](Time now) {
            if (set || now < at) return true;
            set = true;
            engine.CheckInvariants();
            engine.SetForward(0, bed.h(1), bed.fabric.forward(0, bed.h(1)));
            engine.CheckInvariants();
            return true;
          },
          {.events = 37, .time = kNever});
      engine.CheckInvariants();
      std::vector<std::uint64_t> seen(engine.record().received_bytes);
      seen.insert(seen.end(), engine.record().occupancy.begin(), engine.record().occupancy.end());
      for (const FlowCounters& c : engine.flow_counters()) {
        seen.insert(seen.end(), {c.sent_packets, c.received_packets, c.fecn_received, c.becn_received, c.received_messages});
        EXPECT_EQ(c.lost_packets, 0u);
        packets += c.received_packets;
      }
      for (const PortCounters& c : engine.port_counters()) {
        seen.insert(seen.end(), {c.xmit_bytes, c.xmit_packets, c.rcv_bytes, c.rcv_packets, c.fecn_marked, c.credits_held,
                                 static_cast<std::uint64_t>(c.xmit_wait), c.max_queued_bytes});
        marks += c.fecn_marked;
      }
      for (std::uint32_t s = 0; s < bed.fabric.num_switches(); ++s) {
        const SwitchCongestionLog log = engine.SwitchLog(s);
        seen.push_back(log.events);
        for (const auto& entry : log.entries.OldestFirst()) {
          seen.insert(seen.end(), {entry.source, entry.destination, entry.sl, static_cast<std::uint64_t>(entry.timestamp)});
        }
      }
      return seen;
    };
    const std::vector<std::uint64_t> never = run(kNever);
    ASSERT_EQ(never, run(0));
    ASSERT_EQ(never, run(FromNs(20'000)));
  }
  if (ibcc_test::Quick()) return;  // so few need not have all kinds
  EXPECT_GT(packets, 10000u);
  EXPECT_GT(marks, 1000u);
}

// Routes and links that come and go at random, service levels that change: in the end everything runs dry.
TEST(EngineTables, WhateverChangesAllRunsDry) {
  std::uint64_t lost = 0, received = 0;
  for (std::uint64_t seed = 1; seed <= ibcc_test::RandomCases(200); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Rng rng(seed, 55);
    const Bed bed = RandomTree(rng);
    Model model = RandomModel(rng);
    model.ca.control_vl = ControlVl::Data;
    if (rng.Below(4) == 0) {
      model.switches.buffer_sharing = BufferSharing::Shared;
      model.num_vls = 4;
      model.switches.input_buffer_bytes += 4 * 66 * 64;
    }
    std::vector<Flow> flows = RandomFlows(rng, bed);
    AddManyDestinations(rng, bed, flows);
    const Tables tables = RandomTables(rng, bed.fabric);
    Engine engine(bed.fabric, model, flows, tables.get(), Options(0.5, 0.1));
    const auto pick_link = [&] {
      const auto& names = engine.port_names();
      return names[rng.Below(names.size())];
    };
    const auto pick_entry = [&](bool broken) {
      const auto s = static_cast<std::uint32_t>(rng.Below(bed.fabric.num_switches()));
      const auto e = static_cast<std::uint32_t>(rng.Below(engine.num_endports()));
      engine.SetForward(s, e, broken ? kNoRoute : bed.fabric.forward(s, e));
    };
    const auto set_levels = [&] {
      Fabric later = bed.fabric;
      const unsigned vls = 1 + static_cast<unsigned>(rng.Below(4));
      SlToVl table = RandomSlToVl(rng, vls);
      if (rng.Below(3) == 0) table[rng.Below(4)] = kNoVl;
      if (rng.Below(3) != 0) later.SetDefaultSlToVl(table);
      for (const std::uint32_t node : later.switches()) {
        if (rng.Below(2) == 0) later.SetSlToVl(node, 1, 1, RandomSlToVl(rng, vls));
      }
      if (rng.Below(2) == 0) later.SetDefaultVlArbitration(RandomArbitration(rng, 4));
      engine.SetServiceLevels(later);
    };
    engine.Run(
        [&](Time now) {
          engine.CheckInvariants();
          if (now > FromNs(150'000)) return false;
          switch (rng.Below(6)) {
            case 0: pick_entry(true); break;
            case 1: pick_entry(false); break;
            case 2: {
              const Hop at = pick_link();
              engine.SetLink(at.node, at.port, false);
              if (rng.Below(3) == 0) engine.SetLink(at.node, at.port, true);
              break;
            }
            case 3: {
              const Hop at = pick_link();
              engine.SetLink(at.node, at.port, true);
              break;
            }
            case 4: set_levels(); break;
            case 5: engine.Program(*RandomTables(rng, bed.fabric)); break;
            default: break;
          }
          engine.CheckInvariants();
          return true;
        },
        {.events = 200, .time = FromNs(5000)});
    for (const Hop& at : engine.port_names()) engine.SetLink(at.node, at.port, true);
    engine.Run([](Time) { return true; });
    engine.CheckInvariants();
    ASSERT_EQ(engine.packets_in_flight(), 0u);
    ASSERT_TRUE(engine.AllCreditsReturned());
    for (const FlowCounters& c : engine.flow_counters()) {
      ASSERT_EQ(c.sent_packets, c.received_packets + c.lost_packets);
      lost += c.lost_packets;
      received += c.received_packets;
    }
  }
  if (ibcc_test::Quick()) return;  // so few need not have all kinds
  EXPECT_GT(lost, 1000u);
  EXPECT_GT(received, 10000u);
}

}  // namespace core_tables_test
}  // namespace ccsim

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <utility>

#include "engine/engine.hpp"
#include "engine/run_dry.hpp"
#include "testing.hpp"

namespace ccsim {
namespace core_traffic_test {

std::shared_ptr<Destinations> To(Destinations::Order order, std::vector<std::uint32_t> endports, Time period = 0) {
  auto destinations = std::make_shared<Destinations>();
  destinations->order = order;
  destinations->endports = std::move(endports);
  destinations->period = period;
  return destinations;
}

RunOptions For(Time duration) {
  RunOptions options;
  options.duration = duration;
  options.sample_interval = duration;
  options.trace_packets = 200'000;
  return options;
}

// Destinations of the messages that H1 begins, in order; every message is one packet.
std::vector<std::uint32_t> Sent(const Engine& engine, std::uint32_t src) {
  std::vector<std::uint32_t> destinations;
  for (const TraceRow& row : engine.record().packets) {
    const bool leaves_host = row.event == TraceEvent::Leaves && row.kind == PacketKind::Data && row.port == src;
    if (leaves_host) destinations.push_back(row.destination);
  }
  return destinations;
}

// Returns the dense index of a host's port on a one-switch bed: hosts' ports come behind the switch's, in the order of their
// nodes.
std::uint32_t PortOf(const Engine& engine, const testing::Bed& bed, int host) {
  const std::uint32_t node = bed.fabric.endports()[bed.h(host)].node;
  for (std::uint32_t p = 0; p < engine.port_names().size(); ++p) {
    if (engine.port_names()[p].node == node) return p;
  }
  return UINT32_MAX;
}

TEST(EngineTraffic, CyclicDestinationsComeInTurnFromBehindTheSource) {
  const testing::Bed bed = testing::OneSwitch(4);
  Flow flow;
  flow.src = bed.h(2);
  flow.destinations = To(Destinations::Order::Cyclic, {bed.h(1), bed.h(2), bed.h(3), bed.h(4)});
  flow.message_bytes = 2048;
  Engine engine(bed.fabric, Model{}, std::vector{flow}, nullptr, For(FromSeconds(2e-5)));
  engine.Run([](Time) { return true; });
  const auto sent = Sent(engine, PortOf(engine, bed, 2));
  ASSERT_GT(sent.size(), 9u);
  const std::uint32_t turn[] = {bed.h(3), bed.h(4), bed.h(1)};
  for (std::size_t i = 0; i < sent.size(); ++i) EXPECT_EQ(sent[i], turn[i % 3]) << i;
}

TEST(EngineTraffic, UniformDestinationsAreAllButTheSourceAndEquallyOften) {
  const testing::Bed bed = testing::OneSwitch(5);
  Flow flow;
  flow.src = bed.h(3);
  flow.destinations = To(Destinations::Order::Uniform, bed.hosts);
  flow.message_bytes = 2048;
  Engine engine(bed.fabric, Model{}, std::vector{flow}, nullptr, For(FromSeconds(0.01)));
  engine.Run([](Time) { return true; });
  const auto sent = Sent(engine, PortOf(engine, bed, 3));
  ASSERT_GT(sent.size(), 8000u);
  for (const std::uint32_t host : bed.hosts) {
    const auto share = static_cast<double>(std::count(sent.begin(), sent.end(), host)) / static_cast<double>(sent.size());
    EXPECT_NEAR(share, host == bed.h(3) ? 0 : 0.25, host == bed.h(3) ? 0 : 0.02);
  }
}

TEST(EngineTraffic, ADestinationMovesOnTimeAndPassesTheSourceOver) {
  const testing::Bed bed = testing::OneSwitch(4);
  Flow flow;
  flow.src = bed.h(1);
  flow.start = FromNs(10'000);
  flow.destinations = To(Destinations::Order::Moving, {bed.h(2), bed.h(1), bed.h(3)}, FromNs(50'000));
  flow.message_bytes = 2048;
  Engine engine(bed.fabric, Model{}, std::vector{flow}, nullptr, For(FromNs(400'000)));
  engine.Run([](Time) { return true; });
  std::size_t rows = 0;
  for (const TraceRow& row : engine.record().packets) {
    if (row.event != TraceEvent::Leaves || row.kind != PacketKind::Data || row.port != PortOf(engine, bed, 1)) continue;
    const std::uint32_t in_turn[] = {bed.h(2), bed.h(3), bed.h(3)};
    EXPECT_EQ(row.destination, in_turn[(row.time - flow.start) / FromNs(50'000) % 3]) << row.time;
    ++rows;
  }
  EXPECT_GT(rows, 300u);
}

// H1 sends to a hotspot that CC holds back hard, and uniformly to others: neither in the same flow nor beside it do they wait.
TEST(EngineTraffic, AHeldBackDestinationBlocksNoOther) {
  const testing::Bed bed = testing::OneSwitch(6);
  testing::UniformTables settings;
  settings.multiplier_step = 200;  // one BECN: 200 packet times between packets
  const auto tables = testing::MakeTables(bed.fabric, settings);
  std::vector<Flow> flows(4);
  for (int i = 0; i < 3; ++i) {
    flows[static_cast<std::size_t>(i)].src = bed.h(i + 2);
    flows[static_cast<std::size_t>(i)].dst = bed.h(6);
  }
  flows[3].src = bed.h(1);
  flows[3].destinations = To(Destinations::Order::Uniform, {bed.h(5), bed.h(6)});
  flows[3].message_bytes = 4096;
  flows[3].rate_gbps = 4;
  RunOptions options = For(FromSeconds(0.02));
  options.trace_packets = 0;
  Engine engine(bed.fabric, Model{}, flows, tables.get(), options);
  engine.Run([&](Time) {
    engine.CheckInvariants();
    return true;
  });
  EXPECT_GT(engine.flow_counters()[3].becn_received, 0u);
  // What goes to H5 keeps its share of the budget; of the rest, some waits.
  const double to_h5 = static_cast<double>(engine.record().host_received_bytes[bed.h(5)]) * 8e-9 / 0.02;
  EXPECT_NEAR(to_h5, 2.0, 0.1);
  EXPECT_LT(static_cast<double>(engine.flow_counters()[3].received_bytes) * 8e-9 / 0.02, 3.9);
}

TEST(EngineTraffic, AWindowOfOneHasOneMessageOnItsWay) {
  const testing::Bed bed = testing::OneSwitch(2);
  std::vector<Flow> flows(2);
  flows[0].src = flows[1].dst = bed.h(1);
  flows[0].dst = flows[1].src = bed.h(2);
  for (Flow& flow : flows) flow.message_bytes = 64, flow.closed = true;
  flows[0].window = 1;
  flows[0].grants = {1};
  flows[1].grants = {0};
  Engine engine(bed.fabric, Model{}, flows, nullptr, For(FromSeconds(0.001)));
  engine.Run([](Time) { return true; });
  // One way: 90 bytes at 2 B/ns on two links, 25 ns each, and 100 ns of routing behind the head.
  const double way_ns = 45 + 2 * 25 + 100;
  const FlowCounters& there = engine.flow_counters()[0];
  EXPECT_NEAR(static_cast<double>(there.round_trip_sum) / static_cast<double>(there.round_trips) / kFsPerNs, 2 * way_ns, 0.5);
  EXPECT_NEAR(static_cast<double>(there.received_messages), 1e6 / (2 * way_ns), 1);
  EXPECT_LE(there.received_messages - engine.flow_counters()[1].received_messages, 1u);
}

// Two senders to a third host, which answers both only when it has heard from both: all go at the pace of the one that thinks.
TEST(EngineTraffic, AFlowThatNeedsTwoDeliveriesWaitsForBoth) {
  const testing::Bed bed = testing::OneSwitch(3);
  std::vector<Flow> flows(4);
  for (Flow& flow : flows) flow.message_bytes = 64, flow.closed = true;
  for (std::uint32_t i : {0u, 1u}) {
    flows[i].src = flows[2 + i].dst = bed.h(1 + i);
    flows[i].dst = flows[2 + i].src = bed.h(3);
    flows[i].window = 1;
    flows[i].grants = {2, 3};
    flows[2 + i].grants = {i};
    flows[2 + i].needs = 2;
  }
  flows[2].think = FromNs(5'000);
  Engine engine(bed.fabric, Model{}, flows, nullptr, For(FromSeconds(0.001)));
  engine.Run([](Time) { return true; });
  const auto& counters = engine.flow_counters();
  for (std::uint32_t i = 0; i < 4; ++i) {
    SCOPED_TRACE(i);
    EXPECT_NEAR(static_cast<double>(counters[i].received_messages), 1e6 / (5'000 + 2 * 195), 3);
  }
  EXPECT_EQ(counters[2].received_messages, counters[3].received_messages);
}

TEST(EngineTraffic, AFlowThatNeedsNothingIsRefused) {
  const testing::Bed bed = testing::OneSwitch(2);
  Flow flow;
  flow.src = bed.h(1);
  flow.dst = bed.h(2);
  flow.closed = true;
  flow.needs = 0;
  EXPECT_THROW(Engine(bed.fabric, Model{}, std::vector{flow}, nullptr, For(FromSeconds(0.001))), std::invalid_argument);
}

TEST(EngineTraffic, ATraceIsSentAsItIs) {
  const testing::Bed bed = testing::OneSwitch(2);
  Flow flow;
  flow.src = bed.h(1);
  flow.dst = bed.h(2);
  flow.messages = std::make_shared<const std::vector<TracedMessage>>(
      std::vector<TracedMessage>{{FromNs(1'000), 100}, {FromNs(1'000), 5'000}, {FromNs(500'000), 1}});
  Engine engine(bed.fabric, Model{}, std::vector{flow}, nullptr, For(FromSeconds(0.001)));
  engine.Run([](Time) { return true; });
  std::vector<std::pair<Time, unsigned>> sent;
  for (const TraceRow& row : engine.record().packets) {
    if (row.event == TraceEvent::Leaves && row.port == PortOf(engine, bed, 1)) sent.emplace_back(row.time, row.wire_bytes - 26u);
  }
  ASSERT_EQ(sent.size(), 5u);
  EXPECT_EQ(sent[0], (std::pair<Time, unsigned>{FromNs(1'000), 100u}));
  EXPECT_EQ(sent[1], (std::pair<Time, unsigned>{FromNs(1'063), 2048u}));
  EXPECT_EQ(sent[3].second, 5'000u - 2 * 2048u);
  EXPECT_EQ(sent[4], (std::pair<Time, unsigned>{FromNs(500'000), 1u}));
  EXPECT_EQ(engine.flow_counters()[0].received_messages, 3u);
}

// All kinds of flows on a hard-throttled bed: whatever happens, the fabric runs dry with nothing lost.
TEST(EngineTraffic, EveryKindOfFlowRunsDry) {
  std::uint64_t becns = 0, packets = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed, 5);
    const testing::Bed bed = testing::TwoSwitch(rng.Below(2) == 0);
    testing::UniformTables settings;
    settings.multiplier_step = static_cast<std::uint16_t>(1 + rng.Below(40));
    settings.ccti_min = static_cast<std::uint8_t>(rng.Below(3));
    settings.ccti_timer = static_cast<std::uint16_t>(rng.Below(30));
    settings.sl_level = rng.Below(4) == 0;
    const auto tables = testing::MakeTables(bed.fabric, settings);
    Model model;
    model.num_vls = static_cast<std::uint32_t>(1 + rng.Below(2));
    model.ca.becn_carrier = rng.Below(3) == 0 ? BecnCarrier::Ack : BecnCarrier::Cnp;
    model.ca.cnp_spacing_ns = rng.Below(2) == 0 ? 0 : 20'000;
    model.ca.ack_every_packets = 4;
    const Destinations::Order orders[] = {Destinations::Order::Uniform, Destinations::Order::Cyclic, Destinations::Order::Moving};
    const auto some = To(orders[rng.Below(3)], bed.hosts, FromNs(30'000));
    std::vector<Flow> flows;
    for (std::uint32_t i = 0; i < 10; ++i) {
      Flow flow;
      flow.src = bed.hosts[rng.Below(7)];
      flow.stop = FromSeconds(3e-4);
      flow.sl = static_cast<std::uint8_t>(rng.Below(2));
      flow.message_bytes = static_cast<std::uint32_t>(1 + rng.Below(9000));
      if (rng.Below(3) > 0) {
        flow.destinations = some;
      } else {
        do flow.dst = bed.hosts[rng.Below(7)];
        while (flow.dst == flow.src);
      }
      if (rng.Below(2) == 0) flow.rate_gbps = 0.5 + static_cast<double>(rng.Below(10));
      if (rng.Below(3) == 0) flow.on = FromNs(20'000), flow.off = FromNs(10'000), flow.random_bursts = rng.Below(2) == 0;
      if (rng.Below(3) == 0) flow.closed = true, flow.window = 2, flow.grants = {i}, flow.think = FromNs(rng.Below(2) * 900);
      flows.push_back(flow);
    }
    RunOptions options;
    options.seed = seed;
    options.duration = FromSeconds(2);
    options.sample_interval = FromSeconds(0.5);
    Engine engine(bed.fabric, model, flows, tables.get(), options);
    ASSERT_NO_FATAL_FAILURE(testing::RunDry(engine));
    std::uint64_t received = 0;
    for (const FlowCounters& c : engine.flow_counters()) {
      becns += c.becn_received;
      packets += c.sent_packets;
      received += c.received_bytes;
    }
    std::uint64_t at_hosts = 0;
    for (const std::uint64_t bytes : engine.record().host_received_bytes) at_hosts += bytes;
    ASSERT_EQ(received, at_hosts);
  }
  EXPECT_GT(packets, 20'000u);
  EXPECT_GT(becns, 1'000u);
}

}  // namespace core_traffic_test
}  // namespace ccsim

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// engine_test.cc: sanity that no paper gives, on fabrics small enough to compute by hand.
#include "engine/engine.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "testing.hpp"

namespace ccsim {
namespace engine_test {

using testing::Bed;
using testing::MakeTables;
using testing::OneSwitch;
using testing::TwoSwitch;
using testing::UniformTables;

constexpr auto kToTheEnd = [](Time) { return true; };

RunOptions Options(double duration_s, double sample_interval_s = 0, std::uint64_t seed = 1) {
  RunOptions options;
  options.seed = seed;
  options.duration = FromSeconds(duration_s);
  options.sample_interval = FromSeconds(sample_interval_s > 0 ? sample_interval_s : duration_s / 10);
  return options;
}

Flow MakeFlow(std::uint32_t src, std::uint32_t dst, double start_s = 0, double stop_s = 0) {
  Flow flow;
  flow.src = src;
  flow.dst = dst;
  flow.start = FromSeconds(start_s);
  if (stop_s > 0) flow.stop = FromSeconds(stop_s);
  return flow;
}

// Mean payload rate of a flow over the samples but the first, which holds the fabric's filling.
double Gbps(const Engine& engine, std::size_t flow, const RunOptions& options) {
  const RunRecord& record = engine.record();
  double bytes = 0;
  for (std::size_t s = 1; s < record.num_samples; ++s)
    bytes += static_cast<double>(record.received_bytes[s * engine.num_flows() + flow]);
  return bytes * 8e-9 / (AsSeconds(options.sample_interval) * static_cast<double>(record.num_samples - 1));
}

TEST(Engine, ALoneFlowReachesThePayloadRateOfItsLink) {
  for (const char* rate : {"1xSDR", "4xDDR", "4xFDR", "4xHDR", "12xXDR"}) {
    for (const std::uint32_t mtu : {256u, 2048u, 4096u}) {
      const Bed bed = OneSwitch(2, rate, mtu);
      const Flow flow = MakeFlow(bed.h(1), bed.h(2));
      const double gbps = ParseLinkRate(rate).data_gbps();
      const double seconds = 20000.0 * mtu * 8e-9 / gbps;
      const RunOptions options = Options(seconds);
      Engine engine(bed.fabric, Model{}, std::span(&flow, 1), nullptr, options);
      ASSERT_TRUE(engine.Run(kToTheEnd));
      const double expected = gbps * mtu / (mtu + 26.0);
      EXPECT_NEAR(Gbps(engine, 0, options), expected, 0.001 * expected) << rate << " MTU " << mtu;
    }
  }
}

TEST(Engine, HostLimitsHoldInEachDirection) {
  Bed bed = OneSwitch(4);
  bed.fabric.SetHostLimits(1, 9.0, 1.0);  // H1 sends to H2, which may take all
  bed.fabric.SetHostLimits(4, 1.0, 7.0);  // H3, which may send all, to H4
  const Flow flows[] = {MakeFlow(bed.h(1), bed.h(2)), MakeFlow(bed.h(3), bed.h(4))};
  const RunOptions options = Options(0.02);
  Engine engine(bed.fabric, Model{}, flows, nullptr, options);
  engine.Run(kToTheEnd);
  EXPECT_NEAR(Gbps(engine, 0, options), 9.0, 0.009);
  EXPECT_NEAR(Gbps(engine, 1, options), 7.0, 0.007);
}

// One packet of 2,048 bytes from H1 to H4 of the test bed. 2,074 bytes take 1,037 ns at 16 Gb/s and 518.5 ns at 32 Gb/s.
// H1 starts at 0; S1 may send on the faster link only when the tail keeps up: 25 + 100 + (1,037 - 518.5) = 643.5 ns;
// S2 gets the head at 643.5 + 25 and sends it on 100 ns later, at 768.5; the tail is at H4 after 1,037 + 25 more: 1,830.5 ns.
TEST(Engine, OnePacketsWayTakesWhatOneComputesByHand) {
  const Bed bed = TwoSwitch(false);
  Flow flow = MakeFlow(bed.h(1), bed.h(4), 0, 1e-9);
  RunOptions options = Options(1e-4);
  options.trace_packets = 100;
  Engine engine(bed.fabric, Model{}, std::span(&flow, 1), nullptr, options);
  engine.Run(kToTheEnd);
  std::vector<double> leaves, received;
  for (const TraceRow& row : engine.record().packets) {
    if (row.kind != PacketKind::Data) continue;
    (row.event == TraceEvent::Leaves ? leaves : received).push_back(static_cast<double>(row.time) / kFsPerNs);
  }
  EXPECT_EQ(leaves, (std::vector<double>{0, 643.5, 768.5}));
  EXPECT_EQ(received, (std::vector<double>{1062, 1187, 1830.5}));
  EXPECT_EQ(engine.record().packet_hops, 3u);
}

// The CCTI is held at 5 (CCTI_Min), its entry at 5 packet times: start to start is 1 + 5 packet times.
TEST(Engine, TheGapBetweenPacketsIsTheCctEntry) {
  const Bed bed = OneSwitch(2);
  UniformTables settings;
  settings.ccti_min = 5;
  const auto tables = MakeTables(bed.fabric, settings);
  const Flow flow = MakeFlow(bed.h(1), bed.h(2));
  RunOptions options = Options(1e-4);
  options.trace_packets = 1000;
  Engine engine(bed.fabric, Model{}, std::span(&flow, 1), tables.get(), options);
  engine.Run(kToTheEnd);
  std::vector<Time> starts;
  for (const TraceRow& row : engine.record().packets) {
    if (row.kind == PacketKind::Data && row.event == TraceEvent::Leaves && row.port == 2) starts.push_back(row.time);
  }
  ASSERT_GT(starts.size(), 10u);
  for (std::size_t i = 1; i < starts.size(); ++i) EXPECT_EQ(starts[i] - starts[i - 1], 6 * 1037 * kFsPerNs);
}

// The bus gap and the delay overlap: with a bus of 2 Gb/s (8,192 ns a packet) a delay of 5 packet times adds nothing.
TEST(Engine, TheNextStartIsTheLaterOfBusAndDelayNotTheirSum) {
  Bed bed = OneSwitch(2);
  bed.fabric.SetHostLimits(1, 2.0, std::nullopt);
  UniformTables settings;
  settings.ccti_min = 5;
  const auto tables = MakeTables(bed.fabric, settings);
  const Flow flow = MakeFlow(bed.h(1), bed.h(2));
  const RunOptions options = Options(0.01);
  Engine engine(bed.fabric, Model{}, std::span(&flow, 1), tables.get(), options);
  engine.Run(kToTheEnd);
  EXPECT_NEAR(Gbps(engine, 0, options), 2.0, 0.002);
}

TEST(Engine, SlLevelThrottlesAllQueuePairsOfTheSlTogether) {
  for (const bool sl_level : {false, true}) {
    const Bed bed = OneSwitch(3);
    UniformTables settings;
    settings.ccti_min = 9;  // a tenth of the link
    settings.sl_level = sl_level;
    const auto tables = MakeTables(bed.fabric, settings);
    const Flow flows[] = {MakeFlow(bed.h(1), bed.h(2)), MakeFlow(bed.h(1), bed.h(3))};
    const RunOptions options = Options(0.02);
    Engine engine(bed.fabric, Model{}, flows, tables.get(), options);
    engine.Run(kToTheEnd);
    const double tenth = 16.0 * 2048 / 2074 / 10;
    for (const std::size_t f : {0u, 1u})
      EXPECT_NEAR(Gbps(engine, f, options), sl_level ? tenth / 2 : tenth, 0.01 * tenth) << sl_level;
  }
}

TEST(Engine, AFlowWithARateGetsIt) {
  const Bed bed = OneSwitch(3);
  Flow flows[] = {MakeFlow(bed.h(1), bed.h(2)), MakeFlow(bed.h(1), bed.h(3))};
  flows[0].rate_gbps = 3.0;
  flows[0].queue_pairs = 4;
  const RunOptions options = Options(0.02);
  Engine engine(bed.fabric, Model{}, flows, nullptr, options);
  engine.Run(kToTheEnd);
  EXPECT_NEAR(Gbps(engine, 0, options), 3.0, 0.01);
  EXPECT_NEAR(Gbps(engine, 1, options), 16.0 * 2048 / 2074 - 3.0, 0.03);
}

// Four contributors, host limits that root the tree, CC that marks: stop the flows, let the fabric run dry, and count.
TEST(Engine, NothingIsLostAndTheFabricRunsDry) {
  for (const ThresholdMode mode : {ThresholdMode::Voq, ThresholdMode::Sum, ThresholdMode::Contributing}) {
    for (const BecnCarrier carrier : {BecnCarrier::Cnp, BecnCarrier::Ack}) {
      const Bed bed = TwoSwitch();
      UniformTables settings;
      settings.packet_size = 8;
      const auto tables = MakeTables(bed.fabric, settings);
      Model model;
      model.switches.threshold_mode = mode;
      model.switches.input_buffer_bytes = 20 * 2112;
      model.switches.threshold_reference_bytes = 16 * 4 * 2112;
      model.ca.becn_carrier = carrier;
      model.ca.cnp_spacing_ns = 0;
      const Flow flows[] = {MakeFlow(bed.h(1), bed.h(4), 0, 0.02), MakeFlow(bed.h(2), bed.h(5), 0, 0.02),
                            MakeFlow(bed.h(3), bed.h(5), 0, 0.02), MakeFlow(bed.h(6), bed.h(5), 0, 0.02),
                            MakeFlow(bed.h(5), bed.h(1), 0, 0.02)};
      Engine engine(bed.fabric, model, flows, tables.get(), Options(0.022));
      int asked = 0;
      engine.Run([&](Time) {
        engine.CheckInvariants();
        ++asked;
        return true;
      });
      EXPECT_GT(asked, 3);
      engine.CheckInvariants();
      EXPECT_EQ(engine.packets_in_flight(), 0u);
      std::uint64_t marked = 0, noticed = 0, throttled = 0;
      for (const FlowCounters& c : engine.flow_counters()) {
        EXPECT_GT(c.sent_packets, 100u);
        EXPECT_EQ(c.sent_packets, c.received_packets);
        noticed += c.fecn_received;
        throttled += c.becn_received;
      }
      for (const PortCounters& c : engine.port_counters()) marked += c.fecn_marked;
      EXPECT_GT(marked, 0u);
      EXPECT_LE(noticed, marked);  // a packet may be marked at both switches
      EXPECT_GT(throttled, 0u);
      if (carrier == BecnCarrier::Cnp) {
        EXPECT_EQ(throttled, noticed);
      }
      EXPECT_TRUE(engine.AllCreditsReturned());
    }
  }
}

TEST(Engine, ASeedGivesTheSameRunAndAnotherSeedAnother) {
  const auto series = [](std::uint64_t seed) {
    const Bed bed = TwoSwitch();
    UniformTables settings;
    settings.marking_rate = 1;
    settings.ccti_timer = 20;
    const auto tables = MakeTables(bed.fabric, settings);
    const Flow flows[] = {MakeFlow(bed.h(2), bed.h(5)), MakeFlow(bed.h(3), bed.h(5)), MakeFlow(bed.h(6), bed.h(5))};
    Engine engine(bed.fabric, Model{}, flows, tables.get(), Options(0.02, 0.001, seed));
    engine.Run(kToTheEnd);
    return engine.record().received_bytes;
  };
  EXPECT_EQ(series(7), series(7));
  EXPECT_NE(series(7), series(8));
}

TEST(Engine, SymmetricHostsAreTreatedAlikeAndNoneStarves) {
  const Bed bed = OneSwitch(9);
  std::vector<Flow> flows;
  for (int i = 1; i <= 8; ++i) flows.push_back(MakeFlow(bed.h(i), bed.h(9)));
  const RunOptions options = Options(0.02);
  Engine engine(bed.fabric, Model{}, flows, nullptr, options);
  engine.Run(kToTheEnd);
  for (std::size_t f = 0; f < 8; ++f) EXPECT_NEAR(Gbps(engine, f, options), 16.0 * 2048 / 2074 / 8, 0.01) << f;
}

// One read port for an input that feeds three outputs, whose other input is always full: nobody starves.
TEST(Engine, ASingleReadPortServesItsOutputsInTurn) {
  const Bed bed = OneSwitch(5);
  Model model;
  model.switches.read_ports = 1;
  const Flow flows[] = {MakeFlow(bed.h(1), bed.h(3)), MakeFlow(bed.h(1), bed.h(4)), MakeFlow(bed.h(1), bed.h(5)),
                        MakeFlow(bed.h(2), bed.h(3)), MakeFlow(bed.h(2), bed.h(4)), MakeFlow(bed.h(2), bed.h(5))};
  const RunOptions options = Options(0.02);
  Engine engine(bed.fabric, model, flows, nullptr, options);
  engine.Run(kToTheEnd);
  for (std::size_t f = 0; f < 6; ++f) EXPECT_NEAR(Gbps(engine, f, options), 16.0 * 2048 / 2074 / 3, 0.4) << f;
}

TEST(Engine, SeveralVlsShareALinkAndDoNotBlockEachOther) {
  Bed bed = TwoSwitch();
  bed.fabric.SetHostLimits(6, std::nullopt, 1.0);  // H5 roots a tree on SL 1
  Model model;
  model.num_vls = 2;
  Flow flows[] = {MakeFlow(bed.h(1), bed.h(4)), MakeFlow(bed.h(1), bed.h(5))};
  flows[1].sl = 1;
  const RunOptions options = Options(0.02);
  Engine engine(bed.fabric, model, flows, nullptr, options);
  engine.Run(kToTheEnd);
  EXPECT_NEAR(Gbps(engine, 1, options), 1.0, 0.05);
  EXPECT_NEAR(Gbps(engine, 0, options), 12.0, 0.1);
}

TEST(Engine, ASlowReceiverWithholdsCreditsAndItsTreeHoldsAVictimBack) {
  Bed bed = TwoSwitch();
  bed.fabric.SetHostLimits(6, std::nullopt, 2.0);
  const Flow flows[] = {MakeFlow(bed.h(1), bed.h(4)), MakeFlow(bed.h(2), bed.h(5)), MakeFlow(bed.h(3), bed.h(5))};
  Engine engine(bed.fabric, Model{}, flows, nullptr, Options(0.05, 0.01));
  engine.Run(kToTheEnd);
  const auto& series = engine.record().received_bytes;
  const double victim = static_cast<double>(series[(engine.record().num_samples - 1) * 3]) * 8e-9 / 0.01;
  EXPECT_NEAR(victim, 1.0, 0.1);  // as slow as each contributor
  const auto& names = engine.port_names();
  for (std::size_t p = 0; p < names.size(); ++p) {
    if (names[p].node != 1 || names[p].port != 5) continue;
    EXPECT_GT(engine.port_counters()[p].xmit_wait, FromSeconds(0.03));
  }
}

TEST(Engine, PacketsBelowPacketSizeAreNotMarked) {
  for (const bool large_enough : {false, true}) {
    const Bed bed = OneSwitch(4);
    UniformTables settings;
    settings.packet_size = 8;  // 512 bytes
    const auto tables = MakeTables(bed.fabric, settings);
    Flow flows[] = {MakeFlow(bed.h(1), bed.h(4)), MakeFlow(bed.h(2), bed.h(4)), MakeFlow(bed.h(3), bed.h(4))};
    for (Flow& flow : flows) flow.message_bytes = large_enough ? 486 : 485;  // and 26 of headers
    Engine engine(bed.fabric, Model{}, flows, tables.get(), Options(0.005));
    engine.Run(kToTheEnd);
    std::uint64_t marked = 0;
    for (const PortCounters& c : engine.port_counters()) marked += c.fecn_marked;
    EXPECT_EQ(marked > 0, large_enough);
  }
}

TEST(Engine, TheRootTestSparesAPortWithoutCreditsUnlessItsVictimMaskIsSet) {
  for (const RootTest test : {RootTest::Crossing, RootTest::Marking, RootTest::Both}) {
    for (const bool victim_mask : {false, true}) {
      Bed bed = OneSwitch(3);
      bed.fabric.SetHostLimits(3, std::nullopt, 2.0);  // H3 is the root, the switch's port to it has no credits
      UniformTables settings;
      settings.victim_mask = victim_mask;
      const auto tables = MakeTables(bed.fabric, settings);
      Model model;
      model.switches.root_test = test;
      const Flow flow = MakeFlow(bed.h(1), bed.h(3));
      Engine engine(bed.fabric, model, std::span(&flow, 1), tables.get(), Options(0.01));
      engine.Run(kToTheEnd);
      std::uint64_t marked = 0;
      for (const PortCounters& c : engine.port_counters()) marked += c.fecn_marked;
      EXPECT_EQ(marked > 0, victim_mask) << static_cast<int>(test);
    }
  }
}

TEST(Engine, CnpsKeepTheirLeastSpacing) {
  const Bed bed = OneSwitch(4);
  const auto tables = MakeTables(bed.fabric);
  Model model;
  model.ca.cnp_spacing_ns = 50'000;
  const Flow flows[] = {MakeFlow(bed.h(1), bed.h(4)), MakeFlow(bed.h(2), bed.h(4)), MakeFlow(bed.h(3), bed.h(4))};
  Engine engine(bed.fabric, model, flows, tables.get(), Options(0.01));
  engine.Run(kToTheEnd);
  for (const FlowCounters& c : engine.flow_counters()) {
    EXPECT_GT(c.becn_received, 20u);
    EXPECT_LE(c.becn_received, 201u);
    EXPECT_LT(c.becn_received, c.fecn_received);
  }
}

std::uint64_t Marks(const Engine& engine) {
  std::uint64_t marks = 0;
  for (const PortCounters& c : engine.port_counters()) marks += c.fecn_marked;
  return marks;
}

// Three inputs of two packets each hold at most six: below a threshold of twelve, above a third of it.
TEST(Engine, ThresholdModesLookAtAVoqTheSumOrTheThresholdsShareOfAnInput) {
  for (const ThresholdMode mode : {ThresholdMode::Voq, ThresholdMode::Sum, ThresholdMode::Contributing}) {
    const Bed bed = OneSwitch(4);
    const auto tables = MakeTables(bed.fabric);
    Model model;
    model.switches.threshold_mode = mode;
    model.switches.input_buffer_bytes = 2 * 2112;
    model.switches.threshold_reference_bytes = 16 * 12 * 2074;
    const Flow flows[] = {MakeFlow(bed.h(1), bed.h(4)), MakeFlow(bed.h(2), bed.h(4)), MakeFlow(bed.h(3), bed.h(4))};
    Engine all(bed.fabric, model, flows, tables.get(), Options(0.005));
    all.Run(kToTheEnd);
    EXPECT_EQ(Marks(all) > 0, mode == ThresholdMode::Contributing);

    model.switches.threshold_reference_bytes = 16 * 4 * 2074;  // four: one VOQ cannot hold them, two can together
    Engine again(bed.fabric, model, flows, tables.get(), Options(0.005));
    again.Run(kToTheEnd);
    EXPECT_EQ(Marks(again) > 0, mode != ThresholdMode::Voq);

    model.switches.threshold_reference_bytes = 16 * 2 * 2074;
    Engine last(bed.fabric, model, flows, tables.get(), Options(0.005));
    last.Run(kToTheEnd);
    EXPECT_GT(Marks(last), 0u);
  }
}

TEST(Engine, AnAckComesForEverySoManyPackets) {
  for (const std::uint32_t every : {1u, 16u, 28u, 32u}) {
    const Bed bed = OneSwitch(2);
    Model model;
    model.ca.ack_every_packets = every;
    const Flow flow = MakeFlow(bed.h(1), bed.h(2), 0, 0.002);
    RunOptions options = Options(0.003);
    options.trace_packets = 100000;
    Engine engine(bed.fabric, model, std::span(&flow, 1), nullptr, options);
    engine.Run(kToTheEnd);
    std::uint64_t acks = 0;
    for (const TraceRow& row : engine.record().packets) acks += row.kind == PacketKind::Ack && row.event == TraceEvent::Leaves;
    EXPECT_EQ(acks, 2 * (engine.flow_counters()[0].received_packets / every)) << every;  // each leaves H2 and the switch
  }
}

// H1 and H2 are hotspots of each other's neighbours, so CNPs to them pass through congested ports and, with Packet_Size 0, are
// marked like any other packet. No BECN may come of that: there are as many BECNs as marked data packets.
TEST(Engine, AFecnOnACnpOrAnAckIsIgnored) {
  const Bed bed = OneSwitch(5);
  const auto tables = MakeTables(bed.fabric);
  Model model;
  model.ca.cnp_spacing_ns = 0;
  const Flow flows[] = {MakeFlow(bed.h(1), bed.h(2), 0, 0.005), MakeFlow(bed.h(3), bed.h(2), 0, 0.005),
                        MakeFlow(bed.h(2), bed.h(1), 0, 0.005), MakeFlow(bed.h(4), bed.h(1), 0, 0.005),
                        MakeFlow(bed.h(5), bed.h(1), 0, 0.005)};
  RunOptions options = Options(0.01);
  options.trace_packets = 200000;
  Engine engine(bed.fabric, model, flows, tables.get(), options);
  engine.Run(kToTheEnd);
  std::uint64_t marked_control = 0, becns = 0, fecns = 0;
  for (const TraceRow& row : engine.record().packets) marked_control += row.kind != PacketKind::Data && row.fecn;
  for (const FlowCounters& c : engine.flow_counters()) becns += c.becn_received, fecns += c.fecn_received;
  EXPECT_GT(marked_control, 0u);
  EXPECT_GT(fecns, 100u);
  EXPECT_EQ(becns, fecns);
  EXPECT_EQ(engine.packets_in_flight(), 0u);
}

TEST(Engine, WithCongestionControlSymmetricHostsAreTreatedAlikeWhateverTheSeed) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    const Bed bed = OneSwitch(5);
    UniformTables settings;
    settings.marking_rate = 1;
    const auto tables = MakeTables(bed.fabric, settings);
    std::vector<Flow> flows;
    for (int i = 1; i <= 4; ++i) flows.push_back(MakeFlow(bed.h(i), bed.h(5)));
    const RunOptions options = Options(0.5, 0.05, seed);
    Engine engine(bed.fabric, Model{}, flows, tables.get(), options);
    engine.Run(kToTheEnd);
    double total = 0;
    for (std::size_t f = 0; f < 4; ++f) total += Gbps(engine, f, options);
    EXPECT_GT(total, 14);
    for (std::size_t f = 0; f < 4; ++f) EXPECT_NEAR(Gbps(engine, f, options), total / 4, 0.1 * total / 4) << f;
  }
}

TEST(Engine, QueuePairsOfAFlowWithARateTakeTurns) {
  const Bed bed = OneSwitch(2);
  Flow flow = MakeFlow(bed.h(1), bed.h(2));
  flow.rate_gbps = 1;
  flow.queue_pairs = 8;
  RunOptions options = Options(0.001);
  options.trace_packets = 10000;
  Engine engine(bed.fabric, Model{}, std::span(&flow, 1), nullptr, options);
  engine.Run(kToTheEnd);
  Time before = -1;
  for (const TraceRow& row : engine.record().packets) {
    if (row.kind != PacketKind::Data || row.event != TraceEvent::Leaves || row.port != 2) continue;
    if (before >= 0) EXPECT_NEAR(AsSeconds(row.time - before), 2048 * 8e-9, 1e-12);
    before = row.time;
  }
  EXPECT_GT(before, 0);
}

TEST(Engine, WaitingEndsWithTheFlowThatWaited) {
  Bed bed = OneSwitch(2);
  bed.fabric.SetHostLimits(2, std::nullopt, 0.1);  // H2 takes nearly nothing, so H1 waits for credits
  const Flow flow = MakeFlow(bed.h(1), bed.h(2), 0, 0.01);
  Engine engine(bed.fabric, Model{}, std::span(&flow, 1), nullptr, Options(0.1));
  engine.Run(kToTheEnd);
  const double waited_s = AsSeconds(engine.port_counters()[2].xmit_wait);
  EXPECT_GT(waited_s, 0.008);
  EXPECT_LT(waited_s, 0.0102);
}

TEST(Engine, StopsWhenAskedAndKeepsWhatItHas) {
  const Bed bed = TwoSwitch();
  const Flow flow = MakeFlow(bed.h(1), bed.h(4));
  Engine engine(bed.fabric, Model{}, std::span(&flow, 1), nullptr, Options(1.0, 0.001));
  EXPECT_FALSE(engine.Run([](Time now) { return now < FromSeconds(0.05); }));
  EXPECT_GE(engine.record().num_samples, 49u);
  EXPECT_LT(engine.now(), FromSeconds(0.2));
}

TEST(Engine, RefusesWhatMakesNoSense) {
  const Bed bed = TwoSwitch();
  const auto refusal = [&](Flow flow, Model model = {}, RunOptions options = Options(0.01)) -> std::string {
    try {
      Engine engine(bed.fabric, model, std::span(&flow, 1), nullptr, options);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  const Flow good = MakeFlow(bed.h(1), bed.h(4));
  EXPECT_EQ(refusal(good), "");
  EXPECT_NE(refusal(MakeFlow(bed.h(1), bed.h(1))).find("both 'H1'"), std::string::npos);
  EXPECT_NE(refusal(MakeFlow(bed.h(1), 99)).find("endport 99"), std::string::npos);
  EXPECT_NE(refusal(MakeFlow(bed.h(1), bed.h(4), 0.5, 0.4)).find("not after its start"), std::string::npos);
  Flow flow = good;
  flow.sl = 16;
  EXPECT_NE(refusal(flow).find("SL 16"), std::string::npos);
  flow = good;
  flow.rate_gbps = 0.002;
  EXPECT_EQ(refusal(flow), "");
  flow.queue_pairs = 3;
  EXPECT_NE(refusal(flow).find("3 queue pairs is less than the least"), std::string::npos);
  Model model;
  model.switches.input_buffer_bytes = 2111;
  EXPECT_NE(refusal(good, model).find("model.switch.input_buffer_bytes is 2111"), std::string::npos);
  EXPECT_NE(refusal(good, {}, Options(0.01, 0.02)).find("sample_interval_s"), std::string::npos);
}

}  // namespace engine_test
}  // namespace ccsim

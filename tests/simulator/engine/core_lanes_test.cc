// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core_lanes_test.cc: what several VLs, and credits held back, do to throughput; and what is logged.
#include <gtest/gtest.h>

#include <exception>
#include <string>

#include "engine/engine.hpp"
#include "running.hpp"
#include "testing.hpp"

namespace ccsim {
namespace core_lanes_test {

using testing::Bed;
using testing::Gbps;
using testing::kLinkGbps;
using testing::MakeFlow;
using testing::MakeTables;
using testing::OneSwitch;
using testing::Options;
using testing::RunChecked;
using testing::TwoSwitch;
using testing::UniformTables;

constexpr std::uint8_t kPacket = 33;  // units of 64 bytes of a packet of 2,048

Model TwoVls() {
  Model model;
  model.num_vls = 2;
  return model;
}

SlToVl AllOn(std::uint8_t vl) {
  SlToVl table;
  table.fill(vl);
  return table;
}

std::string Refusal(const auto& act) {
  try {
    act();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

// H1 on SL 0 and H2 on SL 1, both to H3 at full speed.
struct Bottleneck {
  Bed bed = OneSwitch(3);
  Flow flows[2] = {MakeFlow(bed.h(1), bed.h(3), 0), MakeFlow(bed.h(2), bed.h(3), 1)};
  RunOptions options = Options(0.02, 0.001);

  double Share(std::size_t flow) {
    Engine engine(bed.fabric, TwoVls(), flows, nullptr, options);
    RunChecked(engine);
    EXPECT_NEAR(Gbps(engine, 0, options.sample_interval) + Gbps(engine, 1, options.sample_interval), kLinkGbps, 0.01 * kLinkGbps);
    return Gbps(engine, flow, options.sample_interval) / kLinkGbps;
  }
};

TEST(VlArbitrationInTheEngine, WeightsAreShares) {
  Bottleneck b;
  EXPECT_NEAR(b.Share(0), 0.5, 0.005);  // without tables VLs take turns
  b.bed.fabric.SetVlArbitration(0, 3, {.high = {}, .low = {{0, kPacket}, {1, 3 * kPacket}}});
  EXPECT_NEAR(b.Share(0), 0.25, 0.0025);
  b.bed.fabric.SetVlArbitration(0, 3, {.high = {}, .low = {{0, 255}, {1, 51}}});  // 8 packets and 2: a rest begins another
  EXPECT_NEAR(b.Share(0), 0.8, 0.008);
}

TEST(VlArbitrationInTheEngine, HighStarvesLowUnlessItIsLimited) {
  Bottleneck b;
  b.bed.fabric.SetVlArbitration(0, 3, {.high = {{1, 1}}, .low = {{0, 255}}});
  EXPECT_LT(b.Share(0), 0.001);
  b.bed.fabric.SetVlArbitration(0, 3, {.high = {{1, 1}}, .low = {{0, 255}}, .high_limit = 0});
  EXPECT_NEAR(b.Share(0), 0.5, 0.005);
  // 3 * 4,096 bytes are 192 units, six packets of 33.
  b.bed.fabric.SetVlArbitration(0, 3, {.high = {{1, 1}}, .low = {{0, 255}}, .high_limit = 3});
  EXPECT_NEAR(b.Share(0), 1.0 / 7, 0.0015);
}

TEST(VlArbitrationInTheEngine, AnAdapterArbitratesToo) {
  const Bed plain = OneSwitch(3);
  Bed bed = plain;
  const Flow flows[] = {MakeFlow(bed.h(1), bed.h(2), 0), MakeFlow(bed.h(1), bed.h(3), 1)};
  bed.fabric.SetVlArbitration(1, 1, {.high = {}, .low = {{0, kPacket}, {1, 4 * kPacket}}});
  const RunOptions options = Options(0.02, 0.001);
  Engine engine(bed.fabric, TwoVls(), flows, nullptr, options);
  RunChecked(engine);
  EXPECT_NEAR(Gbps(engine, 0, options.sample_interval), 0.2 * kLinkGbps, 0.002 * kLinkGbps);
  EXPECT_NEAR(Gbps(engine, 1, options.sample_interval), 0.8 * kLinkGbps, 0.008 * kLinkGbps);
}

// Answers cross the data's ports on the way back, so each direction is looked at.
TEST(VlArbitrationInTheEngine, AFlowThatWouldNeverBeServedIsRefused) {
  Bottleneck b;
  b.bed.fabric.SetVlArbitration(0, 3, {.high = {{1, 0}}, .low = {{0, 8}}});
  EXPECT_EQ(Refusal([&] { b.Share(0); }),
            "flow 2: its packets on SL 1 come to port 3 of 'S1' on VL 1, which VL arbitration there has no entry for: they would "
            "never leave");
  Bottleneck back;
  back.bed.fabric.SetVlArbitration(0, 1, {.high = {}, .low = {{1, 8}}});
  EXPECT_NE(Refusal([&] { back.Share(0); }).find("flow 1: its packets on SL 0 come to port 1 of 'S1'"), std::string::npos);
}

// H1's flow to H4 shares the link between the switches with H2's to H5, whose bus takes 1 Gb/s.
TEST(SlToVlInTheEngine, AVictimIsCuredByAVlOfItsOwnOnTheSharedLink) {
  for (const bool apart : {false, true}) {
    Bed bed = TwoSwitch(false);
    bed.fabric.SetHostLimits(6, std::nullopt, 1.0);  // H5
    for (const std::uint16_t in : {1, 2}) {
      SlToVl link = AllOn(1);
      if (apart) link[1] = 2;
      bed.fabric.SetSlToVl(0, in, 36, link);
    }
    const Flow flows[] = {MakeFlow(bed.h(1), bed.h(4), 1), MakeFlow(bed.h(2), bed.h(5), 0)};
    RunOptions options = Options(0.02, 0.001);
    Engine engine(bed.fabric, Model{}, flows, nullptr, options);
    RunChecked(engine);
    EXPECT_NEAR(Gbps(engine, 1, options.sample_interval, 5), 1.0, 0.01);
    if (apart) {
      EXPECT_NEAR(Gbps(engine, 0, options.sample_interval, 5), kLinkGbps, 0.01);
    } else {
      EXPECT_LT(Gbps(engine, 0, options.sample_interval, 5), 2.0);
    }
  }
}

TEST(SlToVlInTheEngine, PacketsChangeVlsAndEveryCreditComesBackOnItsOwn) {
  Bed bed = TwoSwitch();
  for (int in = 1; in <= 36; ++in) {
    for (const int out : {1, 2, 3, 4, 5, 6, 7, 36}) {
      bed.fabric.SetSlToVl(0, static_cast<std::uint16_t>(in), static_cast<std::uint16_t>(out),
                           AllOn(static_cast<std::uint8_t>(in % 3)));
      bed.fabric.SetSlToVl(1, static_cast<std::uint16_t>(in), static_cast<std::uint16_t>(out),
                           AllOn(static_cast<std::uint8_t>(out % 2)));
    }
  }
  std::vector<Flow> flows;
  for (int i = 1; i <= 7; ++i) {
    for (int j = 1; j <= 7; ++j) {
      if (i == j) continue;
      flows.push_back(MakeFlow(bed.h(i), bed.h(j), static_cast<std::uint8_t>(j)));
      flows.back().stop = FromSeconds(0.001);
    }
  }
  Model model;
  model.switches.input_buffer_bytes = 5 * 2112;
  Engine engine(bed.fabric, model, flows, MakeTables(bed.fabric).get(), Options(0.1, 0.01));
  RunChecked(engine);
  EXPECT_EQ(engine.packets_in_flight(), 0u);
  EXPECT_TRUE(engine.AllCreditsReturned());
  for (const FlowCounters& c : engine.flow_counters()) EXPECT_EQ(c.sent_packets, c.received_packets);
}

// From S1 to S2 the path SL is 1, so a flow of SL 1 travels on SL 3. Only what SL 3 says of CC counts.
TEST(PathSlsInTheEngine, AFlowsEffectiveSlChoosesItsSettingsOfCc) {
  for (const std::uint16_t controlled : {0x1, 0x2, 0x4, 0x8}) {
    Bed bed = TwoSwitch(false);
    bed.fabric.SetPathSls(1, {0, 1, 0, 0});
    UniformTables settings;
    settings.ccti_min = 9;  // a tenth of the link
    const auto tables = MakeTables(bed.fabric, settings);
    for (std::uint32_t i = 0; i < tables->num_cas; ++i) tables->cas[i].setting.control_map = controlled;
    const Flow flow = MakeFlow(bed.h(1), bed.h(4), 1);
    RunOptions options = Options(0.005, 0.0005);
    Engine engine(bed.fabric, Model{}, std::span(&flow, 1), tables.get(), options);
    RunChecked(engine);
    const double expected = controlled == 0x8 ? kLinkGbps / 10 : kLinkGbps;
    EXPECT_NEAR(Gbps(engine, 0, options.sample_interval), expected, 0.01 * expected) << controlled;
  }
  Bed bed = TwoSwitch();
  bed.fabric.SetPathSls(1, {0, 1, 0, 0});
  const Flow flow = MakeFlow(bed.h(1), bed.h(4), 8);
  EXPECT_NE(Refusal([&] {
              Engine(bed.fabric, Model{}, std::span(&flow, 1), nullptr, Options(0.005, 0.001));
            }).find("flow 1: SL 8 is not possible; the routing tells paths apart by 1 bits of the SL, which leaves 0 to 7"),
            std::string::npos);
}

// H1 sends on SL 0 to H5, which takes 1 Gb/s, and on SL 1 to H4. Full of SL 0's packets, a shared buffer leaves SL 1 one packet at
// each hop; parts of their own leave it all it wants.
TEST(SharedBuffers, NoVlShutsAnotherOut) {
  double got[2];
  for (const bool shared : {false, true}) {
    Bed bed = TwoSwitch(false);
    bed.fabric.SetHostLimits(6, std::nullopt, 1.0);  // H5
    const Flow flows[] = {MakeFlow(bed.h(1), bed.h(5), 0), MakeFlow(bed.h(1), bed.h(4), 1)};
    Model model = TwoVls();
    model.switches.input_buffer_bytes = 16 * 2112;
    model.switches.buffer_sharing = shared ? BufferSharing::Shared : BufferSharing::Partitioned;
    RunOptions options = Options(0.02, 0.001);
    Engine engine(bed.fabric, model, flows, nullptr, options);
    RunChecked(engine);
    got[shared] = Gbps(engine, 1, options.sample_interval, 5);
    EXPECT_NEAR(Gbps(engine, 0, options.sample_interval, 5), 1.0, 0.01);
    // What stands in front of H5's port: at most a partition of the buffer, or all of the pool and the packet of its own.
    std::uint32_t most = 0;
    for (std::size_t i = 0; i < engine.port_names().size(); ++i) {
      if (engine.port_names()[i].node == 1) most = std::max(most, engine.port_counters()[i].max_queued_bytes);
    }
    EXPECT_GE(most, 14u * 2074);
    EXPECT_LE(most, 17u * 2074);
  }
  EXPECT_NEAR(got[0], kLinkGbps - 1.0, 0.05);
  EXPECT_GT(got[1], 0.3 * kLinkGbps);
}

TEST(SharedBuffers, TheFabricRunsDryAndRefusesTooSmallABuffer) {
  const Bed bed = TwoSwitch();
  std::vector<Flow> flows;
  for (std::uint8_t i = 1; i <= 7; ++i) {
    for (const int j : {4, 5}) {
      if (i == j) continue;
      flows.push_back(MakeFlow(bed.h(i), bed.h(j), i));
      flows.back().stop = FromSeconds(0.002);
    }
  }
  Model model;
  model.num_vls = 5;
  model.switches.buffer_sharing = BufferSharing::Shared;
  for (const std::uint32_t packets : {5u, 6u, 9u, 40u}) {
    model.switches.input_buffer_bytes = packets * 2112;
    Engine engine(bed.fabric, model, flows, MakeTables(bed.fabric).get(), Options(0.1, 0.01));
    RunChecked(engine);
    EXPECT_EQ(engine.packets_in_flight(), 0u);
    EXPECT_TRUE(engine.AllCreditsReturned());
  }
  model.switches.input_buffer_bytes = 4 * 2112;
  EXPECT_NE(Refusal([&] {
              Engine(bed.fabric, model, flows, nullptr, Options(0.1, 0.01));
            }).find("at least a packet of the MTU for each of the 5 VLs that share it, 10560 bytes"),
            std::string::npos);
}

// H1 and H2 send to H3. Where H1 knows nothing of CC, its port holds back its credits: 9 packet times after each packet's own leave
// it a tenth of its link.
TEST(CreditStarvation, SlowsAnAdapterThatReactsToNothing) {
  for (const std::uint8_t cs_threshold : {0, 15}) {
    const Bed bed = OneSwitch(3);
    UniformTables settings;
    settings.threshold = 0;
    const auto tables = MakeTables(bed.fabric, settings);
    ccp_switch_setting& s = tables->switches[0].setting;
    s.cs_threshold = cs_threshold;
    s.cs_return_delay = {2, 36};
    ccp_port_mask_set(s.credit_mask, 1);
    const Flow flows[] = {MakeFlow(bed.h(1), bed.h(3)), MakeFlow(bed.h(2), bed.h(3))};
    RunOptions options = Options(0.02, 0.001);
    Engine engine(bed.fabric, Model{}, flows, tables.get(), options);
    RunChecked(engine);
    const double share = Gbps(engine, 0, options.sample_interval, 5) / kLinkGbps;
    EXPECT_NEAR(share, cs_threshold == 0 ? 0.5 : 0.1, 0.005);
    EXPECT_EQ(engine.port_counters()[0].credits_held > 100, cs_threshold > 0);
    EXPECT_EQ(engine.port_counters()[1].credits_held, 0u);
  }
}

TEST(CreditStarvation, LeavesAPortAloneThatCausesNoCongestion) {
  const Bed bed = OneSwitch(4);
  UniformTables settings;
  settings.threshold = 0;
  const auto tables = MakeTables(bed.fabric, settings);
  tables->switches[0].setting.cs_threshold = 15;
  tables->switches[0].setting.cs_return_delay = {0, 100};
  ccp_port_mask_set(tables->switches[0].setting.credit_mask, 1);
  const Flow flows[] = {MakeFlow(bed.h(1), bed.h(4)), MakeFlow(bed.h(2), bed.h(3))};
  RunOptions options = Options(0.01, 0.001);
  Engine engine(bed.fabric, Model{}, flows, tables.get(), options);
  RunChecked(engine);
  EXPECT_NEAR(Gbps(engine, 0, options.sample_interval), kLinkGbps, 0.01);
}

TEST(CongestionLogs, ASwitchSaysWhichPacketsBroughtAPortVlIntoCongestion) {
  const Bed bed = OneSwitch(3);
  const auto tables = MakeTables(bed.fabric);
  const Flow flows[] = {MakeFlow(bed.h(1), bed.h(3), 4), MakeFlow(bed.h(2), bed.h(3), 4)};
  Engine engine(bed.fabric, Model{}, flows, tables.get(), Options(0.01, 0.001));
  EXPECT_EQ(engine.SwitchLog(0).events, 0u);
  RunChecked(engine);
  const SwitchCongestionLog log = engine.SwitchLog(0);
  EXPECT_GT(log.events, 0u);
  EXPECT_TRUE(log.marked[3]);
  EXPECT_EQ(log.marked.count(), 1u);
  const auto entries = log.entries.OldestFirst();
  ASSERT_FALSE(entries.empty());
  EXPECT_EQ(entries.size(), std::min<std::size_t>(15, log.events));
  for (const SwitchLogEntry& entry : entries) {
    EXPECT_TRUE(entry.source == bed.h(1) || entry.source == bed.h(2));
    EXPECT_EQ(entry.destination, bed.h(3));
    EXPECT_EQ(entry.sl, 4);
    EXPECT_LE(entry.timestamp, CongestionTimestamp(engine.now()));
  }
  engine.ClearSwitchLog(0);
  EXPECT_EQ(engine.SwitchLog(0).events, 0u);
  EXPECT_TRUE(engine.SwitchLog(0).marked.none());
  EXPECT_EQ(engine.SwitchLog(0).entries.OldestFirst().size(), entries.size());
}

// With an increase of 2, a CCTI reaches a Trigger_Threshold of 3 at 4; it is logged again only after it has been below.
TEST(CongestionLogs, AnAdapterLogsACctiThatReachesTriggerThreshold) {
  for (const bool sl_level : {false, true}) {
    const Bed bed = OneSwitch(3);
    UniformTables settings;
    settings.ccti_increase = 2;
    settings.ccti_timer = 0xFFFF;
    settings.sl_level = sl_level;
    const auto tables = MakeTables(bed.fabric, settings);
    for (auto& sl : tables->cas[0].setting.sls) sl.trigger_threshold = 3;
    const Flow flows[] = {MakeFlow(bed.h(1), bed.h(3), 2), MakeFlow(bed.h(2), bed.h(3), 2)};
    Engine engine(bed.fabric, Model{}, flows, tables.get(), Options(0.01, 0.001));
    RunChecked(engine);
    ASSERT_GT(engine.flow_counters()[0].becn_received, 1u);
    const CaCongestionLog log = engine.CaLog(bed.h(1));
    EXPECT_EQ(log.events, 1u);
    EXPECT_EQ(log.sls, 1u << 2);
    const auto entries = log.entries.OldestFirst();
    ASSERT_EQ(entries.size(), 1u);
    EXPECT_EQ(entries[0].remote, bed.h(3));
    EXPECT_EQ(entries[0].sl, 2);
    EXPECT_EQ(entries[0].queue_pair, sl_level ? CaLogEntry::kWholeSl : 0u);
    EXPECT_EQ(engine.CaLog(bed.h(2)).events, 0u);
    engine.ClearCaLog(bed.h(1));
    EXPECT_EQ(engine.CaLog(bed.h(1)).events, 0u);
  }
}

}  // namespace core_lanes_test
}  // namespace ccsim

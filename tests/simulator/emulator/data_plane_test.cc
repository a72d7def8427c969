// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/data_plane.hpp"

#include <chrono>
#include <stdexcept>

#include "emulator/agents/asking.hpp"
#include "emulator/configured_subnet.hpp"
#include "emulator/management.hpp"
#include "engine/running.hpp"
#include "testing.hpp"

namespace ccsim::emulator {
namespace data_plane_test {

using ccsim::testing::Bed;
using ccsim::testing::MakeFlow;
using ccsim::testing::MakeTables;
using ccsim::testing::TwoSwitch;
using testing::Ask;
using testing::Packed;

const DataPlane::Serve kNothing = [](const Engine&, int) { return true; };

WorkloadOptions For(double duration_s, double sample_interval_s) {
  WorkloadOptions options;
  options.duration = FromSeconds(duration_s);
  options.sample_interval = FromSeconds(sample_interval_s);
  return options;
}

// The thesis' test bed with its subnet configured, and its flows: five contributors to H4 and a victim.
class Emulated {
 public:
  Emulated() : bed(TwoSwitch()), subnet(bed.fabric) {
    testing::Configure(subnet, 1);
    for (const int from : {1, 2, 5, 6, 7}) flows.push_back(MakeFlow(bed.h(from), bed.h(4)));
    flows.push_back(MakeFlow(bed.h(3), bed.h(7)));
  }

  std::uint32_t NodeOf(int host) const { return bed.fabric.endports()[bed.h(host)].node; }
  WorkloadRun Run(const WorkloadOptions& options, const DataPlane::Serve& serve = kNothing) {
    DataPlane plane(subnet, model);
    return plane.Run(flows, options, serve);
  }
  std::string Refusal(const WorkloadOptions& options = For(0.001, 0.001)) {
    try {
      Run(options);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  }

  // Tables to all devices, as a congestion control manager sets them.
  void Set(const ccp_tables& tables) {
    const auto set = [&](Place at, ccp_attribute_id id, std::uint32_t modifier, const auto& host) {
      const auto attribute = static_cast<std::uint16_t>(id);
      ASSERT_EQ(Ask(subnet, at,
                    testing::Question{.method = kSet, .attribute = attribute, .modifier = modifier, .data = Packed(id, host)})
                    .status,
                kOk);
    };
    for (std::uint32_t i = 0; i < tables.num_switches; ++i) {
      set({tables.switches[i].node, 0}, CCP_SWITCH_CONGESTION_SETTING, 0, tables.switches[i].setting);
    }
    for (std::uint32_t i = 0; i < tables.num_cas; ++i) {
      const ccp_ca_tables& ca = tables.cas[i];
      const Place at{ca.node, static_cast<std::uint8_t>(ca.port)};
      set(at, CCP_CA_CONGESTION_SETTING, 0, ca.setting);
      for (unsigned block = 0; block < ccp_cct_num_blocks(ca.cct.ccti_limit); ++block) {
        ccp_cct_block entries;
        ccp_cct_get_block(&ca.cct, block, &entries);
        set(at, CCP_CONGESTION_CONTROL_TABLE, block, entries);
      }
    }
  }

  Bed bed;
  Subnet subnet;
  Model model;
  std::vector<Flow> flows;
};

TEST(DataPlane, UnderTheSameTablesTheSeriesAreTheSimulators) {
  Emulated e;
  const auto tables = MakeTables(e.bed.fabric);
  Engine simulated(e.bed.fabric, e.model, e.flows, tables.get(), ccsim::testing::Options(0.05, 0.001));
  ASSERT_TRUE(simulated.Run([](Time) { return true; }));
  e.Set(*tables);
  const WorkloadRun run = e.Run(For(0.05, 0.001));
  EXPECT_TRUE(run.complete);
  EXPECT_EQ(run.engine->record().received_bytes, simulated.record().received_bytes);
  EXPECT_EQ(run.engine->record().host_received_bytes, simulated.record().host_received_bytes);
  std::uint64_t becns = 0;
  for (std::size_t f = 0; f < e.flows.size(); ++f) {
    EXPECT_EQ(run.engine->flow_counters()[f].becn_received, simulated.flow_counters()[f].becn_received);
    becns += simulated.flow_counters()[f].becn_received;
  }
  EXPECT_GT(becns, 100u);
}

TEST(DataPlane, WithoutCongestionControlTooTheSeriesAreTheSimulators) {
  Emulated e;
  Engine simulated(e.bed.fabric, e.model, e.flows, nullptr, ccsim::testing::Options(0.02, 0.001));
  ASSERT_TRUE(simulated.Run([](Time) { return true; }));
  EXPECT_EQ(e.Run(For(0.02, 0.001)).engine->record().received_bytes, simulated.record().received_bytes);
}

TEST(DataPlane, CountsWhatTheWorkloadHasSentAtEveryPortOfItsWay) {
  Emulated e;
  e.flows = {MakeFlow(e.bed.h(1), e.bed.h(4))};
  e.flows[0].messages =
      std::make_shared<std::vector<TracedMessage>>(std::vector<TracedMessage>{{0, 2048 * 50}, {FromNs(1000), 100}});
  e.Run(For(0.001, 0.001));
  const std::uint64_t bytes = 50 * (2048 + 24) + 100 + 24;  // LRH 8, BTH 12, ICRC 4; not the VCRC
  const auto pma = [&](std::uint32_t node, std::size_t port) -> const PmaPort& { return e.subnet.device(node).pma.ports[port]; };
  const std::vector<std::pair<const PmaPort*, const PmaPort*>> links{
      {&pma(e.NodeOf(1), 1), &pma(0, 1)}, {&pma(0, 36), &pma(1, 36)}, {&pma(1, 4), &pma(e.NodeOf(4), 1)}};
  for (const auto& [sender, receiver] : links) {
    EXPECT_EQ(sender->xmit_bytes, bytes);
    EXPECT_EQ(sender->xmit_packets, 51u);
    EXPECT_EQ(receiver->rcv_bytes, bytes);
    EXPECT_EQ(receiver->rcv_packets, 51u);
  }
  // The other way goes one ACK for every 32 packets.
  EXPECT_EQ(pma(e.NodeOf(4), 1).xmit_packets, 1u);
  EXPECT_EQ(pma(e.NodeOf(4), 1).xmit_bytes, 28u);
}

TEST(DataPlane, CountersAreUpToDateWhenTheyAreReadAndStartAfreshWhenTheyAreCleared) {
  Emulated e;
  PmaPort& port = e.subnet.device(e.NodeOf(1)).pma.ports[1];
  std::uint64_t at_half = 0;
  DataPlane plane(e.subnet, e.model);
  const WorkloadRun run = plane.Run(e.flows, For(0.01, 0.001), [&](const Engine& engine, int) {
    if (at_half > 0 || engine.now() < FromSeconds(0.005)) return true;
    e.subnet.Refresh(e.NodeOf(1));
    at_half = port.xmit_packets;
    port.xmit_packets = 0;
    return true;
  });
  EXPECT_GT(at_half, 0u);
  EXPECT_EQ(at_half + port.xmit_packets, run.engine->flow_counters()[0].sent_packets);
}

TEST(DataPlane, MarksAndTriggersStandInTheLogs) {
  Emulated e;
  auto tables = MakeTables(e.bed.fabric);
  for (std::uint32_t i = 0; i < tables->num_cas; ++i) {
    for (auto& sl : tables->cas[i].setting.sls) sl.trigger_threshold = 2;
  }
  e.Set(*tables);
  e.Run(For(0.01, 0.001));
  const CcaLog& log = e.subnet.device(1).cca.ports[0].log;
  EXPECT_GT(log.events, 0u);
  EXPECT_TRUE(log.ports.test(4));
  ASSERT_FALSE(log.switch_events.empty());
  EXPECT_EQ(log.switch_events.back().dlid, testing::LidOf(e.bed.h(4)));
  const CcaLog& ca = e.subnet.device(e.NodeOf(1)).cca.ports[1].log;
  ASSERT_FALSE(ca.ca_events.empty());
  EXPECT_EQ(ca.ca_events.back().remote_lid, testing::LidOf(e.bed.h(4)));
  EXPECT_EQ(ca.sls, 1u);
}

TEST(DataPlane, TablesThatAreSetInARunCountFromThenOn) {
  Emulated e;
  const auto tables = MakeTables(e.bed.fabric);
  bool set = false;
  const WorkloadRun run = e.Run(For(0.02, 0.001), [&](const Engine& engine, int) {
    if (set || engine.now() < FromSeconds(0.01)) {
      for (const PortCounters& c : engine.port_counters()) EXPECT_TRUE(set || c.fecn_marked == 0);
      return true;
    }
    set = true;
    e.Set(*tables);
    return true;
  });
  std::uint64_t marks = 0;
  for (const PortCounters& c : run.engine->port_counters()) marks += c.fecn_marked;
  EXPECT_GT(marks, 100u);
}

TEST(DataPlane, ACablePulledStopsItsTrafficUntilAManagerMakesTheLinkActive) {
  Emulated e;
  e.flows = {MakeFlow(e.bed.h(1), e.bed.h(4)), MakeFlow(e.bed.h(2), e.bed.h(3))};
  int step = 0;
  const WorkloadRun run = e.Run(For(0.04, 0.01), [&](const Engine& engine, int) {
    if (engine.now() < FromSeconds(0.01) * (step + 1)) return true;
    ++step;
    if (step == 1) e.subnet.SetLink(0, 36, false);
    if (step == 2) e.subnet.SetLink(0, 36, true);  // Init: it carries management only
    if (step == 3) {
      e.subnet.device(0).sma.ports[36].state = e.subnet.device(1).sma.ports[36].state = PortState::Active;
      ++e.subnet.versions().links;
    }
    return true;
  });
  const auto bytes = [&](std::size_t sample, std::size_t flow) { return run.engine->record().received_bytes[2 * sample + flow]; };
  EXPECT_GT(bytes(0, 0), 10'000'000u);
  EXPECT_LT(bytes(1, 0), 500'000u);
  EXPECT_EQ(bytes(2, 0), 0u);
  EXPECT_GT(bytes(3, 0), 10'000'000u);
  for (std::size_t sample = 0; sample < 4; ++sample) EXPECT_GT(bytes(sample, 1), 10'000'000u);
  const std::uint64_t on_the_wire = e.subnet.device(0).pma.ports[36].xmit_packets - e.subnet.device(1).pma.ports[36].rcv_packets;
  EXPECT_EQ(e.subnet.device(0).pma.ports[36].xmit_discards + on_the_wire, run.engine->flow_counters()[0].lost_packets);
}

TEST(DataPlane, AnEntryThatIsSetInARunIsFollowed) {
  Emulated e;
  e.flows = {MakeFlow(e.bed.h(1), e.bed.h(2))};
  bool set = false;
  const WorkloadRun run = e.Run(For(0.02, 0.01), [&](const Engine& engine, int) {
    if (set || engine.now() < FromSeconds(0.01)) return true;
    set = true;
    testing::Manager manager(e.subnet, {e.NodeOf(1), 1});
    testing::Data block = manager.Get({1}, testing::kForwardingId).data;
    block[testing::LidOf(e.bed.h(2))] = kNoRoute;
    EXPECT_TRUE(manager.Set({1}, testing::kForwardingId, 0, block).ok());
    return true;
  });
  EXPECT_GT(run.engine->record().received_bytes[0], 10'000'000u);
  EXPECT_LT(run.engine->record().received_bytes[1], 500'000u);
  EXPECT_EQ(e.subnet.device(0).pma.ports[1].rcv_switch_relay_errors, run.engine->flow_counters()[0].lost_packets);
}

TEST(DataPlane, ServiceLevelsDecideOnVls) {
  Emulated e;
  const auto set_operational = [&](std::uint8_t vls) {
    for (std::uint32_t n = 0; n < e.subnet.num_devices(); ++n) {
      for (SmaPort& port : e.subnet.device(n).sma.ports) port.operational_vls = vls;
    }
  };
  for (Flow& flow : e.flows) flow.sl = 1;
  set_operational(1);
  EXPECT_NE(e.Refusal().find("leave them no VL"), std::string::npos);  // SL 1 is on VL 1, and VL 0 alone is operational
  set_operational(2);
  Model two = e.model;
  two.num_vls = 2;
  Engine simulated(e.bed.fabric, two, e.flows, nullptr, ccsim::testing::Options(0.01, 0.001));
  simulated.Run([](Time) { return true; });
  EXPECT_EQ(e.Run(For(0.01, 0.001)).engine->record().received_bytes, simulated.record().received_bytes);
}

TEST(DataPlane, RefusesWhatCannotGetThroughAndNamesHostAndLid) {
  Emulated e;
  SmaPort& h4 = e.subnet.device(e.NodeOf(4)).sma.ports[1];
  const std::uint16_t lid = std::exchange(h4.lid, std::uint16_t{0});
  EXPECT_EQ(e.Refusal(), "flow 1: host 'H4' (port 1) has no LID; a subnet manager must assign one first");
  h4.lid = lid;
  h4.state = PortState::Armed;
  EXPECT_NE(e.Refusal().find("host 'H4' (LID " + std::to_string(lid) + ", port 1) has a link that is not active"),
            std::string::npos);
  h4.state = PortState::Active;
  e.subnet.device(1).sma.forwarding[lid] = kNoRoute;
  EXPECT_NE(e.Refusal().find("to host 'H4' (LID " + std::to_string(lid) + ", port 1): no route"), std::string::npos);
}

TEST(DataPlane, RefusesCreditLoopsUnlessTheyAreAllowed) {
  // Three switches in a ring, all traffic clockwise, over two links each.
  Bed bed{Fabric(2048), {}};
  Fabric& f = bed.fabric;
  const LinkRate rate = ParseLinkRate("4xDDR");
  for (std::uint32_t s = 0; s < 3; ++s) f.AddNode("S" + std::to_string(s + 1), NodeKind::Switch, s + 1, 3);
  for (std::uint32_t s = 0; s < 3; ++s) {
    const std::uint32_t host = f.AddNode("H" + std::to_string(s + 1), NodeKind::Host, 100 + s, 1);
    f.Connect(host, 1, s, 1, rate, 0);
    f.Connect(s, 2, (s + 1) % 3, 3, rate, 0);
    bed.hosts.push_back(f.endport_index(host, 1));
  }
  for (std::uint32_t s = 0; s < 3; ++s) {
    for (std::uint32_t h = 0; h < 3; ++h) f.SetForward(s, bed.hosts[h], h == s ? 1 : 2);
  }
  Subnet subnet(f);
  testing::Configure(subnet, 1);
  const Model model;
  DataPlane plane(subnet, model);
  const auto run = [&](const std::vector<Flow>& flows, bool allow) {
    WorkloadOptions options = For(0.001, 0.001);
    options.allow_credit_loops = allow;
    return plane.Run(flows, options, kNothing).complete;
  };
  const std::vector<Flow> ring{MakeFlow(bed.h(1), bed.h(3)), MakeFlow(bed.h(2), bed.h(1)), MakeFlow(bed.h(3), bed.h(2))};
  try {
    run(ring, false);
    FAIL() << "a credit loop was not found";
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("S1 port 2 VL 0 -> S2 port 2 VL 0 -> S3 port 2 VL 0 -> S1;"), std::string::npos)
        << error.what();
  }
  EXPECT_TRUE(run(ring, true));
  EXPECT_TRUE(run({MakeFlow(bed.h(1), bed.h(2))}, false));  // there one link, and two back: no cycle
}

TEST(DataPlane, EndsWhenItIsTold) {
  Emulated e;
  const WorkloadRun run = e.Run(For(1, 0.001), [](const Engine& engine, int) { return engine.now() < FromSeconds(0.002); });
  EXPECT_FALSE(run.complete);
  EXPECT_GE(run.engine->record().num_samples, 2u);
  EXPECT_LT(run.engine->record().num_samples, 10u);
}

TEST(DataPlane, TheRealPaceIsNoFasterThanTheClock) {
  Emulated e;
  e.flows.resize(1);
  e.flows[0].rate_gbps = 0.1;
  const auto start = std::chrono::steady_clock::now();
  WorkloadOptions options = For(0.1, 0.01);
  options.pace = Pace::Real;
  e.Run(options, [&](const Engine& engine, int) {
    const auto wall = std::chrono::steady_clock::now() - start;
    EXPECT_LE(engine.now() / kFsPerNs, std::chrono::duration_cast<std::chrono::nanoseconds>(wall).count() + 1'100'000);
    return true;
  });
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(100));
}

}  // namespace data_plane_test
}  // namespace ccsim::emulator

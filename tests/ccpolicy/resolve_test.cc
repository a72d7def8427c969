// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "ccpolicy/resolve.h"

#include <stdexcept>
#include <string>
#include <vector>

#include "ccpolicy/cct.h"
#include "support.hpp"

namespace {

using ccpolicy_test::Document;
using ccpolicy_test::PortsOf;
using ccpolicy_test::Read;
using ccpolicy_test::Tables;
using ccpolicy_test::TestFabric;
using ccpolicy_test::WarningsOf;
using Ports = std::vector<unsigned>;

// Two leaves of eight ports with two hosts and an aggregation node each, one spine with an aggregation node and a router.
//   leaf: 1 host, 2 host, 3 aggregation, 8 spine; spine: 1 and 2 leaves, 3 aggregation, 4 router
class ResolveTest : public testing::Test {
 protected:
  ResolveTest() {
    spine = fabric.Add("spine", CCP_NODE_SWITCH, 40);
    for (unsigned l = 0; l < 2; ++l) {
      leaf[l] = fabric.Add("leaf-" + std::to_string(l), CCP_NODE_SWITCH, 8);
      for (unsigned h = 0; h < 2; ++h) {
        host[l][h] = fabric.Add("node" + std::to_string(2 * l + h) + " HCA-1", CCP_NODE_HOST, 2);
        fabric.Connect(leaf[l], h + 1, host[l][h], 1);
      }
      fabric.Connect(leaf[l], 3, fabric.Add("Aggregation", CCP_NODE_AGGREGATION, 1), 1);
      fabric.Connect(leaf[l], 8, spine, l + 1);
    }
    fabric.Connect(spine, 3, fabric.Add("Aggregation", CCP_NODE_AGGREGATION, 1), 1);
    fabric.Connect(spine, 4, fabric.Add("router", CCP_NODE_ROUTER, 2), 1);
  }

  Tables Resolve(const std::string& overrides, const std::string& cct = "") {
    const auto profile = cct.empty() ? Read(Document(overrides)) : Read(Document(overrides, cct));
    ccp_error error{};
    Tables tables = fabric.Resolve(*profile, &error);
    EXPECT_NE(tables, nullptr) << error.message;
    return tables;
  }
  static const ccp_switch_tables& Switch(const Tables& t, std::uint32_t node) {
    for (std::uint32_t i = 0; i < t->num_switches; ++i) {
      if (t->switches[i].node == node) return t->switches[i];
    }
    throw std::logic_error("no such switch");
  }
  static const ccp_ca_tables& Ca(const Tables& t, std::uint32_t node, std::uint32_t port = 1) {
    for (std::uint32_t i = 0; i < t->num_cas; ++i) {
      if (t->cas[i].node == node && t->cas[i].port == port) return t->cas[i];
    }
    throw std::logic_error("no such port");
  }
  static Ports ValidPorts(const ccp_switch_tables& sw) {
    Ports ports;
    for (unsigned port = 0; port <= sw.num_ports; ++port) {
      if (sw.ports[port].valid) ports.push_back(port);
    }
    return ports;
  }

  TestFabric fabric;
  std::uint32_t spine, leaf[2], host[2][2];
};

TEST_F(ResolveTest, EachDeviceGetsTheProfilesOwnSettings) {
  const Tables t = Resolve("");
  EXPECT_TRUE(t->enable);
  ASSERT_EQ(t->num_switches, 3u);
  for (std::uint32_t i = 0; i < 3; ++i) {
    const ccp_switch_tables& sw = t->switches[i];
    EXPECT_EQ(sw.guid, TestFabric::Guid(sw.node));
    EXPECT_EQ(sw.setting.control_map, 0x1Fu);
    EXPECT_EQ(sw.setting.threshold, 15);
    EXPECT_EQ(sw.setting.marking_rate, 1);
    EXPECT_EQ(sw.setting.packet_size, 8);
    EXPECT_EQ(ValidPorts(sw), Ports{});
    if (i > 0) {
      EXPECT_LT(t->switches[i - 1].node, sw.node);
    }
  }
  // Four hosts with one of two ports connected, three aggregation nodes, no router.
  ASSERT_EQ(t->num_cas, 7u);
  for (std::uint32_t i = 0; i < 7; ++i) {
    const ccp_ca_tables& ca = t->cas[i];
    EXPECT_EQ(ca.port, 1u);
    EXPECT_EQ(ca.guid, TestFabric::Guid(ca.node));
    EXPECT_EQ(ca.setting.port_control, 0);
    EXPECT_EQ(ca.setting.control_map, 0xFFFF);
    for (const ccp_ca_sl_setting& sl : ca.setting.sls) {
      EXPECT_EQ(sl.ccti_timer, 150);
      EXPECT_EQ(sl.ccti_increase, 1);
      EXPECT_EQ(sl.ccti_min, 0);
    }
    EXPECT_EQ(ca.cct.ccti_limit, 127);
    EXPECT_EQ(ca.cct.entries, t->cas[0].cct.entries) << "tables are shared";
    EXPECT_EQ(ca.cct.entries[106].shift, 2);
    EXPECT_EQ(ca.cct.entries[106].multiplier, 27);
    if (i > 0) {
      EXPECT_LT(t->cas[i - 1].node, ca.node);
    }
  }
  EXPECT_EQ(WarningsOf(*t), std::vector<std::string>{});
}

TEST_F(ResolveTest, CaPortsFaceHostsAndAggregationNodesNotRouters) {
  const Tables t = Resolve("");
  EXPECT_EQ(PortsOf(Switch(t, leaf[0]).setting.victim_mask), (Ports{1, 2, 3}));
  EXPECT_EQ(PortsOf(Switch(t, spine).setting.victim_mask), (Ports{3}));
  EXPECT_EQ(PortsOf(Switch(t, spine).setting.credit_mask), (Ports{}));
}

TEST_F(ResolveTest, MasksByWordAndByPort) {
  const Tables t = Resolve(
      "overrides:\n- match: {role: leaf}\n  switch: {victim_mask: [2, 8, 9], credit_mask: all}\n"
      "- match: {node: leaf-1}\n  switch: {victim_mask: none}\n");
  EXPECT_EQ(PortsOf(Switch(t, leaf[0]).setting.victim_mask), (Ports{2, 8}));
  EXPECT_EQ(PortsOf(Switch(t, leaf[0]).setting.credit_mask), (Ports{1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(PortsOf(Switch(t, leaf[1]).setting.victim_mask), (Ports{}));
  EXPECT_EQ(WarningsOf(*t),
            (std::vector<std::string>{
                "overrides[0].switch.victim_mask names port 9, and no switch that it applies to has more than 8"}));
}

TEST_F(ResolveTest, MatchesByRole) {
  const Tables t = Resolve(
      "overrides:\n- match: {role: switch}\n  switch: {threshold: 1}\n- match: {role: leaf}\n  switch: {threshold: 2}\n"
      "- match: {role: spine}\n  switch: {threshold: 3}\n- match: {role: ca}\n  ca: {ccti_timer: 1}\n"
      "- match: {role: host}\n  ca: {ccti_increase: 2}\n- match: {role: aggregation}\n  ca: {ccti_increase: 3}\n");
  EXPECT_EQ(Switch(t, leaf[0]).setting.threshold, 2);
  EXPECT_EQ(Switch(t, spine).setting.threshold, 3) << "an aggregation node does not make a leaf";
  EXPECT_EQ(Ca(t, host[0][0]).setting.sls[0].ccti_timer, 1);
  EXPECT_EQ(Ca(t, host[0][0]).setting.sls[0].ccti_increase, 2);
  EXPECT_EQ(Ca(t, leaf[0] + 3).setting.sls[0].ccti_timer, 1);
  EXPECT_EQ(Ca(t, leaf[0] + 3).setting.sls[0].ccti_increase, 3);
}

TEST_F(ResolveTest, MatchesByGuidAndByPatternAllTogether) {
  const std::string guid = std::to_string(TestFabric::Guid(host[0][1]));
  const Tables t = Resolve("overrides:\n- match: {guid: " + guid +
                           "}\n  ca: {ccti_timer: 7}\n- match: {node: 'node[23]*'}\n  ca: {ccti_timer: 8}\n" +
                           "- match: {guid: " + guid + ", node: 'node2*'}\n  ca: {ccti_timer: 9}\n");
  EXPECT_EQ(Ca(t, host[0][0]).setting.sls[0].ccti_timer, 150);
  EXPECT_EQ(Ca(t, host[0][1]).setting.sls[0].ccti_timer, 7);
  EXPECT_EQ(Ca(t, host[1][0]).setting.sls[0].ccti_timer, 8);
  EXPECT_EQ(WarningsOf(*t), (std::vector<std::string>{
                                "overrides[2] (guid 0x0000000000000103, node 'node2*') matches no connected port of a channel "
                                "adapter, so its ca settings have no effect"}));
}

TEST_F(ResolveTest, SinglePortsBecomeElementsOfTheirOwn) {
  const Tables t = Resolve(
      "overrides:\n- match: {role: leaf, ports: switch_ports}\n  switch: {threshold: 9}\n"
      "- match: {node: leaf-0, ports: [1, 2]}\n  switch: {marking_rate: 7}\n");
  const ccp_switch_tables& sw = Switch(t, leaf[0]);
  EXPECT_EQ(ValidPorts(sw), (Ports{1, 2, 8}));
  EXPECT_EQ(sw.ports[8].threshold, 9);
  EXPECT_EQ(sw.ports[8].packet_size, 8) << "what an element must hold too is the switch's own";
  EXPECT_EQ(sw.ports[8].marking_rate, 1);
  EXPECT_EQ(sw.ports[8].control_type, 0);
  EXPECT_EQ(sw.ports[1].threshold, 15);
  EXPECT_EQ(sw.ports[1].marking_rate, 7);
  EXPECT_EQ(sw.setting.threshold, 15);
  EXPECT_EQ(ValidPorts(Switch(t, leaf[1])), (Ports{8}));
  EXPECT_EQ(ValidPorts(Switch(t, spine)), (Ports{}));
}

TEST_F(ResolveTest, CaPortsAsSinglePorts) {
  const Tables t = Resolve("overrides:\n- match: {ports: ca_ports}\n  switch: {packet_size: 0}\n");
  EXPECT_EQ(ValidPorts(Switch(t, leaf[0])), (Ports{1, 2, 3}));
  EXPECT_EQ(ValidPorts(Switch(t, spine)), (Ports{3}));
}

TEST_F(ResolveTest, LaterOverridesWinKeyByKeyAlsoOverSinglePorts) {
  const Tables t = Resolve(
      "overrides:\n- match: {role: leaf, ports: [1, 2]}\n  switch: {threshold: 3, marking_rate: 30}\n"
      "- match: {role: leaf, ports: [2]}\n  switch: {threshold: 4}\n"
      "- match: {node: leaf-1}\n  switch: {threshold: 5}\n"
      "- match: {node: leaf-1}\n  switch: {marking_rate: 50}\n");
  EXPECT_EQ(Switch(t, leaf[0]).ports[1].threshold, 3);
  EXPECT_EQ(Switch(t, leaf[0]).ports[2].threshold, 4);
  EXPECT_EQ(Switch(t, leaf[0]).ports[2].marking_rate, 30);
  // The later switch-wide settings took both keys back, so the ports follow the switch.
  EXPECT_EQ(ValidPorts(Switch(t, leaf[1])), (Ports{}));
  EXPECT_EQ(Switch(t, leaf[1]).setting.threshold, 5);
  EXPECT_EQ(Switch(t, leaf[1]).setting.marking_rate, 50);
}

TEST_F(ResolveTest, ChannelAdaptersTakeLevelSlsAndTables) {
  const Tables t = Resolve(
      "overrides:\n- match: {role: ca, ports: [1]}\n  ca: {level: sl, sls: [3], ccti_min: 1, trigger_threshold: 2}\n"
      "  cct: {entries: [{shift: 0, multiplier: 0}, {shift: 3, multiplier: 1}]}\n"
      "- match: {node: 'node0*'}\n  cct: {limit_mode: per_block}\n");
  const ccp_ca_tables& ca = Ca(t, host[0][0]);
  EXPECT_EQ(ca.setting.port_control, 1);
  EXPECT_EQ(ca.setting.control_map, 1 << 3);
  EXPECT_EQ(ca.setting.sls[3].ccti_timer, 150);
  EXPECT_EQ(ca.setting.sls[3].ccti_min, 1);
  EXPECT_EQ(ca.setting.sls[3].trigger_threshold, 2);
  EXPECT_EQ(ca.setting.sls[0].ccti_timer, 0);
  EXPECT_EQ(ca.cct.ccti_limit, 1);
  EXPECT_EQ(ca.cct.entries[1].shift, 3);
  EXPECT_EQ(ca.cct.limit_mode, CCP_LIMIT_PER_BLOCK);
  EXPECT_EQ(Ca(t, host[0][1]).cct.limit_mode, CCP_LIMIT_FINAL);
  EXPECT_EQ(Ca(t, host[0][1]).cct.entries, ca.cct.entries);
  EXPECT_EQ(t->num_cct_pool, 1u) << "the profile's own table reaches nobody, so it is not encoded";
}

TEST_F(ResolveTest, NotEnabledClears) {
  const auto profile = Read("ibcc_profile: 1\nname: off\nenable: false\n");
  const Tables t = fabric.Resolve(*profile);
  ASSERT_NE(t, nullptr);
  EXPECT_FALSE(t->enable);
  ASSERT_EQ(t->num_switches, 3u);
  ASSERT_EQ(t->num_cas, 7u);
  const ccp_switch_setting& sw = t->switches[1].setting;
  EXPECT_EQ(sw.control_map, 0x1Fu) << "else a device would keep what it has";
  EXPECT_EQ(sw.threshold, 0);
  EXPECT_EQ(sw.marking_rate, 0);
  EXPECT_EQ(PortsOf(sw.victim_mask), (Ports{}));
  EXPECT_EQ(ValidPorts(t->switches[1]), (Ports{}));
  const ccp_ca_tables& ca = t->cas[0];
  EXPECT_EQ(ca.setting.port_control, 0);
  EXPECT_EQ(ca.setting.control_map, 0xFFFF);
  EXPECT_EQ(ca.setting.sls[5].ccti_increase, 0);
  EXPECT_EQ(ca.cct.ccti_limit, 0);
  EXPECT_EQ(ca.cct.entries[0].multiplier, 0);
}

TEST_F(ResolveTest, NotEnabledClearsWhateverTheSectionsSay) {
  const auto profile =
      Read(Document("enable: false\noverrides:\n- match: {role: leaf}\n  switch: {threshold: 9}\n- match: {node: none}\n"
                    "  ca: {ccti_min: 200}\n"));
  const Tables t = fabric.Resolve(*profile);
  ASSERT_NE(t, nullptr);
  EXPECT_EQ(Switch(t, leaf[0]).setting.threshold, 0);
  EXPECT_EQ(Ca(t, host[0][0]).cct.ccti_limit, 0);
  EXPECT_EQ(WarningsOf(*t), std::vector<std::string>{});
}

TEST_F(ResolveTest, WarnsOfWhatTheFabricHasNoUseFor) {
  const Tables t = Resolve(
      "overrides:\n- match: {node: 'x*', role: leaf}\n  switch: {threshold: 1}\n"
      "- match: {node: 'node*'}\n  switch: {threshold: 1}\n  ca: {ccti_timer: 1}\n"
      "- match: {role: leaf, ports: [1, 9, 10]}\n  switch: {threshold: 1}\n"
      "- match: {node: 'leaf*'}\n  ca: {ccti_timer: 1}\n  cct: {limit_mode: final}\n"
      "- match: {role: host, ports: [2]}\n  ca: {ccti_timer: 1}\n"
      "- match: {ports: [254]}\n  switch: {threshold: 1}\n");
  EXPECT_EQ(
      WarningsOf(*t),
      (std::vector<std::string>{
          "overrides[0] (node 'x*', role leaf) matches no switch, so its switch settings have no effect",
          "overrides[1] (node 'node*') matches no switch, so its switch settings have no effect",
          "overrides[2] (role leaf, ports 1, 9, 10) lists port 9, 10, which no device that it matches has",
          "overrides[3] (node 'leaf*') matches no connected port of a channel adapter, so its ca and cct settings have no effect",
          "overrides[4] (role host, ports 2) matches no connected port of a channel adapter, so its ca settings have no effect",
          "overrides[5] (ports 254) matches no port of a switch, so its switch settings have no effect",
      }));
}

TEST_F(ResolveTest, RefusesACctiMinAboveTheLimitThatItMeets) {
  const auto profile = Read(
      Document("overrides:\n- match: {role: host}\n  ca: {ccti_min: 100}\n- match: {node: 'node1*'}\n  cct: {ccti_limit: 63, "
               "curve: {kind: geometric, first: 1, last: 2}}\n"));
  ccp_error error{};
  EXPECT_EQ(fabric.Resolve(*profile, &error), nullptr);
  EXPECT_STREQ(error.message,
               "port 1 of 'node1 HCA-1' ends up with ccti_min 100 and ccti_limit 63, and ccti_min must be at most ccti_limit");
}

TEST_F(ResolveTest, LimitsAtTheEdgesOfBlocks) {
  for (const unsigned limit : {0u, 1u, 63u, 64u, 127u, 128u, CCP_CCTI_LIMIT_MAX}) {
    const Tables t = Resolve(
        "", "ccti_limit: " + std::to_string(limit) + "\n  curve: {kind: power, full_scale_packet_times: 16383, exponent: 1}");
    EXPECT_EQ(t->cas[0].cct.ccti_limit, limit);
    EXPECT_EQ(t->cas[0].cct.entries[limit].multiplier, limit ? 16383 : 0);
  }
}

TEST(Resolve, RefusesAFabricThatIsNotConsistent) {
  const auto profile = Read(Document());
  const std::uint32_t peers[] = {CCP_NO_PEER, 7};
  ccp_fabric_node node{.guid = 1, .description = "h", .kind = CCP_NODE_HOST, .num_ports = 1, .peer_nodes = peers};
  const ccp_fabric_view view{.num_nodes = 1, .nodes = &node};
  ccp_error error{};
  EXPECT_EQ(ccp_resolve(profile.get(), &view, &error), nullptr);
  EXPECT_STREQ(error.message, "port 1 of node 0 leads to node 7, and the fabric has 1 nodes");
  node.num_ports = 255;
  EXPECT_EQ(ccp_resolve(profile.get(), &view, &error), nullptr);
  EXPECT_STREQ(error.message, "node 0 of the fabric has 255 ports, and a node has 1 to 254");
}

TEST(Resolve, AFabricOfNothingHasNoTables) {
  const Tables t = TestFabric().Resolve(*Read(Document()));
  ASSERT_NE(t, nullptr);
  EXPECT_EQ(t->num_switches, 0u);
  EXPECT_EQ(t->num_cas, 0u);
}

}  // namespace

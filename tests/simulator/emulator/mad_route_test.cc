// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/mad_route.hpp"

#include <gtest/gtest.h>

#include <map>

#include "../routing/fabrics.hpp"
#include "../testing.hpp"
#include "management.hpp"
#include "rng.hpp"

namespace ccsim::emulator {
namespace mad_route_test {

using namespace testing;
using ccsim::testing::Bed;
using ccsim::testing::TwoSwitch;

constexpr Place kH1{2, 1};  // of TwoSwitch: S1 is node 0, S2 is node 1, H1 node 2

TEST(MadRoute, ADirectedRouteOfNoHopsIsTheSendersOwnNode) {
  const Bed bed = TwoSwitch();
  Subnet subnet(bed.fabric);
  const Response info = Manager(subnet, kH1).Get({}, kNodeInfoId);
  ASSERT_TRUE(info.ok());
  EXPECT_EQ(Get64(info.data.data() + 12), bed.fabric.nodes()[2].guid);
  EXPECT_EQ(info.data[36], 1);
}

TEST(MadRoute, ADirectedRouteGoesFromPortToPortAndBack) {
  const Bed bed = TwoSwitch();
  Subnet subnet(bed.fabric);
  // H1 by its port 1 to S1, by 36 to S2, by 4 to H4.
  Datagram datagram = DirectedSmp({1, 36, 4}, {kGet, kNodeInfoId});
  ASSERT_EQ(subnet.Send(kH1, datagram).fate, Fate::Answered);
  const Mad mad(datagram.mad);
  EXPECT_EQ(Get64(datagram.mad.data() + 64 + 12), bed.fabric.nodes()[5].guid);
  EXPECT_EQ(mad.method(), kGetResp);
  EXPECT_TRUE(mad.direction());
  EXPECT_EQ(mad.hop_pointer(), 0);
  EXPECT_EQ(mad.hop_count(), 3);
  EXPECT_EQ(mad.return_path()[1], 1);   // came into S1
  EXPECT_EQ(mad.return_path()[2], 36);  // into S2
  EXPECT_EQ(mad.return_path()[3], 1);   // into H4
  EXPECT_EQ(datagram.slid, kPermissiveLid);
  EXPECT_EQ(datagram.dlid, kPermissiveLid);
}

TEST(MadRoute, LosesDirectedRoutesThatLeadNowhere) {
  const Bed bed = TwoSwitch();
  Subnet subnet(bed.fabric);
  Manager manager(subnet, kH1);
  EXPECT_EQ(manager.Get({1, 35}, kNodeInfoId).fate, Fate::Lost);    // no cable
  EXPECT_EQ(manager.Get({1, 2, 1}, kNodeInfoId).fate, Fate::Lost);  // through an adapter
  EXPECT_EQ(manager.Get({2}, kNodeInfoId).fate, Fate::Lost);        // not the sender's port
  EXPECT_EQ(manager.Get({1, 200}, kNodeInfoId).fate, Fate::Lost);   // no such port
  EXPECT_EQ(subnet.device(0).pma.ports[35].xmit_discards, 1u);
  EXPECT_EQ(subnet.device(2).pma.ports[1].xmit_discards, 1u);
  EXPECT_EQ(subnet.device(0).pma.ports[1].rcv_switch_relay_errors, 1u);
  Datagram late = DirectedSmp({1, 36}, {kGet, kNodeInfoId});
  Mad(late.mad).set_hop_pointer(1);
  EXPECT_EQ(subnet.Send(kH1, late).fate, Fate::Lost);
  Datagram endless = DirectedSmp({}, {kGet, kNodeInfoId});
  endless.mad[7] = 64;
  EXPECT_EQ(subnet.Send(kH1, endless).fate, Fate::Lost);
}

TEST(MadRoute, ARequestWithoutAnAgentIsForProgramsAndTheirResponseFindsBack) {
  const Bed bed = TwoSwitch();
  Subnet subnet(bed.fabric);
  Datagram datagram = DirectedSmp({1, 36, 4}, {kGet, kSmInfoId});
  const Delivery there = subnet.Send(kH1, datagram);
  ASSERT_EQ(there.fate, Fate::ForClient);
  EXPECT_EQ(there.at, (Place{5, 1}));
  // OpenSM leaves the hop pointer as it came, libibmad writes one more than the hops, ibsim's clients saw 0.
  for (const std::uint8_t pointer : {0, 3, 4}) {
    Datagram response = datagram;
    const Mad mad(response.mad);
    mad.set_method(kGetResp);
    mad.set_direction(true);
    mad.set_hop_pointer(pointer);
    const Delivery back = subnet.Send(there.at, response);
    EXPECT_EQ(back.fate, Fate::ForClient);
    EXPECT_EQ(back.at, kH1);
    EXPECT_EQ(mad.hop_pointer(), 0);
  }
}

TEST(MadRoute, LidsAreFollowedThroughTheTables) {
  const Bed bed = TwoSwitch();
  Subnet subnet(bed.fabric);
  BringUp(subnet, kH1);
  for (std::uint32_t n = 0; n < subnet.num_devices(); ++n) {
    const std::uint16_t lid = subnet.sma_port(subnet.endport({n, 1})).lid;
    const Response info = Ask(subnet, kH1, LidSmp(lid, {kGet, kNodeInfoId}));
    ASSERT_TRUE(info.ok()) << lid;
    EXPECT_EQ(Get64(info.data.data() + 12), bed.fabric.nodes()[n].guid);
  }
}

TEST(MadRoute, ASenderNeedNotKnowItsLid) {
  const Bed bed = TwoSwitch();
  Subnet subnet(bed.fabric);
  BringUp(subnet, kH1);
  Datagram datagram = LidSmp(1, {kGet, kNodeInfoId});
  datagram.slid = 0x4711;
  ASSERT_EQ(subnet.Send(kH1, datagram).fate, Fate::Answered);
  EXPECT_EQ(datagram.dlid, subnet.sma_port(kH1).lid);
  EXPECT_EQ(datagram.slid, 1);
}

TEST(MadRoute, CountsWhereItLosesWhatGoesByLid) {
  const Bed bed = TwoSwitch();
  Subnet subnet(bed.fabric);
  BringUp(subnet, kH1);
  const auto lost = [&](std::uint16_t dlid) { return Ask(subnet, kH1, LidSmp(dlid, {kGet, kNodeInfoId})).fate == Fate::Lost; };
  EXPECT_TRUE(lost(0));
  EXPECT_TRUE(lost(0xC001));
  EXPECT_EQ(subnet.device(2).pma.ports[1].xmit_discards, 2u);
  EXPECT_TRUE(lost(500));  // above every entry
  EXPECT_EQ(subnet.device(0).pma.ports[1].rcv_switch_relay_errors, 1u);
  subnet.device(0).sma.forwarding[6] = 1;  // back to where it came from
  EXPECT_TRUE(lost(6));
  EXPECT_EQ(subnet.device(0).pma.ports[1].rcv_switch_relay_errors, 2u);
  EXPECT_EQ(subnet.device(0).pma.ports[1].dlid_mapping_errors, 1u);
  EXPECT_EQ(subnet.device(0).pma.ports[1].looping_errors, 1u);
  subnet.SetLink(1, 36, false);
  EXPECT_TRUE(lost(9));
  EXPECT_EQ(subnet.device(0).pma.ports[36].xmit_discards, 1u);
  EXPECT_EQ(subnet.device(0).pma.ports[36].inactive_discards, 1u);
}

TEST(MadRoute, WhatGoesInCirclesEnds) {
  Fabric fabric = ccsim::testing::Ring(4, 1);
  Subnet subnet(fabric);
  BringUp(subnet, {4, 1});
  for (std::uint32_t sw = 0; sw < 4; ++sw) subnet.device(sw).sma.forwarding[7] = 1;
  EXPECT_EQ(Ask(subnet, {4, 1}, LidSmp(7, {kGet, kNodeInfoId})).fate, Fate::Lost);
}

TEST(MadRoute, OnlyManagementPassesPortsThatAreNotActive) {
  const Bed bed = TwoSwitch();
  Subnet subnet(bed.fabric);
  BringUp(subnet, kH1);
  Datagram gmp = LidSmp(8, {kGet, 0x0001});
  gmp.mad[1] = 0x30;  // a class of some vendor: the answer is a status
  Datagram copy = gmp;
  EXPECT_EQ(subnet.Send(kH1, copy).fate, Fate::Answered);
  subnet.device(0).sma.ports[36].state = PortState::Armed;
  copy = gmp;
  EXPECT_EQ(subnet.Send(kH1, copy).fate, Fate::Lost);
  EXPECT_TRUE(Ask(subnet, kH1, LidSmp(8, {kGet, kNodeInfoId})).ok());
}

TEST(MadRoute, EveryPathBitOfALidReaches) {
  const Bed bed = TwoSwitch();
  Subnet subnet(bed.fabric);
  BringUp(subnet, kH1);
  SmaPort& h4 = subnet.device(5).sma.ports[1];
  h4.lid = 16;
  h4.lmc = 2;
  for (std::uint32_t sw = 0; sw < 2; ++sw) {
    SmaNode& sma = subnet.device(sw).sma;
    sma.forwarding.resize(64, kNoRoute);
    sma.forwarding_top = 63;
    for (std::uint16_t lid = 16; lid < 20; ++lid) sma.forwarding[lid] = sw == 0 ? 36 : 4;
  }
  for (std::uint16_t lid = 16; lid < 20; ++lid) EXPECT_TRUE(Ask(subnet, kH1, LidSmp(lid, {kGet, kNodeInfoId})).ok()) << lid;
  EXPECT_EQ(Ask(subnet, kH1, LidSmp(20, {kGet, kNodeInfoId})).fate, Fate::Lost);
}

TEST(MadRoute, ThePermissiveLidIsWhoeverIsAtTheOtherEnd) {
  const Bed bed = TwoSwitch();
  Subnet subnet(bed.fabric);
  Datagram datagram = LidSmp(kPermissiveLid, {kSend, 0x0002});
  const Delivery delivery = subnet.Send(kH1, datagram);
  EXPECT_EQ(delivery.fate, Fate::ForClient);
  EXPECT_EQ(delivery.at, (Place{0, 0}));
}

TEST(MadRoute, PartsOfADirectedRouteCanGoByLid) {
  const Bed bed = TwoSwitch();
  Subnet subnet(bed.fabric);
  BringUp(subnet, kH1);
  const std::uint16_t s2 = subnet.sma_port({1, 0}).lid;
  // This route goes by LID to S2, and from there by port 5 to H5.
  Datagram first = DirectedSmp({5}, {kGet, kNodeInfoId});
  first.dlid = s2;
  Put16(first.mad.data() + 32, subnet.sma_port(kH1).lid);
  ASSERT_EQ(subnet.Send(kH1, first).fate, Fate::Answered);
  EXPECT_EQ(Get64(first.mad.data() + 64 + 12), bed.fabric.nodes()[6].guid);
  // This one is directed to S1, and goes from there by LID to H6.
  Datagram last = DirectedSmp({1}, {kGet, kNodeInfoId});
  Put16(last.mad.data() + 34, subnet.sma_port({7, 1}).lid);
  ASSERT_EQ(subnet.Send(kH1, last).fate, Fate::Answered);
  EXPECT_EQ(Get64(last.mad.data() + 64 + 12), bed.fabric.nodes()[7].guid);
}

TEST(MadRoute, CountsItsPacketsOnTheWay) {
  const Bed bed = TwoSwitch();
  Subnet subnet(bed.fabric);
  ASSERT_TRUE(Manager(subnet, kH1).Get({1, 36}, kNodeInfoId).ok());
  EXPECT_EQ(subnet.device(2).pma.ports[1].xmit_packets, 1u);
  EXPECT_EQ(subnet.device(2).pma.ports[1].rcv_bytes, 288u);
  EXPECT_EQ(subnet.device(0).pma.ports[36].xmit_bytes, 288u);
  EXPECT_EQ(subnet.device(1).pma.ports[36].xmit_packets, 1u);
}

// Any walk over cables ends at the node that the cables lead to, and its answer comes back; every LID of a routed fabric reaches.
TEST(MadRoute, RandomFabrics) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    Rng rng(seed, 0);
    const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(rng.Below(n)); };
    ccsim::testing::Builder b;
    const std::uint32_t switches = 1 + below(8);
    for (std::uint32_t i = 0; i < switches; ++i) b.Switch();
    for (std::uint32_t i = 1; i < switches; ++i) b.Link(i, below(i));
    for (std::uint32_t i = 0; switches > 1 && i < below(8); ++i) {
      const std::uint32_t a = below(switches), c = below(switches);
      if (a != c) b.Link(a, c);
    }
    for (std::uint32_t i = 0; i < 2 + below(6); ++i) b.Host(below(switches));
    Subnet subnet(b.fabric, seed);
    const Place from{b.fabric.endports()[0].node, 1};
    for (int walk = 0; walk < 20; ++walk) {
      Path path;
      Place at = from;
      for (std::uint32_t hop = below(63); hop > 0; --hop) {
        const Node& node = b.fabric.nodes()[at.node];
        const std::uint16_t out = path.empty() ? std::uint16_t{1} : static_cast<std::uint16_t>(1 + below(node.num_ports()));
        if (!node.ports[out].connected() || (!path.empty() && node.kind != NodeKind::Switch)) continue;
        path.push_back(static_cast<std::uint8_t>(out));
        at = {node.ports[out].peer_node, static_cast<std::uint8_t>(node.ports[out].peer_port)};
      }
      const Response info = Manager(subnet, from).Get(path, kNodeInfoId);
      ASSERT_TRUE(info.ok()) << "seed " << seed;
      EXPECT_EQ(Get64(info.data.data() + 12), b.fabric.nodes()[at.node].guid);
      EXPECT_EQ(info.data[36], path.empty() ? 1 : at.port);
    }
    BringUp(subnet, from);
    for (std::uint16_t lid = 1; lid <= subnet.num_devices(); ++lid) {
      for (std::uint32_t n = 0; n < subnet.num_devices(); ++n) {
        EXPECT_TRUE(Ask(subnet, subnet.endport({n, 1}), LidSmp(lid, {kGet, kNodeInfoId})).ok())
            << "seed " << seed << " LID " << lid;
      }
    }
  }
}

}  // namespace mad_route_test
}  // namespace ccsim::emulator

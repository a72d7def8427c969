// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "devices/snapshot.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "devices/snapshot_support.hpp"

namespace {

uint32_t Add(const Snapshot& s, uint64_t guid, ccp_node_kind kind, uint32_t num_ports, const std::string& name) {
  return ibcc_snapshot_add_node(s.get(), guid, kind, num_ports, name.c_str(), name.size());
}

bool AddEndport(const Snapshot& s, const ibcc_endport& endport) { return ibcc_snapshot_add_endport(s.get(), &endport); }

// Two hosts on a switch.
Snapshot Small(const std::string& name = "H1", uint16_t lid = 2) {
  Snapshot s(ibcc_snapshot_create(3, 6, 3));
  EXPECT_EQ(Add(s, 10, CCP_NODE_HOST, 1, name), 0u);
  EXPECT_EQ(Add(s, 20, CCP_NODE_HOST, 1, "H2"), 1u);
  EXPECT_EQ(Add(s, 30, CCP_NODE_SWITCH, 4, "S1"), 2u);
  EXPECT_TRUE(ibcc_snapshot_connect(s.get(), 0, 1, 2));
  EXPECT_TRUE(ibcc_snapshot_connect(s.get(), 2, 4, 0));
  EXPECT_TRUE(AddEndport(s, {.node = 0, .port = 1, .lid = lid, .sl = 0, .port_guid = 11}));
  EXPECT_TRUE(AddEndport(s, {.node = 2, .port = 0, .lid = 1, .sl = 3, .port_guid = 30}));
  return s;
}

std::string DescriptionOf(const std::string& bytes) {
  const Snapshot s(ibcc_snapshot_create(1, 1, 0));
  EXPECT_EQ(Add(s, 1, CCP_NODE_HOST, 1, bytes), 0u);
  return s->view.nodes[0].description;
}

TEST(Snapshot, HoldsWhatItIsTold) {
  const Snapshot s = Small();
  ASSERT_EQ(s->view.num_nodes, 3u);
  const ccp_fabric_node& node = s->view.nodes[2];
  EXPECT_EQ(node.guid, 30u);
  EXPECT_EQ(node.kind, CCP_NODE_SWITCH);
  EXPECT_STREQ(node.description, "S1");
  ASSERT_EQ(node.num_ports, 4u);
  EXPECT_EQ(node.peer_nodes[0], CCP_NO_PEER);
  EXPECT_EQ(node.peer_nodes[1], CCP_NO_PEER);
  EXPECT_EQ(node.peer_nodes[4], 0u);
  EXPECT_EQ(s->view.nodes[0].peer_nodes[1], 2u);
  EXPECT_EQ(s->view.nodes[1].peer_nodes[1], CCP_NO_PEER);
  ASSERT_EQ(s->num_endports, 2u);
  EXPECT_EQ(s->endports[1].node, 2u);
  EXPECT_EQ(s->endports[1].sl, 3u);
  EXPECT_EQ(s->endports[1].port_guid, 30u);
}

TEST(Snapshot, TakesNoMoreNodesThanThereIsRoomFor) {
  const Snapshot s(ibcc_snapshot_create(2, 5, 0));
  EXPECT_EQ(Add(s, 1, CCP_NODE_SWITCH, 6, "too many ports for the room of two nodes"), 0u);
  EXPECT_EQ(Add(s, 2, CCP_NODE_HOST, 1, "no room for port 1"), CCP_NO_PEER);
  const Snapshot t(ibcc_snapshot_create(1, 9, 0));
  EXPECT_EQ(Add(t, 1, CCP_NODE_HOST, 1, "a"), 0u);
  EXPECT_EQ(Add(t, 2, CCP_NODE_HOST, 1, "b"), CCP_NO_PEER);
  EXPECT_EQ(t->view.num_nodes, 1u);
}

TEST(Snapshot, RefusesNodesThatBreakItsOrderOrRange) {
  const Snapshot s(ibcc_snapshot_create(4, 600, 0));
  EXPECT_EQ(Add(s, 7, CCP_NODE_SWITCH, 0, "no ports"), CCP_NO_PEER);
  EXPECT_EQ(Add(s, 7, CCP_NODE_SWITCH, 255, "port 255 means all ports"), CCP_NO_PEER);
  EXPECT_EQ(Add(s, 7, CCP_NODE_SWITCH, 254, "most"), 0u);
  EXPECT_EQ(Add(s, 7, CCP_NODE_HOST, 1, "same GUID"), CCP_NO_PEER);
  EXPECT_EQ(Add(s, 6, CCP_NODE_HOST, 1, "below"), CCP_NO_PEER);
  EXPECT_EQ(Add(s, UINT64_MAX, CCP_NODE_HOST, 1, "above"), 1u);
}

TEST(Snapshot, RefusesLinksToNowhere) {
  const Snapshot s = Small();
  EXPECT_FALSE(ibcc_snapshot_connect(s.get(), 3, 1, 0));
  EXPECT_FALSE(ibcc_snapshot_connect(s.get(), 0, 1, 3));
  EXPECT_FALSE(ibcc_snapshot_connect(s.get(), 0, 0, 2));
  EXPECT_FALSE(ibcc_snapshot_connect(s.get(), 0, 2, 2));
  EXPECT_TRUE(ibcc_snapshot_same_fabric(s.get(), Small().get()));
}

TEST(Snapshot, RefusesEndportsThatBreakTheirOrderOrRange) {
  const Snapshot s(ibcc_snapshot_create(2, 4, 3));
  Add(s, 1, CCP_NODE_HOST, 2, "a");
  Add(s, 2, CCP_NODE_SWITCH, 2, "b");
  EXPECT_FALSE(AddEndport(s, {.node = 0, .port = 1, .lid = 0, .sl = 0, .port_guid = 1}));
  EXPECT_FALSE(AddEndport(s, {.node = 0, .port = 3, .lid = 5, .sl = 0, .port_guid = 1}));
  EXPECT_FALSE(AddEndport(s, {.node = 2, .port = 0, .lid = 5, .sl = 0, .port_guid = 1}));
  EXPECT_TRUE(AddEndport(s, {.node = 0, .port = 2, .lid = 5, .sl = 0, .port_guid = 1}));
  EXPECT_FALSE(AddEndport(s, {.node = 0, .port = 1, .lid = 6, .sl = 0, .port_guid = 1}));
  EXPECT_FALSE(AddEndport(s, {.node = 0, .port = 2, .lid = 6, .sl = 0, .port_guid = 1}));
  EXPECT_TRUE(AddEndport(s, {.node = 1, .port = 0, .lid = 6, .sl = 0, .port_guid = 1}));
  EXPECT_TRUE(AddEndport(s, {.node = 1, .port = 1, .lid = 0, .sl = 0, .port_guid = 1, .not_ready = true})) << "no LID yet";
  EXPECT_FALSE(AddEndport(s, {.node = 1, .port = 2, .lid = 8, .sl = 0, .port_guid = 1})) << "no room";
  EXPECT_EQ(s->num_endports, 3u);
}

TEST(Snapshot, APortIsKnownByItsGuidAndLid) {
  const Snapshot s = Small();
  ASSERT_GT(s->num_endports, 0U);
  const ibcc_endport one = s->endports[0];
  EXPECT_TRUE(ibcc_snapshot_has_port(s.get(), one.port_guid, one.lid));
  EXPECT_TRUE(ibcc_snapshot_has_port(s.get(), one.port_guid, 0)) << "whatever its LID is";
  EXPECT_FALSE(ibcc_snapshot_has_port(s.get(), one.port_guid, static_cast<std::uint16_t>(one.lid + 1)));
  EXPECT_FALSE(ibcc_snapshot_has_port(s.get(), one.port_guid + 1, one.lid));
}

TEST(Snapshot, DescriptionsArePrintableUtf8) {
  EXPECT_EQ(DescriptionOf("node-1 HCA-1"), "node-1 HCA-1");
  EXPECT_EQ(DescriptionOf("K\xC3\xB6ln \xE2\x82\xAC \xF0\x9F\x98\x80"), "K\xC3\xB6ln \xE2\x82\xAC \xF0\x9F\x98\x80");
  EXPECT_EQ(DescriptionOf("a\tb\x1B[31m\x7F"), "a b [31m ");
  EXPECT_EQ(DescriptionOf("\xC3"), " ") << "cut off";
  EXPECT_EQ(DescriptionOf("\xE2\x82z"), "  z") << "cut off in the middle";
  EXPECT_EQ(DescriptionOf("\x80\xFF\xF5"), "   ") << "no first byte of any character";
  EXPECT_EQ(DescriptionOf("\xC0\xAF \xE0\x80\xAF \xF0\x80\x80\xAF"), std::string(11, ' ')) << "longer than need be";
  EXPECT_EQ(DescriptionOf("\xED\xA0\x80"), "   ") << "a surrogate";
  EXPECT_EQ(DescriptionOf("\xF4\x90\x80\x80"), "    ") << "beyond U+10FFFF";
  EXPECT_EQ(DescriptionOf("\xC2\x85"), "  ") << "a control character of two bytes";
  EXPECT_EQ(DescriptionOf("\xC2\xA0"), "\xC2\xA0");
}

TEST(Snapshot, DescriptionsEndAtZeroOrAt64Bytes) {
  EXPECT_EQ(DescriptionOf(std::string("ab\0cd", 5)), "ab");
  EXPECT_EQ(DescriptionOf(std::string(200, 'x')), std::string(64, 'x'));
  EXPECT_EQ(DescriptionOf(std::string(63, 'x') + "\xC3\xB6"), std::string(63, 'x') + " ");
  EXPECT_EQ(DescriptionOf(""), "");
}

TEST(Snapshot, TheSameFabricIsTheSameWhateverItsFlags) {
  const Snapshot a = Small();
  const Snapshot b = Small();
  b->sm_state = IBCC_SM_STANDBY;
  b->sweep_ok = true;
  b->opensm_cc_on = true;
  b->sm_port_guid = 11;
  EXPECT_TRUE(ibcc_snapshot_same_fabric(a.get(), b.get()));
}

TEST(Snapshot, AnotherFabricIsAnother) {
  const Snapshot small = Small();
  EXPECT_FALSE(ibcc_snapshot_same_fabric(small.get(), Small("H3").get()));
  EXPECT_FALSE(ibcc_snapshot_same_fabric(small.get(), Small("H1", 9).get()));

  const Snapshot linked = Small();
  ibcc_snapshot_connect(linked.get(), 1, 1, 2);
  EXPECT_FALSE(ibcc_snapshot_same_fabric(small.get(), linked.get()));

  const Snapshot more = Small();
  AddEndport(more, {.node = 2, .port = 1, .lid = 5, .sl = 0, .port_guid = 5});
  EXPECT_FALSE(ibcc_snapshot_same_fabric(small.get(), more.get()));

  for (auto change : {+[](ibcc_endport& e) { e.sl = 7; }, +[](ibcc_endport& e) { e.port_guid = 7; },
                      +[](ibcc_endport& e) { e.not_ready = true; }}) {
    const Snapshot other = Small();
    change(other->endports[0]);
    EXPECT_FALSE(ibcc_snapshot_same_fabric(small.get(), other.get()));
  }
  for (auto change : {+[](ccp_fabric_node& n) { n.guid = 5; }, +[](ccp_fabric_node& n) { n.kind = CCP_NODE_AGGREGATION; }}) {
    const Snapshot other = Small();
    change(other->nodes[0]);
    EXPECT_FALSE(ibcc_snapshot_same_fabric(small.get(), other.get()));
  }
}

TEST(Snapshot, OfNothingIsEmpty) {
  const Snapshot s(ibcc_snapshot_create(0, 0, 0));
  ASSERT_NE(s, nullptr);
  EXPECT_EQ(s->view.num_nodes, 0u);
  EXPECT_EQ(Add(s, 1, CCP_NODE_HOST, 1, "a"), CCP_NO_PEER);
  EXPECT_FALSE(AddEndport(s, {.node = 0, .port = 1, .lid = 1, .sl = 0, .port_guid = 1}));
  ibcc_snapshot_destroy(nullptr);
}

}  // namespace

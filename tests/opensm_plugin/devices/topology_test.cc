// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "devices/topology.h"

#include <gtest/gtest.h>

#include <iterator>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "devices/drawn_fabric.hpp"
#include "opensm_plugin/refused_memory.hpp"

namespace ibcc_test {
namespace {

constexpr std::uint64_t kFirst = 1000;

class Topology : public testing::Test {
 protected:
  ~Topology() override {
    ibcc_topology_former_free(&former_);
    ibcc_topology_free(&topology_);
  }
  int Take(const Snapshot& snapshot) {
    ibcc_topology_former_free(&former_);
    return ibcc_topology_take(&topology_, snapshot.get(), kFirst, &former_);
  }
  // "lost 10; up 10/1-30/4; …" of the last change.
  std::string Steps() {
    std::string text;
    ibcc_topology_steps(
        &topology_, &former_,
        [](void* owner, const ibcc_topology_step* step) {
          static const char* const kNames[] = {"lost", "back", "down", "up", "changed"};
          std::string& all = *static_cast<std::string*>(owner);
          all += std::string(kNames[step->change]) + " ";
          if (step->change <= IBCC_NODE_BACK)
            all += std::to_string(step->snapshot->nodes[step->node].guid) + (step->known ? " known" : "");
          else
            all += Ends(step->snapshot, step->link);
          all += "; ";
        },
        &text);
    return text;
  }
  static std::string Ends(const ibcc_snapshot* snapshot, const ibcc_link& link) {
    std::string text;
    for (const ibcc_link_end& end : link.ends)
      text += std::to_string(snapshot->nodes[end.node].guid) + "/" + std::to_string(end.port) + (&end == link.ends ? "-" : "");
    return text;
  }

  ibcc_topology topology_{};
  ibcc_topology_former former_{};
};

TEST_F(Topology, TheFirstHasNoSteps) {
  EXPECT_FALSE(ibcc_topology_knows(&topology_, kFirst));
  ASSERT_EQ(Take(TwoHosts().Copy()), 0);
  EXPECT_EQ(topology_.epoch, kFirst);
  EXPECT_EQ(Steps(), "");
  EXPECT_TRUE(ibcc_topology_knows(&topology_, kFirst));
  EXPECT_FALSE(ibcc_topology_knows(&topology_, kFirst - 1)) << "of another process";
  EXPECT_FALSE(ibcc_topology_knows(&topology_, kFirst + 1));
}

TEST_F(Topology, TheSameIsNoNewEpoch) {
  ASSERT_EQ(Take(TwoHosts().Copy()), 0);
  const Snapshot same = TwoHosts().Copy();
  same->sweep_ok = true;
  same->sm_state = IBCC_SM_STANDBY;
  ASSERT_EQ(Take(same), 0);
  EXPECT_EQ(topology_.epoch, kFirst);
  EXPECT_EQ(former_.snapshot, nullptr);
}

TEST_F(Topology, ANodeIsTouchedInTheNextEpoch) {
  EXPECT_FALSE(ibcc_topology_touch(&topology_, 10)) << "there is none yet";
  const Snapshot first = TwoHosts().Copy();
  ASSERT_EQ(Take(first), 0);
  const std::uint64_t guid = first->nodes[1].guid;
  EXPECT_FALSE(ibcc_topology_touch(&topology_, 0xDEAD));
  ASSERT_TRUE(ibcc_topology_touch(&topology_, guid));
  ibcc_topology_next_epoch(&topology_);
  EXPECT_EQ(topology_.epoch, kFirst + 1);
  EXPECT_EQ(topology_.node_epochs[0], kFirst);
  EXPECT_EQ(topology_.node_epochs[1], kFirst + 1);
  const Snapshot other = TwoHosts().Copy();
  ibcc_snapshot_identify(other.get(), 0, {.vendor_id = 0x2C9, .device_id = 1});
  ASSERT_EQ(Take(other), 0);
  EXPECT_EQ(topology_.node_epochs[0], kFirst + 2) << "a node of another maker is another";
  EXPECT_EQ(topology_.node_epochs[1], kFirst + 1);
}

TEST_F(Topology, NodesComeAndGoWithTheirLinks) {
  DrawnFabric fabric = TwoHosts();
  ASSERT_EQ(Take(fabric.Copy()), 0);
  fabric.Remove(10);
  ASSERT_EQ(Take(fabric.Copy()), 0);
  EXPECT_EQ(topology_.epoch, kFirst + 1);
  EXPECT_EQ(Steps(), "lost 10; ");
  EXPECT_EQ(topology_.gone.count, 2u) << "the node, and its link";
  fabric = TwoHosts();
  fabric.nodes[15] = {.description = "new"};
  ASSERT_EQ(Take(fabric.Copy()), 0);
  EXPECT_EQ(Steps(), "back 10 known; back 15; ");
  EXPECT_EQ(topology_.gone.count, 0u);
}

TEST_F(Topology, LinksGoDownAndUpAndChange) {
  DrawnFabric fabric = TwoHosts();
  ASSERT_EQ(Take(fabric.Copy()), 0);
  fabric.cables.clear();
  fabric.Connect({10, 1}, {30, 1}, {});            // another port
  fabric.Connect({20, 1}, {30, 2}, {.width = 1});  // a lane is left
  fabric.Connect({30, 5}, {30, 6}, {});
  ASSERT_EQ(Take(fabric.Copy()), 0);
  EXPECT_EQ(Steps(), "down 10/1-30/4; up 10/1-30/1; changed 20/1-30/2; up 30/5-30/6; ");
  for (std::uint8_t DrawnFabric::Cable::* value :
       {&DrawnFabric::Cable::state, &DrawnFabric::Cable::speed, &DrawnFabric::Cable::mtu}) {
    fabric.cables.at({{20, 1}, {30, 2}}).*value = 2;
    ASSERT_EQ(Take(fabric.Copy()), 0);
    EXPECT_EQ(Steps(), "changed 20/1-30/2; ");
  }
}

TEST_F(Topology, TheLinkOfANodeThatStaysIsToldAndNotThatOfOneThatGoes) {
  DrawnFabric fabric = TwoHosts();
  fabric.nodes[40] = {.kind = CCP_NODE_SWITCH, .num_ports = 3, .description = "S2"};
  fabric.Connect({30, 6}, {40, 3}, {});
  ASSERT_EQ(Take(fabric.Copy()), 0);
  fabric.Remove(40);
  fabric.cables.erase({{10, 1}, {30, 4}});
  ASSERT_EQ(Take(fabric.Copy()), 0);
  EXPECT_EQ(Steps(), "lost 40; down 10/1-30/4; ");
}

TEST_F(Topology, ADescriptionOrALidIsANewEpochWithoutSteps) {
  DrawnFabric fabric = TwoHosts();
  ASSERT_EQ(Take(fabric.Copy()), 0);
  fabric.nodes[10].description = std::string("\xff\x1b[31m<b>\x00", 10);
  ASSERT_EQ(Take(fabric.Copy()), 0);
  EXPECT_EQ(topology_.epoch, kFirst + 1);
  EXPECT_EQ(Steps(), "");
  EXPECT_EQ(topology_.node_epochs[0], kFirst + 1);
  EXPECT_EQ(topology_.node_epochs[1], kFirst);
  fabric.nodes[30].lid = 7;
  ASSERT_EQ(Take(fabric.Copy()), 0);
  EXPECT_EQ(topology_.node_epochs[2], kFirst + 2);
}

TEST_F(Topology, RefusedMemoryLeavesItAsItWas) {
  DrawnFabric fabric = TwoHosts();
  ASSERT_EQ(Take(fabric.Copy()), 0);
  fabric.Remove(10);
  const Snapshot next = fabric.Copy();
  unsigned refusals = 0;
  for (;; ++refusals) {
    bool happened = false;
    {
      const RefusedMemory refused(refusals + 1);
      const int result = Take(next);
      happened = refused.Happened();
      EXPECT_EQ(result, happened ? -1 : 0);
    }
    if (!happened) break;
    EXPECT_EQ(topology_.epoch, kFirst);
    EXPECT_EQ(topology_.snapshot->view.num_nodes, 3u);
  }
  EXPECT_GE(refusals, 4u);
  EXPECT_EQ(Steps(), "lost 10; ");
}

TEST_F(Topology, MoreThanIsKeptMakesEarlierEpochsUnknown) {
  DrawnFabric fabric;
  for (std::uint64_t guid = 1; guid <= IBCC_MAX_GONE + 10; ++guid) fabric.nodes[guid * 16] = {};
  ASSERT_EQ(Take(fabric.Copy()), 0);
  fabric.Remove(16);
  ASSERT_EQ(Take(fabric.Copy()), 0);
  EXPECT_TRUE(ibcc_topology_knows(&topology_, kFirst));
  fabric.nodes.clear();
  fabric.nodes[7] = {};
  ASSERT_EQ(Take(fabric.Copy()), 0);
  EXPECT_FALSE(ibcc_topology_knows(&topology_, kFirst + 1));
  EXPECT_TRUE(ibcc_topology_knows(&topology_, kFirst + 2));
  EXPECT_LE(topology_.gone.count, IBCC_MAX_GONE);
}

// What a client has that asks for differences: all of a row's fields, by GUID and by ends.
struct Rows {
  std::map<std::uint64_t, std::string> nodes;
  std::map<std::string, std::string> links;
  bool operator==(const Rows& other) const { return nodes == other.nodes && links == other.links; }
};

std::string NodeText(const ibcc_snapshot* snapshot, std::uint32_t node) {
  std::string text = std::to_string(snapshot->nodes[node].kind) + " " + snapshot->nodes[node].description;
  for (std::uint32_t port = 0; port <= snapshot->nodes[node].num_ports; ++port) {
    const ibcc_subnet_port& one = snapshot->ports[ibcc_snapshot_place(snapshot, node, port)];
    text += " " + std::to_string(one.guid) + "," + std::to_string(one.lid) + "," + std::to_string(one.state) + "," +
            std::to_string(one.physical);
  }
  return text;
}

std::string LinkText(const ibcc_link& link) {
  return std::to_string(link.state) + " " + std::to_string(link.width) + " " + std::to_string(link.speed) + " " +
         std::to_string(link.mtu);
}

// Nodes and cables come and go by chance: the differences since any epoch that is known lead to what there is.
TEST_F(Topology, DifferencesSinceAnyEpochLeadToTheWhole) {
  for (unsigned seed = 1; seed <= 4; ++seed) {
    std::mt19937 random(seed);
    const auto below = [&](unsigned bound) { return static_cast<unsigned>(random() % bound); };
    DrawnFabric fabric;
    std::map<std::uint64_t, Rows> by_epoch;
    for (unsigned turn = 0; turn < 80; ++turn) {
      for (unsigned changes = below(4); changes > 0; --changes) {
        const std::uint64_t guid = 16 * (1 + below(12));
        const DrawnFabric::End one{16 * (1 + below(12)), 1 + below(4)}, other{16 * (1 + below(12)), 1 + below(4)};
        if (below(4) == 0) {
          fabric.Remove(guid);
        } else if (fabric.nodes.count(guid) == 0) {
          fabric.nodes[guid] = {.kind = below(2) == 0 ? CCP_NODE_SWITCH : CCP_NODE_HOST,
                                .num_ports = 1 + below(4),
                                .description = std::string(1, static_cast<char>(below(256))),
                                .lid = static_cast<std::uint16_t>(1 + below(3))};
        } else if (below(3) == 0 && !fabric.cables.empty()) {
          auto cable = std::next(fabric.cables.begin(), below(static_cast<unsigned>(fabric.cables.size())));
          if (below(2) == 0)
            fabric.cables.erase(cable);
          else
            cable->second.state = static_cast<std::uint8_t>(1 + below(4));
        } else if (fabric.nodes.count(one.first) != 0 && fabric.nodes.count(other.first) != 0 && fabric.IsFree(one) &&
                   fabric.IsFree(other) && one.second <= fabric.nodes[one.first].num_ports &&
                   other.second <= fabric.nodes[other.first].num_ports) {
          fabric.Connect(one, other, {.width = static_cast<std::uint8_t>(1 + below(2))});
        }
      }
      const std::uint64_t before = topology_.epoch;
      ASSERT_EQ(Take(fabric.Copy(below(3) == 0)), 0);
      const ibcc_snapshot* now = topology_.snapshot;
      Rows whole;
      for (std::uint32_t i = 0; i < now->view.num_nodes; ++i) whole.nodes[now->nodes[i].guid] = NodeText(now, i);
      std::vector<ibcc_link> links;
      ibcc_snapshot_each_link(
          now,
          [](void* owner, const ibcc_snapshot*, const ibcc_link* link) {
            static_cast<std::vector<ibcc_link>*>(owner)->push_back(*link);
            return true;
          },
          &links);
      for (const ibcc_link& link : links) whole.links[Ends(now, link)] = LinkText(link);
      std::size_t up = 0;
      for (const auto& [ends, cable] : fabric.cables) up += cable.state > 1;
      ASSERT_EQ(links.size(), up) << "seed " << seed << ", turn " << turn;
      ASSERT_EQ(whole.nodes.size(), fabric.nodes.size());
      if (before != 0) ASSERT_EQ(topology_.epoch == before, whole == by_epoch.at(before)) << "seed " << seed << ", turn " << turn;
      for (const auto& [since, old] : by_epoch) {
        ASSERT_TRUE(ibcc_topology_knows(&topology_, since));
        Rows rows = old;
        for (std::uint32_t i = 0; i < topology_.gone.count; ++i) {
          const ibcc_gone& gone = topology_.gone.list[i];
          if (gone.epoch <= since) continue;
          if (gone.peer_guid == 0)
            rows.nodes.erase(gone.guid);
          else
            rows.links.erase(std::to_string(gone.guid) + "/" + std::to_string(gone.port) + "-" + std::to_string(gone.peer_guid) +
                             "/" + std::to_string(gone.peer_port));
        }
        for (std::uint32_t i = 0; i < now->view.num_nodes; ++i)
          if (topology_.node_epochs[i] > since) rows.nodes[now->nodes[i].guid] = NodeText(now, i);
        for (const ibcc_link& link : links)
          if (topology_.link_epochs[link.place] > since) rows.links[Ends(now, link)] = LinkText(link);
        ASSERT_EQ(rows, whole) << "seed " << seed << ", turn " << turn << ", since " << since - kFirst;
      }
      by_epoch[topology_.epoch] = whole;
    }
    ibcc_topology_former_free(&former_);
    ibcc_topology_free(&topology_);
  }
}

}  // namespace
}  // namespace ibcc_test

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "devices/snapshot_links.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "devices/drawn_fabric.hpp"

namespace ibcc_test {
namespace {

// "10/1-30/4 state", in the order of the walk.
std::string Links(const Snapshot& snapshot) {
  std::string text;
  ibcc_snapshot_each_link(
      snapshot.get(),
      [](void* owner, const ibcc_snapshot* of, const ibcc_link* link) {
        std::string& all = *static_cast<std::string*>(owner);
        for (const ibcc_link_end& end : link->ends)
          all += std::to_string(of->nodes[end.node].guid) + "/" + std::to_string(end.port) + (&end == link->ends ? "-" : " ");
        all += std::to_string(link->state) + "; ";
        return true;
      },
      &text);
  return text;
}

TEST(SnapshotLinks, EachIsListedOnceWithItsLowerEndFirst) {
  EXPECT_EQ(Links(TwoHosts().Copy()), "10/1-30/4 4; 20/1-30/2 4; ");
  EXPECT_EQ(Links(TwoHosts().Copy(true)), "10/1-30/4 4; 20/1-30/2 4; ") << "known from one end alone";
  EXPECT_EQ(Links(DrawnFabric{}.Copy()), "");
}

TEST(SnapshotLinks, ANodeMayBeConnectedToItself) {
  DrawnFabric fabric = TwoHosts();
  fabric.Connect({30, 5}, {30, 6}, {});
  fabric.Connect({30, 1}, {30, 1}, {.state = 3});
  EXPECT_EQ(Links(fabric.Copy()), "10/1-30/4 4; 20/1-30/2 4; 30/1-30/1 3; 30/5-30/6 4; ");
}

TEST(SnapshotLinks, OneThatIsDownAtEitherEndIsNone) {
  DrawnFabric fabric = TwoHosts();
  fabric.cables.begin()->second.state = 1;
  EXPECT_EQ(Links(fabric.Copy()), "20/1-30/2 4; ");
  const Snapshot snapshot = TwoHosts().Copy();
  snapshot->ports[ibcc_snapshot_place(snapshot.get(), 2, 4)].state = 1;
  EXPECT_EQ(Links(snapshot), "20/1-30/2 4; ");
  snapshot->ports[ibcc_snapshot_place(snapshot.get(), 2, 2)].peer_port = 7;
  EXPECT_EQ(Links(snapshot), "20/1-30/2 4; ") << "the other end says what cannot be";
}

TEST(SnapshotLinks, OneIsFoundByItsEndsInAnyOrder) {
  const Snapshot snapshot = TwoHosts().Copy(), other = [] {
    DrawnFabric fabric = TwoHosts();
    fabric.nodes[5] = {.description = "before them"};
    return fabric.Copy();
  }();
  ibcc_link link{}, found{};
  EXPECT_TRUE(ibcc_snapshot_find_link(snapshot.get(), {.node = 2, .port = 4}, {.node = 0, .port = 1}, &link));
  EXPECT_EQ(link.ends[0].node, 0u);
  EXPECT_FALSE(ibcc_snapshot_find_link(snapshot.get(), {.node = 2, .port = 4}, {.node = 1, .port = 1}, &found));
  EXPECT_FALSE(ibcc_snapshot_find_link(snapshot.get(), {.node = CCP_NO_PEER, .port = 4}, {.node = 0, .port = 1}, &found));
  EXPECT_FALSE(ibcc_snapshot_find_link(snapshot.get(), {.node = 0, .port = 9}, {.node = 2, .port = 0}, &found));
  ASSERT_TRUE(ibcc_snapshot_find_link_in(other.get(), snapshot.get(), &link, &found));
  EXPECT_EQ(found.ends[0].node, 1u);
  EXPECT_TRUE(ibcc_links_look_alike(&link, &found));
}

}  // namespace
}  // namespace ibcc_test

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/reachability.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "rng.hpp"
#include "testing.hpp"

namespace ccsim {
namespace reachability_test {

using Pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

// What Unreachable is to say, asked of Fabric::Route pair by pair.
Pairs ByRoute(const Fabric& f, const std::vector<std::uint32_t>& sources) {
  Pairs found;
  for (std::uint32_t dst = 0; dst < f.endports().size(); ++dst) {
    for (const std::uint32_t src : sources) {
      if (src == dst) continue;
      try {
        f.Route(src, dst);
      } catch (const std::runtime_error&) {
        found.emplace_back(src, dst);
        break;
      }
    }
  }
  return found;
}

TEST(Reachability, NothingIsUnreachableOnAWholeFabric) {
  const testing::Bed bed = testing::TwoSwitch();
  EXPECT_EQ(Unreachable(bed.fabric, bed.hosts), Pairs{});
}

TEST(Reachability, TellsLoopsAndMissingEntries) {
  testing::Bed bed = testing::TwoSwitch();
  Fabric& f = bed.fabric;
  const std::uint32_t last = bed.hosts.back();
  const auto far = static_cast<std::uint32_t>(f.endports()[last].node);
  // The last host's own switch sends the packets for it back over the link between the switches.
  const std::uint32_t own = f.nodes()[far].ports[1].peer_node;
  f.SetForward(own, last, 36);
  EXPECT_EQ(Unreachable(f, bed.hosts), (Pairs{{bed.hosts.front(), last}}));
  f.ClearForwarding();
  EXPECT_EQ(Unreachable(f, bed.hosts).size(), bed.hosts.size());
  EXPECT_EQ(Unreachable(f, {}), Pairs{});
}

TEST(Reachability, AgreesWithRoutesUnderRandomTables) {
  Rng rng(7, 0);
  for (int round = 0; round < 200; ++round) {
    Fabric f;
    std::vector<std::uint32_t> hosts;
    for (std::uint64_t i = 0; i < 5; ++i) f.AddNode("s", NodeKind::Switch, i + 1, 6);
    for (std::uint32_t i = 0; i < 5; ++i) f.Connect(i, 5, (i + 1) % 5, 6, ParseLinkRate("4xEDR"), 0);
    for (std::uint32_t i = 0; i < 10; ++i) {
      const std::uint32_t host = f.AddNode("h", NodeKind::Host, 100 + i, 1);
      f.Connect(host, 1, i / 2, static_cast<std::uint16_t>(1 + i % 2), ParseLinkRate("4xEDR"), 0);
      hosts.push_back(f.endport_index(host, 1));
    }
    for (std::uint32_t s = 0; s < 5; ++s) {
      for (const std::uint32_t dst : hosts) {
        if (rng.Below(8) == 0) continue;  // no entry
        const std::uint32_t leaf = dst / 2;
        const auto port = leaf == s && rng.Below(8) != 0 ? 1 + dst % 2 : 5 + rng.Below(2);
        f.SetForward(s, dst, static_cast<std::uint8_t>(port));
      }
    }
    EXPECT_EQ(Unreachable(f, hosts), ByRoute(f, hosts));
  }
}

}  // namespace reachability_test
}  // namespace ccsim

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/credit_loop.hpp"
#include "quick.hpp"

#include <gtest/gtest.h>

#include "fabrics.hpp"
#include "routing/registry.hpp"

namespace ccsim {
namespace credit_loop_test {

using Cycle = std::vector<Channel>;

// Everything goes by port 1, all the way round if need be.
Fabric Clockwise(unsigned switches) {
  Fabric f = testing::Ring(switches, 1);
  RouteBy(f, "minhop");
  for (std::uint32_t s = 0; s < switches; ++s) {
    for (std::uint32_t e = 0; e < switches; ++e) {
      if (e != s) f.SetForward(s, e, 1);
    }
  }
  return f;
}

TEST(CreditLoop, ARingThatIsGoneRoundIsOne) {
  EXPECT_EQ(FindCreditLoop(Clockwise(3)), (Cycle{{0, 1, 0}, {1, 1, 0}, {2, 1, 0}}));
  EXPECT_EQ(FindCreditLoop(Clockwise(5)), (Cycle{{0, 1, 0}, {1, 1, 0}, {2, 1, 0}, {3, 1, 0}, {4, 1, 0}}));
}

// Expected by hand: to the two hosts opposite, switch 0 and switch 3 send both flows the wrong way round, 1 and 2 one each; the
// right way round, nobody continues at 3 or 0.
TEST(CreditLoop, OnARingOfFourMinhopHasTheOneExpected) {
  Fabric f = testing::Ring(4, 2);
  RouteBy(f, "minhop");
  EXPECT_EQ(FindCreditLoop(f), (Cycle{{0, 2, 0}, {3, 2, 0}, {2, 2, 0}, {1, 2, 0}}));
}

TEST(CreditLoop, OneRouteLessBreaksIt) {
  Fabric f = Clockwise(3);
  f.SetForward(0, 2, 2);  // 0 to 2 goes directly: then nothing waits at 1 for what comes from 0
  EXPECT_TRUE(FindCreditLoop(f).empty());
}

TEST(CreditLoop, OnlyRoutesBetweenHostsCount) {
  testing::Builder b;
  for (int i = 0; i < 3; ++i) b.Switch();
  for (std::uint32_t i = 0; i < 3; ++i) b.Link(i, (i + 1) % 3);
  const std::uint32_t endports[] = {b.Host(0), b.Host(1), b.Host(2, NodeKind::Router)};
  for (std::uint32_t s = 0; s < 3; ++s) {
    for (std::uint32_t e = 0; e < 3; ++e) {
      const std::uint32_t next = (s + 1) % 3;
      for (std::uint8_t port = 1; port <= 2; ++port) {
        if (b.fabric.nodes()[s].ports[port].peer_node == next) b.fabric.SetForward(s, endports[e], port);
      }
    }
    b.fabric.SetForward(s, endports[s], 3);
  }
  EXPECT_TRUE(FindCreditLoop(b.fabric).empty());
}

TEST(CreditLoop, ARouteBackOverTheSameLinkIsOne) {
  testing::Builder b;
  for (int i = 0; i < 3; ++i) b.Switch();
  b.Link(0, 1);
  b.Link(1, 2);
  for (std::uint32_t s = 0; s < 3; ++s) b.Host(s);
  RouteBy(b.fabric, "minhop");
  b.fabric.SetForward(1, 2, 1);  // what 0 has for 2, 1 sends back, and so on
  EXPECT_EQ(FindCreditLoop(b.fabric), (Cycle{{0, 1, 0}, {1, 1, 0}}));
}

TEST(CreditLoop, VlsSeparateWhatSharesLinks) {
  Fabric f = Clockwise(3);
  // Packets from hosts on VL 0, those that come from a switch on VL 1: no VL goes round.
  for (std::uint32_t s = 0; s < 3; ++s) {
    SlToVl vls;
    vls.fill(1);
    f.SetSlToVl(s, 2, 1, vls);
    vls.fill(0);
    f.SetSlToVl(s, 3, 1, vls);
  }
  EXPECT_TRUE(FindCreditLoop(f).empty());
}

TEST(CreditLoop, EverySlOfAFlowIsLookedAt) {
  Fabric f = testing::Ring(5, 1);
  RouteBy(f, "dor");
  ASSERT_TRUE(FindCreditLoop(f).empty());
  // With its one bit for the dateline, a flow of SL 1 travels on SLs 2 and 3: put both on VL 0.
  for (std::uint32_t s = 0; s < 5; ++s) {
    for (const auto& [in, out] : {std::pair(1, 2), std::pair(2, 1), std::pair(3, 1), std::pair(3, 2)}) {
      SlToVl vls = *f.sl_to_vl(s, static_cast<std::uint16_t>(in), static_cast<std::uint16_t>(out));
      vls[2] = vls[3] = 0;
      f.SetSlToVl(s, static_cast<std::uint16_t>(in), static_cast<std::uint16_t>(out), vls);
    }
  }
  EXPECT_EQ(FindCreditLoop(f), (Cycle{{0, 1, 0}, {1, 1, 0}, {2, 1, 0}, {3, 1, 0}, {4, 1, 0}}));
}

// A route at a time and a plain search, against the search that shares what it has seen.
bool HasLoopPlainly(const Fabric& f) {
  const std::size_t n = f.nodes().size();
  std::vector<std::vector<char>> waits(n * 64, std::vector<char>(n * 64, 0));
  for (std::uint32_t a = 0; a < f.endports().size(); ++a) {
    for (std::uint32_t b = 0; b < f.endports().size(); ++b) {
      if (a == b) continue;
      const std::vector<Hop> hops = f.Route(a, b);
      for (std::size_t i = 2; i < hops.size(); ++i) {
        waits[hops[i - 1].node * 64 + hops[i - 1].port][hops[i].node * 64 + hops[i].port] = 1;
      }
    }
  }
  // Strike out what waits for nothing, again and again.
  std::vector<char> out(waits.size(), 0);
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < waits.size(); ++i) {
      if (out[i]) continue;
      bool free = true;
      for (std::size_t j = 0; j < waits.size() && free; ++j) free = !waits[i][j] || out[j];
      out[i] = free;
      changed |= free;
    }
  }
  return std::find(out.begin(), out.end(), 0) != out.end();
}

TEST(CreditLoop, OnRandomFabricsAgreesWithAPlainSearch) {
  int loops = 0;
  for (std::uint64_t seed = 100; seed < 100 + ibcc_test::RandomCases(25); ++seed) {
    Rng rng(seed, 1);
    Fabric f = testing::RandomFabric(rng);
    if (f.nodes().size() > 24) continue;  // the plain search is slow
    RouteBy(f, "minhop");
    const bool loop = !FindCreditLoop(f).empty();
    EXPECT_EQ(loop, HasLoopPlainly(f)) << "seed " << seed;
    loops += loop;
  }
  if (ibcc_test::Quick()) return;  // so few need not have all kinds
  EXPECT_GT(loops, 0) << "no seed has a loop; take others";
}

}  // namespace credit_loop_test
}  // namespace ccsim

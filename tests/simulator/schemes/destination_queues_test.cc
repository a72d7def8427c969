// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "schemes/destination_queues.hpp"

#include <gtest/gtest.h>

#include <set>
#include <tuple>
#include <utility>

#include "engine/random_runs.hpp"
#include "rng.hpp"
#include "routing/fabrics.hpp"
#include "testing.hpp"

namespace ccsim {
namespace destination_queues_test {

Flow From(std::uint32_t src, std::uint32_t dst) {
  Flow flow;
  flow.src = src;
  flow.dst = dst;
  return flow;
}

Flow Drawing(std::uint32_t src, const std::shared_ptr<const Destinations>& destinations) {
  Flow flow;
  flow.src = src;
  flow.destinations = destinations;
  return flow;
}

// (node, input port, destination) of all switches on the routes, one route at a time.
std::uint64_t Counted(const Fabric& fabric, std::span<const Flow> flows) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (const Flow& flow : flows) {
    for (const std::uint32_t other : flow.destinations ? flow.destinations->endports : std::vector<std::uint32_t>{flow.dst}) {
      if (other != flow.src) pairs.insert({{flow.src, other}, {other, flow.src}});
    }
  }
  std::set<std::tuple<std::uint32_t, std::uint16_t, std::uint32_t>> queues;
  for (const auto& [src, dst] : pairs) {
    for (const Hop& hop : fabric.Route(src, dst)) {
      const Port& port = fabric.nodes()[hop.node].ports[hop.port];
      if (fabric.nodes()[port.peer_node].kind == NodeKind::Switch) queues.emplace(port.peer_node, port.peer_port, dst);
    }
  }
  return queues.size();
}

TEST(DestinationQueues, HasOneForEachSenderAndLink) {
  const testing::Bed bed = testing::TwoSwitch();
  const std::vector<Flow> one{From(bed.h(1), bed.h(2))};
  EXPECT_EQ(CountDestinationQueues(bed.fabric, one), 2U);  // and one for the ACKs
  const std::vector<Flow> incast{From(bed.h(1), bed.h(5)), From(bed.h(2), bed.h(5)), From(bed.h(6), bed.h(5))};
  // For H5 three at the hosts' ports and one at the other end of the link; for ACKs to H1 and H2 two each, and one to H6.
  EXPECT_EQ(CountDestinationQueues(bed.fabric, incast), 3U + 1 + 2 + 2 + 1);
  EXPECT_EQ(CountDestinationQueues(bed.fabric, {}), 0U);
}

TEST(DestinationQueues, OfAllToAllIsThatOfTheTreesOfRoutes) {
  const testing::Bed bed = testing::OneSwitch(8);
  const auto all = std::make_shared<const Destinations>(Destinations{.endports = bed.hosts});
  std::vector<Flow> flows;
  for (const std::uint32_t host : bed.hosts) flows.push_back(Drawing(host, all));
  EXPECT_EQ(CountDestinationQueues(bed.fabric, flows), 8U * 7);
}

TEST(DestinationQueues, StopsWhereRoutesEnd) {
  testing::Bed bed = testing::TwoSwitch();
  bed.fabric.ClearForwarding();
  const std::vector<Flow> flows{From(bed.h(1), bed.h(5)), From(bed.h(1), 99)};
  EXPECT_EQ(CountDestinationQueues(bed.fabric, flows), 2U);
}

TEST(DestinationQueues, IsThatOfRoutesOneByOne) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Rng rng(seed, 0);
    Fabric fabric = rng.Below(2) == 0 ? testing::RandomTree(rng).fabric : testing::Ring(5, 2);
    if (fabric.coordinates(0).size() == 1) RouteBy(fabric, "minhop");
    const auto hosts = static_cast<std::uint32_t>(fabric.endports().size());
    const auto draw = [&] { return static_cast<std::uint32_t>(rng.Below(hosts)); };
    Destinations drawn;
    for (std::uint64_t i = 0, n = 1 + rng.Below(hosts); i < n; ++i) drawn.endports.push_back(draw());
    const auto shared = std::make_shared<const Destinations>(drawn);
    std::vector<Flow> flows;
    for (std::uint64_t i = 0, n = rng.Below(8); i < n; ++i) {
      const std::uint32_t src = draw();
      flows.push_back(rng.Below(2) == 0 ? From(src, (src + 1) % hosts) : Drawing(src, shared));
    }
    EXPECT_EQ(CountDestinationQueues(fabric, flows), Counted(fabric, flows)) << "seed " << seed;
  }
}

}  // namespace destination_queues_test
}  // namespace ccsim

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// comparison_test.cc: each scheme beside the same switch without the scheme's own part (Scheme::without).
#include <gtest/gtest.h>

#include <set>

#include "quick.hpp"
#include "schemes/scheme_runs.hpp"

namespace ccsim {
namespace scheme_comparison_test {

using namespace testing;

std::vector<std::string> SchemesWithAnOther() {
  std::vector<std::string> names = SchemeNames();
  std::erase_if(names, [](const std::string& name) { return FindScheme(name).without.empty(); });
  return names;
}

// Returns the same switch without the scheme, with those of the values that both have.
SchemeChoice Without(const SchemeChoice& choice) {
  SchemeChoice other{.name = FindScheme(choice.name).without};
  for (const SchemeParameter& parameter : FindScheme(other.name).parameters) {
    if (choice.values.contains(parameter.name)) other.values[parameter.name] = choice.values.at(parameter.name);
  }
  return other;
}

// Host by host, one flow each, such that no two of them, their ACKs included, leave any node by the same port: a permutation thinned
// out. All links have one rate, so that no flow is in its own way either.
std::vector<Flow> FlowsApart(Rng& rng, const Bed& bed) {
  std::set<std::pair<std::uint32_t, std::uint16_t>> taken;
  std::vector<Flow> flows;
  const auto leave_by = [&](std::uint32_t src, std::uint32_t dst) {
    std::set<std::pair<std::uint32_t, std::uint16_t>> hops;
    for (const Hop& hop : bed.fabric.Route(src, dst)) hops.emplace(hop.node, hop.port);
    return hops;
  };
  for (int tries = 0; tries < 100; ++tries) {
    const std::uint32_t src = bed.hosts[rng.Below(bed.hosts.size())], dst = bed.hosts[rng.Below(bed.hosts.size())];
    if (src == dst) continue;
    auto hops = leave_by(src, dst);
    hops.merge(leave_by(dst, src));
    const bool apart = std::ranges::none_of(hops, [&](const auto& hop) { return taken.contains(hop); });
    if (!apart) continue;
    taken.merge(hops);
    Flow flow = MakeFlow(src, dst);
    const std::uint32_t sizes[] = {100, 2048, 5000, 65536};
    const double rates[] = {0, 1, 9};
    flow.message_bytes = OneOf(rng, sizes);
    flow.rate_gbps = OneOf(rng, rates);
    flows.push_back(flow);
  }
  return flows;
}

Bed BedOfOneRate(Rng& rng) {
  for (;;) {
    Bed bed{rng.Below(2) == 0 ? KAry3Tree(2) : RandomFabric(rng), {}};
    for (std::uint32_t e = 0; e < bed.fabric.endports().size(); ++e) bed.hosts.push_back(e);
    if (bed.hosts.size() < 2) continue;
    RouteBy(bed.fabric, "updown");
    return bed;
  }
}

class Comparison : public ::testing::TestWithParam<std::string> {};

// No two flows share an output: then the scheme has nothing to do, and every counter is what it is without it.
TEST_P(Comparison, IsIdenticalWhileNoTwoFlowsShareAnOutput) {
  std::size_t flows = 0;
  for (std::uint64_t seed = 1; seed <= ibcc_test::RandomCases(40); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Rng rng(seed, 5);
    SchemeRun run{BedOfOneRate(rng)};
    run.flows = FlowsApart(rng, run.bed);
    run.tables = Shared(MakeTables(run.bed.fabric));
    run.options = Options(2e-4, 2e-5);
    run.options.seed = seed;
    run.model.switches.read_ports = static_cast<std::uint32_t>(1 + rng.Below(4));
    run.model.scheme.name = GetParam();
    SchemeRun other = run;
    const double crossbars_gbps[] = {0, 16, 20, 40};
    const double crossbar_gbps = OneOf(rng, crossbars_gbps);
    if (WithPresets(FindScheme(GetParam()), {}).contains("crossbar_gbps"))
      run.model.scheme.values["crossbar_gbps"] = crossbar_gbps;
    other.model.scheme = Without(run.model.scheme);
    const std::unique_ptr<Engine> with = MakeEngine(run), without = MakeEngine(other);
    RunChecked(*with);
    RunChecked(*without);
    ASSERT_EQ(Seen(*with), Seen(*without)) << "beside " << other.model.scheme.name;
    flows += run.flows.size();
  }
  if (ibcc_test::Quick()) return;
  EXPECT_GT(flows, 80u);
}

// Mean round trip, in ns, of a message of one packet to a host on another leaf and one back, while each host of a 4-ary 2-tree sends
// `load` of its link's rate to all others. Closed flows with a window of 1 count round trips from when the message begins, so what the
// adapters add is in it.
double MeanRoundTripNs(const SchemeChoice& choice, double load) {
  SchemeRun run{Bed{Fabric(2048), {}}};
  Fabric& f = run.bed.fabric;
  for (std::uint64_t i = 0; i < 8; ++i) f.AddNode("S", NodeKind::Switch, 1 + i, 8);  // leaves, then roots
  for (std::uint32_t host = 0; host < 16; ++host) {
    const std::uint32_t node = f.AddNode("H", NodeKind::Host, 100 + host, 1);
    f.Connect(node, 1, host / 4, static_cast<std::uint16_t>(1 + host % 4), ParseLinkRate("4xDDR"), FromNs(25));
    run.bed.hosts.push_back(f.endport_index(node, 1));
  }
  for (std::uint32_t i = 0; i < 16; ++i) {
    f.Connect(i / 4, static_cast<std::uint16_t>(5 + i % 4), 4 + i % 4, static_cast<std::uint16_t>(1 + i / 4),
              ParseLinkRate("4xDDR"), FromNs(25));
  }
  RouteBy(f, "updown");
  run.model.scheme = choice;
  run.tables = Shared(MakeTables(f));
  run.options = Options(5e-3, 5e-3);
  auto everybody = std::make_shared<Destinations>();
  everybody->endports = run.bed.hosts;
  for (const std::uint32_t host : run.bed.hosts) {
    Flow flow = MakeFlow(host, host);
    flow.destinations = everybody;
    flow.message_bytes = 2048;
    flow.rate_gbps = load * kLinkGbps;
    run.flows.push_back(flow);
  }
  for (std::uint32_t host = 0; host < 16; ++host) {
    const auto first = static_cast<std::uint32_t>(run.flows.size());
    Flow there = MakeFlow(run.bed.hosts[host], run.bed.hosts[(host + 5) % 16]);
    there.message_bytes = 256;
    there.closed = true;
    there.think = FromNs(5000);
    Flow back = there;
    std::swap(back.src, back.dst);
    there.window = 1;
    there.grants = {first + 1};
    back.grants = {first};
    run.flows.insert(run.flows.end(), {there, back});
  }
  const std::unique_ptr<Engine> engine = MakeEngine(run);
  engine->Run([](Time) { return true; });
  double sum_ns = 0, count = 0;
  for (const FlowCounters& c : engine->flow_counters()) {
    sum_ns += static_cast<double>(c.round_trip_sum) / kFsPerNs;
    count += static_cast<double>(c.round_trips);
  }
  EXPECT_GT(count, 2000);
  return sum_ns / count;
}

TEST_P(Comparison, HasTheLatencyOfTheSwitchWithoutItAtALowLoad) {
  const SchemeChoice choice{.name = GetParam()};
  const double with_ns = MeanRoundTripNs(choice, 0.3), without_ns = MeanRoundTripNs(Without(choice), 0.3);
  EXPECT_NEAR(with_ns / without_ns, 1, 0.02) << with_ns << " ns, and without it " << without_ns;
}

// The measure tells switches apart where there is something to tell.
TEST(LatencyOfSchemes, DiffersByTheQueuesAtAHighLoad) {
  IBCC_LONG_TEST();
  EXPECT_GT(MeanRoundTripNs({.name = "1q"}, 0.8) / MeanRoundTripNs({.name = "voqsw"}, 0.8), 1.1);
}

INSTANTIATE_TEST_SUITE_P(Schemes, Comparison, ::testing::ValuesIn(SchemesWithAnOther()),
                         [](const auto& scheme) { return "Scheme_" + scheme.param; });

}  // namespace scheme_comparison_test
}  // namespace ccsim

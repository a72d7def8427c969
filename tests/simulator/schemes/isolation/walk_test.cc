// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// walk_test.cc: seeded walks of flow isolation through small networks with congestion, faults and resets; invariants hold after each
// step, and when traffic has ended all queues are empty and all lines free. IBCC_ISOLATION_WALK_S: seconds of CPU;
// IBCC_ISOLATION_WALK_SEED: that seed alone (seeds.hpp).
#include <gtest/gtest.h>

#include <iostream>

#include "schemes/isolation/toy_checks.hpp"
#include "seeds.hpp"

namespace ccsim {
namespace isolation_walk_test {

using namespace testing;

constexpr std::uint64_t kSteps = 1'500;       // with traffic
constexpr std::uint64_t kStuckSteps = 1'000;  // without traffic and faults, a packet is sent in each so many
constexpr std::uint64_t kWaitSteps = 3'000;   // a special queue waits for its turn at most so long
constexpr std::uint64_t kEnough = 150'000;    // steps in which all that can happen has happened
constexpr std::uint64_t kSeeds = 100;         // where nobody says how many

IsolationParameters RandomParameters(Rng& rng) {
  const std::span<const IsolationScheme> schemes = IsolationSchemes();
  IsolationParameters p = schemes[rng.Below(schemes.size())].parameters;
  p.special_queues = static_cast<unsigned>(1 + rng.Below(3));
  if (p.normal_queues == NormalQueues::PerOutput) p.line_destinations = static_cast<unsigned>(1 + rng.Below(4));
  p.detection_packets = static_cast<unsigned>(1 + rng.Below(6));
  p.go_packets = static_cast<unsigned>(1 + rng.Below(3));
  p.stop_packets = p.go_packets + 1 + static_cast<unsigned>(rng.Below(4));
  p.propagation_packets = 1 + static_cast<unsigned>(rng.Below(p.stop_packets));
  p.high_packets = 2 + static_cast<unsigned>(rng.Below(p.stop_packets - 1));
  p.low_packets = 1 + static_cast<unsigned>(rng.Below(p.high_packets - 1));
  p.stop_at_first_crossing = rng.Below(2) == 0;
  p.life_time_ns = static_cast<double>(rng.Below(3)) * 50;
  return p;
}

ToyTopology RandomTopology(Rng& rng) {
  ToyTopology t;
  unsigned with_hosts = 0;  // all if 0
  switch (rng.Below(4)) {
    case 0: t = ToyTree(rng, 3, true); break;
    case 1: t = ToyTree(rng, 2 + static_cast<unsigned>(rng.Below(4)), false); break;
    case 2: t = ToyRing(3 + static_cast<unsigned>(rng.Below(3))); break;
    default: t = ToyFatTree(), with_hosts = 2; break;
  }
  if (with_hosts == 0) with_hosts = t.switches;
  for (unsigned s = 0; s < with_hosts; ++s) {
    for (std::uint64_t i = rng.Below(3); i > 0; --i) t.host_switch.push_back(s);
  }
  while (t.host_switch.size() < 4) t.host_switch.push_back(static_cast<unsigned>(rng.Below(with_hosts)));
  return t;
}

// Traffic of all hosts, much of it to one or two of them.
void Generate(ToyNetwork& network, Rng& rng, unsigned percent, unsigned hot) {
  for (unsigned src = 0; src < network.num_hosts(); ++src) {
    if (rng.Below(100) >= percent) continue;
    const unsigned dst =
        rng.Below(3) != 0 ? static_cast<unsigned>(rng.Below(hot)) : static_cast<unsigned>(rng.Below(network.num_hosts()));
    if (dst == src || network.host(src).generated[dst].size() > 3) continue;
    network.Generate(src, dst, static_cast<std::uint32_t>(1 + rng.Below(4)));
  }
}

void MaybeFail(ToyNetwork& network, Rng& rng, std::map<std::string, unsigned>& counts) {
  if (rng.Below(150) != 0) return;
  if (rng.Below(4) == 0) {
    const bool with_packets = rng.Below(2) == 0;
    network.StartOver(static_cast<unsigned>(rng.Below(network.num_switches())), with_packets);
    ++counts[with_packets ? "a device starts over and loses its packets" : "a device starts over and keeps its packets"];
    return;
  }
  const auto l = static_cast<unsigned>(rng.Below(network.links().size()));
  if (network.Failing(l)) return;
  const std::uint64_t who = rng.Below(3);
  network.Fail(l, rng.Below(40), who != 0, who != 1, rng.Below(30), rng);
  ++counts[who == 2 ? "both sides notice that a link was down" : "one side notices that a link was down"];
}

// "" or what has been found. Adds to `counts` what has happened.
std::string Walk(std::uint64_t seed, std::map<std::string, unsigned>& counts, std::uint64_t& steps) {
  Rng rng(seed, 24);
  const IsolationParameters parameters = RandomParameters(rng);
  Check(parameters);
  const ToyTopology topology = RandomTopology(rng);
  ToySizes sizes;
  sizes.buffer_bytes = static_cast<std::uint32_t>(4 * (2 + rng.Below(30)));
  sizes.hosts_buffer = rng.Below(2) == 0;
  sizes.leaves_late = rng.Below(2) == 0;
  sizes.one_reader = parameters.normal_queues == NormalQueues::PerInput;
  const bool faults = rng.Below(2) == 0;
  const auto percent = static_cast<unsigned>(5 + rng.Below(60));
  const auto hot = static_cast<unsigned>(1 + rng.Below(2));
  ToyNetwork network(topology, parameters, sizes, rng);
  std::string found;
  bool traffic = true;
  const auto finish = [&] {
    for (const auto& [what, times] : network.counts) counts[what] += times;
    steps += network.now();
    return found.empty() ? found : "step " + std::to_string(network.now()) + ": " + found + "\n" + Describe(network);
  };
  for (; network.now() < kSteps;) {
    if (rng.Below(100) == 0) traffic = !traffic || rng.Below(2) == 0;
    if (traffic) Generate(network, rng, percent, hot);
    if (faults) MaybeFail(network, rng, counts);
    network.Step();
    found = CheckNetwork(network);
    if (found.empty() && !faults) found = CheckNoQueueWaits(network, kWaitSteps);
    if (!found.empty()) return finish();
  }
  for (std::uint64_t since = network.now(); network.BytesInside() > 0;) {
    network.Step();
    found = CheckNetwork(network);
    if (found.empty() && network.now() - std::max(since, network.progressed_at()) > kStuckSteps) found = "packets are stuck";
    if (!found.empty()) return finish();
  }
  for (std::uint64_t since = network.now(); !network.LinesFree();) {
    network.Step();
    found = CheckNetwork(network);
    if (found.empty() && network.now() - since > kStuckSteps) found = "lines are in use after the last packet has arrived";
    if (!found.empty()) return finish();
  }
  return finish();
}

TEST(IsolationWalk, InvariantsHold) {
  ibcc_test::Seeds seeds("IBCC_ISOLATION_WALK", kSeeds);
  std::uint64_t steps = 0;
  std::map<std::string, unsigned> counts;
  while (seeds.Next()) {
    const std::string found = Walk(seeds.seed(), counts, steps);
    ASSERT_TRUE(found.empty()) << seeds.Line() << "\n" << found;
  }
  std::cout << steps << " steps of " << seeds.taken() << " seeds\n";
  for (const auto& [what, times] : counts) std::cout << "  " << times << " x " << what << "\n";
  if (steps < kEnough) return;
  for (const char* what : {"Free to Quiet",
                           "Free to Announced",
                           "Quiet to Announced",
                           "Quiet to Stopped",
                           "Announced to Stopped",
                           "Stopped to Announced",
                           "Announced to Quiet",
                           "Stopped to Quiet",
                           "Quiet to Free",
                           "Announced to Free",
                           "Allocate",
                           "Update",
                           "Stop",
                           "Go",
                           "Release",
                           "Clear",
                           "Cleared",
                           "no free special queue",
                           "both sides notice that a link was down",
                           "one side notices that a link was down",
                           "a device starts over and loses its packets",
                           "a device starts over and keeps its packets"}) {
    EXPECT_GT(counts[what], 0U) << what << " did not happen";
  }
}

// A seed's walk is the same each time: what fails can be repeated.
TEST(IsolationWalk, ASeedRepeats) {
  std::map<std::string, unsigned> first, second;
  std::uint64_t steps = 0;
  Walk(11, first, steps);
  Walk(11, second, steps);
  EXPECT_EQ(first, second);
}

}  // namespace isolation_walk_test
}  // namespace ccsim

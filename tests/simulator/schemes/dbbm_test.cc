// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dbbm_test.cc: what dbbm promises beside what every scheme does. conformance_test.cc and comparison_test.cc cover it like any other.
#include <gtest/gtest.h>

#include "quick.hpp"
#include "schemes/scheme_runs.hpp"

namespace ccsim {
namespace schemes_dbbm_test {

using namespace testing;

// Some runs lose a link and get it back; both engines at the same times.
void RunWithALinkThatGoes(Engine& engine, const Hop& at, bool goes) {
  const Engine::Questions often{.events = 500, .time = FromNs(10'000)};
  bool down = false;
  engine.Run(
      [&](Time now) {
        engine.CheckInvariants();
        const bool to_be_down = goes && now > FromNs(20'000) && now < FromNs(60'000);
        if (to_be_down != down) engine.SetLink(at.node, at.port, !to_be_down);
        down = to_be_down;
        return now < FromNs(200'000);
      },
      often);
  engine.Run([](Time) { return true; });
}

// One queue at each input is what 1q has: the same packets leave at the same times.
TEST(Dbbm, WithOneQueueIsOneQueuePerInput) {
  std::uint64_t packets = 0, lost = 0;
  for (std::uint64_t seed = 1; seed <= ibcc_test::RandomCases(40); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Rng rng(seed, 24);
    SchemeRun run = RandomSchemeRun(rng, "1q");
    SchemeRun dbbm = run;
    dbbm.model.scheme.name = "dbbm";
    dbbm.model.scheme.values["queues"] = 1;
    const std::unique_ptr<Engine> one_queue = MakeEngine(run), with = MakeEngine(dbbm);
    const Hop at = one_queue->port_names()[rng.Below(one_queue->port_names().size())];
    const bool goes = rng.Below(3) == 0;
    RunWithALinkThatGoes(*one_queue, at, goes);
    RunWithALinkThatGoes(*with, at, goes);
    ASSERT_EQ(Seen(*with), Seen(*one_queue));
    for (const FlowCounters& c : with->flow_counters()) {
      packets += c.received_packets;
      lost += c.lost_packets;
    }
  }
  if (ibcc_test::Quick()) return;
  EXPECT_GT(packets, 10'000u);
  EXPECT_GT(lost, 0u);
}

constexpr std::uint32_t kHosts = 64;
constexpr std::uint32_t kHot = 0;  // an index of `hosts`
constexpr double kVictimGbps = 4;

// Payload rates of a flow from each host to the host five farther on, while all hosts offer the hot one twice what its link carries.
// Buffers do not fill in this time, so that whoever gets less than it offers has waited behind packets to another host.
std::vector<double> VictimGbps(const SchemeChoice& choice) {
  SchemeRun run{OneSwitch(kHosts)};
  run.model.scheme = choice;
  run.model.switches.input_buffer_bytes = 8 << 20;
  const Time sample = FromSeconds(2e-4);
  run.options = Options(1e-3, 2e-4);
  for (std::uint32_t i = 0; i < kHosts; ++i) {
    run.flows.push_back(MakeFlow(run.bed.hosts[i], run.bed.hosts[(i + 5) % kHosts]));
    run.flows.back().rate_gbps = kVictimGbps;
    run.flows.back().message_bytes = 2048;
  }
  for (std::uint32_t i = 0; i < kHosts; ++i) {
    if (i == kHot) continue;
    run.flows.push_back(MakeFlow(run.bed.hosts[i], run.bed.hosts[kHot]));
    run.flows.back().rate_gbps = 2 * kLinkGbps / (kHosts - 1);
    run.flows.back().message_bytes = 2048;
  }
  const std::unique_ptr<Engine> engine = MakeEngine(run);
  engine->Run([](Time) { return true; });
  std::vector<double> gbps;
  for (std::size_t flow = 0; flow < kHosts; ++flow) gbps.push_back(Gbps(*engine, flow, sample));
  return gbps;
}

TEST(Dbbm, HoldsUpOnlyPacketsWhoseDestinationsShareAQueue) {
  IBCC_LONG_TEST();
  for (const std::uint32_t queues : {1u, 8u, 9u, 64u}) {
    const std::vector<double> gbps = VictimGbps({"dbbm", {{"queues", queues}}});
    std::size_t held_up = 0;
    for (std::uint32_t i = 0; i < kHosts; ++i) {
      SCOPED_TRACE(std::to_string(queues) + " queues, host " + std::to_string(i));
      const std::uint32_t destination = (i + 5) % kHosts;
      if (i == kHot || destination == kHot) continue;  // the one sends nothing to the hot host, the other everything
      if (destination % queues == kHot % queues) {
        ++held_up;
        EXPECT_LT(gbps[i], 0.75 * kVictimGbps);
      } else {
        EXPECT_NEAR(gbps[i], kVictimGbps, 0.02 * kVictimGbps);
      }
    }
    EXPECT_EQ(held_up, queues == 1 ? 62u : 63 / queues);
  }
}

}  // namespace schemes_dbbm_test
}  // namespace ccsim

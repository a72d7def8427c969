// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "engine/deadlock.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "engine/engine.hpp"
#include "quick.hpp"
#include "routing/credit_loop.hpp"
#include "routing/fabrics.hpp"
#include "routing/registry.hpp"

namespace ccsim {
namespace deadlock_test {

constexpr double kSeconds = 0.01;
constexpr std::size_t kSamples = 20;

RunRecord Recorded(const Fabric& fabric, const std::vector<Flow>& flows, double seconds = kSeconds,
                   const std::string& scheme = "voqsw") {
  Model model;
  model.scheme.name = scheme;
  RunOptions options;
  options.duration = FromSeconds(seconds);
  options.sample_interval = FromSeconds(seconds / kSamples);
  Engine engine(fabric, model, flows, nullptr, options);
  EXPECT_TRUE(engine.Run([](Time) { return true; }));
  return engine.record();
}

// Each endport sends to the one that is `by` places further on.
std::vector<Flow> Shift(const Fabric& fabric, std::uint32_t by) {
  std::vector<Flow> flows(fabric.endports().size());
  for (std::uint32_t i = 0; i < flows.size(); ++i) {
    flows[i].src = i;
    flows[i].dst = static_cast<std::uint32_t>((i + by) % flows.size());
  }
  return flows;
}

std::uint64_t BytesInLastSample(const RunRecord& record) {
  const std::size_t flows = record.received_bytes.size() / record.num_samples;
  return std::accumulate(record.received_bytes.end() - static_cast<std::ptrdiff_t>(flows), record.received_bytes.end(),
                         std::uint64_t{0});
}

// A ring of four that all traffic goes round clockwise, two hops far.
Fabric Clockwise() {
  Fabric f = testing::Ring(4, 2);
  RouteBy(f, "minhop");
  for (std::uint32_t s = 0; s < 4; ++s) {
    for (std::uint32_t e = 0; e < 8; ++e) {
      if (e / 2 != s) f.SetForward(s, e, 1);
    }
  }
  return f;
}

TEST(Deadlock, ARingThatIsGoneRoundStandsStill) {
  const Fabric f = Clockwise();
  const RunRecord record = Recorded(f, Shift(f, 4));
  ASSERT_TRUE(record.deadlock.has_value());
  EXPECT_EQ(record.deadlock->cycle, (std::vector<Channel>{{0, 1, 0}, {1, 1, 0}, {2, 1, 0}, {3, 1, 0}}));
  EXPECT_EQ(record.deadlock->cycle, FindCreditLoop(f));
  EXPECT_EQ(BytesInLastSample(record), 0u);
  // Nothing is received after that time: the packets before it, and not all of them, fill the samples up to it.
  const auto stands_in = static_cast<std::size_t>(record.deadlock->since / FromSeconds(kSeconds / kSamples));
  ASSERT_LT(stands_in, kSamples - 1);
  for (std::size_t i = (stands_in + 2) * 8; i < record.received_bytes.size(); ++i) EXPECT_EQ(record.received_bytes[i], 0u);
  EXPECT_GT(std::accumulate(record.received_bytes.begin(), record.received_bytes.begin() + 8, std::uint64_t{0}), 0u);
}

TEST(Deadlock, ALoopThatTheTrafficDoesNotFillIsNone) {
  const Fabric f = Clockwise();
  const RunRecord next_only = Recorded(f, Shift(f, 2));  // each to its neighbour: no buffer waits for another link
  EXPECT_FALSE(next_only.deadlock.has_value());
  EXPECT_GT(BytesInLastSample(next_only), 0u);
  EXPECT_FALSE(Recorded(f, Shift(f, 4), 50e-6).deadlock.has_value()) << "the buffers cannot be full yet";
}

// All buffers are full for long, but not for ever.
TEST(Deadlock, CongestionIsNone) {
  Fabric f = testing::KAry3Tree(2);
  RouteBy(f, "dmodk");
  f.SetHostLimits(f.endports()[7].node, std::nullopt, 0.001);  // a packet in 16 ms
  std::vector<Flow> flows = Shift(f, 0);
  flows.pop_back();
  for (Flow& flow : flows) flow.dst = 7;
  const RunRecord record = Recorded(f, flows);
  EXPECT_EQ(BytesInLastSample(record), 0u);
  EXPECT_FALSE(record.deadlock.has_value());
}

// Packets of a switch with one queue an input that stand behind those to another output wait for no credits.
TEST(Deadlock, WaitingBehindOthersInAQueueIsNone) {
  Fabric f = testing::KAry3Tree(2);
  RouteBy(f, "dmodk");
  std::vector<Flow> flows = Shift(f, 3);
  for (const Flow& flow : Shift(f, 5)) flows.push_back(flow);
  for (std::uint32_t src = 0; src < 7; ++src) {
    flows.push_back(flows[src]);
    flows.back().dst = 7;
  }
  const RunRecord record = Recorded(f, flows, kSeconds, "1q");
  EXPECT_GT(BytesInLastSample(record), 0u);
  EXPECT_FALSE(record.deadlock.has_value());
}

TEST(Deadlock, OneQueueAnInputStandsStillInARing) {
  const Fabric f = Clockwise();
  const RunRecord record = Recorded(f, Shift(f, 4), kSeconds, "1q");
  EXPECT_EQ(BytesInLastSample(record), 0u);
  EXPECT_TRUE(record.deadlock.has_value());
}

// Found exactly where nothing moves any more, and only where a credit loop was announced.
TEST(Deadlock, OnRandomFabricsIsFoundWhereTrafficStandsStill) {
  int deadlocks = 0;
  for (std::uint64_t seed = 200; seed < 200 + ibcc_test::RandomCases(40); ++seed) {
    Rng rng(seed, 1);
    Fabric f = testing::RandomFabric(rng);
    if (f.endports().size() < 2) continue;
    RouteBy(f, "minhop");
    std::vector<Flow> flows;
    for (std::uint32_t by = 1; by < f.endports().size(); ++by) {
      for (const Flow& flow : Shift(f, by)) flows.push_back(flow);
    }
    const RunRecord record = Recorded(f, flows, 0.004);
    if (BytesInLastSample(record) == 0) EXPECT_TRUE(record.deadlock.has_value()) << "seed " << seed;
    if (!record.deadlock) continue;
    ++deadlocks;
    EXPECT_FALSE(FindCreditLoop(f).empty()) << "seed " << seed;
    EXPECT_GE(record.deadlock->cycle.size(), 2u);
  }
  RecordProperty("deadlocks", deadlocks);
  if (ibcc_test::Quick()) return;  // so few need not have all kinds
  EXPECT_GT(deadlocks, 0) << "no seed has a deadlock; take others";
}

}  // namespace deadlock_test
}  // namespace ccsim

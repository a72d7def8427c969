// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Shares of flows of one host while link-level flow control holds back all of them. The shares are computed by hand.
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "engine/engine.hpp"
#include "engine/running.hpp"
#include "testing.hpp"

namespace ccsim {
namespace core_turns_test {

using testing::Gbps;
using testing::kLinkGbps;
using testing::MakeFlow;
using testing::Options;
using testing::RunChecked;

constexpr double kDurationS = 0.02;
constexpr double kIntervalS = 0.002;
const Time kInterval = FromSeconds(kIntervalS);

Model Scheduled(QpScheduling scheduling) {
  Model model;
  model.ca.qp_scheduling = scheduling;
  return model;
}

Flow Rated(std::uint32_t src, std::uint32_t dst, double rate_gbps, std::uint32_t message_bytes = 4096) {
  Flow flow = MakeFlow(src, dst);
  flow.rate_gbps = rate_gbps;
  flow.message_bytes = message_bytes;
  return flow;
}

std::shared_ptr<Destinations> Uniform(std::vector<std::uint32_t> endports) {
  auto destinations = std::make_shared<Destinations>();
  destinations->endports = std::move(endports);
  return destinations;
}

std::vector<Flow> Generated(std::vector<Flow> flows, Generator generator) {
  const auto shared = std::make_shared<const Generator>(generator);
  for (Flow& flow : flows) flow.generator = shared;
  return flows;
}

// H1 sends two flows and H2 one, all to H3. The switch takes the two inputs in turn, so H1's flows have half of the link.
class TwoOfOneHost : public ::testing::TestWithParam<QpScheduling> {
 protected:
  // What the two flows of H1 get.
  std::pair<double, double> Shares(const Flow& a, const Flow& b) {
    Engine engine(bed_.fabric, Scheduled(GetParam()), std::vector{a, b, MakeFlow(bed_.h(2), bed_.h(3))}, nullptr,
                  Options(kDurationS, kIntervalS));
    RunChecked(engine);
    return {Gbps(engine, 0, kInterval), Gbps(engine, 1, kInterval)};
  }
  const testing::Bed bed_ = testing::OneSwitch(3);
};

TEST_P(TwoOfOneHost, RatesOfThreeToOne) {
  const auto [a, b] = Shares(Rated(bed_.h(1), bed_.h(3), 12), Rated(bed_.h(1), bed_.h(3), 4));
  const double part = GetParam() == QpScheduling::Weighted ? 0.75 : 0.5;
  EXPECT_NEAR(a, part * kLinkGbps / 2, 0.02);
  EXPECT_NEAR(b, (1 - part) * kLinkGbps / 2, 0.02);
}

TEST_P(TwoOfOneHost, MessagesOfFourPacketsAndOfOne) {
  const auto [a, b] = Shares(Rated(bed_.h(1), bed_.h(3), 8, 8192), Rated(bed_.h(1), bed_.h(3), 8, 2048));
  const double part = GetParam() == QpScheduling::Message ? 0.8 : 0.5;
  EXPECT_NEAR(a, part * kLinkGbps / 2, 0.02);
  EXPECT_NEAR(b, (1 - part) * kLinkGbps / 2, 0.02);
}

TEST_P(TwoOfOneHost, OneWithoutARateOffersWhatTheOtherLeaves) {
  const auto [a, b] = Shares(MakeFlow(bed_.h(1), bed_.h(3)), Rated(bed_.h(1), bed_.h(3), 4, 65536));
  const double part = GetParam() == QpScheduling::Weighted ? 1 - 4 / kLinkGbps : 0.5;
  EXPECT_NEAR(a, part * kLinkGbps / 2, 0.02);
  EXPECT_NEAR(b, (1 - part) * kLinkGbps / 2, 0.02);
}

TEST_P(TwoOfOneHost, AFlowThatOffersLessThanItsTurnsGetsIt) {
  const auto [a, b] = Shares(Rated(bed_.h(1), bed_.h(3), 1), Rated(bed_.h(1), bed_.h(3), 15));
  EXPECT_NEAR(b, kLinkGbps / 2 - a, 0.02);
  const double part = GetParam() == QpScheduling::Weighted ? kLinkGbps / 2 / 16 : 1;
  EXPECT_NEAR(a, part, 0.02);
}

INSTANTIATE_TEST_SUITE_P(Schedulings, TwoOfOneHost,
                         ::testing::Values(QpScheduling::Packet, QpScheduling::Message, QpScheduling::Weighted));

// Who comes later does not make up for the time in which it was away, and the one that was there does not either.
TEST(EngineTurns, WeightsHoldFromTheTimeOnAtWhichBothAreThere) {
  const testing::Bed bed = testing::OneSwitch(3);
  std::vector<Flow> flows{Rated(bed.h(1), bed.h(3), 12), MakeFlow(bed.h(1), bed.h(3)), MakeFlow(bed.h(2), bed.h(3))};
  flows[1].start = FromSeconds(kDurationS / 2);
  Engine engine(bed.fabric, Model{}, flows, nullptr, Options(kDurationS, kIntervalS));
  RunChecked(engine);
  EXPECT_NEAR(Gbps(engine, 0, kInterval, 1, 5), kLinkGbps / 2, 0.02);
  EXPECT_NEAR(Gbps(engine, 0, kInterval, 6, 7), kLinkGbps / 2 * 12 / 20, 0.05);
  EXPECT_NEAR(Gbps(engine, 1, kInterval, 6, 7), kLinkGbps / 2 * 8 / 20, 0.05);
}

// The seven hosts of a two-switch bed: B at H2 sends 70 % to H5 and the rest to H4; C nodes at H3, H6 and H7 send to H5. Three inputs
// of the second switch take turns at H5, so the link between the switches brings it a third. On that link H2 and H3 take turns, and
// 0.7 of H2's packets and all of H3's are for H5.
TEST(EngineTurns, ABNodeBehindACongestedLink) {
  const testing::Bed bed = testing::TwoSwitch();
  const double h5 = 13.3;  // what a host takes
  const double of_an_input = h5 / 3 / 1.7;
  for (const auto kind : {Generator::Kind::Independent, Generator::Kind::Strict}) {
    std::vector<Flow> flows =
        Generated({Rated(bed.h(2), bed.h(5), 9.1), Rated(bed.h(2), bed.h(4), 3.9)}, {.kind = kind, .queue_messages = 4});
    for (const int contributor : {3, 6, 7}) flows.push_back(MakeFlow(bed.h(contributor), bed.h(5)));
    Engine engine(bed.fabric, Model{}, flows, nullptr, Options(0.1, 0.01));
    RunChecked(engine);
    EXPECT_NEAR(Gbps(engine, 0, FromSeconds(0.01)), 0.7 * of_an_input, 0.05);
    EXPECT_NEAR(Gbps(engine, 1, FromSeconds(0.01)), 0.3 * of_an_input, 0.05);
  }
}

// Congestion control holds back what H1 sends to H4, with which H2 and H3 fill H4's link, and nothing else is in the way.
class Throttled : public ::testing::Test {
 protected:
  std::pair<double, double> Shares(Generator generator, bool uniform) {
    testing::UniformTables settings;
    settings.multiplier_step = 20;
    const auto tables = testing::MakeTables(bed_.fabric, settings);
    std::vector<Flow> flows = Generated({Rated(bed_.h(1), bed_.h(4), 7), Rated(bed_.h(1), bed_.h(5), 7)}, generator);
    if (uniform) flows[1].destinations = Uniform({bed_.h(1), bed_.h(5), bed_.h(6)});
    flows.push_back(MakeFlow(bed_.h(2), bed_.h(4)));
    flows.push_back(MakeFlow(bed_.h(3), bed_.h(4)));
    Engine engine(bed_.fabric, Model{}, flows, tables.get(), Options(kDurationS, kIntervalS));
    RunChecked(engine);
    return {Gbps(engine, 0, kInterval), Gbps(engine, 1, kInterval)};
  }
  const testing::Bed bed_ = testing::OneSwitch(6);
};

TEST_F(Throttled, AnIndependentGeneratorHoldsBackNothingElse) {
  for (const bool uniform : {false, true}) {
    const auto [hot, other] = Shares({.kind = Generator::Kind::Independent}, uniform);
    EXPECT_LT(hot, 5);
    EXPECT_NEAR(other, 7, 0.05) << uniform;
  }
}

TEST_F(Throttled, AStrictGeneratorHoldsBackAllThatItGenerates) {
  for (const bool uniform : {false, true}) {
    for (const std::uint32_t queue_messages : {1, 16}) {
      const auto [hot, other] = Shares({.kind = Generator::Kind::Strict, .queue_messages = queue_messages}, uniform);
      EXPECT_LT(hot, 5);
      EXPECT_NEAR(other, hot, 0.1 * hot) << uniform << queue_messages;
    }
  }
}

// Messages of a generator are sent whole, and in trains whose lengths are drawn: with p = 1/2 a train has two messages on average.
TEST(EngineTurns, MessagesOfAGeneratorComeInDrawnTrains) {
  const testing::Bed bed = testing::OneSwitch(4);
  std::vector<Flow> flows = Generated({Rated(bed.h(1), bed.h(3), 8, 6000), Rated(bed.h(1), bed.h(4), 8, 6000)}, {});
  flows.push_back(MakeFlow(bed.h(2), bed.h(3)));
  RunOptions options = Options(0.01, 0.01);
  options.trace_packets = 100'000;
  Engine engine(bed.fabric, Model{}, flows, nullptr, options);
  RunChecked(engine);
  std::vector<std::uint32_t> sent;  // flow of each packet that leaves H1
  for (const TraceRow& row : engine.record().packets) {
    if (row.event == TraceEvent::Leaves && row.kind == PacketKind::Data && row.flow < 2 &&
        engine.port_names()[row.port].node == bed.fabric.endports()[bed.h(1)].node)
      sent.push_back(row.flow);
  }
  ASSERT_GT(sent.size(), 1000u);
  std::size_t trains = 1;
  for (std::size_t i = 3; i < sent.size(); ++i) {
    if (sent[i] == sent[i - 1]) continue;
    EXPECT_EQ(i % 3, 0u) << "a message of three packets is cut";
    ++trains;
  }
  EXPECT_NEAR(static_cast<double>(sent.size()) / 3 / static_cast<double>(trains), 2, 0.3);
}

TEST(EngineTurns, WhatAGeneratorCannotDoIsRefused) {
  const testing::Bed bed = testing::OneSwitch(4);
  const auto refuses = [&](std::vector<Flow> flows, const char* sentence) {
    try {
      Engine(bed.fabric, Model{}, flows, nullptr, Options(0.01, 0.01));
      FAIL() << sentence;
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find(sentence), std::string::npos) << error.what();
    }
  };
  refuses(Generated({Rated(bed.h(1), bed.h(3), 8), Rated(bed.h(2), bed.h(3), 8)}, {}), "flow 2: it shares a generator with");
  Flow stops = Rated(bed.h(1), bed.h(4), 8);
  stops.stop = FromSeconds(0.005);
  refuses(Generated({Rated(bed.h(1), bed.h(3), 8), stops}, {}), "source, SL, start or stop");
  refuses(Generated({MakeFlow(bed.h(1), bed.h(3))}, {}), "flow 1: it has a generator; such flows have a rate");
  refuses(Generated({Rated(bed.h(1), bed.h(3), 8)}, {.queue_messages = 0}), "hold 0 messages");
}

}  // namespace core_turns_test
}  // namespace ccsim

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// flow_isolation_test.cc: one device at a time; walk_test.cc has networks of them.
#include "schemes/isolation/flow_isolation.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace ccsim {
namespace flow_isolation_test {

constexpr std::uint32_t kPacket = 2048;
constexpr unsigned kIn = 0, kOut = 2;  // the ports that most tests use
constexpr int kNormal = FlowIsolation::kNormal;

FlowIsolation Switch(const char* scheme, unsigned ports = 4) {
  FlowIsolation f(IsolationDefaults(scheme), {.device = 7, .ports = static_cast<std::uint16_t>(ports), .packet_bytes = kPacket});
  for (unsigned p = 0; p < ports; ++p) f.LinkUp(p);
  return f;
}

// The kinds of the messages since the last call.
std::vector<MessageKind> Sent(FlowIsolation& f) {
  std::vector<MessageKind> kinds;
  for (const IsolationMessage& m : f.messages()) kinds.push_back(m.kind);
  f.Sent();
  return kinds;
}
using Kinds = std::vector<MessageKind>;

IsolationMessage Announce(unsigned line, std::vector<std::uint32_t> destinations, MessageKind kind = MessageKind::Allocate) {
  IsolationMessage m;
  m.kind = kind;
  m.line = static_cast<std::uint16_t>(line);
  m.hops = 3;
  m.root = {99, 5};
  m.num_destinations = static_cast<std::uint8_t>(destinations.size());
  std::copy(destinations.begin(), destinations.end(), m.destinations.begin());
  return m;
}
IsolationMessage About(MessageKind kind, unsigned line) { return Announce(line, {}, kind); }

void Enter(FlowIsolation& f, std::uint32_t destination, unsigned packets, unsigned output = kOut) {
  for (unsigned i = 0; i < packets; ++i) f.Entered(kIn, output, destination, kPacket);
}
// A packet that enters an empty normal queue and goes into a special queue at once. The queue, or kNormal.
int EnterAndMove(FlowIsolation& f, std::uint32_t destination, unsigned output = kOut) {
  f.Entered(kIn, output, destination, kPacket);
  const int special = f.QueueFor(kIn, destination, output);
  if (special != kNormal) f.Moved(0, kIn, output, static_cast<unsigned>(special), kPacket);
  return special;
}

TEST(FlowIsolation, OneQueueDetectsByTheHeadOfTheQueueThatExceedsTheThreshold) {
  FlowIsolation f = Switch("FBICM");
  Enter(f, 40, 8);
  EXPECT_EQ(f.QueueFor(kIn, 40, kOut), kNormal) << "8 packets do not exceed a threshold of 8";
  Enter(f, 41, 1);
  ASSERT_EQ(f.QueueFor(kIn, 40, kOut), 0);
  f.Moved(0, kIn, kOut, 0, kPacket);
  EXPECT_EQ(f.QueueFor(kIn, 41, kOut), kNormal) << "an arrival detects one destination";
  EXPECT_EQ(f.QueueFor(kIn, 40, kOut), 0);
  EXPECT_EQ(f.input_line(kIn, 0).congestion_root, (CongestionRoot{7, kOut}));
  EXPECT_EQ(f.input_line(kIn, 0).hops, 1);
}

TEST(FlowIsolation, AQueueThatFallsBackDetectsNothing) {
  FlowIsolation f = Switch("FBICM");
  Enter(f, 40, 9);
  f.LeftNormal(0, kIn, kOut, kPacket);
  EXPECT_EQ(f.QueueFor(kIn, 40, kOut), kNormal);
}

// Whatever could hold a packet of the input ends that: detection there, a line there, and a line of any output.
TEST(FlowIsolation, AllPacketsAreNormalUntilSomethingMayHoldOne) {
  FlowIsolation f = Switch("FBICM");
  EXPECT_TRUE(f.all_normal(kIn));
  Enter(f, 40, 9);
  EXPECT_FALSE(f.all_normal(kIn));
  EXPECT_TRUE(f.all_normal(1));
  ASSERT_EQ(f.QueueFor(kIn, 40, kOut), 0);
  EXPECT_FALSE(f.all_normal(kIn));
  f.Moved(0, kIn, kOut, 0, kPacket);
  f.LeftSpecial(kIn, 0, kPacket);
  EXPECT_TRUE(f.all_normal(kIn));
  f.Receive(kOut, Announce(1, {40}));
  EXPECT_FALSE(f.all_normal(kIn));
  EXPECT_FALSE(f.all_normal(1));
  f.Receive(kOut, About(MessageKind::Release, 1));
  EXPECT_TRUE(f.all_normal(kIn));
}

TEST(FlowIsolation, CcfitAnnouncesAndStopsAtTheStopThreshold) {
  FlowIsolation f = Switch("CCFIT");
  f.Receive(kOut, Announce(1, {40}));
  for (unsigned i = 0; i < 10; ++i) EXPECT_EQ(EnterAndMove(f, 40), 0);
  EXPECT_EQ(Sent(f), Kinds{});
  EnterAndMove(f, 40);
  ASSERT_EQ(f.messages().size(), 2U);
  const IsolationMessage allocate = f.messages()[0];
  EXPECT_EQ(allocate.port, kIn);
  EXPECT_EQ(allocate.line, 0);
  EXPECT_EQ(allocate.hops, 4);
  EXPECT_EQ(allocate.root, (CongestionRoot{99, 5}));
  EXPECT_EQ(std::vector(allocate.list().begin(), allocate.list().end()), std::vector<std::uint32_t>{40});
  EXPECT_EQ(Sent(f), (Kinds{MessageKind::Allocate, MessageKind::Stop}));
  for (unsigned i = 0; i < 7; ++i) f.LeftSpecial(kIn, 0, kPacket);
  EXPECT_EQ(Sent(f), Kinds{}) << "4 packets are not below a threshold of 4";
  f.LeftSpecial(kIn, 0, kPacket);
  EXPECT_EQ(Sent(f), Kinds{MessageKind::Go});
  for (unsigned i = 0; i < 3; ++i) f.LeftSpecial(kIn, 0, kPacket);
  EXPECT_EQ(Sent(f), Kinds{MessageKind::Release});
  EXPECT_EQ(f.input_lines_in_use(), 0U);
}

TEST(FlowIsolation, OnlyQueuesAtTheRootCountForTheCongestionState) {
  FlowIsolation f = Switch("CCFIT");
  Enter(f, 40, 9);
  for (unsigned i = 0; i < 4; ++i) {
    ASSERT_EQ(f.QueueFor(kIn, 40, kOut), 0);
    f.Moved(0, kIn, kOut, 0, kPacket);
  }
  EXPECT_FALSE(f.Congested(kOut)) << "4 packets do not exceed High, 4";
  f.Moved(0, kIn, kOut, 0, kPacket);
  EXPECT_TRUE(f.Congested(kOut));
  for (unsigned i = 0; i < 3; ++i) f.LeftSpecial(kIn, 0, kPacket);
  EXPECT_TRUE(f.Congested(kOut)) << "2 packets are not below Low, 2";
  f.LeftSpecial(kIn, 0, kPacket);
  EXPECT_FALSE(f.Congested(kOut));
  for (unsigned i = 0; i < 4; ++i) f.Moved(0, kIn, kOut, 0, kPacket);
  EXPECT_TRUE(f.Congested(kOut));

  f.Receive(kOut, Announce(0, {40}));
  EXPECT_FALSE(f.Congested(kOut)) << "the tree begins further on";
  Enter(f, 40, 1);
  f.Moved(0, kIn, kOut, 0, kPacket);
  EXPECT_FALSE(f.Congested(kOut));

  f.Receive(kOut, About(MessageKind::Release, 0));
  EXPECT_FALSE(f.Congested(kOut)) << "what was stopped drains";
  Enter(f, 40, 1);
  f.Moved(0, kIn, kOut, 0, kPacket);
  EXPECT_TRUE(f.Congested(kOut)) << "it rises, with nothing downstream to hold it up";
}

TEST(FlowIsolation, TheStateEndsWithTheLastQueueAtTheRoot) {
  FlowIsolation f = Switch("EcoCC");
  for (unsigned i = 0; i < 7; ++i) {
    f.Entered(0, kOut, 40, kPacket);
    f.Entered(1, kOut, 41, kPacket);
  }
  EXPECT_TRUE(f.Congested(kOut));
  for (unsigned i = 0; i < 4; ++i) f.LeftNormal(0, 0, kOut, kPacket);
  EXPECT_TRUE(f.Congested(kOut));
  for (unsigned i = 0; i < 4; ++i) f.LeftNormal(0, 1, kOut, kPacket);
  EXPECT_FALSE(f.Congested(kOut));
}

TEST(FlowIsolation, EcoccAnnouncesAtTheFirstCrossingAndStopsAtTheNext) {
  FlowIsolation f = Switch("EcoCC");
  const unsigned line = f.special_queues() + kOut;
  Enter(f, 40, 6);
  EXPECT_EQ(Sent(f), Kinds{});
  Enter(f, 40, 1);
  EXPECT_EQ(f.messages()[0].line, line);
  EXPECT_EQ(Sent(f), Kinds{MessageKind::Allocate});
  EXPECT_EQ(f.QueueFor(kIn, 40, kOut), kNormal) << "the root needs no special queue";
  Enter(f, 41, 1);
  EXPECT_EQ(Sent(f), (Kinds{MessageKind::Update, MessageKind::Stop})) << "the list gathers what crosses the root";
  for (unsigned i = 0; i < 4; ++i) f.LeftNormal(0, kIn, kOut, kPacket);
  EXPECT_EQ(Sent(f), Kinds{});
  f.LeftNormal(0, kIn, kOut, kPacket);
  EXPECT_EQ(Sent(f), Kinds{MessageKind::Go});
  for (unsigned i = 0; i < 3; ++i) f.LeftNormal(0, kIn, kOut, kPacket);
  EXPECT_EQ(Sent(f), Kinds{MessageKind::Release});
  EXPECT_FALSE(f.input_line(kIn, line).in_use());
}

TEST(FlowIsolation, ACpqsLineEndsAfterItsLifeTimeBelowLow) {
  FlowIsolation f = Switch("EcoCC");
  const Time life = FromNs(IsolationDefaults("EcoCC").life_time_ns);
  const unsigned line = f.special_queues() + kOut;
  Enter(f, 40, 7);
  for (unsigned i = 0; i < 5; ++i) f.LeftNormal(1000, kIn, kOut, kPacket);
  Enter(f, 40, 1);
  f.LeftNormal(1000 + life - 1, kIn, kOut, kPacket);
  EXPECT_TRUE(f.input_line(kIn, line).in_use());
  Sent(f);
  Enter(f, 40, 1);
  f.LeftNormal(1000 + life, kIn, kOut, kPacket);
  EXPECT_FALSE(f.input_line(kIn, line).in_use());
  EXPECT_EQ(f.normal_bytes(kIn, kOut), 2U * kPacket);
  EXPECT_EQ(Sent(f), Kinds{MessageKind::Release});
}

TEST(FlowIsolation, AListHoldsNoMoreThanItsSize) {
  FlowIsolation f = Switch("HFDI");
  for (std::uint32_t d = 0; d < 30; ++d) Enter(f, 40 + d, 1);
  const auto list = f.input_destinations(kIn, f.special_queues() + kOut);
  EXPECT_EQ(std::vector(list.begin(), list.end()), (std::vector<std::uint32_t>{46, 47, 48, 49, 50, 51, 52, 53}));
}

TEST(FlowIsolation, AListLeavesOutWhatGoesIntoASpecialQueue) {
  FlowIsolation f = Switch("HFDI");
  f.Receive(kOut, Announce(0, {50}));
  ASSERT_EQ(EnterAndMove(f, 50), 0);
  Enter(f, 50, 7);
  EXPECT_FALSE(f.input_line(kIn, f.special_queues() + kOut).in_use()) << "the tree of these begins further on";
  Enter(f, 40, 1);
  Enter(f, 50, 1);
  Enter(f, 41, 1);
  const auto list = f.input_destinations(kIn, f.special_queues() + kOut);
  EXPECT_EQ(std::vector(list.begin(), list.end()), (std::vector<std::uint32_t>{40, 41}));
}

TEST(FlowIsolation, DestinationsOfOneTreeShareAQueue) {
  FlowIsolation f = Switch("HFDI");
  f.Receive(kOut, Announce(5, {40, 41, 42}));
  EXPECT_EQ(f.input_lines_in_use(), 0U) << "no queue before a packet comes by";
  EXPECT_EQ(EnterAndMove(f, 40), 0);
  EXPECT_EQ(EnterAndMove(f, 42), 0);
  EXPECT_EQ(EnterAndMove(f, 43), kNormal);
  EXPECT_EQ(f.QueueFor(1, 40, kOut), 0) << "each input port has queues of its own";
}

TEST(FlowIsolation, WithoutAFreeQueuePacketsStay) {
  FlowIsolation f = Switch("FBICM");
  for (std::uint32_t d = 40; d < 43; ++d) f.Receive(kOut, Announce(d - 40, {d}));
  EXPECT_EQ(f.refused_announcements(), 1U) << "FBICM's neighbours have lines 0 and 1";
  f.Receive(1, Announce(0, {42}));
  EXPECT_EQ(EnterAndMove(f, 40), 0);
  EXPECT_EQ(f.ports_without_free_queue(), 0U);
  EXPECT_EQ(EnterAndMove(f, 41), 1);
  EXPECT_EQ(f.ports_without_free_queue(), 1U);
  EXPECT_EQ(EnterAndMove(f, 42, 1), kNormal);
  EXPECT_EQ(f.times_without_queue(), 1U);
  f.LeftSpecial(kIn, 0, kPacket);
  EXPECT_EQ(f.ports_without_free_queue(), 0U);
  EXPECT_EQ(f.QueueFor(kIn, 42, 1), 0);
}

TEST(FlowIsolation, APacketFollowsItsFlowWhateverIsAnnounced) {
  FlowIsolation f = Switch("HFDI");
  f.Receive(kOut, Announce(4, {40}));
  ASSERT_EQ(EnterAndMove(f, 40), 0);
  f.Receive(kOut, Announce(3, {40, 41}));
  ASSERT_EQ(EnterAndMove(f, 41), 1);
  EXPECT_EQ(EnterAndMove(f, 40), 0);
  f.Receive(kOut, About(MessageKind::Release, 4));
  EXPECT_EQ(EnterAndMove(f, 40), 0);
  EXPECT_EQ(f.input_line(kIn, 0).next_line, 3) << "the other line holds the destination too";
}

TEST(FlowIsolation, AStoppedQueueWaitsForGo) {
  FlowIsolation f = Switch("CCFIT");
  f.Receive(kOut, Announce(0, {40}));
  EnterAndMove(f, 40);
  EXPECT_TRUE(f.MaySend(kIn, 0));
  EXPECT_FALSE(f.Receive(kOut, About(MessageKind::Stop, 0)));
  EXPECT_FALSE(f.MaySend(kIn, 0));
  f.LeftSpecial(kIn, 0, kPacket);  // its transfer had begun before the Stop
  EXPECT_TRUE(f.input_line(kIn, 0).in_use());
  EXPECT_TRUE(f.Receive(kOut, About(MessageKind::Go, 0)));
  EXPECT_FALSE(f.input_line(kIn, 0).in_use()) << "it was empty and waited for Go alone";
}

TEST(FlowIsolation, AReleaseLetsQueuesDrain) {
  FlowIsolation f = Switch("CCFIT");
  f.Receive(kOut, Announce(0, {40}));
  EnterAndMove(f, 40);
  f.Receive(kOut, About(MessageKind::Stop, 0));
  EXPECT_TRUE(f.Receive(kOut, About(MessageKind::Release, 0)));
  EXPECT_TRUE(f.MaySend(kIn, 0));
  EXPECT_EQ(f.QueueFor(kIn, 40, kOut), 0) << "later packets wait behind the earlier";
  EXPECT_EQ(f.input_line(kIn, 0).congestion_root, (CongestionRoot{7, kOut}));
}

TEST(FlowIsolation, AHostHoldsBackWhatIsStopped) {
  FlowIsolation f(IsolationDefaults("EcoCC"),
                  {.device = 1, .ports = 1, .packet_bytes = kPacket, .inputs = FlowIsolation::Inputs::None, .output_lines = 10});
  f.LinkUp(0);
  EXPECT_TRUE(f.MayInject(0, 40));
  f.Receive(0, Announce(9, {40, 41}));
  EXPECT_TRUE(f.MayInject(0, 40));
  f.Receive(0, About(MessageKind::Stop, 9));
  EXPECT_FALSE(f.MayInject(0, 40));
  EXPECT_FALSE(f.MayInject(0, 41));
  EXPECT_TRUE(f.MayInject(0, 42));
  f.Receive(0, About(MessageKind::Go, 9));
  EXPECT_TRUE(f.MayInject(0, 40));
}

TEST(FlowIsolation, BothSidesOfALinkForgetWhenItFails) {
  FlowIsolation f = Switch("CCFIT");
  EXPECT_EQ(Sent(f), Kinds{}) << "the first LinkUp has nothing to clear";
  f.Receive(kOut, Announce(0, {40}));
  for (unsigned i = 0; i < 11; ++i) EnterAndMove(f, 40);
  f.Receive(kOut, About(MessageKind::Stop, 0));
  Sent(f);
  f.LinkDown(kOut);
  EXPECT_EQ(f.output_lines_in_use(), 0U);
  EXPECT_TRUE(f.MaySend(kIn, 0));
  f.LinkDown(kIn);
  EXPECT_EQ(f.input_line(kIn, 0).state, InputLineState::Quiet);
  Sent(f);
  EnterAndMove(f, 40);
  EXPECT_EQ(Sent(f), Kinds{}) << "nothing is announced on a link that is down";
  f.LinkUp(kIn);
  EXPECT_EQ(Sent(f), Kinds{MessageKind::Clear});
  EnterAndMove(f, 40);
  EXPECT_EQ(Sent(f), (Kinds{MessageKind::Allocate, MessageKind::Stop}));
  f.Receive(kIn, About(MessageKind::Clear, 0));
  EXPECT_EQ(f.input_line(kIn, 0).state, InputLineState::Quiet);
  EXPECT_EQ(Sent(f), Kinds{MessageKind::Cleared});
  EXPECT_EQ(f.special_bytes(kIn, 0), 13U * kPacket) << "packets stay where they are";
}

TEST(FlowIsolation, MessagesAboutLinesThatAreGoneDoNothing) {
  FlowIsolation f = Switch("CCFIT");
  for (const MessageKind kind : {MessageKind::Stop, MessageKind::Go, MessageKind::Update, MessageKind::Release}) {
    EXPECT_FALSE(f.Receive(kOut, Announce(0, {40}, kind)));
    EXPECT_FALSE(f.Receive(kOut, Announce(77, {40}, kind)));
  }
  EXPECT_EQ(f.output_lines_in_use(), 0U);
  EXPECT_EQ(f.QueueFor(kIn, 40, kOut), kNormal);
}

TEST(FlowIsolation, AnAllocateBeginsALineAnew) {
  FlowIsolation f = Switch("CCFIT");
  f.Receive(kOut, Announce(0, {40}));
  ASSERT_EQ(EnterAndMove(f, 40), 0);
  f.Receive(kOut, About(MessageKind::Stop, 0));
  f.Receive(kOut, Announce(0, {41}));
  EXPECT_EQ(f.output_lines_in_use(), 1U);
  EXPECT_TRUE(f.input_line(kIn, 0).root()) << "its tree is gone";
  EXPECT_TRUE(f.MaySend(kIn, 0));
  EXPECT_EQ(EnterAndMove(f, 41), 1);
}

TEST(FlowIsolation, ARefusedLineIsRefusedToItsEnd) {
  FlowIsolation f(IsolationDefaults("CCFIT"), {.device = 1, .ports = 2, .packet_bytes = kPacket, .output_lines = 1});
  EXPECT_FALSE(f.Receive(1, Announce(1, {40})));
  f.Receive(1, About(MessageKind::Stop, 1));
  f.Receive(1, About(MessageKind::Release, 1));
  EXPECT_EQ(f.refused_announcements(), 1U);
  EXPECT_EQ(f.output_lines_in_use(), 0U);
}

TEST(FlowIsolation, AShapeWithoutPortsOrPacketsIsRefused) {
  const auto error = [](FlowIsolation::Shape shape) -> std::string {
    try {
      FlowIsolation f(IsolationDefaults("CCFIT"), shape);
    } catch (const std::invalid_argument& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(error({.ports = 0, .packet_bytes = kPacket}), "ports is 0; a device with flow isolation must have at least 1");
  EXPECT_EQ(error({.ports = 4, .packet_bytes = 0}), "packet_bytes is 0; a packet of the MTU must have at least 1");
}

}  // namespace flow_isolation_test
}  // namespace ccsim

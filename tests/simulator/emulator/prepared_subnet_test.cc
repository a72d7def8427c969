// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The fuzzer of the MAD entry point uses one subnet for all its inputs: what one leaves must be nothing to the next.
#include "prepared_subnet.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "emulator/agents/agent.hpp"
#include "emulator/agents/dispatch.hpp"
#include "management.hpp"

namespace ccsim::emulator {
namespace prepared_subnet_test {

using namespace testing;

constexpr Place kManager{1, 1};

Fabric Bed() {
  Fabric fabric(2048);
  fabric.AddNode("S", NodeKind::Switch, 0x10, 3);
  fabric.AddNode("H1", NodeKind::Host, 0x20, 1);
  fabric.AddNode("H2", NodeKind::Host, 0x28, 2);
  fabric.Connect(1, 1, 0, 1, ParseLinkRate("4xHDR"), 0);
  fabric.Connect(2, 1, 0, 2, ParseLinkRate("4xQDR"), 0);
  return fabric;
}

// Returns what every agent answers to a Get of each attribute. `set`: a Set hands each answer back with a bit turned over in each
// byte.
std::vector<MadBytes> AskAll(Subnet& subnet, bool set) {
  std::vector<MadBytes> answers;
  for (std::uint16_t lid = 1; lid <= 3; ++lid) {
    for (const auto& [mgmt_class, attribute, name] : AgentAttributes()) {
      Datagram datagram = LidSmp(lid, {kGet, attribute, 1});
      datagram.mad[1] = mgmt_class;
      datagram.mad[2] = mgmt_class == kCongestionControl ? 2 : 1;
      subnet.Send(kManager, datagram);
      answers.push_back(datagram.mad);
      if (!set) continue;
      datagram.mad[3] = kSet;
      for (std::size_t i = kSmpData.offset; i < kMadBytes; ++i) datagram.mad[i] ^= 1;
      datagram.dlid = lid;
      subnet.Send(kManager, datagram);
    }
  }
  return answers;
}

TEST(PreparedSubnet, BeginsAnewWhateverHasHappened) {
  const Fabric fabric = Bed();
  std::int64_t now_ns = 0;
  const auto clock = [&now_ns] { return now_ns; };
  const auto prepare = [](Subnet& made) { BringUp(made, kManager); };
  Subnet made(fabric, 1, clock);
  prepare(made);
  const std::vector<MadBytes> wanted = AskAll(made, false);

  PreparedSubnet prepared(fabric, clock, prepare);
  Subnet& used = prepared.Fresh();
  EXPECT_EQ(AskAll(used, true).size(), wanted.size());
  now_ns = 5'000'000'000;
  used.Tick();
  used.SetDescription(0, "another");
  used.SetIsSm(kManager, true);
  used.SetLink(0, 2, false);
  used.Reboot(2);
  used.SetPresent(2, false);
  ASSERT_FALSE(used.outbox().empty());
  ASSERT_NE(AskAll(used, false), wanted);

  now_ns = 0;
  Subnet& anew = prepared.Fresh();
  EXPECT_TRUE(anew.outbox().empty());
  EXPECT_EQ(anew.NextDeadline_ns(), INT64_MAX);
  EXPECT_TRUE(anew.mad_counts().rows().empty());
  EXPECT_EQ(AskAll(anew, false), wanted);
}

}  // namespace prepared_subnet_test
}  // namespace ccsim::emulator

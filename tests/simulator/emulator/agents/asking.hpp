// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// asking.hpp: a small subnet, and requests straight to its agents: what they answer, without a way of MADs between.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "ccpolicy/wire.h"
#include "emulator/agents/agent.hpp"
#include "emulator/bits.hpp"
#include "emulator/subnet.hpp"
#include "fabric.hpp"

namespace ccsim::emulator::testing {

// A switch of 36 ports, a host of 2 ports on its ports 1 and 2, and a router; LIDs 1, 11, 12 and 13. The clock is set by hand.
class SmallSubnet {
 public:
  static constexpr std::uint32_t kSwitch = 0, kHost = 1, kRouter = 2;

  SmallSubnet() : fabric(MakeFabric()), subnet(fabric, 1, [this] { return now_ns; }) {
    subnet.device(kSwitch).sma.ports[0].lid = 1;
    subnet.device(kHost).sma.ports[1].lid = 11;
    subnet.device(kHost).sma.ports[2].lid = 12;
    subnet.device(kRouter).sma.ports[1].lid = 13;
  }

  std::int64_t now_ns = 0;
  Fabric fabric;
  Subnet subnet;

  static constexpr Place kAtSwitch{kSwitch, 0}, kAtHost1{kHost, 1}, kAtHost2{kHost, 2}, kAtRouter{kRouter, 1};

 private:
  static Fabric MakeFabric() {
    Fabric fabric(2048);
    fabric.AddNode("S1", NodeKind::Switch, 0x51, 36);
    fabric.AddNode("H1", NodeKind::Host, 0x41, 2);
    fabric.AddNode("R1", NodeKind::Router, 0x61, 1);
    const LinkRate rate = ParseLinkRate("4xQDR");
    fabric.Connect(kHost, 1, kSwitch, 1, rate, 0);
    fabric.Connect(kHost, 2, kSwitch, 2, rate, 0);
    fabric.Connect(kRouter, 1, kSwitch, 36, rate, 0);
    return fabric;
  }
};

struct Asked {
  bool answered = false;
  std::uint16_t status = 0;
  MadBytes mad{};
  const std::uint8_t* data(DataSpan span = kGmpData) const { return mad.data() + span.offset; }
  std::vector<std::uint8_t> bytes(std::size_t count = kGmpData.bytes) const { return {data(), data() + count}; }
};

// One request of a class; CC_Key where the class has one.
struct Question {
  MgmtClass mgmt_class = kCongestionControl;
  MadMethod method = kGet;
  std::uint16_t attribute = 0;
  std::uint32_t modifier = 0;
  std::vector<std::uint8_t> data = {};
  std::uint64_t key = 0;
};

inline Asked Ask(Subnet& subnet, Place at, const Question& question) {
  Datagram datagram{.slid = 99, .dlid = 1, .sqp = 1, .dqp = 1};
  std::uint8_t* bytes = datagram.mad.data();
  bytes[0] = 1;
  bytes[1] = question.mgmt_class;
  bytes[2] = question.mgmt_class == kCongestionControl ? 2 : 1;
  bytes[3] = question.method;
  Put64(bytes + 8, 0x1234'5678'9ABC'DEF0);
  Put16(bytes + 16, question.attribute);
  Put32(bytes + 20, question.modifier);
  if (question.mgmt_class == kCongestionControl) Put64(bytes + 24, question.key);
  std::copy_n(question.data.begin(), std::min<std::size_t>(question.data.size(), kGmpData.bytes), bytes + kGmpData.offset);
  const Answered answered = LetAgentAnswer(subnet, at, datagram);
  Asked asked;
  asked.answered = answered.answer == Answer::Reply;
  if (!asked.answered) return asked;
  asked.status = Mad(datagram.mad).status();
  asked.mad = datagram.mad;
  return asked;
}

template <typename Host>
std::vector<std::uint8_t> Packed(ccp_attribute_id id, const Host& host) {
  std::vector<std::uint8_t> payload(ccp_find_attribute(id)->bytes);
  ccp_error error{};
  EXPECT_EQ(ccp_pack(id, &host, payload.data(), &error), 0) << error.message;
  return payload;
}

template <typename Host>
Host Read(ccp_attribute_id id, const Asked& asked) {
  Host host{};
  ccp_unpack(id, asked.mad.data() + ccp_find_attribute(id)->mad_offset, &host);
  return host;
}

}  // namespace ccsim::emulator::testing

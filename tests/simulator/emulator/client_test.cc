// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/client.hpp"

#include <gtest/gtest.h>

#include "test_client.hpp"

namespace ccsim::emulator {
namespace client_test {

using testing::UniqueName;
using testing::WaitReadable;

struct Pair {
  std::string name = UniqueName();
  FileDescriptor peer = BindDatagramSocket(name + ":in");
  Client client = Make();

  Client Make() const {
    FileDescriptor socket = BindDatagramSocket(name + ":out");
    const AbstractAddress to = MakeAbstractAddress(name + ":in");
    EXPECT_EQ(ConnectTo(socket, to), 0);
    return {{0, 1}, 1, {}, std::move(socket), to, to};
  }
};

ibsim::Packet Numbered(std::uint32_t number) {
  ibsim::Packet packet;
  packet.sqp = number;
  return packet;
}

TEST(Client, GetsWhatItWasSentInOrderHoweverLateItReads) {
  Pair pair;
  ASSERT_EQ(ConnectTo(pair.peer, MakeAbstractAddress(pair.name + ":out")), 0);
  constexpr std::uint32_t kCount = 5000;  // more than the system keeps
  for (std::uint32_t i = 0; i < kCount; ++i) ASSERT_TRUE(pair.client.Enqueue(Numbered(i)));
  EXPECT_EQ(pair.client.Flush(), Client::Sent::NoRoom);
  for (std::uint32_t i = 0; i < kCount; ++i) {
    if (!WaitReadable(pair.peer.get(), 0)) EXPECT_NE(pair.client.Flush(), Client::Sent::Dead);
    ibsim::Packet packet;
    ASSERT_EQ(recv(pair.peer.get(), &packet, sizeof(packet), MSG_DONTWAIT), sizeof(packet));
    ASSERT_EQ(packet.sqp, i);
  }
  EXPECT_EQ(pair.client.Flush(), Client::Sent::All);
  EXPECT_FALSE(pair.client.has_unsent());
}

TEST(Client, WhatItDoesNotReadIsBounded) {
  Pair pair;
  std::size_t taken = 0;
  while (pair.client.Enqueue(Numbered(0))) ++taken;
  EXPECT_EQ(taken, Client::kMaxUnsent);
  // Room again as soon as the system has taken some.
  EXPECT_EQ(pair.client.Flush(), Client::Sent::NoRoom);
  EXPECT_TRUE(pair.client.Enqueue(Numbered(1)));
}

TEST(Client, IsFoundDeadWhenItsSocketIsGone) {
  Pair pair;
  EXPECT_TRUE(pair.client.Alive());
  pair.peer = FileDescriptor();
  EXPECT_FALSE(pair.client.Alive());
  ASSERT_TRUE(pair.client.Enqueue(Numbered(0)));
  EXPECT_EQ(pair.client.Flush(), Client::Sent::Dead);
}

}  // namespace client_test
}  // namespace ccsim::emulator

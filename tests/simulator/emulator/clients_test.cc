// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/clients.hpp"

#include <gtest/gtest.h>

namespace ccsim::emulator {
namespace clients_test {

constexpr Place kHere{3, 1};
constexpr Place kThere{4, 1};

Client& Attach(Clients& clients, Place at, std::uint32_t pid = 1) {
  const std::uint32_t id = clients.FreeId();
  return clients.Add(
      std::make_unique<Client>(clients.NextRef(id), pid, at, FileDescriptor(), AbstractAddress(), AbstractAddress()));
}

MadBytes Header(std::uint8_t mgmt_class, std::uint8_t method) {
  MadBytes bytes{};
  bytes[1] = mgmt_class;
  bytes[3] = method;
  return bytes;
}

TEST(Clients, TheLowestFreeNumberIsUsedAgainUnderAnotherSerial) {
  Clients clients;
  for (std::uint32_t i = 0; i < 100; ++i) EXPECT_EQ(Attach(clients, kHere).ref().id, i);
  const ClientRef gone = clients.Find(40)->ref();
  clients.Remove(*clients.Find(40));
  EXPECT_EQ(clients.size(), 99u);
  EXPECT_EQ(clients.Find(40), nullptr);
  EXPECT_EQ(Attach(clients, kHere).ref().id, 40u);
  EXPECT_EQ(clients.Find(gone), nullptr);
  EXPECT_NE(clients.Find(40u), nullptr);
}

TEST(Clients, OfSeveralSmsAtAPortTheFirstServes) {
  Clients clients;
  Client& first = Attach(clients, kHere);
  Client& second = Attach(clients, kHere);
  Attach(clients, kHere);
  EXPECT_EQ(clients.Sm(kHere), nullptr);
  clients.MakeSm(second, true);
  clients.MakeSm(first, true);
  clients.MakeSm(second, true);
  EXPECT_EQ(clients.Sm(kHere), &second);
  EXPECT_EQ(clients.Sm(kThere), nullptr);
  clients.Remove(second);
  EXPECT_EQ(clients.Sm(kHere), &first);
}

TEST(Clients, RequestsAreForTheSmAndReportsForWhoSubscribed) {
  Clients clients;
  Client& tool = Attach(clients, kHere);
  Client& sm = Attach(clients, kHere);
  MadBytes sa_get = Header(kSubnetAdministration, kGet);
  MadBytes report = Header(kSubnetAdministration, kReport);
  MadBytes sm_info = Header(kSmpDirected, kGet);
  EXPECT_EQ(clients.ForUnsolicited(kHere, Mad(sa_get)), nullptr);
  clients.MakeSm(sm, true);
  for (MadBytes* mad : {&sa_get, &report, &sm_info}) EXPECT_EQ(clients.ForUnsolicited(kHere, Mad(*mad)), &sm);
  tool.subscribed = true;
  EXPECT_EQ(clients.ForUnsolicited(kHere, Mad(report)), &tool);
  EXPECT_EQ(clients.ForUnsolicited(kHere, Mad(sa_get)), &sm);
}

// libumad2sim.so crashes on a MAD of a class that its program has not registered.
TEST(Clients, OtherClassesOnlyForAnSmThatHasShownToKnowThem) {
  Clients clients;
  Client& sm = Attach(clients, kHere);
  clients.MakeSm(sm, true);
  MadBytes trap = Header(kCongestionControl, kTrap);
  EXPECT_EQ(clients.ForUnsolicited(kHere, Mad(trap)), nullptr);
  sm.used_classes.set(kCongestionControl);
  EXPECT_EQ(clients.ForUnsolicited(kHere, Mad(trap)), &sm);
}

}  // namespace clients_test
}  // namespace ccsim::emulator

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/kernel.hpp"

#include <gtest/gtest.h>

#include <map>
#include <optional>

#include "../testing.hpp"
#include "configured_subnet.hpp"
#include "test_client.hpp"

namespace ccsim::emulator {
namespace kernel_test {

using ccsim::testing::TwoSwitch;
using testing::ByLid;
using testing::Configure;
using testing::Directed;
using testing::IsTimedOut;
using testing::LidOf;
using testing::TransactionId;
using testing::UniqueName;

constexpr std::uint16_t kNodeInfo = 0x11;
constexpr std::uint16_t kSmInfo = 0x20;
constexpr std::uint16_t kNodeRecord = 0x11;
constexpr std::int64_t kMs = 1'000'000;
constexpr std::uint32_t kTimeout_ms = 200;
constexpr std::uint32_t kClientTimeout_ms = 4000;

// Hosts H1 to H7 with LIDs 1 to 7, and clients whose unread packets the test takes.
struct KernelTest : ::testing::Test {
  ccsim::testing::Bed bed = TwoSwitch();
  std::int64_t now_ns = 0;
  Subnet subnet{bed.fabric, 1, [this] { return now_ns; }};
  Clients clients;
  Kernel kernel{subnet, clients, kTimeout_ms, kClientTimeout_ms};
  std::map<std::uint64_t, FileDescriptor> peers;  // by serial

  void SetUp() override { Configure(subnet, LidOf(bed.h(1))); }

  static Place At(int host) { return {static_cast<std::uint32_t>(host + 1), 1}; }

  Client& Attach(int host) {
    const std::string name = UniqueName();
    FileDescriptor socket = BindDatagramSocket(name + ":out");
    FileDescriptor peer = BindDatagramSocket(name + ":in");
    const AbstractAddress to = MakeAbstractAddress(name + ":in");
    EXPECT_EQ(ConnectTo(socket, to), 0);
    EXPECT_EQ(ConnectTo(peer, MakeAbstractAddress(name + ":out")), 0);
    const ClientRef ref = clients.NextRef(clients.FreeId());
    peers.emplace(ref.serial, std::move(peer));
    return clients.Add(std::make_unique<Client>(ref, 1, At(host), std::move(socket), to, to));
  }

  Client& AttachSm(int host) {
    Client& client = Attach(host);
    kernel.SetIsSm(client, true);
    return client;
  }

  std::optional<ibsim::Packet> Next(Client& client) {
    EXPECT_EQ(client.Flush(), Client::Sent::All);
    ibsim::Packet packet;
    const ssize_t got = recv(peers.at(client.ref().serial).get(), &packet, sizeof(packet), MSG_DONTWAIT);
    if (got != sizeof(packet)) return {};
    return packet;
  }

  void Pass(std::int64_t ms) {
    now_ns += ms * kMs;
    kernel.RunTimers(now_ns);
  }
};

ibsim::Packet ResponseTo(const ibsim::Packet& request) {
  ibsim::Packet response = request;
  response.mad[3] = kGetResp;
  response.dlid = request.slid;
  response.slid = 0;
  std::swap(response.dqp, response.sqp);
  return response;
}

TEST_F(KernelTest, AnAgentsAnswerComesAtOnceUnderTheTransactionThatWasSent) {
  Client& client = Attach(1);
  kernel.Send(client, Directed(kGet, kNodeInfo, {1}, 0xFEDC'0003'1234'5678), now_ns);
  const auto answer = Next(client);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 0u);
  EXPECT_EQ(be64toh(answer->length), 256u);
  EXPECT_EQ(answer->mad[3], kGetResp);
  EXPECT_EQ(TransactionId(*answer), 0xFEDC'0003'1234'5678u);
  EXPECT_EQ(answer->mad[64 + 2], 2) << "NodeInfo of a switch";
  EXPECT_EQ(kernel.next_deadline_ns(), Kernel::kNever);
}

TEST_F(KernelTest, ALidRoutedRequestLeavesUnderThePortsOwnLid) {
  Client& client = Attach(2);
  kernel.Send(client, ByLid(kSmpLid, 1, kGet, kNodeInfo, LidOf(bed.h(6)), 9, 0), now_ns);
  const auto answer = Next(client);
  ASSERT_TRUE(answer);
  EXPECT_EQ(ntohs(static_cast<std::uint16_t>(answer->slid)), LidOf(bed.h(6)));
  EXPECT_EQ(ntohs(static_cast<std::uint16_t>(answer->dlid)), LidOf(bed.h(2)));
  EXPECT_EQ(Get64(answer->mad.data() + 64 + 12), 106u) << "H6's GUID";
}

TEST_F(KernelTest, ALostRequestComesBackAfterTheTimeoutUnderTheAddressThatItWasSentTo) {
  Client& client = Attach(1);
  const ibsim::Packet sent = ByLid(kPerformance, 1, kGet, 0x12, 40, 0xABCD'0001'0000'0005);
  kernel.Send(client, sent, now_ns);
  EXPECT_EQ(kernel.next_deadline_ns(), kTimeout_ms * kMs);
  Pass(kTimeout_ms - 1);
  EXPECT_FALSE(Next(client));
  Pass(1);
  const auto back = Next(client);
  ASSERT_TRUE(back);
  EXPECT_TRUE(IsTimedOut(*back));
  EXPECT_EQ(back->mad, sent.mad);
  EXPECT_EQ(back->slid, sent.dlid);
  EXPECT_EQ(back->sqp, sent.dqp);
  EXPECT_EQ(client.pending, 0u);
}

TEST_F(KernelTest, SilenceIsALoss) {
  subnet.sma_port(At(4)).m_key = 5;
  subnet.sma_port(At(4)).m_key_protect = 2;
  Client& client = Attach(1);
  kernel.Send(client, ByLid(kSmpLid, 1, kGet, 0x15, LidOf(bed.h(4)), 1, 0), now_ns);
  Pass(kTimeout_ms);
  const auto back = Next(client);
  ASSERT_TRUE(back);
  EXPECT_TRUE(IsTimedOut(*back));
}

TEST_F(KernelTest, WhatWantsNoAnswerIsLostInSilence) {
  Client& client = Attach(1);
  for (const int wanted : {int{kSend}, int{kTrapRepress}, int{kGetResp}, kReport | kResponseBit}) {
    const auto method = static_cast<std::uint8_t>(wanted);
    kernel.Send(client, ByLid(kSubnetAdministration, 2, method, 2, 40, 1), now_ns);
    kernel.Send(client, ByLid(kSubnetAdministration, 2, method, 2, LidOf(bed.h(3)), 1), now_ns);
  }
  EXPECT_EQ(kernel.next_deadline_ns(), Kernel::kNever);
  EXPECT_FALSE(Next(client));
}

TEST_F(KernelTest, AnSaQueryGoesToTheSmAndItsAnswerToTheOneThatAsked) {
  Client& sm = AttachSm(1);
  Client& first = Attach(1);  // on the SM's own port
  Client& second = Attach(5);
  const std::uint64_t id = 0xFFFF'0002'0000'0007;  // the same of both: each counts for itself
  kernel.Send(first, ByLid(kSubnetAdministration, 2, kGet, kNodeRecord, 1, id), now_ns);
  kernel.Send(second, ByLid(kSubnetAdministration, 2, kGet, kNodeRecord, 1, id), now_ns);
  const auto from_first = Next(sm);
  const auto from_second = Next(sm);
  ASSERT_TRUE(from_first && from_second);
  EXPECT_EQ(ntohs(static_cast<std::uint16_t>(from_second->slid)), LidOf(bed.h(5)));
  EXPECT_EQ(TransactionId(*from_first) >> 48, first.ref().id) << "as ibsim marks them";
  EXPECT_EQ(TransactionId(*from_second) >> 48, second.ref().id);
  EXPECT_EQ(TransactionId(*from_second) & 0xFFFF'FFFF'FFFF, id & 0xFFFF'FFFF'FFFF);

  kernel.Send(sm, ResponseTo(*from_second), now_ns);
  kernel.Send(sm, ResponseTo(*from_first), now_ns);
  for (Client* client : {&first, &second}) {
    const auto answer = Next(*client);
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->mad[3], kGetResp);
    EXPECT_EQ(TransactionId(*answer), id);
    EXPECT_EQ(ntohs(static_cast<std::uint16_t>(answer->slid)), 1);
    EXPECT_FALSE(Next(*client));
  }
  EXPECT_EQ(kernel.next_deadline_ns(), Kernel::kNever);
}

TEST_F(KernelTest, ATableHasTheLengthThatWasSentAndNoMoreThanAProgramIsGiven) {
  Client& sm = AttachSm(1);
  Client& client = Attach(2);
  const auto length_of_answer = [&](std::uint64_t sent) {
    kernel.Send(client, ByLid(kSubnetAdministration, 2, kGet, kNodeRecord, 1, 7), now_ns);
    const auto request = Next(sm);
    EXPECT_TRUE(request);
    ibsim::Packet response = ResponseTo(*request);
    response.mad[3] = 0x92;  // GetTableResp
    response.length = htobe64(sent);
    kernel.Send(sm, response, now_ns);
    const auto answer = Next(client);
    EXPECT_TRUE(answer);
    return be64toh(answer->length);
  };
  EXPECT_EQ(length_of_answer(56 + 112), 56u + 112u) << "one NodeRecord";
  EXPECT_EQ(length_of_answer(256), 224u) << "more than there is room for";
  EXPECT_EQ(length_of_answer(UINT64_MAX), 224u);
}

TEST_F(KernelTest, AnAnswerThatComesTwiceOrLateIsDropped) {
  Client& sm = AttachSm(1);
  Client& client = Attach(2);
  kernel.Send(client, ByLid(kSubnetAdministration, 2, kGet, kNodeRecord, 1, 1), now_ns);
  const auto request = Next(sm);
  ASSERT_TRUE(request);
  kernel.Send(sm, ResponseTo(*request), now_ns);
  kernel.Send(sm, ResponseTo(*request), now_ns);
  EXPECT_TRUE(Next(client));
  EXPECT_FALSE(Next(client));

  kernel.Send(client, ByLid(kSubnetAdministration, 2, kGet, kNodeRecord, 1, 2), now_ns);
  const auto slow = Next(sm);
  ASSERT_TRUE(slow);
  Pass(kClientTimeout_ms - 1);
  EXPECT_FALSE(Next(client));
  Pass(1);
  const auto back = Next(client);
  ASSERT_TRUE(back);
  EXPECT_TRUE(IsTimedOut(*back));
  EXPECT_EQ(TransactionId(*back), 2u);
  kernel.Send(sm, ResponseTo(*slow), now_ns);
  EXPECT_FALSE(Next(client));
  EXPECT_EQ(client.pending, 0u);
}

TEST_F(KernelTest, AnAnswerByOneThatWasNotAskedIsDropped) {
  Client& sm = AttachSm(1);
  Client& client = Attach(2);
  Client& stranger = Attach(3);
  kernel.Send(client, ByLid(kSubnetAdministration, 2, kGet, kNodeRecord, 1, 1), now_ns);
  const auto request = Next(sm);
  ASSERT_TRUE(request);
  kernel.Send(stranger, ResponseTo(*request), now_ns);
  EXPECT_FALSE(Next(client));
  kernel.Send(sm, ResponseTo(*request), now_ns);
  EXPECT_TRUE(Next(client));
}

TEST_F(KernelTest, SmsAskEachOtherByLidAndByDirectedRoute) {
  Client& first = AttachSm(1);
  Client& second = AttachSm(7);
  kernel.CarryOutbox();
  while (Next(first)) continue;  // traps 144
  while (Next(second)) continue;

  // H1, S1 port 36, S2 port 7, H7.
  kernel.Send(first, Directed(kGet, kSmInfo, {1, 36, 7}, 0x33), now_ns);
  const auto asked = Next(second);
  ASSERT_TRUE(asked);
  ibsim::Packet answer = *asked;
  answer.mad[3] = kGetResp;
  Mad(answer.mad).set_direction(true);
  kernel.Send(second, answer, now_ns);
  const auto answered = Next(first);
  ASSERT_TRUE(answered);
  EXPECT_EQ(TransactionId(*answered), 0x33u);
  EXPECT_TRUE(Mad(const_cast<MadBytes&>(answered->mad)).direction());

  kernel.Send(second, ByLid(kSmpLid, 1, kSet, kSmInfo, 1, 0x34, 0), now_ns);
  const auto handover = Next(first);
  ASSERT_TRUE(handover);
  kernel.Send(first, ResponseTo(*handover), now_ns);
  EXPECT_TRUE(Next(second));
}

TEST_F(KernelTest, WhereNoSmRunsItIsNotAnswered) {
  Client& client = Attach(1);
  Attach(7);  // no SM
  kernel.Send(client, Directed(kGet, kSmInfo, {1, 36, 7}, 1), now_ns);
  kernel.Send(client, ByLid(kSubnetAdministration, 2, kGet, kNodeRecord, LidOf(bed.h(7)), 2), now_ns);
  Pass(kTimeout_ms);
  for (int i = 0; i < 2; ++i) {
    const auto back = Next(client);
    ASSERT_TRUE(back);
    EXPECT_TRUE(IsTimedOut(*back));
  }
}

TEST_F(KernelTest, WhatADeadClientWasAskedComesBackAndItsSmBitGoes) {
  Client& sm = AttachSm(1);
  Client& other = AttachSm(1);
  Client& client = Attach(2);
  kernel.Send(client, ByLid(kSubnetAdministration, 2, kGet, kNodeRecord, 1, 5), now_ns);
  kernel.Remove(sm, now_ns);
  EXPECT_TRUE(subnet.sma_port(At(1)).is_sm) << "another SM is left at the port";
  Pass(kTimeout_ms);
  const auto back = Next(client);
  ASSERT_TRUE(back);
  EXPECT_TRUE(IsTimedOut(*back));
  EXPECT_EQ(client.pending, 0u);
  kernel.Remove(other, now_ns);
  EXPECT_FALSE(subnet.sma_port(At(1)).is_sm);
}

TEST_F(KernelTest, WhatAClientThatIsGoneHadAskedIsAnsweredToNobody) {
  Client& sm = AttachSm(1);
  Client& client = Attach(2);
  kernel.Send(client, ByLid(kSubnetAdministration, 2, kGet, kNodeRecord, 1, 5), now_ns);
  kernel.Send(client, ByLid(kPerformance, 1, kGet, 0x12, 40, 6), now_ns);
  const auto request = Next(sm);
  ASSERT_TRUE(request);
  const std::uint32_t id = client.ref().id;
  kernel.Remove(client, now_ns);
  Client& next = Attach(2);
  ASSERT_EQ(next.ref().id, id);
  kernel.Send(sm, ResponseTo(*request), now_ns);
  Pass(kClientTimeout_ms);
  EXPECT_FALSE(Next(next));
}

TEST_F(KernelTest, TrapsGoToTheSmAndEndWhenItRepressesThem) {
  Client& sm = AttachSm(1);
  kernel.CarryOutbox();
  while (Next(sm)) continue;
  subnet.SetIsSm(At(6), true);  // capability mask: trap 144
  kernel.CarryOutbox();
  const auto trap = Next(sm);
  ASSERT_TRUE(trap);
  EXPECT_EQ(trap->mad[3], kTrap);
  EXPECT_EQ(ntohs(static_cast<std::uint16_t>(trap->slid)), LidOf(bed.h(6)));

  ibsim::Packet repress = *trap;
  repress.mad[3] = kTrapRepress;
  repress.mad[8 + 3] = 2;  // libumad2sim.so writes its agent there
  repress.dlid = trap->slid;
  repress.slid = 0;
  kernel.Send(sm, repress, now_ns);
  EXPECT_EQ(kernel.next_deadline_ns(), Kernel::kNever);
  now_ns += 60'000 * kMs;
  subnet.Tick();
  kernel.CarryOutbox();
  // The SM's own port tells again of the SM.
  while (const auto next = Next(sm)) EXPECT_NE(next->slid, trap->slid);
}

// As OpenSM tells the master of its own priority. A kernel has a TrapRepress for the trap's response.
TEST_F(KernelTest, AClientsTrapIsRepressedByTheSmOrComesBackTimedOut) {
  Client& sm = AttachSm(1);
  Client& client = Attach(6);
  const std::uint64_t id = 0x0000'0003'0000'0001;  // its lower half as of a node's first trap
  for (const bool answered : {true, false}) {
    while (Next(sm)) continue;
    kernel.Send(client, ByLid(kSmpLid, 1, kTrap, 2, LidOf(bed.h(1)), id, 0), now_ns);
    const auto trap = Next(sm);
    ASSERT_TRUE(trap);
    EXPECT_EQ(trap->mad[3], kTrap);
    if (answered) {
      ibsim::Packet repress = *trap;
      repress.mad[3] = kTrapRepress;
      repress.mad[8 + 3] = 2;  // libumad2sim.so writes its agent there
      repress.dlid = trap->slid;
      repress.slid = 0;
      kernel.Send(sm, repress, now_ns);
    } else {
      EXPECT_FALSE(Next(client));
      Pass(kClientTimeout_ms);
    }
    const auto back = Next(client);
    ASSERT_TRUE(back);
    EXPECT_EQ(TransactionId(*back), id);
    EXPECT_EQ(IsTimedOut(*back), !answered);
    EXPECT_EQ(back->mad[3], answered ? kTrapRepress : kTrap);
    EXPECT_EQ(client.pending, 0u);
    EXPECT_EQ(kernel.next_deadline_ns(), Kernel::kNever);
  }
}

FaultSpec Fault(const char* kind, FaultParameters parameters = {}) {
  FaultSpec spec;
  spec.kind = kind;
  spec.parameters = std::move(parameters);
  return spec;
}

TEST_F(KernelTest, AnAnswerThatIsHeldUpComesLaterOrTooLate) {
  Client& client = Attach(1);
  const std::uint64_t fault = subnet.faults().Add(subnet, Fault("delay", {{"delay_ms", 50}}));
  kernel.Send(client, Directed(kGet, kNodeInfo, {1}, 1), now_ns);
  Pass(49);
  EXPECT_FALSE(Next(client));
  Pass(1);
  const auto late = Next(client);
  ASSERT_TRUE(late);
  EXPECT_EQ(late->mad[3], kGetResp);

  subnet.faults().Clear(subnet, fault);
  subnet.faults().Add(subnet, Fault("delay", {{"delay_ms", 300}}));
  kernel.Send(client, Directed(kGet, kNodeInfo, {1}, 2), now_ns);
  Pass(kTimeout_ms);
  const auto back = Next(client);
  ASSERT_TRUE(back);
  EXPECT_TRUE(IsTimedOut(*back));
  Pass(1000);
  EXPECT_FALSE(Next(client));
}

TEST_F(KernelTest, AnAnswerUnderAnotherTransactionLeavesTheRequestUnanswered) {
  Client& client = Attach(1);
  subnet.faults().Add(subnet, Fault("stale-tid"));
  kernel.Send(client, Directed(kGet, kNodeInfo, {1}, 0x10), now_ns);
  const auto stale = Next(client);
  ASSERT_TRUE(stale);
  EXPECT_NE(TransactionId(*stale), 0x10u);
  Pass(kTimeout_ms);
  const auto back = Next(client);
  ASSERT_TRUE(back);
  EXPECT_TRUE(IsTimedOut(*back));
  EXPECT_EQ(TransactionId(*back), 0x10u);
}

TEST_F(KernelTest, AnSmThatReadsNothingIsAskedNoMore) {
  Client& sm = AttachSm(1);
  Client& client = Attach(2);
  const ibsim::Packet query = ByLid(kSubnetAdministration, 2, kGet, kNodeRecord, 1, 1);
  while (sm.Enqueue(query)) continue;
  kernel.Send(client, query, now_ns);
  Pass(kTimeout_ms);
  const auto back = Next(client);
  ASSERT_TRUE(back);
  EXPECT_TRUE(IsTimedOut(*back));
}

}  // namespace kernel_test
}  // namespace ccsim::emulator

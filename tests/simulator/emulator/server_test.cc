// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/server.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <set>
#include <system_error>
#include <thread>

#include "../testing.hpp"
#include "configured_subnet.hpp"
#include "test_client.hpp"

namespace ccsim::emulator {
namespace server_test {

using ccsim::testing::TwoSwitch;
using ibsim::Control;
using ibsim::ControlType;
using testing::ByLid;
using testing::Configure;
using testing::Directed;
using testing::IsTimedOut;
using testing::LidOf;
using testing::TestClient;
using testing::TransactionId;
using testing::UniqueName;
using testing::WaitReadable;

constexpr std::uint16_t kNodeInfo = 0x11;
constexpr std::uint16_t kNodeRecord = 0x11;

// A server in a thread of its own. What the test asks of the server itself it asks under the lock.
struct ServerTest : ::testing::Test {
  ccsim::testing::Bed bed = TwoSwitch();
  Subnet subnet{bed.fabric};
  std::string name = UniqueName();
  std::vector<std::string> warnings;
  std::unique_ptr<Server> server;
  std::mutex mutex;
  std::atomic<bool> stop = false;
  std::atomic<bool> wanted = false;
  std::thread thread;

  void SetUp() override {
    Configure(subnet, LidOf(bed.h(1)));
    server = std::make_unique<Server>(
        subnet, ServerOptions{name, 50, 1000, [this](const std::string& text) { warnings.push_back(text); }});
    thread = std::thread([this] {
      while (!stop) {
        const std::lock_guard lock(mutex);
        server->Serve(wanted ? 0 : 20);
      }
    });
  }

  void TearDown() override {
    stop = true;
    server->Wake();
    thread.join();
  }

  template <class Function>
  auto Locked(const Function& function) {
    wanted = true;
    server->Wake();
    const std::lock_guard lock(mutex);
    wanted = false;
    return function();
  }

  std::vector<ClientSummary> List() {
    return Locked([this] { return server->clients(); });
  }

  // For what comes about by itself.
  template <class Condition>
  bool Becomes(const Condition& condition) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(testing::kPatience_ms);
    while (std::chrono::steady_clock::now() < end) {
      if (Locked(condition)) return true;
      std::this_thread::yield();
    }
    return false;
  }
};

TEST_F(ServerTest, AttachesClientsWhereTheyAskToBe) {
  TestClient client(name, "H5");
  ASSERT_TRUE(client.connected());
  EXPECT_EQ(client.node(), "H5") << "what was asked, or libumad2sim.so grumbles";
  TestClient other(name);
  EXPECT_EQ(other.node(), "H1");
  const auto list = List();
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0].pid, client.pid());
  EXPECT_EQ(list[0].at, (Place{6, 1}));
  EXPECT_FALSE(list[0].is_sm);
}

TEST_F(ServerTest, TurnsAwayWhoAsksForANodeThatIsNot) {
  TestClient client(name, "nowhere");
  EXPECT_FALSE(client.connected());
  EXPECT_TRUE(List().empty());
  const std::string warning = Locked([this] { return warnings.at(0); });
  EXPECT_NE(warning.find("'nowhere'"), std::string::npos);
  EXPECT_NE(warning.find(std::to_string(client.pid())), std::string::npos);
}

TEST_F(ServerTest, ASecondSmFromTheStartAtAPortIsTurnedAway) {
  TestClient first(name, "H1", true);
  EXPECT_FALSE(TestClient(name, "H1", true).connected());
  EXPECT_TRUE(TestClient(name, "H2", true).connected());
}

TEST_F(ServerTest, AnswersControlMessagesAndMads) {
  TestClient client(name, "H2");
  const Control info = client.Ask(ControlType::GetNodeInfo);
  ASSERT_EQ(info.type, ControlType::GetNodeInfo);
  EXPECT_EQ(Get64(&info.data[12]), 102u);
  client.Send(Directed(kGet, kNodeInfo, {1}, 77));
  const auto answer = client.Receive();
  ASSERT_TRUE(answer);
  EXPECT_EQ(TransactionId(*answer), 77u);
  EXPECT_EQ(Get64(answer->mad.data() + 64 + 12), 1u) << "S1";
}

TEST_F(ServerTest, ServesMoreThanTenClientsAndUsesNumbersAgain) {
  std::vector<std::unique_ptr<TestClient>> clients;
  for (std::uint32_t i = 0; i < 200; ++i) {
    clients.push_back(std::make_unique<TestClient>(name));
    ASSERT_TRUE(clients.back()->connected());
    EXPECT_EQ(clients.back()->id(), i);
  }
  for (std::uint64_t i = 0; i < 200; ++i) clients[i]->Send(Directed(kGet, kNodeInfo, {1}, i));
  for (std::uint64_t i = 0; i < 200; ++i) {
    const auto answer = clients[i]->Receive();
    ASSERT_TRUE(answer);
    EXPECT_EQ(TransactionId(*answer), i);
  }
  EXPECT_EQ(clients[120]->Ask(ControlType::Disconnect).type, ControlType::Disconnect);
  TestClient next(name);
  EXPECT_EQ(next.id(), 120u);
  next.Send(Directed(kGet, kNodeInfo, {1}, 5));
  EXPECT_TRUE(next.Receive());
}

TEST_F(ServerTest, SetIsSmShowsInPortInfo) {
  TestClient client(name, "H1");
  constexpr std::uint8_t kIsSm = 0x02;  // bit 1 of CapabilityMask
  EXPECT_EQ(client.Ask(ControlType::GetPortInfo).data[23] & kIsSm, 0);
  EXPECT_EQ(client.Ask(ControlType::SetIsSm, 1).type, ControlType::SetIsSm);
  EXPECT_EQ(client.Ask(ControlType::GetPortInfo).data[23] & kIsSm, kIsSm);
  EXPECT_TRUE(List().at(0).is_sm);
  client.Ask(ControlType::SetIsSm, 0);
  EXPECT_EQ(client.Ask(ControlType::GetPortInfo).data[23] & kIsSm, 0);
}

TEST_F(ServerTest, CarriesQueriesBetweenClients) {
  TestClient sm(name, "H1", true);
  TestClient client(name, "H7");
  client.Send(ByLid(kSubnetAdministration, 2, kGet, kNodeRecord, 1, 0xAAAA'0001'0000'0001));
  const auto request = sm.Receive();
  ASSERT_TRUE(request);
  ibsim::Packet response = *request;
  response.mad[3] = kGetResp;
  response.dlid = request->slid;
  response.slid = 0;
  sm.Send(response);
  const auto answer = client.Receive();
  ASSERT_TRUE(answer);
  EXPECT_EQ(TransactionId(*answer), 0xAAAA'0001'0000'0001u);
}

TEST_F(ServerTest, WhatIsLostComesBackTimedOut) {
  TestClient client(name);
  client.Send(ByLid(kPerformance, 1, kGet, 0x12, 99, 3));
  const auto back = client.Receive();
  ASSERT_TRUE(back);
  EXPECT_TRUE(IsTimedOut(*back));
  EXPECT_EQ(TransactionId(*back), 3u);
}

TEST_F(ServerTest, ABurstIsAnsweredInFullAndInOrder) {
  TestClient client(name);
  constexpr std::uint64_t kCount = 20'000;  // far more than sockets hold
  std::thread writer([&] {
    for (std::uint64_t i = 0; i < kCount; ++i) client.Send(Directed(kGet, kNodeInfo, {1}, i));
  });
  for (std::uint64_t i = 0; i < kCount; ++i) {
    const auto answer = client.Receive();
    if (!answer || TransactionId(*answer) != i) {
      ADD_FAILURE() << "at " << i;
      break;
    }
  }
  writer.join();
}

TEST_F(ServerTest, AClientThatOnlyWritesHoldsUpNobody) {
  TestClient deaf(name);
  TestClient client(name, "H2");
  const ibsim::Packet request = Directed(kGet, kNodeInfo, {1}, 1);
  for (int i = 0; i < 5000; ++i) deaf.Send(request);
  client.Send(request);
  EXPECT_TRUE(client.Receive());
  for (int i = 0; i < 5000; ++i) ASSERT_TRUE(deaf.Receive()) << "kept for it: " << i;
}

TEST_F(ServerTest, OneThatLosesMoreThanMayBePendingIsReadAgainLater) {
  TestClient client(name);
  constexpr int kCount = 3 * static_cast<int>(Kernel::kMaxPending);
  std::thread writer([&] {
    for (int i = 0; i < kCount; ++i) client.Send(ByLid(kPerformance, 1, kGet, 0x12, 99, static_cast<std::uint64_t>(i)));
  });
  for (int i = 0; i < kCount; ++i) {
    const auto back = client.Receive();
    if (!back || !IsTimedOut(*back)) {
      ADD_FAILURE() << "at " << i;
      break;
    }
  }
  writer.join();
}

TEST_F(ServerTest, MalformedMessagesDoNoHarm) {
  TestClient client(name);
  TestClient other(name);
  // Too short, too long, empty; the server answers none of them.
  std::array<std::uint8_t, 1000> noise{};
  for (const std::size_t length : {std::size_t{0}, std::size_t{1}, std::size_t{287}, std::size_t{289}, noise.size()}) {
    ASSERT_EQ(send(client.packets(), noise.data(), length, 0), static_cast<ssize_t>(length));
    ASSERT_EQ(send(client.control(), noise.data(), length, 0), static_cast<ssize_t>(length));
  }
  Control control;
  control.magic = 0x12345678;
  ASSERT_EQ(send(client.control(), &control, sizeof(control), 0), static_cast<ssize_t>(sizeof(control)));
  // A number that is nobody's or another's, and a type that does not exist, are refused.
  control.magic = ibsim::kMagic;
  for (const std::uint32_t id : {99u, 0xFFFFFFFFu, other.id()}) {
    for (const ControlType type : {ControlType::GetNodeInfo, ControlType::Disconnect, ControlType::SetIsSm}) {
      control.client = id;
      control.type = type;
      EXPECT_EQ(client.Exchange(control).type, ControlType::Error);
    }
  }
  control.client = client.id();
  control.type = static_cast<ControlType>(4711);
  EXPECT_EQ(client.Exchange(control).type, ControlType::Error);
  EXPECT_EQ(List().size(), 2u);
  // A MAD of all ones, and of all zeros.
  ibsim::Packet packet;
  client.Send(packet);
  std::memset(static_cast<void*>(&packet), 0xFF, sizeof(packet));
  client.Send(packet);
  client.Send(Directed(kGet, kNodeInfo, {1}, 42));
  for (;;) {
    const auto answer = client.Receive();
    ASSERT_TRUE(answer);
    if (TransactionId(*answer) == 42) break;
  }
}

TEST_F(ServerTest, AClientThatDiesWithoutAWordIsFoundAndItsSmBitCleared) {
  int told[2];
  ASSERT_EQ(pipe(told), 0);
  const std::uint32_t pid = testing::UniquePid();
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    // Sockets of its own, and death by signal while it waits.
    alarm(60);
    TestClient client(name, "H3", true, pid);
    const bool connected = client.connected();
    if (write(told[1], &connected, sizeof(connected)) < 0) _exit(1);
    for (;;) pause();
  }
  bool connected = false;
  EXPECT_EQ(read(told[0], &connected, sizeof(connected)), static_cast<ssize_t>(sizeof(connected)));
  EXPECT_TRUE(connected);
  EXPECT_EQ(List().size(), 1u);
  EXPECT_TRUE(Locked([this] { return subnet.sma_port({4, 1}).is_sm; }));
  kill(child, SIGKILL);
  EXPECT_TRUE(Becomes([this] { return server->clients().empty(); }));
  EXPECT_FALSE(Locked([this] { return subnet.sma_port({4, 1}).is_sm; }));
  waitpid(child, nullptr, 0);
  close(told[0]);
  close(told[1]);
}

// As between name spaces of processes: nothing but the socket tells.
TEST_F(ServerTest, AClientWhoseSocketsAreGoneIsFoundThoughTheProcessLives) {
  {
    TestClient client(name, "H3", true);
    EXPECT_EQ(List().size(), 1u);
  }
  EXPECT_TRUE(Becomes([this] { return server->clients().empty(); }));
  EXPECT_FALSE(Locked([this] { return subnet.sma_port({4, 1}).is_sm; }));
}

TEST_F(ServerTest, AProcessNumberThatIsUsedAgainReplacesItsOwner) {
  const std::uint32_t pid = testing::UniquePid();
  {
    const TestClient first(name, "H1", false, pid);
  }
  const TestClient again(name, "H2", false, pid);
  ASSERT_TRUE(again.connected());
  const auto list = List();
  ASSERT_EQ(list.size(), 1u);
  EXPECT_EQ(list[0].at, (Place{3, 1}));
}

TEST_F(ServerTest, TheNameIsTakenOnce) {
  Locked([this] {
    EXPECT_THROW(Server(subnet, {name, 200, 4000, {}}), std::system_error);
    return 0;
  });
}

TEST(Server, RefusesNamesThatCannotBe) {
  const ccsim::testing::Bed bed = TwoSwitch();
  Subnet subnet(bed.fabric);
  for (const std::string& name : {std::string(), std::string(81, 'x'), std::string("a\0b", 3)}) {
    EXPECT_THROW(Server(subnet, {name, 200, 4000, {}}), std::invalid_argument);
  }
}

// What a workload does between its events.
TEST(Server, ServesWithoutWaiting) {
  const ccsim::testing::Bed bed = TwoSwitch();
  Subnet subnet(bed.fabric);
  Server server(subnet, {UniqueName(), 200, 4000, {}});
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 100; ++i) server.Serve(0);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
  // A wake-up ends a wait for ever, also one that came before.
  server.Wake();
  server.Serve(-1);
}

}  // namespace server_test
}  // namespace ccsim::emulator

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/emulator.hpp"

#include <gtest/gtest.h>

#include <future>
#include <stdexcept>
#include <thread>

#include "../testing.hpp"
#include "test_client.hpp"

namespace ccsim::emulator {
namespace emulator_test {

using ccsim::testing::TwoSwitch;
using testing::Directed;
using testing::TestClient;
using testing::TransactionId;
using testing::UniqueName;

constexpr std::uint16_t kNodeInfo = 0x11;

struct EmulatorTest : ::testing::Test {
  ccsim::testing::Bed bed = TwoSwitch();
  std::string name = UniqueName();
  Emulator emulator{bed.fabric, [this] {
                      EmulatorOptions options;
                      options.name = name;
                      return options;
                    }()};
};

TEST_F(EmulatorTest, ServesClientsFromTheMomentItIsThere) {
  // Bound before it is started: a client that comes in between waits for an answer, and for no second attempt.
  emulator.Start();
  TestClient client(name, "H2");
  client.Send(Directed(kGet, kNodeInfo, {1}, 8));
  EXPECT_TRUE(client.Receive());
  const auto list = emulator.Clients();
  ASSERT_EQ(list.size(), 1u);
  EXPECT_EQ(list[0].pid, client.pid());
}

TEST_F(EmulatorTest, DoesWorkInItsThreadAndRethrows) {
  emulator.Start();
  std::thread::id there;
  emulator.Do([&](Subnet& subnet) {
    there = std::this_thread::get_id();
    EXPECT_EQ(subnet.num_devices(), 9u);
    // Work within work is done at once.
    bool nested = false;
    emulator.Do([&](Subnet&) { nested = true; });
    EXPECT_TRUE(nested);
  });
  EXPECT_NE(there, std::this_thread::get_id());
  try {
    emulator.Do([](Subnet&) { throw std::out_of_range("seventeen"); });
    FAIL() << "nothing thrown";
  } catch (const std::out_of_range& error) {
    EXPECT_STREQ(error.what(), "seventeen");
  }
}

TEST_F(EmulatorTest, WorkOfManyThreadsIsDoneOneAtATime) {
  emulator.Start();
  int sum = 0;  // guarded by the emulator's thread alone
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 200; ++i) emulator.Do([&](Subnet&) { ++sum; });
    });
  }
  for (std::thread& thread : threads) thread.join();
  emulator.Do([&](Subnet&) { EXPECT_EQ(sum, 800); });
}

// What a workload does: it holds the thread, and lets the clients and others in between its events.
TEST_F(EmulatorTest, ServesMadsAndWorkWhileAWorkloadRuns) {
  emulator.Start();
  TestClient client(name);
  std::promise<void> begun;
  bool let_in = false;
  std::thread workload([&] {
    emulator.Do([&](Subnet&) {
      begun.set_value();
      while (!let_in) ASSERT_TRUE(emulator.Serve(0));
    });
  });
  begun.get_future().wait();
  client.Send(Directed(kGet, kNodeInfo, {1}, 9));
  const auto answer = client.Receive();
  ASSERT_TRUE(answer);
  EXPECT_EQ(TransactionId(*answer), 9u);
  emulator.Do([&](Subnet&) { let_in = true; });
  workload.join();
}

TEST_F(EmulatorTest, StoppingEndsAWorkloadAndRefusesWork) {
  emulator.Start();
  std::promise<void> begun;
  bool ended = false;
  std::thread workload([&] {
    emulator.Do([&](Subnet&) {
      begun.set_value();
      while (emulator.Serve(-1)) continue;
      ended = true;
    });
  });
  begun.get_future().wait();
  emulator.Stop();
  workload.join();
  EXPECT_TRUE(ended);
  EXPECT_THROW(emulator.Do([](Subnet&) {}), std::runtime_error);
  emulator.Stop();  // twice is once
}

TEST_F(EmulatorTest, CanBeStartedAgain) {
  EXPECT_THROW(emulator.Do([](Subnet&) {}), std::runtime_error);
  for (int i = 0; i < 3; ++i) {
    emulator.Start();
    EXPECT_THROW(emulator.Start(), std::logic_error);
    bool done = false;
    emulator.Do([&](Subnet&) { done = true; });
    EXPECT_TRUE(done);
    emulator.Stop();
  }
}

TEST_F(EmulatorTest, AFabricChangesByPostedWork) {
  emulator.Start();
  TestClient client(name, "H1");
  client.Send(Directed(kGet, kNodeInfo, {1, 36}, 1));
  auto answer = client.Receive();
  ASSERT_TRUE(answer);
  EXPECT_FALSE(testing::IsTimedOut(*answer));
  emulator.Do([](Subnet& subnet) { subnet.SetLink(0, 36, false); });
  client.Send(Directed(kGet, kNodeInfo, {1, 36}, 2));
  answer = client.Receive();
  ASSERT_TRUE(answer);
  EXPECT_TRUE(testing::IsTimedOut(*answer));
}

TEST(Emulator, RefusesOptionsThatMakeNoSense) {
  const ccsim::testing::Bed bed = TwoSwitch();
  EmulatorOptions options;
  options.name = UniqueName();
  options.timeout_ms = 0;
  EXPECT_THROW(Emulator(bed.fabric, options), std::invalid_argument);
  options.timeout_ms = 500;
  options.client_timeout_ms = 400;
  EXPECT_THROW(Emulator(bed.fabric, options), std::invalid_argument);
  options.client_timeout_ms = 600;
  options.name = "";
  EXPECT_THROW(Emulator(bed.fabric, options), std::invalid_argument);
}

}  // namespace emulator_test
}  // namespace ccsim::emulator

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The plugin's threads as they are inside OpenSM, all at once: the worker with its manager, window and socket, a receiver that hands in
// answers, OpenSM's threads that post sweeps, traps and forwarding tables, clients, and somebody who edits the profile. With the TSan
// preset this is where a race between them shows; the emulated umad library, which the end-to-end tests need, does not run under it.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "manager/inbox.h"
#include "manager/manager_support.hpp"
#include "worker/worker.h"

namespace ibcc_test {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kSweeps = 40;
constexpr auto kPatience = std::chrono::seconds(60);

// A way for MADs whose other end is a thread, as an umad descriptor's is.
class ThreadedPort : public ibcc_mad_port {
 public:
  using OnRequest = std::function<bool(std::uint16_t lid, const std::uint8_t* mad, ibcc_answer& answer)>;

  ThreadedPort(ibcc_inbox* inbox, OnRequest on_request) : inbox_(inbox), on_request_(std::move(on_request)) {
    send = [](ibcc_mad_port* port, std::uint16_t lid, std::uint8_t, const std::uint8_t* mad, std::uint32_t timeout_ms) {
      auto* self = static_cast<ThreadedPort*>(port);
      ibcc_answer answer{};
      answer.lid = lid;
      std::memcpy(answer.mad, mad, IBCC_MAD_BYTES);
      const std::lock_guard lock(self->mutex_);
      self->requests_.push_back({Clock::now() + std::chrono::milliseconds(timeout_ms), answer});
      self->findings_.notify_one();
      return 0;
    };
    has_ended = nullptr;
    refresh = nullptr;
    close = [](ibcc_mad_port* port) { delete static_cast<ThreadedPort*>(port); };
    receiver_ = std::thread([this] { Receive(); });
  }

 private:
  ~ThreadedPort() {
    {
      const std::lock_guard lock(mutex_);
      closing_ = true;
      findings_.notify_one();
    }
    receiver_.join();
  }

  void Receive() {
    std::unique_lock lock(mutex_);
    for (;;) {
      findings_.wait(lock, [this] { return closing_ || !requests_.empty(); });
      if (closing_) return;
      auto [until, answer] = requests_.front();
      requests_.pop_front();
      lock.unlock();
      std::uint8_t mad[IBCC_MAD_BYTES];
      std::memcpy(mad, answer.mad, IBCC_MAD_BYTES);
      if (!on_request_(answer.lid, mad, answer)) {
        std::this_thread::sleep_until(until);  // what comes behind it is late, too
        answer.timed_out = true;
      }
      ibcc_inbox_post_answer(inbox_, &answer);
      lock.lock();
    }
  }

  ibcc_inbox* inbox_;
  OnRequest on_request_;
  std::mutex mutex_;
  std::condition_variable findings_;
  std::deque<std::pair<Clock::time_point, ibcc_answer>> requests_;
  bool closing_ = false;
  std::thread receiver_;
};

// A client that says hello, then one thing after the other, and reads what comes until the plugin closes or it has enough.
void Chat(const std::string& path, const std::vector<std::string>& calls, const std::atomic<bool>& over,
          std::atomic<unsigned>& answered_calls) {
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  std::strncpy(address.sun_path, path.c_str(), sizeof(address.sun_path) - 1);
  ASSERT_EQ(connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  std::string heard;
  const auto ask = [&](const std::string& method, const std::string& params, int id) {
    const std::string line =
        R"({"jsonrpc": "2.0", "id": )" + std::to_string(id) + R"(, "method": ")" + method + R"(", "params": )" + params + "}\n";
    if (send(fd, line.data(), line.size(), MSG_NOSIGNAL) < 0) return false;
    const std::string answered = R"("id":)" + std::to_string(id);
    char bytes[4096];
    while (heard.find(answered) == std::string::npos) {
      const ssize_t length = recv(fd, bytes, sizeof(bytes), 0);
      if (length <= 0) return false;
      heard.append(bytes, static_cast<std::size_t>(length));
    }
    heard.clear();  // events that came behind it are nobody's
    return true;
  };
  ASSERT_TRUE(ask("hello", R"({"protocol": 2})", 1));
  int id = 1;
  for (std::size_t i = 0; !over; i = (i + 1) % calls.size()) {
    const auto blank = calls[i].find(' ');
    if (!ask(calls[i].substr(0, blank), calls[i].substr(blank + 1), ++id)) break;
  }
  answered_calls += static_cast<unsigned>(id);
  close(fd);
}

class Threads : public ManagerBed {
 protected:
  Threads() : ManagerBed(3, 4) {
    log_.write = [](struct ibcc_log*, ibcc_log_level, const char*) {};  // from many threads, as OpenSM's own log takes it
    ibcc_options_destroy(&options_);
    ccp_error error{};
    const std::string line = "--profile " + folder_ + "/profile.yaml --state-dir " + folder_ + "/state --socket " + folder_ +
                             "/s --timeout-ms 5 --max-timeout-ms 20 --max-errors 100000 --audit-interval-s 1 --log-interval-s 1"
                             " --audit-mads-per-s 1000";
    EXPECT_EQ(ibcc_options_parse(&options_, line.c_str(), &error), 0) << error.message;
    WriteKeys("current: 0x1111\n");
    inbox_ = ibcc_inbox_create();
    profiles_ = ibcc_profiles_open(options_.state_dir, options_.profile, nullptr, &log_, &error);
    EXPECT_NE(profiles_, nullptr) << error.message;
    keys_ = ibcc_keys_open(ibcc_profiles_folder(profiles_), (folder_ + "/keys.yaml").c_str(), &log_, &error);
    EXPECT_NE(keys_, nullptr) << error.message;
    const ibcc_worker_settings settings = {
        .options = &options_,
        .profiles = profiles_,
        .keys = keys_,
        .inbox = inbox_,
        .log = &log_,
        .version = "1",
        .opensm_version = "OpenSM 0",
        .owner = this,
        .snapshot =
            [](void* owner) {
              auto* self = static_cast<Threads*>(owner);
              const std::lock_guard lock(self->mutex_);
              const ibcc_manager_env env = self->fabric_.ManagerEnv();
              return env.snapshot(env.owner);
            },
        .sm_state = [](void* owner) { return static_cast<Threads*>(owner)->master_.load() ? IBCC_SM_MASTER : IBCC_SM_STANDBY; },
        .open_port = [](void* owner, std::uint64_t) -> ibcc_mad_port* {
          auto* self = static_cast<Threads*>(owner);
          return new ThreadedPort(self->inbox_, [self](std::uint16_t lid, const std::uint8_t* mad, ibcc_answer& answer) {
            return self->Answer(lid, mad, answer);
          });
        },
    };
    worker_ = ibcc_worker_start(&settings, &error);
    EXPECT_NE(worker_, nullptr) << error.message;
  }
  ~Threads() override {
    ibcc_worker_stop(worker_);
    ibcc_keys_close(keys_);
    ibcc_profiles_close(profiles_);
    keys_ = nullptr;
    profiles_ = nullptr;
    ibcc_inbox_destroy(inbox_);
  }

  bool Answer(std::uint16_t lid, const std::uint8_t* mad, ibcc_answer& answer) {
    const std::lock_guard lock(mutex_);
    FakeFabric::Node& node = fabric_.nodes()[lid - 1u];
    const bool answered = node.present && random_() % 1000 >= loss_per_mille_ && FakeFabric::Serve(node, mad, answer);
    ++requests_;
    changed_.notify_all();
    return answered;
  }
  bool Await(const std::function<bool()>& holds) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kPatience, holds);
  }
  // What a switch marks, and all adapters and keys: under the mutex.
  bool AllHold(unsigned marking_rate) {
    for (auto& node : fabric_.nodes()) {
      if (node.agent.cc_key != 0x1111) return false;
      if (node.is_switch && node.agent.held[{CCP_SWITCH_CONGESTION_SETTING, 0}][75] != marking_rate) return false;
      if (!node.is_switch && node.agent.held[{CCP_CA_CONGESTION_SETTING, 0}][5] != 150) return false;
    }
    return true;
  }
  // As OpenSM's sweeper does: what changes, changes within.
  void Sweep(const std::function<void()>& change) {
    ibcc_inbox_post(inbox_, IBCC_NOTICE_SWEEP_BEGINS);
    {
      const std::lock_guard lock(mutex_);
      change();
    }
    ibcc_inbox_post(inbox_, IBCC_NOTICE_SUBNET_UP);
  }

  std::mutex mutex_;  // of the fabric, and of what follows
  std::condition_variable changed_;
  std::minstd_rand random_{7};
  unsigned loss_per_mille_ = 20, requests_ = 0;
  std::atomic<bool> master_ = true;
  ibcc_inbox* inbox_ = nullptr;
  ibcc_worker* worker_ = nullptr;
};

TEST_F(Threads, DoNotDisturbEachOther) {
  std::atomic<bool> over = false;
  std::atomic<unsigned> calls = 0;
  std::vector<std::thread> others;
  const std::string trial = R"("ibcc_profile: 1\nname: off\nenable: false\n")";
  others.emplace_back(
      Chat, folder_ + "/s",
      std::vector<std::string>{R"(subscribe {})", R"(profile.apply {"profile": )" + trial + R"(, "ttl_s": 1})", R"(verify {})",
                               R"(profile.plan {"profile": )" + trial + "}", R"(profile.rollback {"revision": 2})"},
      std::cref(over), std::ref(calls));
  others.emplace_back(Chat, folder_ + "/s",
                      std::vector<std::string>{R"(status {})", R"(devices {"limit": 3})", R"(congestion {})", R"(profile.get {})",
                                               R"(device.tables {"guid": "0x9000"})"},
                      std::cref(over), std::ref(calls));
  others.emplace_back([&] {  // traps, and forwarding tables that were written
    std::minstd_rand random(1);
    while (!over) {
      ibcc_inbox_post_port(inbox_, 0x1000 + random() % 12);
      ibcc_inbox_post_switch(inbox_, 0x9000 + random() % 3);
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  });
  others.emplace_back([&] {
    for (int rate = 2; !over; rate = 2 + rate % 7) {
      WriteProfile(ProfileOf(rate));
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
    }
  });
  std::minstd_rand random(3);
  for (int i = 0; i < kSweeps; ++i) {
    Sweep([&] {
      FakeFabric::Node& node = fabric_.nodes()[1 + random() % (fabric_.nodes().size() - 1)];
      node.agent.Reset();
      node.present = !node.present;
      fabric_.master = i % 8 != 7;
      master_ = fabric_.master;
    });
    if (!master_) ibcc_inbox_post(inbox_, IBCC_NOTICE_STATE_CHANGE);
    std::this_thread::sleep_for(std::chrono::milliseconds(15));
  }
  over = true;
  for (auto& each : others) each.join();

  WriteProfile(ProfileOf(42));
  Sweep([&] {
    for (auto& node : fabric_.nodes()) {
      if (!node.present) node.agent.Reset();
      node.present = true;
    }
    loss_per_mille_ = 0;
    fabric_.master = true;
    master_ = true;
  });
  EXPECT_TRUE(Await([&] { return AllHold(42); }));
  // They have met.
  const std::lock_guard lock(mutex_);
  EXPECT_GT(calls, 20u);
  EXPECT_GT(requests_, 100u);
}

}  // namespace
}  // namespace ibcc_test

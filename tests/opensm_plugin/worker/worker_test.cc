// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The worker's thread, without a fabric: what it does at which time is seen in its log. test_*.py here have it on fabrics.
#include "worker/worker.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "state_support.hpp"
#include "temporary_folder.hpp"

namespace {

constexpr auto kPatience = std::chrono::seconds(30);

struct WorkerDeleter {
  void operator()(ibcc_worker* w) const { ibcc_worker_stop(w); }
  void operator()(ibcc_profiles* p) const { ibcc_profiles_close(p); }
  void operator()(ibcc_inbox* n) const { ibcc_inbox_destroy(n); }
};

// Lines as they come, from any thread, for whoever waits for one.
struct Listener : ::ibcc_log {
  Listener() { write = Write; }

  static void Write(ibcc_log* log, ibcc_log_level level, const char* line) {
    auto* self = static_cast<Listener*>(log);
    const std::lock_guard lock(self->mutex);
    self->lines.push_back((level == IBCC_LOG_ERROR ? "ERR: " : "") + std::string(line));
    self->findings.notify_all();
  }

  bool Has(const std::string& part) {
    return std::ranges::any_of(lines, [&](const std::string& line) { return line.find(part) != std::string::npos; });
  }

  bool Await(const std::string& part) {
    std::unique_lock lock(mutex);
    return findings.wait_for(lock, kPatience, [&] { return Has(part); });
  }

  std::mutex mutex;
  std::condition_variable findings;
  std::vector<std::string> lines;
};

const char kProfile[] =
    "ibcc_profile: 1\nname: tried\nlink: {rate_gbps: 16, mtu_bytes: 2048}\n"
    "switch: {threshold: 15, marking_rate: 1, packet_size: 8, victim_mask: ca_ports}\n"
    "ca: {ccti_timer: 150, ccti_increase: 1}\n"
    "cct: {ccti_limit: 127, curve: {kind: power, full_scale_us: 7, at_index: 106, exponent: 2}}\n";

int64_t NowNs() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

class WorkerTest : public testing::Test {
 protected:
  WorkerTest() {
    folder = ibcc_test::MakeTemporaryFolder();
    ccp_error error{};
    EXPECT_EQ(ibcc_options_parse(&options, ("--socket " + folder + "/s --state-dir " + folder + "/state").c_str(), &error), 0)
        << error.message;
    inbox.reset(ibcc_inbox_create());
    profiles.reset(ibcc_profiles_open(options.state_dir, nullptr, nullptr, &log, &error));
    EXPECT_NE(profiles, nullptr) << error.message;
  }

  ~WorkerTest() override {
    worker.reset();
    profiles.reset();
    inbox.reset();
    ibcc_options_destroy(&options);
    std::filesystem::remove_all(folder);
  }

  void Start() {
    const ibcc_worker_settings settings = {
        .options = &options,
        .profiles = profiles.get(),
        .inbox = inbox.get(),
        .log = &log,
        .version = "1",
        .opensm_version = "OpenSM 0",
        .owner = this,
        .snapshot = Snapshot,
        .sm_state = [](void*) { return IBCC_SM_STANDBY; },
        .open_port = [](void*, uint64_t) -> ibcc_mad_port* { return nullptr; },
    };
    ccp_error error{};
    worker.reset(ibcc_worker_start(&settings, &error));
    ASSERT_NE(worker, nullptr) << error.message;
  }

  // Notes what the worker's thread is like, and hands out nothing.
  static ibcc_snapshot* Snapshot(void* owner) {
    auto* self = static_cast<WorkerTest*>(owner);
    sigset_t blocked;
    pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
    self->signals_are_blocked = sigismember(&blocked, SIGHUP) && sigismember(&blocked, SIGTERM) && sigismember(&blocked, SIGINT);
    char name[16] = "";
    pthread_getname_np(pthread_self(), name, sizeof(name));
    self->thread_name = name;
    return nullptr;
  }

  // An experiment before a base.
  void Begin(uint32_t ttl_s) {
    ccp_error error{};
    ASSERT_EQ(ibcc_profiles_replace_base(profiles.get(), kProfile, sizeof(kProfile) - 1, 0, &error), IBCC_PROFILES_OK)
        << error.message;
    ASSERT_EQ(ibcc_profiles_begin_experiment(profiles.get(), kProfile, sizeof(kProfile) - 1, ttl_s, nullptr, 0, NowNs(), &error),
              IBCC_PROFILES_OK)
        << error.message;
  }

  std::string folder;
  Listener log;
  ibcc_options options{};
  std::unique_ptr<ibcc_inbox, WorkerDeleter> inbox;
  std::unique_ptr<ibcc_profiles, WorkerDeleter> profiles;
  std::unique_ptr<ibcc_worker, WorkerDeleter> worker;
  bool signals_are_blocked = false;
  std::string thread_name;
};

TEST_F(WorkerTest, OpensTheSocketAndRemovesItAtTheEnd) {
  Start();
  EXPECT_TRUE(std::filesystem::is_socket(folder + "/s"));
  worker.reset();
  EXPECT_FALSE(std::filesystem::exists(folder + "/s"));
  EXPECT_FALSE(log.Has("ERR"));
}

TEST_F(WorkerTest, TakesMailOnAThreadThatGetsNoSignals) {
  Start();
  ibcc_inbox_post(inbox.get(), IBCC_NOTICE_SUBNET_UP);
  EXPECT_TRUE(log.Await("ERR: IBCC0207: out of memory: the subnet cannot be copied"));
  EXPECT_TRUE(signals_are_blocked);
  EXPECT_EQ(thread_name, "ibcc");
  sigset_t blocked;
  pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
  EXPECT_FALSE(sigismember(&blocked, SIGHUP)) << "the mask of the thread that starts it is as it was";
}

TEST_F(WorkerTest, GoesOnWithoutASocket) {
  std::ofstream(folder + "/s") << "somebody's file";
  Start();
  EXPECT_TRUE(log.Has("ERR: IBCC0101: no control socket: "));
  EXPECT_TRUE(log.Has("trying again every minute"));
  ibcc_inbox_post(inbox.get(), IBCC_NOTICE_SUBNET_UP);
  EXPECT_TRUE(log.Await("the subnet cannot be copied"));
  worker.reset();
  EXPECT_TRUE(std::filesystem::is_regular_file(folder + "/s"));
}

TEST_F(WorkerTest, EndsAnExperimentWhoseTimeIsOver) {
  Begin(1);
  Start();
  EXPECT_TRUE(log.Await("the trial run has timed out: restoring the base profile"));
  worker.reset();
  EXPECT_EQ(ibcc_profiles_experiment(profiles.get()), nullptr);
  EXPECT_FALSE(log.Has("unloaded during a trial run"));
}

TEST_F(WorkerTest, EndsAnExperimentWhenItIsStopped) {
  Begin(600);
  Start();
  worker.reset();
  EXPECT_EQ(ibcc_profiles_experiment(profiles.get()), nullptr);
  EXPECT_TRUE(log.Has("unloaded during a trial run that was not sent to any device"));
}

TEST_F(WorkerTest, EndsAnExperimentInTimeOnAFullDisk) {
  Begin(1);
  const plugin_test::FullDisk full;
  Start();
  EXPECT_TRUE(log.Await("the trial run has timed out: restoring the base profile"));
  worker.reset();
  EXPECT_EQ(ibcc_profiles_experiment(profiles.get()), nullptr);
}

TEST_F(WorkerTest, StoppingNothingIsFine) { ibcc_worker_stop(nullptr); }

}  // namespace

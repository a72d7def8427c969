// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Whom a server lets in: at most 8 clients of a user, none without descriptors, no strangers; and one server at a path.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include "base/ns.h"
#include "rpc/admission.h"
#include "rpc/server.h"
#include "rpc/server_bench.hpp"

namespace {

using namespace ibcc_test;

using RpcServerPlaces = ServerBench;

TEST_F(RpcServerPlaces, AUserHasSoManyAndPlacesAreUsedAgain) {
  std::vector<std::unique_ptr<Peer>> peers;
  for (unsigned i = 0; i < IBCC_MAX_CLIENTS_OF_A_USER; ++i) {
    peers.push_back(std::make_unique<Peer>(path_));
    Turn();
    EXPECT_EQ(Lines(peers.back()->Read()).size(), 1u);
  }
  Peer turned_away(path_, false);
  Turn();
  EXPECT_EQ(Error(Lines(turned_away.Read())[0]), "-32000: your user has 8 connections, the most that a user may have");
  EXPECT_TRUE(turned_away.ended);
  peers[5].reset();
  Turn();
  Peer late(path_);
  Turn();
  EXPECT_EQ(Lines(late.Read()).size(), 1u);
  EXPECT_FALSE(late.ended);
}

TEST_F(RpcServerPlaces, WhoIsTurnedAwayInALoopDoesNotFillTheLog) {
  std::vector<std::unique_ptr<Peer>> peers;
  for (unsigned i = 0; i < IBCC_MAX_CLIENTS_OF_A_USER; ++i) peers.push_back(std::make_unique<Peer>(path_));
  Turn();
  log_.lines.clear();
  for (int i = 0; i < 100; ++i) {
    Peer more(path_, false);
    Turn();
  }
  EXPECT_EQ(log_.lines.size(), 1u);
  now_ns_ += 1'000'000'000;
  Peer more(path_, false);
  Turn();
  ASSERT_EQ(log_.lines.size(), 2u);
  EXPECT_NE(log_.lines[1].find("; others were turned away before"), std::string::npos);
}

TEST_F(RpcServerPlaces, WhoDoesNotSayHelloGoesAfterFiveSeconds) {
  EXPECT_EQ(ibcc_server_next_ns(server_), INT64_MAX);
  Peer slow(path_, false);
  Turn();
  EXPECT_EQ(ibcc_server_next_ns(server_), now_ns_ + 5 * NS_PER_S);
  now_ns_ += 4 * NS_PER_S;
  slow.Send(kHello.substr(0, 9));  // a byte now and then is no hello
  Turn();
  EXPECT_EQ(ibcc_server_next_ns(server_), now_ns_ + NS_PER_S);
  ibcc_server_tick(server_, now_ns_);
  EXPECT_FALSE(slow.ended);
  now_ns_ += NS_PER_S;
  ibcc_server_tick(server_, now_ns_);
  EXPECT_EQ(Error(Lines(slow.Read())[0]), "-32000: this connection is closed: hello did not come within 5 s");
  EXPECT_TRUE(slow.ended);
  EXPECT_NE(log_.lines.back().find("was dropped: it did not send hello within 5 s"), std::string::npos);
  EXPECT_EQ(ibcc_server_next_ns(server_), INT64_MAX);
}

TEST_F(RpcServerPlaces, WhoKeepsSilentGoesAfterTenMinutes) {
  Peer silent(path_), asks(path_);
  Turn();
  now_ns_ += 599 * NS_PER_S;
  asks.Send(kEcho);
  Turn();
  ibcc_server_tick(server_, now_ns_);
  now_ns_ += NS_PER_S;
  EXPECT_EQ(ibcc_server_next_ns(server_), now_ns_);
  ibcc_server_tick(server_, now_ns_);
  const std::vector<std::string> lines = Lines(silent.Read());
  EXPECT_TRUE(silent.ended);
  EXPECT_EQ(Error(lines.back()),
            "-32000: this connection is closed: it sent no request for 600 s and has subscribed to no event");
  asks.Send(kEcho);
  Turn();
  EXPECT_EQ(Lines(asks.Read()).size(), 3u);
  EXPECT_FALSE(asks.ended);
}

TEST_F(RpcServerPlaces, WhoIsToldEventsMayKeepSilent) {
  Peer told(path_);
  told.Send(Quoted("{'jsonrpc': '2.0', 'id': 1, 'method': 'subscribe'}\n"));
  Turn();
  EXPECT_EQ(ibcc_server_next_ns(server_), INT64_MAX);
  told.Send(Quoted("{'jsonrpc': '2.0', 'id': 2, 'method': 'subscribe', 'params': {'events': []}}\n"));
  Turn();
  EXPECT_EQ(ibcc_server_next_ns(server_), now_ns_ + 600 * NS_PER_S);
}

// One who neither reads nor asks does not keep a place either.
TEST_F(RpcServerPlaces, WhoDoesNotReadGoesTooWhenItsTimeIsOver) {
  Peer deaf(path_);
  deaf.Send(Quoted("{'jsonrpc': '2.0', 'id': 1, 'method': 'test.fill', 'params': {'bytes': 2000000}}\n"));
  Turn();
  ibcc_server_tick(server_, now_ns_ + 600 * NS_PER_S);
  EXPECT_EQ(ibcc_server_next_ns(server_), INT64_MAX);
}

// The place of one who has gone is taken by another before an old event comes: nothing happens to the new one.
TEST_F(RpcServerPlaces, AnOldEventDoesNotEndANewClient) {
  auto first = std::make_unique<Peer>(path_);
  Turn();
  first->Send(kEcho);
  epoll_event event;
  ASSERT_EQ(epoll_wait(epoll_, &event, 1, 0), 1);
  ASSERT_TRUE(ibcc_server_handle(server_, event.data.ptr, event.events, now_ns_));
  void* const place = event.data.ptr;
  first.reset();
  Turn();
  ASSERT_TRUE(ibcc_server_handle(server_, place, EPOLLIN | EPOLLHUP, now_ns_)) << "a free place";
  Peer second(path_);
  Turn();
  ASSERT_TRUE(ibcc_server_handle(server_, place, EPOLLIN | EPOLLHUP | EPOLLERR, now_ns_));
  second.Send(kEcho);
  Turn();
  EXPECT_EQ(Lines(second.Read()).size(), 2u);
  EXPECT_FALSE(second.ended);
}

TEST_F(RpcServerPlaces, WithoutDescriptorsClientsAreTurnedAway) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  Peer peer(path_, false);
  const int next = dup(0);
  close(next);
  const rlimit none{.rlim_cur = static_cast<rlim_t>(next), .rlim_max = before.rlim_max};
  // Locals only: to look at an object with virtual functions, UBSan needs descriptors itself.
  const int epoll_fd = epoll_;
  ibcc_server* const server = server_;
  epoll_event event;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  const int woken = epoll_wait(epoll_fd, &event, 1, 0);
  if (woken == 1) ibcc_server_handle(server, event.data.ptr, event.events, now_ns_);
  setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_EQ(woken, 1);
  EXPECT_EQ(Turn(), 0);
  EXPECT_EQ(Error(Lines(peer.Read())[0]), "-32000: OpenSM has no descriptors left");
  Peer later(path_);
  Turn();
  EXPECT_EQ(Lines(later.Read()).size(), 1u);
}

TEST_F(RpcServerPlaces, StrangersAreTurnedAway) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can be somebody else";
  chmod(folder_.c_str(), 0755);
  chmod(path_.c_str(), 0666);  // what lets them come so far
  int told[2];
  ASSERT_EQ(pipe(told), 0);
  const pid_t child = fork();
  if (child == 0) {
    if (setresgid(54321, 54321, 54321) != 0 || setresuid(54321, 54321, 54321) != 0) _exit(1);
    Peer peer(path_, false);
    _exit(write(told[1], "x", 1) == 1 && pause() != 0 ? 0 : 1);
  }
  char x;
  ASSERT_EQ(read(told[0], &x, 1), 1);  // it has connected
  Turn();
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  close(told[0]);
  close(told[1]);
  ASSERT_EQ(log_.lines.size(), 1u);
  EXPECT_EQ(log_.lines[0], "control socket: process " + std::to_string(child) +
                               " of user 54321 was turned away: IBCC0509: neither root nor of the group");
}

TEST_F(RpcServerPlaces, ASecondServerIsRefusedAndTheFirstStays) {
  ccp_error error{};
  EXPECT_EQ(ibcc_server_open(&settings_, nullptr, epoll_, &log_, &error), nullptr);
  EXPECT_EQ(std::string(error.message),
            "another process listens at " + path_.string() + "; choose another path for the control socket");
  Turn();
  Peer peer(path_);
  Turn();
  EXPECT_EQ(Lines(peer.Read()).size(), 1u);
}

}  // namespace

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "changes/peer.h"

#include <grp.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <vector>

namespace {

constexpr uid_t kStranger = 54321;
constexpr gid_t kGroup = 54322, kOther = 54323;

TEST(RpcPeer, RootTheOwnUserAndTheGroupAreWelcome) {
  EXPECT_TRUE(ibcc_peer_is_allowed(std::array{ibcc_peer{.pid = 1, .uid = 0, .in_group = false}}.data(), 1000));
  EXPECT_TRUE(ibcc_peer_is_allowed(std::array{ibcc_peer{.pid = 1, .uid = 1000, .in_group = false}}.data(), 1000));
  EXPECT_TRUE(ibcc_peer_is_allowed(std::array{ibcc_peer{.pid = 1, .uid = 1001, .in_group = true}}.data(), 1000));
  EXPECT_FALSE(ibcc_peer_is_allowed(std::array{ibcc_peer{.pid = 1, .uid = 1001, .in_group = false}}.data(), 1000));
}

// What is seen of a process that has made a pair of sockets with these credentials.
ibcc_peer Seen(uid_t uid, gid_t gid, const std::vector<gid_t>& groups, gid_t asked) {
  // A pair has the credentials of who made it; it is made in a child, and looked at there.
  int result[2];
  EXPECT_EQ(pipe(result), 0);
  const pid_t child = fork();
  if (child == 0) {
    int pair[2];
    ibcc_peer peer{};
    const bool ok = setgroups(groups.size(), groups.data()) == 0 && setresgid(gid, gid, gid) == 0 &&
                    setresuid(uid, uid, uid) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0 &&
                    ibcc_peer_of(pair[0], asked, &peer) == 0 && write(result[1], &peer, sizeof(peer)) == sizeof(peer);
    _exit(ok ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  ibcc_peer peer{};
  close(result[1]);
  EXPECT_EQ(read(result[0], &peer, sizeof(peer)), static_cast<ssize_t>(sizeof(peer)));
  close(result[0]);
  EXPECT_EQ(peer.pid, child);
  EXPECT_EQ(peer.uid, uid);
  return peer;
}

TEST(RpcPeer, TheKernelSaysWhoItIs) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can be somebody else";
  EXPECT_FALSE(Seen(kStranger, kOther, {}, IBCC_NO_GROUP).in_group);
  EXPECT_FALSE(Seen(kStranger, kOther, {kOther, kOther + 1}, kGroup).in_group);
  EXPECT_TRUE(Seen(kStranger, kGroup, {}, kGroup).in_group);
  EXPECT_TRUE(Seen(kStranger, kOther, {kOther, kGroup, kOther + 1}, kGroup).in_group);
}

TEST(RpcPeer, NoGroupIsNobodys) {
  int pair[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
  ibcc_peer peer{};
  ASSERT_EQ(ibcc_peer_of(pair[0], IBCC_NO_GROUP, &peer), 0);
  EXPECT_FALSE(peer.in_group);
  EXPECT_EQ(peer.uid, geteuid());
  ASSERT_EQ(ibcc_peer_of(pair[0], getegid(), &peer), 0);
  EXPECT_TRUE(peer.in_group);
  close(pair[0]);
  close(pair[1]);
  EXPECT_EQ(ibcc_peer_of(STDIN_FILENO, IBCC_NO_GROUP, &peer), -1);
}

}  // namespace

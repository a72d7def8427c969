// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The server and its clients take turns on one thread, so that nothing here waits. The methods test.… are in method_test.cc.
#include "rpc/server.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "rpc/client.h"
#include "rpc/events.h"
#include "rpc/method.h"
#include "rpc/support.hpp"
#include "temporary_folder.hpp"

namespace {

using namespace ibcc_test;
namespace fs = std::filesystem;

const char* const kNoParams[] = {nullptr};
ibcc_server* publisher = nullptr;

json_t* Subscribe(ibcc_call* call, ibcc_rpc_error*) {
  call->client->events = 1u << IBCC_EVENT_DRIFTED | 1u << IBCC_EVENT_APPLIED;
  return json_true();
}
json_t* Publish(ibcc_call*, ibcc_rpc_error*) {
  ibcc_server_publish(publisher, "drifted", json_pack("{s:i}", "n", 1));
  return json_true();
}
ibcc_rpc_method subscribe{.name = "test.subscribe", .help = "", .params = kNoParams, .call = Subscribe, .next = nullptr};
ibcc_rpc_method publish{.name = "test.publish", .help = "", .params = kNoParams, .call = Publish, .next = nullptr};
IBCC_RPC_METHOD(subscribe)
IBCC_RPC_METHOD(publish)

using LogBase = struct ibcc_log;  // there is a function of that name too
struct Log : LogBase {
  Log() : LogBase{} {
    write = [](LogBase* log, ibcc_log_level, const char* line) { static_cast<Log*>(log)->lines.emplace_back(line); };
  }
  std::vector<std::string> lines;
};

const std::string kHello = Quoted("{'jsonrpc': '2.0', 'id': 0, 'method': 'hello', 'params': {'protocol': 1}}\n");
const std::string kEcho = Quoted("{'jsonrpc': '2.0', 'id': 1, 'method': 'test.echo'}\n");
const std::string kEchoed = Quoted("{'jsonrpc':'2.0','id':1,'result':{}}\n");

class RpcServer : public testing::Test {
 protected:
  RpcServer() {
    folder_ = ibcc_test::MakeTemporaryFolder();
    path_ = folder_ / "s.sock";
    settings_ = {.path = path_.c_str(), .group = nullptr, .version = "1", .opensm_version = "OpenSM 3.3.23", .reacts = nullptr};
    ccp_error error{};
    server_ = ibcc_server_open(&settings_, nullptr, epoll_, &log_, &error);
    EXPECT_NE(server_, nullptr) << error.message;
    publisher = server_;
  }
  ~RpcServer() override {
    ibcc_server_close(server_);
    close(epoll_);
    fs::remove_all(folder_);
  }

  // Lets the server do all that it has to do now; how many times it was woken.
  int Turn() {
    epoll_event events[4];
    for (int woken = 0;; ++woken) {
      const int count = epoll_wait(epoll_, events, 4, 0);
      if (count == 0) return woken;
      for (int i = 0; i < count; ++i) EXPECT_TRUE(ibcc_server_handle(server_, events[i].data.ptr, events[i].events));
      EXPECT_LT(woken, 10000) << "it spins";
      if (woken >= 10000) return woken;
    }
  }

  int epoll_ = epoll_create1(EPOLL_CLOEXEC);
  fs::path folder_, path_;
  Log log_;
  ibcc_server_settings settings_{};
  ibcc_server* server_ = nullptr;
};

// A client that never blocks.
class Peer {
 public:
  explicit Peer(const fs::path& path, bool greets = true) {
    sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
    std::strncpy(address.sun_path, path.c_str(), sizeof(address.sun_path) - 1);
    EXPECT_EQ(connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
    if (greets) Send(kHello);
  }
  ~Peer() { Close(); }
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  void Send(const std::string& bytes) const {
    EXPECT_EQ(send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
  }
  // All that is there; `ended` is set when the server has closed.
  std::string Read() {
    std::string heard;
    char bytes[65536];
    for (ssize_t length; (length = recv(fd_, bytes, sizeof(bytes), 0)) != -1;) {
      heard.append(bytes, static_cast<std::size_t>(length));
      if (length == 0) {
        ended = true;
        break;
      }
    }
    if (!ended && errno != EAGAIN) ended = true;
    return heard;
  }
  void EndOfRequests() const { shutdown(fd_, SHUT_WR); }
  void Close() {
    if (fd_ >= 0) close(fd_);
    fd_ = -1;
  }
  bool ended = false;

 private:
  int fd_ = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
};

TEST_F(RpcServer, AnswersItsClients) {
  Peer a(path_), b(path_);
  Turn();
  EXPECT_EQ(Lines(a.Read()).size(), 1u);
  a.Send(kEcho.substr(0, 20));
  Turn();
  b.Send(kEcho);
  Turn();
  EXPECT_EQ(a.Read(), "");
  EXPECT_EQ(Lines(b.Read()).size(), 2u);
  a.Send(kEcho.substr(20) + kEcho);
  Turn();
  EXPECT_EQ(a.Read(), kEchoed + kEchoed);
  EXPECT_EQ(Turn(), 0);
}

TEST_F(RpcServer, AnyonesDescriptorsAreNotItsOwn) {
  int other = 0;
  EXPECT_FALSE(ibcc_server_handle(server_, &other, EPOLLIN));
}

TEST_F(RpcServer, AClientThatHasEndedItsRequestsGetsItsAnswers) {
  Peer peer(path_);
  peer.Send(Quoted("{'jsonrpc': '2.0', 'id': 1, 'method': 'test.fill', 'params': {'bytes': 2000000}}\n"));
  peer.EndOfRequests();
  std::string heard;
  for (int turns = 0; !peer.ended && turns < 1000; ++turns) {
    Turn();  // as much as the socket takes
    heard += peer.Read();
  }
  EXPECT_TRUE(peer.ended);
  const std::vector<std::string> lines = Lines(heard);
  ASSERT_GT(lines.size(), 30u);
  EXPECT_EQ(Show(lines.back()).find("{'id':1,'jsonrpc':'2.0','result':{'$parts':"), 0u) << lines.back();
}

TEST_F(RpcServer, AClientThatVanishesHarmsNobody) {
  Peer stays(path_);
  for (const char* const bytes : {"", "{", "nonsense\n", "\n\n\n"}) {
    Peer peer(path_);
    Turn();
    peer.Send(bytes);
    peer.Close();
    Turn();
  }
  {  // with much under way
    Peer peer(path_);
    peer.Send(Quoted("{'jsonrpc': '2.0', 'id': 1, 'method': 'test.fill', 'params': {'bytes': 2000000}}\n"));
    Turn();
    peer.Close();
    Turn();
  }
  {  // asks, and is gone before it is looked at
    Peer peer(path_);
    peer.Send(kEcho);
  }
  Turn();
  stays.Send(kEcho);
  Turn();
  EXPECT_EQ(Lines(stays.Read()).size(), 2u);
  EXPECT_EQ(Turn(), 0) << "descriptors of the dead are still watched";
}

TEST_F(RpcServer, ALineThatIsTooLongEndsTheClient) {
  Peer peer(path_);
  const std::string much(100000, 'x');
  for (int i = 0; i < 11; ++i) {
    peer.Send(much);
    Turn();
  }
  const std::vector<std::string> lines = Lines(peer.Read());
  EXPECT_EQ(Error(lines.back()), "-32600: a message is longer than 1048576 bytes");
  EXPECT_TRUE(peer.ended);
}

TEST_F(RpcServer, OneWhoDoesNotReadIsDroppedAndOthersAreServed) {
  Peer slow(path_), other(path_);
  Turn();
  const std::string ask = Quoted("{'jsonrpc': '2.0', 'id': 1, 'method': 'test.fill', 'params': {'bytes': 1000000}}\n");
  for (int i = 0; i < 20 && log_.lines.empty(); ++i) {
    slow.Send(ask);
    Turn();
  }
  ASSERT_EQ(log_.lines.size(), 1u);
  EXPECT_EQ(log_.lines[0], "control socket: process " + std::to_string(getpid()) + " of user " + std::to_string(geteuid()) +
                               " was dropped: it does not read what it is sent");
  slow.Read();
  EXPECT_TRUE(slow.ended);
  other.Send(kEcho);
  Turn();
  EXPECT_EQ(Lines(other.Read()).size(), 2u);
}

TEST_F(RpcServer, WritableIsWaitedForOnlyWhileSomethingWaits) {
  Peer peer(path_);
  Turn();
  peer.Read();
  EXPECT_EQ(Turn(), 0) << "a socket that takes bytes wakes it";
  peer.Send(Quoted("{'jsonrpc': '2.0', 'id': 1, 'method': 'test.fill', 'params': {'bytes': 2000000}}\n"));
  Turn();
  EXPECT_EQ(Turn(), 0) << "a full socket wakes it";
  EXPECT_FALSE(peer.Read().empty());
  EXPECT_GT(Turn(), 0) << "a socket that has room again does not wake it";
}

TEST_F(RpcServer, EventsGoToThoseWhoSubscribed) {
  Peer subscriber(path_), other(path_);
  subscriber.Send(Quoted("{'jsonrpc': '2.0', 'method': 'test.subscribe'}\n"));
  Turn();
  subscriber.Read();
  other.Read();
  ibcc_server_publish(server_, "drifted", json_pack("{s:s}", "guid", "0x1"));
  ibcc_server_publish(server_, "progress", json_pack("{s:i}", "job", 1));
  EXPECT_EQ(subscriber.Read(), Quoted("{'jsonrpc':'2.0','method':'event','params':{'guid':'0x1','event':'drifted'}}\n"));
  EXPECT_EQ(other.Read(), "");
  ibcc_server_publish(server_, "nonsense", json_object());
  ibcc_server_publish(server_, "drifted", nullptr);
  EXPECT_EQ(subscriber.Read(), "");
  EXPECT_EQ(log_.lines, (std::vector<std::string>{
                            "control socket: the event 'nonsense' was not told: clients do not know it",
                            "control socket: the event 'drifted' was not told: out of memory",
                        }));
}

TEST_F(RpcServer, AMethodMayPublishToTheClientThatCalled) {
  Peer peer(path_);
  peer.Send(Quoted("{'jsonrpc': '2.0', 'method': 'test.subscribe'}\n{'jsonrpc': '2.0', 'id': 1, 'method': 'test.publish'}\n"));
  Turn();
  const std::vector<std::string> lines = Lines(peer.Read());
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(Show(lines[1]), "{'jsonrpc':'2.0','method':'event','params':{'event':'drifted','n':1}}");
  EXPECT_EQ(Show(lines[2]), "{'id':1,'jsonrpc':'2.0','result':true}");
}

TEST_F(RpcServer, ASubscriberThatHasGoneIsNoticedWhenItIsTold) {
  Peer peer(path_);
  peer.Send(Quoted("{'jsonrpc': '2.0', 'method': 'test.subscribe'}\n"));
  Turn();
  peer.Close();
  ibcc_server_publish(server_, "drifted", json_object());
  EXPECT_EQ(Turn(), 0);
}

TEST_F(RpcServer, ThereIsAPlaceForSoManyAndPlacesAreUsedAgain) {
  std::vector<std::unique_ptr<Peer>> peers;
  for (unsigned i = 0; i < IBCC_MAX_CLIENTS; ++i) {
    peers.push_back(std::make_unique<Peer>(path_));
    Turn();
    EXPECT_EQ(Lines(peers.back()->Read()).size(), 1u);
  }
  Peer turned_away(path_, false);
  Turn();
  EXPECT_EQ(Error(Lines(turned_away.Read())[0]), "-32000: there are as many clients as there may be");
  EXPECT_TRUE(turned_away.ended);
  peers[5].reset();
  Turn();
  Peer late(path_);
  Turn();
  EXPECT_EQ(Lines(late.Read()).size(), 1u);
  EXPECT_FALSE(late.ended);
}

// The place of one who has gone is taken by another before an old event comes: nothing happens to the new one.
TEST_F(RpcServer, AnOldEventDoesNotEndANewClient) {
  auto first = std::make_unique<Peer>(path_);
  Turn();
  first->Send(kEcho);
  epoll_event event;
  ASSERT_EQ(epoll_wait(epoll_, &event, 1, 0), 1);
  ASSERT_TRUE(ibcc_server_handle(server_, event.data.ptr, event.events));
  void* const place = event.data.ptr;
  first.reset();
  Turn();
  ASSERT_TRUE(ibcc_server_handle(server_, place, EPOLLIN | EPOLLHUP)) << "a free place";
  Peer second(path_);
  Turn();
  ASSERT_TRUE(ibcc_server_handle(server_, place, EPOLLIN | EPOLLHUP | EPOLLERR));
  second.Send(kEcho);
  Turn();
  EXPECT_EQ(Lines(second.Read()).size(), 2u);
  EXPECT_FALSE(second.ended);
}

TEST_F(RpcServer, WithoutDescriptorsClientsAreTurnedAway) {
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
  if (woken == 1) ibcc_server_handle(server, event.data.ptr, event.events);
  setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_EQ(woken, 1);
  EXPECT_EQ(Turn(), 0);
  EXPECT_EQ(Error(Lines(peer.Read())[0]), "-32000: OpenSM has no descriptors left");
  Peer later(path_);
  Turn();
  EXPECT_EQ(Lines(later.Read()).size(), 1u);
}

TEST_F(RpcServer, StrangersAreTurnedAway) {
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
  EXPECT_EQ(log_.lines[0],
            "control socket: process " + std::to_string(child) + " of user 54321 was turned away: neither root nor of the group");
}

TEST_F(RpcServer, ClosingEndsItsClients) {
  Peer peer(path_);
  Turn();
  peer.Read();
  ibcc_server_close(server_);
  server_ = nullptr;
  peer.Read();
  EXPECT_TRUE(peer.ended);
  EXPECT_FALSE(fs::exists(path_));
}

TEST_F(RpcServer, ASecondServerIsRefusedAndTheFirstStays) {
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

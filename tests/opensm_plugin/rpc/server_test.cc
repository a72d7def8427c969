// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What a server does for its clients. Who is let in is in server_places_test.cc; the methods test.… are in method_test.cc.
#include "rpc/server.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <cstring>
#include <string>
#include <vector>

#include "rpc/client.h"
#include "rpc/events.h"
#include "rpc/method.h"
#include "rpc/server_bench.hpp"

namespace {

using namespace ibcc_test;

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

class RpcServer : public ServerBench {
 protected:
  RpcServer() { publisher = server_; }
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
  EXPECT_FALSE(ibcc_server_handle(server_, &other, EPOLLIN, now_ns_));
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
  EXPECT_EQ(log_.lines[0], "IBCC0512: control socket: process " + std::to_string(getpid()) + " of user " +
                               std::to_string(geteuid()) + " was dropped: it does not read what it is sent");
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
                            "IBCC0103: control socket: the event 'nonsense' was not sent: it is not an event of this socket",
                            "IBCC0103: control socket: the event 'drifted' was not sent: out of memory",
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

}  // namespace

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The methods test.… are in method_test.cc.
#include "rpc/client.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "refused_memory.hpp"
#include "rpc/message.h"
#include "rpc/server.h"
#include "rpc/support.hpp"

namespace {

using namespace ibcc_test;

class RpcClient : public testing::Test {
 protected:
  ~RpcClient() override { ibcc_client_clear(&client_); }

  void Say(const std::string& bytes) { ibcc_client_receive(&client_, &service_, bytes.data(), bytes.size()); }
  // A line, with ' for ".
  void SayLine(const std::string& line) { Say(Quoted(line) + "\n"); }
  std::string Heard() {
    ibcc_output& output = client_.output;
    const std::string heard(output.bytes != nullptr ? output.bytes + output.begin : "", ibcc_output_waiting(&output));
    ibcc_output_clear(&output);
    return heard;
  }
  std::string Ask(const std::string& line) {
    SayLine(line);
    const std::vector<std::string> lines = Lines(Heard());
    EXPECT_EQ(lines.size(), 1u);
    return lines.empty() ? "{}" : lines[0];
  }
  void Greet() { Ask("{'jsonrpc': '2.0', 'id': 0, 'method': 'hello', 'params': {'protocol': 2}}"); }

  ibcc_server_settings settings_{.path = "",
                                 .group = nullptr,
                                 .version = "1.2.3",
                                 .opensm_version = "OpenSM 3.3.23",
                                 .throttle_reports = nullptr,
                                 .subnet = nullptr};
  ibcc_service service_{.settings = &settings_, .manager = nullptr};
  ibcc_client client_{};
};

TEST_F(RpcClient, HelloComesFirst) {
  EXPECT_EQ(Error(Ask("{'jsonrpc': '2.0', 'id': 1, 'method': 'test.echo'}")),
            "-32600: 'test.echo' comes before hello; the first message is hello {protocol: 2}");
  EXPECT_EQ(Error(Ask("{'jsonrpc': '2.0', 'id': 1, 'method': 'hello'}")),
            "-32002: hello: protocol must be a number; this plugin speaks 2");
  EXPECT_EQ(Error(Ask("{'jsonrpc': '2.0', 'id': 1, 'method': 'hello', 'params': {'protocol': 1}}")),
            "-32002: protocol 1 is not supported; this plugin speaks 2");
  EXPECT_EQ(Error(Ask("{'jsonrpc': '2.0', 'id': 1, 'method': 'hello', 'params': {'protocol': 2, 'x': 1}}")),
            "-32602: hello: there is no parameter 'x'; it takes protocol");
  EXPECT_FALSE(client_.greeted);
  const Json hello = Parse(Ask("{'jsonrpc': '2.0', 'id': 1, 'method': 'hello', 'params': {'protocol': 2}}"));
  json_t* result = json_object_get(hello.get(), "result");
  EXPECT_NE(Show(json_object_get(result, "methods")).find("'test.echo'"), std::string::npos);
  EXPECT_NE(Show(json_object_get(result, "device_states")).find("'clamped'"), std::string::npos);
  json_object_del(result, "device_states");
  json_object_del(result, "methods");
  EXPECT_EQ(Show(result), "{'opensm':'OpenSM 3.3.23','protocol':2,'server':'ibcc-opensm-plugin','version':'1.2.3'}");
  EXPECT_EQ(Show(Ask("{'jsonrpc': '2.0', 'id': 2, 'method': 'test.echo', 'params': {'text': 'x'}}")),
            "{'id':2,'jsonrpc':'2.0','result':{'text':'x'}}");
}

TEST_F(RpcClient, RefusalsSayWhatWouldBeRight) {
  Greet();
  const std::string no_method = Error(Ask("{'jsonrpc': '2.0', 'id': 1, 'method': 'test.ech'}"));
  EXPECT_EQ(no_method.find("-32601: there is no method 'test.ech'; there are hello, "), 0u) << no_method;
  EXPECT_NE(no_method.find("test.echo"), std::string::npos);
  EXPECT_EQ(Error(Ask("{'jsonrpc': '2.0', 'id': 1, 'method': 'test.echo', 'params': {'text': 1, 'txt': 1}}")),
            "-32602: test.echo: there is no parameter 'txt'; it takes text, number");
  EXPECT_EQ(Error(Ask("{'jsonrpc': '2.0', 'id': 1, 'method': 'test.fail', 'params': {'a': 1}}")),
            "-32602: test.fail: there is no parameter 'a'; it takes none");
  EXPECT_EQ(Show(Ask("{'jsonrpc': '2.0', 'id': 1, 'method': 'test.fail'}")),
            "{'error':{'code':-32006,'data':{'attribute':'CACongestionSetting','guid':'0x0000000000000012','port':3,'status':28},"
            "'message':'IBCC0603: there is no device 7'},'id':1,'jsonrpc':'2.0'}");
  EXPECT_EQ(Error(Ask("{'jsonrpc': '2.0', 'id': 1, 'method': 'test.no_memory'}")), "-32603: out of memory");
}

TEST_F(RpcClient, WhoSaysNothingThatMakesSenseAndDoesNotReadIsDroppedToo) {
  for (int i = 0; i < 20 && client_.gone == nullptr; ++i) Say(std::string(65536, '\n'));
  EXPECT_STREQ(client_.gone, "does not read what it is sent");
  EXPECT_LT(ibcc_output_waiting(&client_.output), 2u * IBCC_MAX_UNSENT_BYTES);
}

TEST_F(RpcClient, NotificationsAreNotAnswered) {
  Greet();
  SayLine("{'jsonrpc': '2.0', 'method': 'test.echo'}");
  SayLine("{'jsonrpc': '2.0', 'method': 'test.fail'}");
  SayLine("{'jsonrpc': '2.0', 'method': 'nothing'}");
  SayLine("{'jsonrpc': '2.0', 'method': 'test.echo', 'params': 7}");
  EXPECT_EQ(Heard(), "");
}

TEST_F(RpcClient, WhatIsNoRequestIsAnsweredAndOthersAfterIt) {
  Greet();
  EXPECT_EQ(Error(Ask("[{'jsonrpc': '2.0', 'id': 1, 'method': 'test.echo'}]")),
            "-32600: batches are not supported; send one message a line");
  EXPECT_EQ(Error(Ask("")).substr(0, 16), "-32700: not JSON");
  EXPECT_EQ(Show(Ask("{'jsonrpc': '2.0', 'id': 2, 'method': 'test.echo'}")), "{'id':2,'jsonrpc':'2.0','result':{}}");
}

TEST_F(RpcClient, LinesMayComeInAnyCuts) {
  std::string said = Quoted("{'jsonrpc': '2.0', 'id': 'h', 'method': 'hello', 'params': {'protocol': 2}}\n");
  for (int i = 0; i < 50; ++i) {
    const std::string text(static_cast<std::size_t>(i * i * 10), 'x');
    said += Quoted("{'jsonrpc': '2.0', 'id': " + std::to_string(i) + ", 'method': 'test.echo', 'params': {'text': '" + text +
                   "'}}\n");
  }
  Say(said);
  const std::string at_once = Heard();
  EXPECT_EQ(Lines(at_once).size(), 51u);
  std::mt19937 random(1);
  for (const std::size_t longest : {1u, 7u, 500u, 60000u}) {
    ibcc_client_clear(&client_);
    for (std::size_t at = 0; at < said.size();) {
      const std::size_t size = std::min(said.size() - at, 1 + random() % longest);
      Say(said.substr(at, size));
      at += size;
    }
    EXPECT_EQ(Heard(), at_once) << longest;
    EXPECT_EQ(client_.length, 0u);
  }
}

TEST_F(RpcClient, TheLongestLineIsTakenAndALongerOneIsTheLast) {
  Greet();
  const std::string begin = Quoted("{'jsonrpc': '2.0', 'id': 1, 'method': 'test.echo', 'params': {'text': '"),
                    end = Quoted("'}}");
  const std::string line = begin + std::string(IBCC_MAX_LINE_BYTES - 1 - begin.size() - end.size(), 'x') + end;
  Say(line + "\n");
  EXPECT_EQ(Lines(Heard()).size(), 1u);
  EXPECT_LE(client_.capacity, 65536u) << "memory is kept";
  EXPECT_FALSE(client_.over);
  Say(line.substr(0, 700000));
  Say(line.substr(700000) + " ");
  EXPECT_EQ(Error(Lines(Heard())[0]), "-32600: a message is longer than 1048576 bytes");
  EXPECT_TRUE(client_.over);
  EXPECT_EQ(client_.gone, nullptr) << "it is to get the sentence";
  SayLine("{'jsonrpc': '2.0', 'id': 2, 'method': 'test.echo'}");
  EXPECT_EQ(Heard(), "");
}

TEST_F(RpcClient, ALongLineIsRefusedBeforeItIsWhole) {
  Say(std::string(IBCC_MAX_LINE_BYTES, 'x'));
  EXPECT_EQ(Error(Lines(Heard())[0]), "-32600: a message is longer than 1048576 bytes");
  EXPECT_EQ(client_.line, nullptr);
}

TEST_F(RpcClient, WhoDoesNotReadGoes) {
  Greet();
  const std::string ask = "{'jsonrpc': '2.0', 'id': 1, 'method': 'test.fill', 'params': {'bytes': 1000000}}";
  int asked = 0;
  for (; client_.gone == nullptr && asked < 100; ++asked) SayLine(ask);
  EXPECT_STREQ(client_.gone, "does not read what it is sent");
  const std::size_t waiting = ibcc_output_waiting(&client_.output);
  EXPECT_GT(waiting, IBCC_MAX_UNSENT_BYTES);
  SayLine(ask);
  EXPECT_EQ(ibcc_output_waiting(&client_.output), waiting) << "nothing is done for it any more";
}

TEST_F(RpcClient, TheLargestResultDoesNotDropIt) {
  Greet();
  SayLine("{'jsonrpc': '2.0', 'id': 1, 'method': 'test.fill', 'params': {'bytes': 3145727}}");
  EXPECT_EQ(client_.gone, nullptr);
  EXPECT_GT(Lines(Heard()).size(), 50u);
  EXPECT_EQ(Error(Ask("{'jsonrpc': '2.0', 'id': 1, 'method': 'test.fill', 'params': {'bytes': 3145728}}")),
            "-32602: the result would be 6291458 bytes long, more than 6291456; ask for less at once");
}

TEST_F(RpcClient, NotificationsWaitWithTheRest) {
  const Json params(json_pack("{s:i}", "a", 1));
  ibcc_client_notify(&client_, "event", params.get());
  EXPECT_EQ(Show(Lines(Heard())[0]), "{'jsonrpc':'2.0','method':'event','params':{'a':1}}");
  const Json large(json_string(std::string(1 << 20, 'x').c_str()));
  for (int i = 0; i < 15; ++i) ibcc_client_notify(&client_, "event", large.get());
  EXPECT_EQ(client_.gone, nullptr);
  ibcc_client_notify(&client_, "event", large.get());
  EXPECT_STREQ(client_.gone, "does not read what it is sent");
}

// Whatever allocation fails: the client gets a whole answer or goes.
TEST_F(RpcClient, MemoryRefusedHarmsNobody) {
  const std::string said = Quoted(
      "{'jsonrpc': '2.0', 'id': 0, 'method': 'hello', 'params': {'protocol': 2}}\n"
      "{'jsonrpc': '2.0', 'id': 1, 'method': 'test.echo', 'params': {'text': 'x', 'number': 2}}\n"
      "{'jsonrpc': '2.0', 'id': 2, 'method': 'test.fail'}\n");
  int whole = 0, gone = 0, out_of_memory = 0;
  for (unsigned nth = 1;; ++nth) {
    bool refused;
    {
      const RefusedMemory refused_memory(nth);
      Say(said);
      refused = refused_memory.Happened();
    }
    const std::string heard = Heard();
    for (const std::string& line : Lines(heard)) Parse(line);
    whole += client_.gone == nullptr && Lines(heard).size() == 3;
    gone += client_.gone != nullptr;
    out_of_memory += heard.find("-32603") != std::string::npos;
    ASSERT_TRUE(client_.gone != nullptr || Lines(heard).size() == 3) << nth << ": " << heard;
    ibcc_client_clear(&client_);
    if (!refused) break;
  }
  EXPECT_GT(whole, 1);
  EXPECT_GT(gone, 10);
  EXPECT_GT(out_of_memory, 10);
}

}  // namespace

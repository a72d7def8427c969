// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "rpc/message.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "refused_memory.hpp"
#include "rpc/server.h"
#include "rpc/support.hpp"

namespace {

using namespace ibcc_test;

// What is understood of a line, as "id method params", or "id! code: sentence".
std::string Read(const std::string& line) {
  ibcc_message message;
  ibcc_rpc_error error{};
  const int failed = ibcc_message_read(&message, line.data(), line.size(), &error);
  const std::string id = message.id != nullptr ? Show(message.id) : "-";
  const std::string told = failed != 0 ? id + "! " + std::to_string(error.code) + ": " + WithoutId(error.message)
                                       : id + " " + message.method + " " + (message.params ? Show(message.params) : "-");
  ibcc_message_clear(&message);
  return told;
}

struct Out : ibcc_output {
  Out() : ibcc_output{} {}
  ~Out() { ibcc_output_clear(this); }
  Out(const Out&) = delete;
  Out& operator=(const Out&) = delete;
  [[nodiscard]] std::string Text() const { return {bytes + begin, end - begin}; }
};

TEST(RpcMessage, RequestsAndNotificationsAreTakenApart) {
  EXPECT_EQ(Read(Quoted("{'jsonrpc': '2.0', 'id': 5, 'method': 'm', 'params': {'a': 1}}")), "5 m {'a':1}");
  EXPECT_EQ(Read(Quoted("{'jsonrpc': '2.0', 'id': null, 'method': 'm'}")), "null m -");
  EXPECT_EQ(Read(Quoted("{'jsonrpc': '2.0', 'id': 'x', 'method': 'm'}\r")), "'x' m -");
  EXPECT_EQ(Read(Quoted("{'jsonrpc': '2.0', 'method': 'm', 'extra': 1}")), "- m -");
}

TEST(RpcMessage, WhatIsNoneIsToldSo) {
  EXPECT_EQ(Read("{").substr(0, 19), "-! -32700: not JSON");
  EXPECT_EQ(Read("").substr(0, 19), "-! -32700: not JSON");
  EXPECT_EQ(Read("\xFF").substr(0, 19), "-! -32700: not JSON");
  EXPECT_EQ(Read(std::string(100000, '[')).substr(0, 19), "-! -32700: not JSON");
  EXPECT_EQ(Read(Quoted("{'jsonrpc': '2.0', 'method': 'm', 'method': 'n'}")).substr(0, 19), "-! -32700: not JSON");
  EXPECT_EQ(Read("[]"), "-! -32600: batches are not supported; send one message a line");
  const std::string no_request =
      "! -32600: not a request of JSON-RPC 2.0, such as {\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"status\"}";
  EXPECT_EQ(Read("17"), "-" + no_request);
  EXPECT_EQ(Read(Quoted("{'id': 5, 'method': 'm'}")), "5" + no_request);
  EXPECT_EQ(Read(Quoted("{'jsonrpc': 2.0, 'id': 5, 'method': 'm'}")), "5" + no_request);
  EXPECT_EQ(Read(Quoted("{'jsonrpc': '2.0', 'id': 5, 'method': 1}")), "5" + no_request);
  EXPECT_EQ(Read(Quoted("{'jsonrpc': '2.0', 'id': 5, 'method': 'm', 'params': [1]}")),
            "5! -32602: params must be an object: parameters are given by name");
}

TEST(RpcMessage, AnIdIsANumberOrAShortText) {
  const std::string refused = "-! -32600: the id of a message must be a number or a text of at most 256 bytes";
  EXPECT_EQ(Read(Quoted("{'jsonrpc': '2.0', 'id': true, 'method': 'm'}")), refused);
  EXPECT_EQ(Read(Quoted("{'jsonrpc': '2.0', 'id': [], 'method': 'm'}")), refused);
  EXPECT_EQ(Read(Quoted("{'jsonrpc': '2.0', 'id': '" + std::string(257, 'x') + "', 'method': 'm'}")), refused);
  EXPECT_NE(Read(Quoted("{'jsonrpc': '2.0', 'id': '" + std::string(256, 'x') + "', 'method': 'm'}")), refused);
}

TEST(RpcMessage, ErrorsTellWhatTheyAreAbout) {
  Out out;
  const Json id(json_integer(4));
  ibcc_rpc_error error{};
  ibcc_rpc_fail(&error, -1, "IBCC0506: no");
  error.port = error.status = -1;
  ASSERT_EQ(ibcc_write_error(&out, nullptr, &error), 0);
  error.guid = 0x12;
  error.port = 0;
  error.status = 12;
  error.attribute = "CongestionInfo";
  ibcc_rpc_fail(&error, -1, "IBCC0506: bad \xC3");
  ASSERT_EQ(ibcc_write_error(&out, id.get(), &error), 0);
  const std::vector<std::string> lines = Lines(out.Text());
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(Show(lines[0]),
            "{'error':{'code':-1,'data':{'attribute':null,'guid':null,'port':null,'status':null},'message':'IBCC0506: no'},"
            "'id':null,'jsonrpc':'2.0'}");
  EXPECT_EQ(Show(lines[1]),
            "{'error':{'code':-1,'data':{'attribute':'CongestionInfo','guid':'0x0000000000000012','port':0,'status':12},"
            "'message':'IBCC0506: bad \\\\xC3'},'id':4,'jsonrpc':'2.0'}");
}

TEST(RpcMessage, AShortResultIsOneLine) {
  Out out;
  const Json id(json_string("a\"b")), result(json_pack("{s:[i,i], s:f}", "a", 1, 2, "b", 0.1));
  ibcc_rpc_error error{};
  ASSERT_EQ(ibcc_write_result(&out, id.get(), result.get(), &error), 0);
  ASSERT_EQ(ibcc_write_result(&out, nullptr, json_true(), &error), 0);
  EXPECT_EQ(out.Text(),
            Quoted("{'jsonrpc':'2.0','id':'a\\'b','result':{'a':[1,2],'b':0.1}}\n{'jsonrpc':'2.0','id':null,'result':true}\n"));
}

// Characters that take much room in JSON, and more in a text inside of it; several bytes that no cut may part.
TEST(RpcMessage, ALongResultComesInParts) {
  std::string text;
  while (text.size() < 1'500'000) text += "\"\\é\x01𝄞x";
  Out out;
  const Json id(json_integer(9)), result(json_pack("{s:s}", "text", text.c_str()));
  ibcc_rpc_error error{};
  ASSERT_EQ(ibcc_write_result(&out, id.get(), result.get(), &error), 0);
  std::vector<std::string> lines = Lines(out.Text());
  const std::string last = lines.back();
  lines.pop_back();
  EXPECT_EQ(Show(last), "{'id':9,'jsonrpc':'2.0','result':{'$parts':" + std::to_string(lines.size()) + "}}");
  std::string whole;
  for (const std::string& line : lines) {
    EXPECT_LT(line.size(), IBCC_MAX_LINE_BYTES);
    const Json part = Parse(line);
    EXPECT_STREQ(json_string_value(json_object_get(part.get(), "method")), "part");
    const json_t* params = json_object_get(part.get(), "params");
    EXPECT_EQ(json_integer_value(json_object_get(params, "id")), 9);
    whole += json_string_value(json_object_get(params, "text"));
  }
  EXPECT_TRUE(json_equal(Parse(whole).get(), result.get()));
}

TEST(RpcMessage, TheLongestLineIsOneLineStill) {
  const Json id(json_integer(1));
  ibcc_rpc_error error{};
  const std::string around = Quoted("{'jsonrpc':'2.0','id':1,'result':''}\n");
  for (const int more : {0, 1}) {
    Out out;
    const std::string text(IBCC_MAX_LINE_BYTES - around.size() + static_cast<std::size_t>(more), 'x');
    const Json result(json_string(text.c_str()));
    ASSERT_EQ(ibcc_write_result(&out, id.get(), result.get(), &error), 0);
    EXPECT_EQ(Lines(out.Text()).size() == 1, more == 0);
  }
}

TEST(RpcMessage, AResultThatIsTooLongIsRefused) {
  Out out;
  const std::string before = "before\n";
  ASSERT_EQ(ibcc_output_add(&out, before.data(), before.size()), 0);
  const Json result(json_string(std::string(IBCC_MAX_RESULT_BYTES, 'x').c_str()));
  ibcc_rpc_error error{};
  EXPECT_EQ(ibcc_write_result(&out, nullptr, result.get(), &error), 1);
  EXPECT_STREQ(error.message, "IBCC0507: the result would be 6291458 bytes long, more than 6291456; ask for less at once");
  EXPECT_EQ(out.Text(), before);
}

TEST(RpcMessage, MemoryRefusedAddsNothing) {
  const Json id(json_integer(1)), result(json_string(std::string(600'000, '"').c_str()));
  ibcc_rpc_error error{};
  const std::string before = "before\n";
  int refused = 0;
  for (unsigned nth = 1;; nth += 7) {
    Out out;
    ASSERT_EQ(ibcc_output_add(&out, before.data(), before.size()), 0);
    const RefusedMemory refused_memory(nth);
    const int failed = ibcc_write_result(&out, id.get(), result.get(), &error);
    if (!refused_memory.Happened()) {
      EXPECT_EQ(failed, 0);
      break;
    }
    ASSERT_EQ(failed, -1) << nth;
    ASSERT_EQ(out.Text(), before);
    ++refused;
  }
  EXPECT_GT(refused, 10);
  for (unsigned nth = 1;; ++nth) {
    Out out;
    ibcc_rpc_fail(&error, -1, "IBCC0506: no");
    error.guid = 1;
    const RefusedMemory refused_memory(nth);
    const int failed = ibcc_write_error(&out, id.get(), &error);
    if (!refused_memory.Happened()) break;
    ASSERT_EQ(failed, -1) << nth;
    ASSERT_EQ(out.end, 0u);
  }
}

}  // namespace

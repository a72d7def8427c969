// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "rpc/method.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

// Methods that other tests call too, by name.
namespace {

const char* const kEchoParams[] = {"text", "number", nullptr};
const char* const kFillParams[] = {"bytes", nullptr};
const char* const kNothing[] = {nullptr};

json_t* Echo(ibcc_call* call, ibcc_rpc_error*) { return json_deep_copy(call->params); }

// A text of `bytes` quotes, which take more room in parts than anything else.
json_t* Fill(ibcc_call* call, ibcc_rpc_error*) {
  const std::string text(static_cast<std::size_t>(json_integer_value(json_object_get(call->params, "bytes"))), '"');
  return json_stringn(text.data(), text.size());
}

json_t* Fail(ibcc_call*, ibcc_rpc_error* error) {
  ibcc_rpc_fail(error, IBCC_RPC_UNKNOWN_DEVICE, "IBCC0603: there is no device %d", 7);
  error->guid = 0x12;
  error->port = 3;
  error->attribute = "CACongestionSetting";
  error->status = 0x1C;
  return nullptr;
}

json_t* NoMemory(ibcc_call*, ibcc_rpc_error*) { return nullptr; }

ibcc_rpc_method echo{.name = "test.echo", .help = "", .params = kEchoParams, .call = Echo, .next = nullptr};
ibcc_rpc_method fill{.name = "test.fill", .help = "", .params = kFillParams, .call = Fill, .next = nullptr};
ibcc_rpc_method fail{.name = "test.fail", .help = "", .params = kNothing, .call = Fail, .next = nullptr};
ibcc_rpc_method no_memory{.name = "test.no_memory", .help = "", .params = kNothing, .call = NoMemory, .next = nullptr};
IBCC_RPC_METHOD(echo)
IBCC_RPC_METHOD(fill)
IBCC_RPC_METHOD(fail)
IBCC_RPC_METHOD(no_memory)

TEST(RpcMethod, IsFoundByName) {
  EXPECT_EQ(ibcc_rpc_method_find("test.echo"), &echo);
  EXPECT_EQ(ibcc_rpc_method_find("test.ech"), nullptr);
  EXPECT_EQ(ibcc_rpc_method_find(""), nullptr);
}

TEST(RpcMethod, AreInTheOrderOfTheirNames) {
  std::vector<std::string> names;
  for (const ibcc_rpc_method* method = ibcc_rpc_method_first(); method != nullptr; method = method->next)
    names.emplace_back(method->name);
  EXPECT_GE(names.size(), 4u);
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
}

TEST(RpcMethod, ASentenceThatIsTooLongIsCut) {
  ibcc_rpc_error error{};
  ibcc_rpc_fail(&error, -7, "IBCC0506: %s", std::string(2000, 'x').c_str());
  EXPECT_EQ(error.code, -7);
  EXPECT_EQ(std::string(error.message), "IBCC0506: " + std::string(sizeof(error.message) - 11, 'x'));
}

}  // namespace

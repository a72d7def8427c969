// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// support.hpp: a client of a plugin that manages a fabric of fake agents.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "fake_fabric.hpp"
#include "fake_subnet.hpp"
#include "refused_memory.hpp"
#include "rpc/client.h"
#include "rpc/server.h"
#include "rpc/support.hpp"
#include "temporary_folder.hpp"

namespace ibcc_test {

inline std::string ProfileText(int marking_rate, const std::string& name = "t") {
  return "ibcc_profile: 1\nname: " + name +
         "\nlink: {rate_gbps: 16, mtu_bytes: 2048}\n"
         "switch: {threshold: 15, marking_rate: " +
         std::to_string(marking_rate) +
         ", packet_size: 8, victim_mask: ca_ports}\n"
         "ca: {level: qp, sls: [0], ccti_timer: 150, ccti_increase: 1, ccti_min: 0, trigger_threshold: 2}\n"
         "cct: {ccti_limit: 127, curve: {kind: power, full_scale_us: 7, at_index: 106, exponent: 2}}\n";
}

// Two leaves with two hosts each, and a spine; the base profile is in a file.
class Methods : public testing::Test {
 protected:
  Methods() {
    folder_ = ibcc_test::MakeTemporaryFolder();
    std::ofstream(folder_ + "/profile.yaml") << ProfileText(1, "base");
    ccp_error error{};
    EXPECT_EQ(ibcc_options_parse(&options_, nullptr, &error), 0);
    profiles_ = ibcc_profiles_open((folder_ + "/state").c_str(), (folder_ + "/profile.yaml").c_str(), nullptr, nullptr, &error);
    EXPECT_NE(profiles_, nullptr) << error.message;
    const ibcc_manager_env env = fabric_.ManagerEnv();
    manager_ = ibcc_manager_create(&options_, &env, profiles_, nullptr);
    service_ = {.settings = &settings_, .manager = manager_};
    Call("hello", "{'protocol': 2}");
  }
  ~Methods() override {
    ibcc_client_clear(&client_);
    ibcc_manager_destroy(manager_);
    ibcc_profiles_close(profiles_);
    ibcc_options_destroy(&options_);
    std::filesystem::remove_all(folder_);
  }

  void BringUp() {
    fabric_.Sweep(manager_);
    ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  }
  // The answer's line.
  std::string Ask(const std::string& method, const std::string& params = "{}") {
    const std::string line = Quoted("{'jsonrpc': '2.0', 'id': 1, 'method': '" + method + "', 'params': " + params + "}\n");
    ibcc_client_receive(&client_, &service_, line.data(), line.size());
    const std::string heard(client_.output.bytes != nullptr ? client_.output.bytes : "", ibcc_output_waiting(&client_.output));
    ibcc_output_clear(&client_.output);
    return heard;
  }
  // The result; params with ' for ".
  Json Call(const std::string& method, const std::string& params = "{}") {
    const Json answer = Parse(Ask(method, params));
    json_t* result = json_object_get(answer.get(), "result");
    EXPECT_NE(result, nullptr) << Show(answer.get());
    return Json(json_incref(result));
  }
  std::string Refusal(const std::string& method, const std::string& params = "{}") { return Error(Ask(method, params)); }
  // {profile: text, …} as params.
  static std::string WithProfile(const std::string& text, const std::string& more = "") {
    const Json json(json_string(text.c_str()));
    char* dumped = json_dumps(json.get(), JSON_ENCODE_ANY);
    const std::string params = "{'profile': " + std::string(dumped) + more + "}";
    std::free(dumped);
    return params;
  }
  // Whichever allocation fails, the client gets a whole answer or goes, and the same call then works.
  void SurvivesRefusedMemory(const std::string& method, const std::string& params = "{}") {
    for (unsigned nth = 1;; ++nth) {
      bool happened = false;
      std::string heard;
      const std::string line = Quoted("{'jsonrpc': '2.0', 'id': 1, 'method': '" + method + "', 'params': " + params + "}\n");
      {
        const RefusedMemory refused(nth);
        ibcc_client_receive(&client_, &service_, line.data(), line.size());
        happened = refused.Happened();
      }
      if (client_.gone != nullptr) {
        ibcc_client_clear(&client_);
        Call("hello", "{'protocol': 2}");
      } else {
        Parse(std::string(client_.output.bytes, ibcc_output_waiting(&client_.output)));
        ibcc_output_clear(&client_.output);
      }
      if (!happened) break;
      ASSERT_LT(nth, 100000u);
    }
    Call(method, params);
  }
  static const json_t* At(const Json& json, const char* key) { return json_object_get(json.get(), key); }
  static std::string ShowAt(const Json& json, const char* key) { return Show(At(json, key)); }

  std::string folder_;
  ibcc_options options_{};
  FakeFabric fabric_{2, 2};
  ibcc_profiles* profiles_ = nullptr;
  ibcc_manager* manager_ = nullptr;
  FakeSubnet subnet_;
  const ibcc_subnet subnet_of_opensm_ = subnet_.subnet();
  ibcc_server_settings settings_{.path = "",
                                 .group = nullptr,
                                 .version = "1.2.3",
                                 .opensm_version = "OpenSM 3.3.23",
                                 .throttle_reports = nullptr,
                                 .subnet = &subnet_of_opensm_};
  ibcc_service service_{};
  ibcc_client client_{};
};

}  // namespace ibcc_test

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Whatever a client of the control socket sends, in whatever cuts: what it gets back are lines of JSON, and the plugin goes on.
// The first byte of an input says how long the cuts are, and whether the client has said hello already.
#include <jansson.h>
#include <stdlib.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include "fake_fabric.hpp"
#include "fake_subnet.hpp"
#include "rpc/client.h"
#include "rpc/message.h"
#include "rpc/server.h"
#include "temporary_folder.hpp"

namespace {

void Require(bool condition) {
  if (!condition) std::abort();
}

// A plugin whose fabric is up; the base profile clears all.
class Plugin {
 public:
  Plugin() {
    ccp_error error{};
    Require(ibcc_options_parse(&options_, nullptr, &error) == 0);
    for (const std::uint64_t guid : {0x9000, 0xA000}) {
      ibcc_subnet_node node{};
      node.guid = guid;
      node.num_ports = node.num_known = 2;
      node.num_lids = 10;
      subnet_.nodes.push_back(node);
    }
    Open();
  }
  ~Plugin() {
    Close();
    ibcc_options_destroy(&options_);
  }
  Plugin(const Plugin&) = delete;
  Plugin& operator=(const Plugin&) = delete;

  void Take(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return;
    ibcc_client client{};
    client.greeted = (data[0] & 1) != 0;
    const std::size_t cut = data[0] / 2 + std::size_t{1};
    for (std::size_t at = 1; at < size; at += cut)
      ibcc_client_receive(&client, &service_, reinterpret_cast<const char*>(data) + at, std::min(cut, size - at));
    CheckLines(
        {client.output.bytes != nullptr ? client.output.bytes + client.output.begin : "", ibcc_output_waiting(&client.output)});
    Require(client.length < IBCC_MAX_LINE_BYTES);
    ibcc_client_clear(&client);
    if (Wanted() != revision_ || ibcc_manager_job(manager_)->id != job_) {
      Close();  // so that the next input finds what this one has found
      Open();
    }
  }

 private:
  // 0: what devices were found with, to which a rollback leads.
  std::uint64_t Wanted() const {
    const ibcc_revision* wanted = ibcc_profiles_wanted(profiles_);
    return wanted != nullptr ? wanted->number : 0;
  }
  void Open() {
    static const std::string off = "ibcc_profile: 1\nname: off\nenable: false\n";
    folder_ = ibcc_test::MakeTemporaryFolder();
    ccp_error error{};
    profiles_ = ibcc_profiles_open(folder_.c_str(), nullptr, nullptr, nullptr, &error);
    Require(profiles_ != nullptr);
    Require(ibcc_profiles_replace_base(profiles_, off.data(), off.size(), 0, &error) == IBCC_PROFILES_OK);
    fabric_ = std::make_unique<ibcc_test::FakeFabric>(2, 2);
    const ibcc_manager_env env = fabric_->ManagerEnv();
    manager_ = ibcc_manager_create(&options_, &env, profiles_, nullptr);
    Require(manager_ != nullptr);
    fabric_->Sweep(manager_);
    Require(fabric_->RunUntilIdle(manager_));
    service_ = {.settings = &settings_, .manager = manager_};
    revision_ = Wanted();
    job_ = ibcc_manager_job(manager_)->id;
  }
  void Close() {
    ibcc_manager_destroy(manager_);
    ibcc_profiles_close(profiles_);
    std::filesystem::remove_all(folder_);
  }
  static void CheckLines(const std::string& bytes) {
    std::size_t begin = 0;
    for (std::size_t end = bytes.find('\n'); end != std::string::npos; end = bytes.find('\n', begin)) {
      Require(end + 1 - begin <= IBCC_MAX_LINE_BYTES);
      json_t* line = json_loadb(bytes.data() + begin, end - begin, 0, nullptr);
      Require(line != nullptr);
      json_decref(line);
      begin = end + 1;
    }
    Require(begin == bytes.size());
  }

  ibcc_options options_{};
  ibcc_test::FakeSubnet subnet_;
  const ibcc_subnet subnet_of_opensm_ = subnet_.subnet();
  ibcc_server_settings settings_{.path = "",
                                 .group = nullptr,
                                 .version = "0",
                                 .opensm_version = "OpenSM",
                                 .throttle_reports = nullptr,
                                 .subnet = &subnet_of_opensm_};
  std::string folder_;
  std::unique_ptr<ibcc_test::FakeFabric> fabric_;
  ibcc_profiles* profiles_ = nullptr;
  ibcc_manager* manager_ = nullptr;
  ibcc_service service_{};
  std::uint64_t revision_ = 0, job_ = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Plugin plugin;
  plugin.Take(data, size);
  return 0;
}

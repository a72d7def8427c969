// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A mixed fabric, profiles of NVIDIA's attributes for it, and what its devices hold.
#ifndef IBCC_TESTS_OPENSM_PLUGIN_MANAGER_MANAGER_NVIDIA_SUPPORT_HPP
#define IBCC_TESTS_OPENSM_PLUGIN_MANAGER_MANAGER_NVIDIA_SUPPORT_HPP

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "ccpolicy/reader.h"
#include "ccpolicy/tables.h"
#include "manager_support.hpp"

namespace ibcc_test {

inline constexpr const char* kSwitch =
    "  switch:\n    aqs_time: 4\n    aqs_weight: 3\n    thresholds:\n"
    "    - {vls: all, unit: percent, profile1_min: 10, profile1_max: 40, profile1_percent: 20}\n";
inline constexpr const char* kDcqcn = "  adapter: {type: dcqcn, rp: {rpg_ai_rate: 7}, np: {min_time_between_cnps: 9}}\n";
inline constexpr const char* kPpcc =
    "  adapter: {type: ppcc, ppcc: [{algo_id: 2, major: 1, minor: 0, sls: [0, 3], parameters: {1: 777}}]}\n";

inline std::string Nvidia(const std::string& sections) { return "ibcc_profile: 2\nname: n\nnvidia:\n" + sections; }

// Two leaves (nodes 4 and 5) with two hosts each (0 to 3) and a spine (6). Host 0 and leaf 0 have annex A10's attributes alone, host 1
// has both kinds, the others NVIDIA's alone; all tell their firmware.
class ManagerNvidia : public ManagerBed {
 protected:
  ManagerNvidia() : ManagerBed(2, 2) {
    options_.nvidia_write = 1;
    options_.retries = 2;
    for (auto& node : fabric_.nodes()) {
      node.vendor = 0x2C9;
      node.agent.nvidia.is_switch = node.is_switch;
      node.agent.nvidia.is_there = true;
      node.agent.nvidia.ver1 = true;
      node.agent.has_a10 = false;
    }
    for (const unsigned a10 : {0U, 4U}) {
      fabric_.nodes()[a10].agent.nvidia.is_there = false;
      fabric_.nodes()[a10].agent.has_a10 = true;
    }
    fabric_.host(1).agent.has_a10 = true;
  }

  const ibcc_device& Device(unsigned node) {
    const auto& one = fabric_.nodes()[node];
    return *ibcc_devices_find(ibcc_manager_devices(manager_), one.guid, one.is_switch ? 0 : 1);
  }
  std::string State(unsigned node) { return ibcc_device_states[ibcc_manager_device_state(manager_, &Device(node))].name; }
  std::string Withheld(unsigned node) { return Device(node).nvidia.withheld; }
  std::string Dialect(unsigned node) { return ibcc_dialect_names[ibcc_device_dialect(&Device(node))]; }
  Data& Held(unsigned node, std::uint16_t attribute, std::uint32_t modifier = 0) {
    FakeAgent& agent = fabric_.nodes()[node].agent;
    return agent.nvidia.At(agent.held, {attribute, modifier});
  }
  bool IsMarking(unsigned node) { return (Held(node, CCP_CONGESTION_SWITCH_GENERAL_SETTINGS)[0] & 1) != 0; }
  ccp_congestion_threshold_profile Profile1(unsigned node, unsigned port, unsigned vl) {
    return Unpacked<ccp_congestion_port_profile_settings>(CCP_CONGESTION_PORT_PROFILE_SETTINGS,
                                                          Held(node, CCP_CONGESTION_PORT_PROFILE_SETTINGS, vl << 16 | port))
        .profiles[0];
  }
  bool Reacts(unsigned node) { return (Held(node, CCP_CONGESTION_HCA_GENERAL_SETTINGS)[0] & 0x40) != 0; }
  unsigned AiRate(unsigned node) {
    return Unpacked<ccp_congestion_hca_rp_parameters>(CCP_CONGESTION_HCA_RP_PARAMETERS,
                                                      Held(node, CCP_CONGESTION_HCA_RP_PARAMETERS))
        .rpg_ai_rate;
  }
  bool IsEnabled(unsigned node, unsigned sl, unsigned slot) {
    return (Held(node, CCP_CONGESTION_HCA_ALGO_CONFIG, sl << 16 | slot)[0] & 0x80) != 0;
  }
  std::uint32_t Parameter(unsigned node, unsigned slot, unsigned index) {
    return Unpacked<ccp_congestion_hca_algo_config_params>(CCP_CONGESTION_HCA_ALGO_CONFIG_PARAMS,
                                                           Held(node, CCP_CONGESTION_HCA_ALGO_CONFIG_PARAMS, slot))
        .parameters[index];
  }
  void SetLength(unsigned node, unsigned slot, unsigned bytes) {
    Data& held = Held(node, CCP_CONGESTION_HCA_ALGO_CONFIG_PARAMS, slot);
    auto params = Unpacked<ccp_congestion_hca_algo_config_params>(CCP_CONGESTION_HCA_ALGO_CONFIG_PARAMS, held);
    params.encap_len = static_cast<std::uint8_t>(bytes);
    held = Packed(CCP_CONGESTION_HCA_ALGO_CONFIG_PARAMS, params);
  }
  auto SetsOf(const std::string& one) { return std::count(fabric_.log_of_sets.begin(), fabric_.log_of_sets.end(), one); }
  unsigned Asked() {
    unsigned asked = 0;
    for (const auto& node : fabric_.nodes()) asked += node.agent.nvidia.asked;
    return asked;
  }
  void Start(const std::string& text) {
    WriteProfile(text);
    Open();
    Sweep();
  }
  void Sweep() {
    fabric_.Sweep(manager_);
    ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  }
  void Restart() {
    Close();
    Open();
    Sweep();
  }
  void Apply(const std::string& text) {
    ccp_error error{};
    ASSERT_EQ(ibcc_profiles_replace_base(profiles_, text.data(), text.size(), 0, &error), IBCC_PROFILES_OK) << error.message;
    ASSERT_NE(ibcc_manager_converge(manager_, "apply"), 0U);
    ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  }
  void Verify() {
    ASSERT_NE(ibcc_manager_verify(manager_), 0U);
    ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  }
};

}  // namespace ibcc_test

#endif

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// nvidia_tables.hpp: tables as the section `nvidia` of a profile gives them, to test with.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "ccpolicy/nvidia.h"
#include "fabric.hpp"
#include "testing.hpp"

namespace ccsim::testing {

// The same on all devices: three profiles of all VLs, SL n with profile `sl_profile[n]`, and DCQCN with NVIDIA's documented defaults.
struct NvidiaSettings {
  ccp_congestion_switch_general_settings sw{
      .en = true, .aqs_weight = 0, .aqs_time = 0, .cap_total_buffer_size = 0, .cap_cc_profile_step_size = 0};
  std::vector<ccp_congestion_port_profile_settings> profiles{
      {.mode = CCP_THRESHOLD_FIXED, .granularity = 0, .vl_mask = CCP_NVIDIA_ALL_VLS, .profiles = {{10000, 100, 10000}, {}, {}}}};
  std::uint8_t sl_profile[16] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  ccp_nvidia_type type = CCP_NVIDIA_DCQCN;
  ccp_congestion_hca_general_settings ca{.en_notify = true, .en_react = true, .en_cc_per_plane = false};
  ccp_congestion_hca_rp_parameters rp{.clamp_tgt_rate = false,
                                      .clamp_tgt_rate_after_time_inc = true,
                                      .rpg_time_reset = 300,
                                      .rpg_byte_reset = 0,
                                      .rpg_threshold = 1,
                                      .rpg_max_rate = 0,
                                      .rpg_ai_rate = 5,
                                      .rpg_hai_rate = 50,
                                      .rpg_gd = 11,
                                      .rpg_min_dec_fac = 50,
                                      .rpg_min_rate = 1,
                                      .rate_to_set_on_first_cnp = 0,
                                      .dce_tcp_g = 1019,
                                      .dce_tcp_rtt = 1,
                                      .rate_reduce_monitor_period = 4,
                                      .initial_alpha_value = 1023};
  ccp_congestion_hca_np_parameters np{
      .min_time_between_cnps = 4, .cnp_sl_mode = false, .rtt_sl_mode = false, .rtt_resp_sl = 0, .cnp_sl = 0};
};

// Adds them to tables, which devices of annex A10 leave alone.
inline void AddNvidia(ccp_tables& tables, const NvidiaSettings& settings) {
  tables.has_nvidia = true;
  auto* profiles = static_cast<ccp_congestion_port_profile_settings*>(
      std::calloc(settings.profiles.size() + 1, sizeof(ccp_congestion_port_profile_settings)));
  std::copy(settings.profiles.begin(), settings.profiles.end(), profiles);
  tables.num_nvidia_pool = 1;
  tables.nvidia_pool = static_cast<void**>(std::calloc(1, sizeof(void*)));
  tables.nvidia_pool[0] = profiles;
  for (std::uint32_t i = 0; i < tables.num_switches; ++i) {
    ccp_switch_tables& sw = tables.switches[i];
    sw.nvidia = static_cast<ccp_nvidia_switch_tables*>(
        std::calloc(1, sizeof(ccp_nvidia_switch_tables) + (sw.num_ports + 1u) * sizeof(ccp_nvidia_switch_port)));
    sw.nvidia->general = settings.sw;
    for (std::uint32_t port = 1; port <= sw.num_ports; ++port) {
      ccp_nvidia_switch_port& to = sw.nvidia->ports[port];
      to.num_profiles = static_cast<std::uint32_t>(settings.profiles.size());
      to.profiles = profiles;
      std::copy(std::begin(settings.sl_profile), std::end(settings.sl_profile), to.sl_mapping.sl_profile);
    }
  }
  for (std::uint32_t i = 0; i < tables.num_cas; ++i) {
    tables.cas[i].nvidia = static_cast<ccp_nvidia_ca_tables*>(std::calloc(1, sizeof(ccp_nvidia_ca_tables)));
    tables.cas[i].nvidia->type = settings.type;
    tables.cas[i].nvidia->general = settings.ca;
    tables.cas[i].nvidia->rp = settings.rp;
    tables.cas[i].nvidia->np = settings.np;
  }
}

// With annex A10's part cleared, as from a profile that has nothing else.
inline Tables MakeNvidiaTables(const Fabric& fabric, const NvidiaSettings& settings) {
  Tables tables =
      MakeTables(fabric, {.threshold = 0, .victim_mask = false, .ccti_timer = 0, .ccti_increase = 0, .ccti_limit = 0});
  AddNvidia(*tables, settings);
  return tables;
}

inline void SetDialects(Fabric& fabric, CcDialect dialect) {
  for (std::uint32_t node = 0; node < fabric.nodes().size(); ++node) fabric.SetDialect(node, dialect);
}

}  // namespace ccsim::testing

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cca/nvidia_state.hpp: what congestion control agents hold that know NVIDIA's attributes, 0xFF00 to 0xFF25 of class 0x21.
//
// Behaviour   handlers of attributes change it; nvidia_tables.hpp makes ccp_tables of it
// Data        raw values of the attributes, in ccpolicy's structs (nvidia_wire.h), which name the sources of the layouts
//
// No public source has power-on values of InfiniBand devices. Those of RP and NP are what NVIDIA documents for RoCE under the same
// names (DOCA's "DCQCN CC parameters", DOC-2790); everything is off until a manager sets it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "ccpolicy/nvidia_wire.h"

namespace ccsim::emulator {

// A firmware's reading of the VLs that a CongestionPortProfileSettings is about. No public source says which one is right.
enum class VlReading : std::uint8_t {
  Mask,      // the modifier is the port; vl_mask names the VLs of a Set, and in the request of a Get the VL asked about
  Modifier,  // the modifier is VL << 16 | port, as block and port of VLArbitrationTable; vl_mask must have the VL, and names no other
};

// Ways in which a firmware misleads a manager that believes a single answer.
enum class NvidiaQuirk : std::uint8_t {
  None,
  Echo,       // requests of all NVIDIA attributes are answered with status 0 and their own content
  Zeros,      // with status 0 and no content
  Noise,      // with status 0 and content that differs each time, as from memory that nobody has written
  FirstPort,  // attributes of ports ignore the modifier: they are port 1's
  Silent,     // requests of the class time out
};

// An algorithm of an adapter's firmware; its slot is its position in the list.
struct PpccAlgorithm {
  ccp_ppcc_algorithm id{};
  std::vector<std::uint32_t> parameters;  // power-on values, at most CCP_PPCC_PARAMETERS_MAX
};

// ZTR-RTTCC, with the parameters that NVIDIA's UFM documents for InfiniBand: BW_G, ALPHA, MAX_DEC, MAX_INC, AI, HAI. Its number and
// version are not public; 1.0 of number 1 is made up.
inline std::vector<PpccAlgorithm> DefaultAlgorithms() {
  return {{.id = {.algo_id = 1, .major = 1, .minor = 0}, .parameters = {400, 3932, 63569, 69468, 36, 1200}}};
}

// Properties in which firmwares differ. Set from outside; a reboot leaves them.
struct NvidiaFirmware {
  VlReading vl_reading = VlReading::Mask;
  bool clips = false;                            // a value out of range becomes the nearest in range, and is not refused
  std::optional<std::uint64_t> capability_mask;  // CC_Capability_Mask; without: what the device's dialect has
  NvidiaQuirk quirk = NvidiaQuirk::None;
  std::uint32_t port_buffer_bytes = 270'336;                    // of a switch: each port's part of cap_total_buffer_size
  std::uint8_t profile_step_kb = 1;                             // of a switch: cap_cc_profile_step_size
  std::vector<PpccAlgorithm> algorithms = DefaultAlgorithms();  // of an adapter with PPCC, at most CCP_PPCC_SLOTS
};

struct NvidiaSwitchPort {
  std::array<ccp_congestion_port_profile_settings, CCP_NVIDIA_NUM_VLS> profiles{};  // by VL; vl_mask is not used
  ccp_congestion_sl_mapping_settings sl_mapping{.sl_profile = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}};
};

struct NvidiaSwitchTables {
  ccp_congestion_switch_general_settings general{};  // its read-only members are the firmware's
  std::vector<NvidiaSwitchPort> ports;               // num_ports + 1, or none before the first request for one
};

// One slot of an adapter's algorithms.
struct PpccSlot {
  std::uint16_t sls = 0;  // on which it is enabled; an SL is enabled in one slot at most
  bool trace_en = false;
  bool counters_en = false;
  std::vector<std::uint32_t> parameters;
};

inline constexpr ccp_congestion_hca_rp_parameters kPowerOnRp{
    .clamp_tgt_rate = false,
    .clamp_tgt_rate_after_time_inc = true,
    .rpg_time_reset = 300,
    .rpg_byte_reset = 32767,
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
    .initial_alpha_value = 1023,
};

inline constexpr ccp_congestion_hca_np_parameters kPowerOnNp{
    .min_time_between_cnps = 4, .cnp_sl_mode = false, .rtt_sl_mode = false, .rtt_resp_sl = 0, .cnp_sl = 0};

// Tables of a channel adapter's port.
struct NvidiaCaTables {
  ccp_congestion_hca_general_settings general{};
  ccp_congestion_hca_rp_parameters rp = kPowerOnRp;
  ccp_congestion_hca_np_parameters np = kPowerOnNp;
  std::vector<PpccSlot> slots;  // one for each algorithm of the firmware, or none before the first request for one
};

}  // namespace ccsim::emulator

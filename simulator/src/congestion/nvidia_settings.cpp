// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "congestion/nvidia_settings.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace ccsim {
namespace {

ThresholdProfile InBytes(const SwitchModel& model, const ccp_congestion_port_profile_settings& of,
                         const ccp_congestion_threshold_profile& profile) {
  double unit = of.granularity != 0 ? 1024 : 1;
  if (of.mode == CCP_THRESHOLD_PERCENTAGE) {
    unit = (model.threshold_reference_bytes > 0 ? model.threshold_reference_bytes : model.input_buffer_bytes) / 100.0;
  }
  return {.min_bytes = profile.min * unit, .max_bytes = profile.max * unit, .share = profile.percent / 100.0};
}

}  // namespace

bool MarkingSetting::marks() const {
  return std::ranges::any_of(of_sl, [this](std::uint8_t index) { return profiles[index].marks(); });
}

MarkingSetting MakeMarking(const SwitchModel& model, const ccp_congestion_switch_general_settings& general,
                           const NvidiaPort& port, unsigned vl) {
  MarkingSetting s;
  s.averaging.period = (Time{64} << std::min<unsigned>(general.aqs_time, CCP_NVIDIA_AQS_TIME_MAX)) * kFsPerNs;
  s.averaging.weight = std::ldexp(1.0, -static_cast<int>(general.aqs_weight));
  const auto of_vl = std::ranges::find_if(port.profiles, [vl](const auto& some) { return (some.vl_mask >> vl & 1) != 0; });
  if (of_vl == port.profiles.end()) return s;
  for (std::size_t i = 0; i < s.profiles.size(); ++i) s.profiles[i] = InBytes(model, *of_vl, of_vl->profiles[i]);
  for (std::size_t sl = 0; sl < s.of_sl.size(); ++sl) {  // 0 is reserved: the first, as OpenSM's headers give no other
    const unsigned number = std::clamp<unsigned>(port.sl_mapping.sl_profile[sl], 1, CCP_NVIDIA_NUM_PROFILES);
    s.of_sl[sl] = static_cast<std::uint8_t>(number - 1);
  }
  return s;
}

DcqcnSetting MakeDcqcnSetting(const CaModel& model, const ccp_congestion_hca_rp_parameters& rp, double line_gbps) {
  constexpr double kGbpsPerMbps = 1e-3;
  constexpr double kOne = 1024;  // of alpha and g
  DcqcnSetting s;
  s.machine = model.dcqcn_machine;
  s.line_gbps = line_gbps;
  s.max_gbps = rp.rpg_max_rate * kGbpsPerMbps;
  s.min_gbps = std::min(std::max(rp.rpg_min_rate, 1u) * kGbpsPerMbps, s.top_gbps());
  if (rp.rate_to_set_on_first_cnp > 0) s.first_gbps = std::max(rp.rate_to_set_on_first_cnp * kGbpsPerMbps, s.min_gbps);
  s.ai_gbps = rp.rpg_ai_rate * kGbpsPerMbps;
  s.hai_gbps = rp.rpg_hai_rate * kGbpsPerMbps;
  s.g = (kOne - rp.dce_tcp_g) / kOne;
  s.initial_alpha = rp.initial_alpha_value / kOne;
  s.cut = std::ldexp(kOne, -static_cast<int>(rp.rpg_gd));
  s.least_kept = rp.rpg_min_dec_fac / 100.0;
  s.alpha_period = rp.dce_tcp_rtt * kFsPerUs;
  s.cut_period = rp.rate_reduce_monitor_period * kFsPerUs;
  s.increase_period = rp.rpg_time_reset * kFsPerUs;
  s.increase_bytes = std::uint64_t{rp.rpg_byte_reset} * model.rpg_byte_unit_bytes;
  s.threshold = std::max<std::uint32_t>(rp.rpg_threshold, 1);
  s.clamps_target = rp.clamp_tgt_rate;
  s.clamps_after_time = rp.clamp_tgt_rate_after_time_inc;
  return s;
}

}  // namespace ccsim

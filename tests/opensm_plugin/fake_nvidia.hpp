// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// fake_nvidia.hpp: NVIDIA's attributes of a fake agent, by both readings of what no public source states, and in ways that mislead.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <map>
#include <utility>

#include "ccpolicy/nvidia_wire.h"
#include "ccpolicy/wire.h"
#include "mad/cc_mad.h"

namespace ibcc_test {

using Data = std::array<std::uint8_t, CCP_ATTRIBUTE_BYTES>;
using Key = std::pair<std::uint16_t, std::uint32_t>;  // attribute, modifier

template <typename Struct>
Data Packed(ccp_attribute_id id, const Struct& value) {
  Data data{};
  ccp_error error{};
  ccp_pack(id, &value, data.data(), &error);
  return data;
}
template <typename Struct>
Struct Unpacked(ccp_attribute_id id, const Data& data) {
  Struct value{};
  ccp_unpack(id, data.data(), &value);
  return value;
}

enum class Quirk : std::uint8_t { None, Silent, Zeros, Echo, Noise, FirstPort, Reserved, Wavers };

// `held` has what the device holds: that of a port's VL at {0xFF09, VL << 16 | port}, that of an SL in a slot at {0xFF24, SL << 16 | slot}.
struct FakeNvidia {
  bool is_there = false;  // it has these attributes
  bool is_switch = false;
  std::uint32_t ports = 36;
  bool ver0 = true, ver1 = false;  // of an adapter
  std::uint64_t capabilities = CCP_ENHANCED_CAP_GRANULARITY | CCP_ENHANCED_CAP_RTT_SL_MODE | CCP_ENHANCED_CAP_PPCC;
  bool by_modifier = false;
  unsigned vls = 4;
  std::uint32_t buffer = 4'000'000;
  unsigned parameters = 6;                   // of each of the two algorithms, both of version 1.0, which
  std::array<std::uint16_t, 2> order{1, 2};  // stand in the slots
  Quirk quirk = Quirk::None;
  unsigned asked = 0;  // EnhancedCongestionInfo

  static constexpr unsigned kSlots = 2;
  std::uint32_t SlotOf(std::uint16_t algorithm) const { return order[0] == algorithm ? 0 : 1; }

  static Data PowerOn(Key key, unsigned parameters) {
    switch (key.first) {
      case CCP_CONGESTION_SL_MAPPING_SETTINGS: {
        ccp_congestion_sl_mapping_settings mapping{};
        std::fill(std::begin(mapping.sl_profile), std::end(mapping.sl_profile), std::uint8_t{1});
        return Packed(CCP_CONGESTION_SL_MAPPING_SETTINGS, mapping);
      }
      case CCP_CONGESTION_HCA_RP_PARAMETERS:
        return Packed(CCP_CONGESTION_HCA_RP_PARAMETERS, ccp_congestion_hca_rp_parameters{.clamp_tgt_rate = false,
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
                                                                                         .initial_alpha_value = 1023});
      case CCP_CONGESTION_HCA_ALGO_CONFIG_PARAMS: {
        ccp_congestion_hca_algo_config_params params{};
        params.encap_type = CCP_PPCC_ENCAP_PARAMETERS;
        params.encap_len = static_cast<std::uint8_t>(4 * parameters);
        for (unsigned i = 0; i < parameters; ++i) params.parameters[i] = 100 + i;
        return Packed(CCP_CONGESTION_HCA_ALGO_CONFIG_PARAMS, params);
      }
      default: return Data{};
    }
  }
  Data& At(std::map<Key, Data>& held, Key key) const {
    const auto [place, is_new] = held.try_emplace(key);
    if (is_new) place->second = PowerOn(key, parameters);
    return place->second;
  }

  // The status; `data` becomes that of the answer. Where several keys have changed, `held` has them all.
  std::uint16_t Answer(std::map<Key, Data>& held, bool is_set, Key key, Data& data) {
    if (!is_there) return IBCC_STATUS_BAD_ATTRIBUTE;
    if (quirk == Quirk::Zeros) data.fill(0);
    if (quirk == Quirk::Noise) data.fill(static_cast<std::uint8_t>(++noise_ * 37));
    if (quirk == Quirk::Zeros || quirk == Quirk::Noise || quirk == Quirk::Echo) {
      if (key.first == CCP_ENHANCED_CONGESTION_INFO && quirk != Quirk::Noise) data = Info();
      return 0;
    }
    if (key.first == CCP_ENHANCED_CONGESTION_INFO) {
      ++asked;
      data = Info();
      return 0;
    }
    const bool is_of_switch = key.first < CCP_CONGESTION_HCA_GENERAL_SETTINGS;
    if (is_of_switch != is_switch) return IBCC_STATUS_BAD_ATTRIBUTE;
    const std::uint16_t status = is_switch ? AnswerSwitch(held, is_set, key, data) : AnswerCa(held, is_set, key, data);
    if (quirk == Quirk::Reserved && status == 0) data.back() = 1;
    if (quirk == Quirk::Wavers && status == 0 && !is_set) Waver(key.first, data);
    return status;
  }

 private:
  Data Info() const {
    return Packed(
        CCP_ENHANCED_CONGESTION_INFO,
        ccp_enhanced_congestion_info{.ver0 = is_switch || ver0, .ver1 = !is_switch && ver1, .cc_capability_mask = capabilities});
  }
  // All that it answers is in range; but every second answer is another one.
  void Waver(std::uint16_t attribute, Data& data) {
    ++noise_;
    if (attribute == CCP_CONGESTION_SL_MAPPING_SETTINGS) {
      auto mapping = Unpacked<ccp_congestion_sl_mapping_settings>(CCP_CONGESTION_SL_MAPPING_SETTINGS, data);
      mapping.sl_profile[3] = static_cast<std::uint8_t>(1 + noise_ % 2);
      data = Packed(CCP_CONGESTION_SL_MAPPING_SETTINGS, mapping);
    } else if (attribute == CCP_CONGESTION_HCA_RP_PARAMETERS) {
      auto rp = Unpacked<ccp_congestion_hca_rp_parameters>(CCP_CONGESTION_HCA_RP_PARAMETERS, data);
      rp.rpg_ai_rate = 5 + noise_ % 2;
      data = Packed(CCP_CONGESTION_HCA_RP_PARAMETERS, rp);
    }
  }
  std::uint16_t Plain(std::map<Key, Data>& held, bool is_set, Key key, Data& data) const {
    if (is_set) held[key] = data;
    data = At(held, key);
    return 0;
  }
  std::uint16_t AnswerSwitch(std::map<Key, Data>& held, bool is_set, Key key, Data& data) {
    if (key.first == CCP_CONGESTION_SWITCH_GENERAL_SETTINGS) {
      if (key.second != 0) return IBCC_STATUS_BAD_FIELD;
      Plain(held, is_set, key, data);
      auto general = Unpacked<ccp_congestion_switch_general_settings>(CCP_CONGESTION_SWITCH_GENERAL_SETTINGS, data);
      general.cap_total_buffer_size = buffer;
      general.cap_cc_profile_step_size = 1;
      data = Packed(CCP_CONGESTION_SWITCH_GENERAL_SETTINGS, general);
      return 0;
    }
    std::uint32_t port = by_modifier && key.first == CCP_CONGESTION_PORT_PROFILE_SETTINGS ? key.second & 0xFFFF : key.second;
    if (quirk == Quirk::FirstPort) port = 1;
    if (port < 1 || port > ports) return IBCC_STATUS_BAD_FIELD;
    if (key.first == CCP_CONGESTION_SL_MAPPING_SETTINGS) return Plain(held, is_set, {key.first, port}, data);
    return AnswerProfiles(held, is_set, port, key.second >> 16, data);
  }
  std::uint16_t AnswerProfiles(std::map<Key, Data>& held, bool is_set, std::uint32_t port, std::uint32_t vl_of_modifier,
                               Data& data) {
    using Settings = ccp_congestion_port_profile_settings;
    const auto at = [&](unsigned vl) -> Data& { return At(held, {CCP_CONGESTION_PORT_PROFILE_SETTINGS, vl << 16 | port}); };
    auto asked_for = Unpacked<Settings>(CCP_CONGESTION_PORT_PROFILE_SETTINGS, data);
    if (by_modifier && vl_of_modifier >= vls) return IBCC_STATUS_BAD_FIELD;
    const auto with_mask = [](const Data& of, unsigned mask) {
      auto settings = Unpacked<Settings>(CCP_CONGESTION_PORT_PROFILE_SETTINGS, of);
      settings.vl_mask = static_cast<std::uint16_t>(mask);
      return Packed(CCP_CONGESTION_PORT_PROFILE_SETTINGS, settings);
    };
    if (is_set) {
      for (unsigned vl = 0; vl < vls; ++vl)
        if ((asked_for.vl_mask >> vl & 1) != 0 && (!by_modifier || vl == vl_of_modifier)) at(vl) = with_mask(data, 1U << vl);
      return 0;
    }
    const unsigned named = asked_for.vl_mask == 0 ? 0 : static_cast<unsigned>(std::countr_zero(asked_for.vl_mask));
    const unsigned vl = by_modifier ? vl_of_modifier : named;
    if (vl >= vls) return IBCC_STATUS_BAD_FIELD;
    unsigned mask = 1U << vl;
    for (unsigned other = 0; other < vls && !by_modifier; ++other)
      if (with_mask(at(other), 0) == with_mask(at(vl), 0)) mask |= 1U << other;
    data = with_mask(at(vl), mask);
    return 0;
  }
  std::uint16_t AnswerCa(std::map<Key, Data>& held, bool is_set, Key key, Data& data) {
    const bool is_ppcc = key.first >= CCP_CONGESTION_HCA_ALGO_CONFIG;
    const bool is_rp = key.first == CCP_CONGESTION_HCA_RP_PARAMETERS;
    if ((is_ppcc && !ver1) || (is_rp && !ver0)) return IBCC_STATUS_BAD_ATTRIBUTE;
    if (key.second >= (is_ppcc ? kSlots : 1U)) return IBCC_STATUS_BAD_FIELD;
    if (key.first == CCP_CONGESTION_HCA_ALGO_CONFIG) return AnswerAlgoConfig(held, is_set, key.second, data);
    if (key.first == CCP_CONGESTION_HCA_ALGO_CONFIG_PARAMS && is_set) {
      const auto set = Unpacked<ccp_congestion_hca_algo_config_params>(CCP_CONGESTION_HCA_ALGO_CONFIG_PARAMS, data);
      if (set.encap_len > 4 * parameters || set.encap_type != CCP_PPCC_ENCAP_PARAMETERS) return IBCC_STATUS_BAD_FIELD;
    }
    return Plain(held, is_set, key, data);
  }
  std::uint16_t AnswerAlgoConfig(std::map<Key, Data>& held, bool is_set, std::uint32_t slot, Data& data) {
    using Config = ccp_congestion_hca_algo_config_support;
    const auto at = [&](unsigned sl, std::uint32_t in) -> Data& {
      return At(held, {CCP_CONGESTION_HCA_ALGO_CONFIG, sl << 16 | in});
    };
    const auto about = Unpacked<Config>(CCP_CONGESTION_HCA_ALGO_CONFIG_SUPPORT, data);
    const auto one = [](unsigned sl, bool is_on) {
      return Packed(CCP_CONGESTION_HCA_ALGO_CONFIG_SUPPORT,
                    Config{.algo_en = is_on, .sl_bitmask = static_cast<std::uint16_t>(1U << sl)});
    };
    for (unsigned sl = 0; sl < 16 && is_set; ++sl) {
      if ((about.sl_bitmask >> sl & 1) == 0) continue;
      for (unsigned other = 0; other < kSlots && about.algo_en; ++other) at(sl, other) = one(sl, false);
      at(sl, slot) = one(sl, about.algo_en);
    }
    if (!is_set && std::popcount(about.sl_bitmask) > 1) return IBCC_STATUS_BAD_FIELD;
    Config shown{};
    shown.sl_bitmask = about.sl_bitmask;
    for (unsigned sl = 0; sl < 16; ++sl)
      if ((about.sl_bitmask >> sl & 1) != 0)
        shown.algo_en |= Unpacked<Config>(CCP_CONGESTION_HCA_ALGO_CONFIG_SUPPORT, at(sl, slot)).algo_en;
    if (!is_set && about.encap_type == CCP_PPCC_ENCAP_ALGORITHMS) {
      shown.encap_type = CCP_PPCC_ENCAP_ALGORITHMS;
      shown.encap_len = 4 * kSlots;
      for (unsigned i = 0; i < kSlots; ++i) shown.algorithms[i] = {.algo_id = order[i], .major = 1, .minor = 0};
    }
    data = Packed(CCP_CONGESTION_HCA_ALGO_CONFIG_SUPPORT, shown);
    return 0;
  }

  unsigned noise_ = 0;
};

}  // namespace ibcc_test

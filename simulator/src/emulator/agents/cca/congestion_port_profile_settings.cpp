// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cca/congestion_port_profile_settings.cpp: CongestionPortProfileSettings (0xFF09): the three threshold profiles of each VL of a
// switch's port.
//
// VlReading (nvidia_state.hpp) says how a request names port and VLs. A Get's answer has in vl_mask, by the reading Mask, all VLs of the
// port that hold the same profiles; a request that names several VLs is answered for the lowest, one that names none for VL 0. A Set's
// answer has the Set's vl_mask, and the values that the switch has taken.
#include <bit>

#include "emulator/agents/cca/nvidia_attribute.hpp"
#include "emulator/agents/cca/nvidia_tables.hpp"

namespace ccsim::emulator {
namespace {

using Settings = ccp_congestion_port_profile_settings;

constexpr unsigned kVlShift = 16;
constexpr std::uint32_t kKilobyte = 1024;

// Thresholds are percent of the port's buffer, or at most the size of the buffer in units of bytes or KB.
bool ThresholdsFit(const Request& request, Settings& set) {
  const bool is_percentage = set.mode == CCP_THRESHOLD_PERCENTAGE;
  if (!is_percentage && set.granularity != 0 && !HasCapability(request, CCP_ENHANCED_CAP_GRANULARITY)) return false;
  const std::uint32_t unit = set.granularity != 0 ? kKilobyte : 1;
  const std::uint32_t most = is_percentage ? 100 : TotalBufferBytes(request) / unit;
  const std::uint32_t step = is_percentage ? 1 : std::max(NvidiaFirmwareOf(request).profile_step_kb * kKilobyte / unit, 1u);
  for (ccp_congestion_threshold_profile& profile : set.profiles) {
    if (!Fits(request, profile.min, 0, most) || !Fits(request, profile.max, 0, most)) return false;
    if (!Fits(request, profile.percent, 0, 100)) return false;
    if (!NvidiaFirmwareOf(request).clips) continue;
    profile.min -= profile.min % step;
    profile.max -= profile.max % step;
  }
  return true;
}

MadStatus HandlePortProfileSettings(Request& request) {
  if (!IsSwitch(request)) return kUnsupportedMethodAttribute;
  const bool by_modifier = NvidiaFirmwareOf(request).vl_reading == VlReading::Modifier;
  const std::uint32_t vl_of_modifier = request.modifier() >> kVlShift;
  const std::uint16_t port = PortNamed(request, by_modifier ? request.modifier() & ((1u << kVlShift) - 1) : request.modifier());
  if (port == 0 || (by_modifier && vl_of_modifier >= CCP_NVIDIA_NUM_VLS)) return RefuseModifier(request);
  auto& held = SwitchPortOf(request, port).profiles;
  auto asked = Unpacked<Settings>(CCP_CONGESTION_PORT_PROFILE_SETTINGS, request.data);
  if (request.is_set()) {
    if (!ThresholdsFit(request, asked)) return kInvalidField;
    NoteSet(request);
    for (unsigned vl = 0; vl < CCP_NVIDIA_NUM_VLS; ++vl) {
      if ((asked.vl_mask >> vl & 1) != 0 && (!by_modifier || vl == vl_of_modifier)) held[vl] = asked;
    }
    PackInto(request.data, CCP_CONGESTION_PORT_PROFILE_SETTINGS, asked);
    return kOk;
  }
  const unsigned named = asked.vl_mask == 0 ? 0 : static_cast<unsigned>(std::countr_zero(asked.vl_mask));
  const unsigned vl = by_modifier ? vl_of_modifier : named;
  Settings shown = held[vl];
  shown.vl_mask = static_cast<std::uint16_t>(1u << vl);
  for (unsigned other = 0; other < CCP_NVIDIA_NUM_VLS && !by_modifier; ++other) {
    if (SameThresholds(held[other], held[vl])) shown.vl_mask = static_cast<std::uint16_t>(shown.vl_mask | 1u << other);
  }
  PackInto(request.data, CCP_CONGESTION_PORT_PROFILE_SETTINGS, shown);
  return kOk;
}

const NvidiaRegistration<KnowsNvidia, HandlePortProfileSettings> kRegistered(CCP_CONGESTION_PORT_PROFILE_SETTINGS, kGetAndSet);

}  // namespace
}  // namespace ccsim::emulator

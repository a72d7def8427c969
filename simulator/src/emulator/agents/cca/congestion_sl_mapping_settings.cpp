// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cca/congestion_sl_mapping_settings.cpp: CongestionSLMappingSettings (0xFF10): the threshold profile, 1 to 3, of each SL at a switch's
// port. The modifier is the port. Profile 0 is reserved: a switch refuses it, or takes profile 1 for it.
#include "emulator/agents/cca/nvidia_attribute.hpp"

namespace ccsim::emulator {
namespace {

MadStatus HandleSlMappingSettings(Request& request) {
  if (!IsSwitch(request)) return kUnsupportedMethodAttribute;
  const std::uint16_t port = PortNamed(request, request.modifier());
  if (port == 0) return RefuseModifier(request);
  ccp_congestion_sl_mapping_settings& held = SwitchPortOf(request, port).sl_mapping;
  if (request.is_set()) {
    auto set = Unpacked<ccp_congestion_sl_mapping_settings>(CCP_CONGESTION_SL_MAPPING_SETTINGS, request.data);
    for (std::uint8_t& profile : set.sl_profile) {
      if (!Fits(request, profile, 1, CCP_NVIDIA_NUM_PROFILES)) return kInvalidField;
    }
    NoteSet(request);
    held = set;
  }
  PackInto(request.data, CCP_CONGESTION_SL_MAPPING_SETTINGS, held);
  return kOk;
}

const NvidiaRegistration<KnowsNvidia, HandleSlMappingSettings> kRegistered(CCP_CONGESTION_SL_MAPPING_SETTINGS, kGetAndSet);

}  // namespace
}  // namespace ccsim::emulator

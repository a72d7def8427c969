// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cca/congestion_hca_general_settings.cpp: CongestionHCAGeneralSettings (0xFF20): whether an adapter's port answers marked packets
// with CNPs, and reacts to CNPs.
#include "emulator/agents/cca/nvidia_attribute.hpp"

namespace ccsim::emulator {
namespace {

MadStatus HandleHcaGeneralSettings(Request& request) {
  if (!IsCa(request)) return kUnsupportedMethodAttribute;
  if (request.modifier() != 0) return RefuseModifier(request);
  ccp_congestion_hca_general_settings& held = AgentOf(request).nvidia.general;
  if (request.is_set()) {
    auto set = Unpacked<ccp_congestion_hca_general_settings>(CCP_CONGESTION_HCA_GENERAL_SETTINGS, request.data);
    if (!FlagFits(request, set.en_cc_per_plane, CCP_ENHANCED_CAP_PER_PLANE)) return kInvalidField;
    NoteSet(request);
    held = set;
  }
  PackInto(request.data, CCP_CONGESTION_HCA_GENERAL_SETTINGS, held);
  return kOk;
}

const NvidiaRegistration<KnowsNvidia, HandleHcaGeneralSettings> kRegistered(CCP_CONGESTION_HCA_GENERAL_SETTINGS, kGetAndSet);

}  // namespace
}  // namespace ccsim::emulator

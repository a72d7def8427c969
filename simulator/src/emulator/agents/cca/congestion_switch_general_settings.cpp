// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cca/congestion_switch_general_settings.cpp: CongestionSwitchGeneralSettings (0xFF08): whether a switch marks, and how it averages
// its queues. The size of the buffer and the step of thresholds are read-only.
#include "emulator/agents/cca/nvidia_attribute.hpp"

namespace ccsim::emulator {
namespace {

MadStatus HandleSwitchGeneralSettings(Request& request) {
  if (!IsSwitch(request)) return kUnsupportedMethodAttribute;
  if (request.modifier() != 0) return RefuseModifier(request);
  ccp_congestion_switch_general_settings& held = CcaOf(request).nvidia.general;
  if (request.is_set()) {
    auto set = Unpacked<ccp_congestion_switch_general_settings>(CCP_CONGESTION_SWITCH_GENERAL_SETTINGS, request.data);
    if (!Fits(request, set.aqs_time, 0, CCP_NVIDIA_AQS_TIME_MAX)) return kInvalidField;
    NoteSet(request);
    held = set;
  }
  held.cap_total_buffer_size = TotalBufferBytes(request);
  held.cap_cc_profile_step_size = NvidiaFirmwareOf(request).profile_step_kb;
  PackInto(request.data, CCP_CONGESTION_SWITCH_GENERAL_SETTINGS, held);
  return kOk;
}

const NvidiaRegistration<KnowsNvidia, HandleSwitchGeneralSettings> kRegistered(CCP_CONGESTION_SWITCH_GENERAL_SETTINGS,
                                                                               kGetAndSet);

}  // namespace
}  // namespace ccsim::emulator

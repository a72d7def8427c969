// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cca/congestion_hca_np_parameters.cpp: CongestionHCANPParameters (0xFF22): how often an adapter's port sends CNPs, and on which SL.
#include "emulator/agents/cca/nvidia_attribute.hpp"

namespace ccsim::emulator {
namespace {

constexpr std::uint64_t kMostBetweenCnps = 4095;  // us; NVIDIA's range for RoCE, of 16 bits in the attribute

MadStatus HandleHcaNpParameters(Request& request) {
  if (!IsCa(request)) return kUnsupportedMethodAttribute;
  if (request.modifier() != 0) return RefuseModifier(request);
  ccp_congestion_hca_np_parameters& held = AgentOf(request).nvidia.np;
  if (request.is_set()) {
    auto set = Unpacked<ccp_congestion_hca_np_parameters>(CCP_CONGESTION_HCA_NP_PARAMETERS, request.data);
    if (!Fits(request, set.min_time_between_cnps, 0, kMostBetweenCnps)) return kInvalidField;
    if (!FlagFits(request, set.rtt_sl_mode, CCP_ENHANCED_CAP_RTT_SL_MODE)) return kInvalidField;
    NoteSet(request);
    held = set;
  }
  PackInto(request.data, CCP_CONGESTION_HCA_NP_PARAMETERS, held);
  return kOk;
}

const NvidiaRegistration<KnowsNvidia, HandleHcaNpParameters> kRegistered(CCP_CONGESTION_HCA_NP_PARAMETERS, kGetAndSet);

}  // namespace
}  // namespace ccsim::emulator

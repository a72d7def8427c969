// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cca/congestion_hca_rp_parameters.cpp: CongestionHCARPParameters (0xFF21): how DCQCN of an adapter's port slows down and recovers.
//
// Ranges are those that NVIDIA documents for RoCE under the same names (DOCA's "DCQCN CC parameters"; prometheus/procfs quotes them);
// no public source has InfiniBand's. Rates are at most that of the port's link.
#include <array>

#include "emulator/agents/cca/nvidia_attribute.hpp"

namespace ccsim::emulator {
namespace {

constexpr std::uint64_t kMostMicroseconds = 131'071;

std::uint64_t LineRateMbps(const Request& request) {
  const Port& port = NodeOf(request).ports[request.subnet.endport(request.at).port];
  return static_cast<std::uint64_t>(port.rate.data_gbps() * 1000);
}

bool ParametersFit(const Request& request, ccp_congestion_hca_rp_parameters& set) {
  const std::uint64_t line_rate = LineRateMbps(request);
  const std::array fit{
      Fits(request, set.rpg_time_reset, 1, kMostMicroseconds),
      Fits(request, set.rpg_byte_reset, 0, 32767),
      Fits(request, set.rpg_threshold, 1, 31),
      Fits(request, set.rpg_ai_rate, 1, line_rate),
      Fits(request, set.rpg_hai_rate, 1, line_rate),
      Fits(request, set.rpg_gd, 10, 11),
      Fits(request, set.rpg_min_dec_fac, 0, 100),
      Fits(request, set.rpg_min_rate, 1, line_rate),
      Fits(request, set.rate_to_set_on_first_cnp, 0, line_rate),
      Fits(request, set.dce_tcp_rtt, 1, kMostMicroseconds),
      Fits(request, set.initial_alpha_value, 1, 1023),
  };
  return std::find(fit.begin(), fit.end(), false) == fit.end();
}

MadStatus HandleHcaRpParameters(Request& request) {
  if (!IsCa(request)) return kUnsupportedMethodAttribute;
  if (request.modifier() != 0) return RefuseModifier(request);
  ccp_congestion_hca_rp_parameters& held = AgentOf(request).nvidia.rp;
  if (request.is_set()) {
    auto set = Unpacked<ccp_congestion_hca_rp_parameters>(CCP_CONGESTION_HCA_RP_PARAMETERS, request.data);
    if (!ParametersFit(request, set)) return kInvalidField;
    NoteSet(request);
    held = set;
  }
  PackInto(request.data, CCP_CONGESTION_HCA_RP_PARAMETERS, held);
  return kOk;
}

const NvidiaRegistration<KnowsDcqcn, HandleHcaRpParameters> kRegistered(CCP_CONGESTION_HCA_RP_PARAMETERS, kGetAndSet);

}  // namespace
}  // namespace ccsim::emulator

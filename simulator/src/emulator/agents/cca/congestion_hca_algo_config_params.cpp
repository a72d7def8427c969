// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cca/congestion_hca_algo_config_params.cpp: CongestionHCAAlgoConfigParams (0xFF25): the parameters of the algorithm in a slot of an
// adapter's port. The modifier is the slot. A Set changes the first encap_len / 4 parameters.

#include "emulator/agents/cca/nvidia_attribute.hpp"

namespace ccsim::emulator {
namespace {

using Params = ccp_congestion_hca_algo_config_params;

constexpr std::size_t kBytesOfParameter = 4;

MadStatus HandleHcaAlgoConfigParams(Request& request) {
  if (!IsCa(request) || !HasCapability(request, CCP_ENHANCED_CAP_PPCC)) return kUnsupportedMethodAttribute;
  std::vector<PpccSlot>& slots = SlotsOf(request);
  if (request.modifier() >= slots.size()) return RefuseModifier(request);
  PpccSlot& slot = slots[request.modifier()];
  if (request.is_set()) {
    auto set = Unpacked<Params>(CCP_CONGESTION_HCA_ALGO_CONFIG_PARAMS, request.data);
    if (set.encap_type != CCP_PPCC_ENCAP_PARAMETERS || set.encap_len % kBytesOfParameter != 0) return kInvalidField;
    if (!Fits(request, set.encap_len, 0, kBytesOfParameter * slot.parameters.size())) return kInvalidField;
    NoteSet(request);
    std::copy_n(set.parameters, set.encap_len / kBytesOfParameter, slot.parameters.begin());
  }
  Params shown{};
  shown.sl_bitmask = slot.sls;
  shown.encap_len = static_cast<std::uint8_t>(kBytesOfParameter * slot.parameters.size());
  shown.encap_type = CCP_PPCC_ENCAP_PARAMETERS;
  std::copy(slot.parameters.begin(), slot.parameters.end(), shown.parameters);
  PackInto(request.data, CCP_CONGESTION_HCA_ALGO_CONFIG_PARAMS, shown);
  return kOk;
}

const NvidiaRegistration<KnowsPpcc, HandleHcaAlgoConfigParams> kRegistered(CCP_CONGESTION_HCA_ALGO_CONFIG_PARAMS, kGetAndSet);

}  // namespace
}  // namespace ccsim::emulator

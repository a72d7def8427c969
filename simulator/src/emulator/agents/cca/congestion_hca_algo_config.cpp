// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cca/congestion_hca_algo_config.cpp: CongestionHCAAlgoConfig (0xFF24): on which SLs an adapter's port runs the algorithm of a slot.
//
// The modifier is the slot, for which no public source exists. A Set with algo_en enables the slot on the SLs of sl_bitmask, and takes
// them from other slots; without algo_en it disables the slot on them. A Get with an SL in sl_bitmask asks whether the slot is enabled
// there; one with none asks for all of the slot's SLs; two or more SLs are refused. A Get with encap_type 2 is also answered with the
// firmware's algorithms, by slot.
#include <bit>

#include "emulator/agents/cca/nvidia_attribute.hpp"

namespace ccsim::emulator {
namespace {

using Config = ccp_congestion_hca_algo_config_support;

constexpr std::size_t kBytesOfAlgorithm = 4;

void SetSlot(std::vector<PpccSlot>& slots, std::size_t number, const Config& set) {
  PpccSlot& slot = slots[number];
  for (PpccSlot& other : slots) {
    if (set.algo_en || &other == &slot) other.sls = static_cast<std::uint16_t>(other.sls & ~set.sl_bitmask);
    if (set.counters_en) other.counters_en = false;  // a port has one set of counters
  }
  if (set.algo_en) slot.sls = static_cast<std::uint16_t>(slot.sls | set.sl_bitmask);
  slot.trace_en = set.trace_en;
  slot.counters_en = set.counters_en;
}

void ListAlgorithms(const NvidiaFirmware& firmware, Config& shown) {
  for (std::size_t i = 0; i < firmware.algorithms.size(); ++i) shown.algorithms[i] = firmware.algorithms[i].id;
  shown.encap_type = CCP_PPCC_ENCAP_ALGORITHMS;
  shown.encap_len = static_cast<std::uint8_t>(kBytesOfAlgorithm * firmware.algorithms.size());
}

MadStatus HandleHcaAlgoConfig(Request& request) {
  if (!IsCa(request) || !HasCapability(request, CCP_ENHANCED_CAP_PPCC)) return kUnsupportedMethodAttribute;
  std::vector<PpccSlot>& slots = SlotsOf(request);
  const auto asked = Unpacked<Config>(CCP_CONGESTION_HCA_ALGO_CONFIG_SUPPORT, request.data);
  const bool lists = !request.is_set() && asked.encap_type == CCP_PPCC_ENCAP_ALGORITHMS;
  if (request.modifier() >= slots.size() && !(lists && request.modifier() == 0)) return RefuseModifier(request);
  Config shown{};
  if (request.is_set()) {
    NoteSet(request);
    SetSlot(slots, request.modifier(), asked);
  } else if (std::popcount(asked.sl_bitmask) > 1) {
    return kInvalidField;
  }
  if (request.modifier() < slots.size()) {
    const PpccSlot& slot = slots[request.modifier()];
    const std::uint16_t mine = asked.sl_bitmask == 0 ? slot.sls : static_cast<std::uint16_t>(slot.sls & asked.sl_bitmask);
    shown.algo_en = shown.algo_status = mine != 0;
    shown.trace_en = slot.trace_en;
    shown.counters_en = slot.counters_en;
    shown.sl_bitmask = asked.sl_bitmask == 0 ? slot.sls : asked.sl_bitmask;
  }
  if (lists) ListAlgorithms(NvidiaFirmwareOf(request), shown);
  PackInto(request.data, CCP_CONGESTION_HCA_ALGO_CONFIG_SUPPORT, shown);
  return kOk;
}

const NvidiaRegistration<KnowsPpcc, HandleHcaAlgoConfig> kRegistered(CCP_CONGESTION_HCA_ALGO_CONFIG, kGetAndSet);

}  // namespace
}  // namespace ccsim::emulator

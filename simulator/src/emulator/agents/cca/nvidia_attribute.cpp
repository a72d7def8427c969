// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/agents/cca/nvidia_attribute.hpp"

#include <cstring>

#include "emulator/bits.hpp"
#include "rng.hpp"

namespace ccsim::emulator {

std::uint64_t CapabilitiesOf(const Request& request) {
  if (const auto& own = NvidiaFirmwareOf(request).capability_mask) return *own;
  if (IsSwitch(request)) return CCP_ENHANCED_CAP_GRANULARITY;
  if (!IsCa(request)) return 0;
  return CCP_ENHANCED_CAP_RTT_SL_MODE | (KnowsPpcc(NodeOf(request).dialect) ? CCP_ENHANCED_CAP_PPCC : 0);
}

std::uint32_t TotalBufferBytes(const Request& request) {
  const std::uint64_t bytes = std::uint64_t{NvidiaFirmwareOf(request).port_buffer_bytes} * NodeOf(request).num_ports();
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes, UINT32_MAX));
}

NvidiaSwitchPort& SwitchPortOf(const Request& request, std::uint16_t port) {
  auto& ports = CcaOf(request).nvidia.ports;
  ports.resize(NodeOf(request).ports.size());
  return ports[port];
}

std::vector<PpccSlot>& SlotsOf(const Request& request) {
  std::vector<PpccSlot>& slots = AgentOf(request).nvidia.slots;
  if (slots.empty()) {
    for (const PpccAlgorithm& algorithm : NvidiaFirmwareOf(request).algorithms)
      slots.push_back({.parameters = algorithm.parameters});
  }
  return slots;
}

std::uint16_t PortNamed(const Request& request, std::uint32_t modifier) {
  if (NvidiaFirmwareOf(request).quirk == NvidiaQuirk::FirstPort) return 1;
  return modifier <= NodeOf(request).num_ports() ? static_cast<std::uint16_t>(modifier) : std::uint16_t{0};
}

MadStatus RefuseModifier(const Request& request) {
  request.subnet.unknown_modifiers().Note(request.at.node, request.mad);
  return kInvalidField;
}

bool AnswersByQuirk(Request& request) {
  CcaNode& cca = CcaOf(request);
  switch (cca.firmware.nvidia.quirk) {
    case NvidiaQuirk::Echo: return true;
    case NvidiaQuirk::Zeros: std::memset(request.data, 0, CCP_ATTRIBUTE_BYTES); return true;
    case NvidiaQuirk::Noise: {
      Rng rng(request.at.node, ++cca.noise);
      for (std::size_t i = 0; i < CCP_ATTRIBUTE_BYTES; i += 8) Put64(request.data + i, rng.Next());
      return true;
    }
    default: return false;
  }
}

}  // namespace ccsim::emulator

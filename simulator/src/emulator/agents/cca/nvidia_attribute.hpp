// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cca/nvidia_attribute.hpp: what the handlers of NVIDIA's attributes share: the firmware's quirks, capabilities and ranges.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "ccpolicy/nvidia_wire.h"
#include "emulator/agents/cca/attribute.hpp"

namespace ccsim::emulator {

inline const NvidiaFirmware& NvidiaFirmwareOf(const Request& request) { return CcaOf(request).firmware.nvidia; }

// CC_Capability_Mask of the node that is asked.
std::uint64_t CapabilitiesOf(const Request& request);
inline bool HasCapability(const Request& request, std::uint64_t capability) {
  return (CapabilitiesOf(request) & capability) != 0;
}

// cap_total_buffer_size of the switch that is asked.
std::uint32_t TotalBufferBytes(const Request& request);

// Tables of a port of the switch that is asked; `port` is from PortNamed().
NvidiaSwitchPort& SwitchPortOf(const Request& request, std::uint16_t port);
// The slots of the adapter's port that is asked, one for each algorithm of its firmware.
std::vector<PpccSlot>& SlotsOf(const Request& request);

// The port that the modifier of an attribute of a switch's ports names, in the low 16 bits of `modifier`; 0: there is none such.
std::uint16_t PortNamed(const Request& request, std::uint32_t modifier);
// Counts the request's modifier among those that no device of its kind knows (Subnet::unknown_modifiers), and returns the status.
MadStatus RefuseModifier(const Request& request);

// Brings a value into its range where the firmware clips; returns false where it refuses the request instead.
template <typename Value>
bool Fits(const Request& request, Value& value, std::uint64_t least, std::uint64_t most) {
  const std::uint64_t fitting = std::clamp<std::uint64_t>(value, least, most);
  if (fitting == value) return true;
  value = static_cast<Value>(fitting);
  return NvidiaFirmwareOf(request).clips;
}

// A flag that is only for devices with a capability.
inline bool FlagFits(const Request& request, bool& flag, std::uint64_t capability) {
  if (!flag || HasCapability(request, capability)) return true;
  flag = false;
  return NvidiaFirmwareOf(request).clips;
}

// Answers by the firmware's quirk; false if the device has none that decides the answer.
bool AnswersByQuirk(Request& request);

// The handler of a device whose dialect has the attribute.
template <bool (*Knows)(CcDialect), AttributeHandler Handle>
MadStatus ForNvidia(Request& request) {
  if (AnswersByQuirk(request)) return kOk;
  return ForDialect<Knows, Handle>(request);
}

// Its Gets carry data: they name the VL or the SL that they ask about.
template <bool (*Knows)(CcDialect), AttributeHandler Handle>
struct NvidiaRegistration : CcaRegistration {
  NvidiaRegistration(ccp_attribute_id id, Methods methods)
      : CcaRegistration(id, methods, ForNvidia<Knows, Handle>, GetContent::Kept) {}
};

}  // namespace ccsim::emulator

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// ExtendedPortInfo, an attribute of Mellanox (0xFF90): whether a port supports FDR10, has it enabled and runs at it. Devices without FDR10
// do not have it, nor any other attribute of a vendor (CableInfo, 0xFF60).
#include <cstring>

#include "emulator/agents/agent.hpp"
#include "emulator/agents/sma/link.hpp"
#include "emulator/subnet.hpp"

namespace ccsim::emulator {
namespace {

constexpr std::uint8_t kChangeEnabled = 0x01;
constexpr LinkSpeeds kFdr10 = SpeedBit(LinkSpeed::FDR10);

MadStatus HandleExtendedPortInfo(Request& request) {
  auto& ports = request.subnet.device(request.at.node).sma.ports;
  std::uint32_t of_port = request.modifier();
  if (of_port == 0 && !request.subnet.is_switch(request.at.node)) of_port = request.at.port;
  if (of_port >= ports.size()) return kInvalidField;
  SmaPort& port = ports[of_port];
  if (!HasFdr10(port.speeds_supported)) return kUnsupportedMethodAttribute;
  if (request.is_set() && (request.data[3] & kChangeEnabled) != 0) {
    if (request.data[11] > 1) return kInvalidField;
    port.speeds_enabled = static_cast<LinkSpeeds>((port.speeds_enabled & ~kFdr10) | (request.data[11] != 0 ? kFdr10 : 0));
  }
  std::memset(request.data, 0, kSmpData.bytes);
  request.data[7] = 1;
  request.data[11] = HasFdr10(port.speeds_enabled) ? 1 : 0;
  request.data[15] = HasFdr10(port.speed_active) ? 1 : 0;
  return kOk;
}

const AttributeRegistration kRegistered(kSmpLid, "MlnxExtPortInfo", 0xFF90, kGetAndSet, kSmpData, HandleExtendedPortInfo);

}  // namespace
}  // namespace ccsim::emulator

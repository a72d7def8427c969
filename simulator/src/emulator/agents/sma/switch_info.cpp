// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// SwitchInfo (IBA vol. 1, 14.2.5.4).
#include <cstring>

#include "emulator/agents/agent.hpp"
#include "emulator/subnet.hpp"

namespace ccsim::emulator {
namespace {

constexpr std::uint8_t kStateChangeBit = 0x04;
constexpr std::uint8_t kOptimizedSlToVlMapping = 0x01;  // one Set for many ports
// Partitions are enforced in both directions; no raw packets are filtered; port 0 is a base port.
constexpr std::uint8_t kEnforcementCaps = 0xC0;

MadStatus Take(Subnet& subnet, std::uint32_t node, const std::uint8_t* data) {
  SmaNode& sma = subnet.device(node).sma;
  const std::uint16_t top = Get16(data + 6);
  const std::uint16_t multicast_top = Get16(data + 18);
  if (top >= kLinearFdbCap) return kInvalidField;
  if (top != sma.forwarding_top) ++subnet.versions().forwarding;
  sma.forwarding_top = top;
  sma.multicast_top = multicast_top;
  sma.default_port = data[8];
  sma.default_multicast_primary_port = data[9];
  sma.default_multicast_other_port = data[10];
  sma.life_time = data[11] >> 3;
  if ((data[11] & kStateChangeBit) != 0) sma.port_state_change = false;
  return kOk;
}

MadStatus HandleSwitchInfo(Request& request) {
  if (!request.subnet.is_switch(request.at.node)) return kUnsupportedMethodAttribute;
  std::uint8_t* data = request.data;
  MadStatus status = kOk;
  if (request.is_set()) status = Take(request.subnet, request.at.node, data);
  const SmaNode& sma = request.subnet.device(request.at.node).sma;
  std::memset(data, 0, kSmpData.bytes);
  Put16(data, kLinearFdbCap);
  Put16(data + 4, kMulticastFdbCap);
  Put16(data + 6, sma.forwarding_top);
  data[8] = sma.default_port;
  data[9] = sma.default_multicast_primary_port;
  data[10] = sma.default_multicast_other_port;
  data[11] =
      static_cast<std::uint8_t>(sma.life_time << 3 | (sma.port_state_change ? kStateChangeBit : 0) | kOptimizedSlToVlMapping);
  Put16(data + 14, kPartitionEnforcementCap);
  data[16] = kEnforcementCaps;
  Put16(data + 18, sma.multicast_top);
  return status;
}

const AttributeRegistration kRegistered(kSmpLid, "SwitchInfo", 0x0012, kGetAndSet, kSmpData, HandleSwitchInfo);

}  // namespace
}  // namespace ccsim::emulator

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// PortInfo (IBA vol. 1, 14.2.5.6): reading it, and which port is meant. Writing is in port_info_set.cpp.
#include "emulator/agents/sma/port_info.hpp"

#include <cstring>

#include "emulator/agents/agent.hpp"
#include "emulator/agents/sma/link.hpp"
#include "emulator/agents/sma/m_key.hpp"
#include "emulator/agents/sma/port_info_set.hpp"
#include "emulator/subnet.hpp"

namespace ccsim::emulator {
namespace {

enum Capability : std::uint32_t {
  kIsSm = 1u << 1,
  kTrapSupported = 1u << 3,
  kSlMapping = 1u << 6,
  kSystemImageGuid = 1u << 11,
  kExtendedSpeedsSupported = 1u << 14,
  kCapabilityMask2 = 1u << 15,
  kCapabilityMaskNotice = 1u << 22,
  kClientReregistration = 1u << 25,
  kOtherLocalChangesNotice = 1u << 26,
  kMulticastFdbTop = 1u << 30,
};
enum Capability2 : std::uint16_t {
  kLinkWidth2x = 1u << 4,
  kLinkSpeedHdr = 1u << 5,
  kLinkSpeedNdr = 1u << 10,
  kExtendedSpeeds2 = 1u << 11,
  kLinkSpeedXdr = 1u << 12,
};

constexpr std::uint8_t kPortRespTimeValue = 16;  // 4.096 µs << 16, a quarter of a second
constexpr std::uint32_t kSupportsExtendedSpeeds = 0x80000000;

// A link faster than QDR, and also FDR10, has QDR in the basic field; the extended field has the faster speed.
std::uint8_t BasicSpeedActive(LinkSpeeds active) {
  const std::uint8_t basic = BasicSpeeds(active);
  return basic != 0 ? basic : static_cast<std::uint8_t>(SpeedBit(LinkSpeed::QDR));
}

LinkSpeeds SpeedsOfNode(const Subnet& subnet, std::uint32_t node) {
  LinkSpeeds speeds = 0;
  for (const SmaPort& port : subnet.device(node).sma.ports) speeds |= port.speeds_supported;
  return speeds;
}

bool HasCapabilities(const Subnet& subnet, Place port) { return !subnet.is_switch(port.node) || port.port == 0; }

// Port `number`, as the answer to a question that came in by `at`.
void Pack(const Subnet& subnet, Place at, std::uint8_t number, std::uint8_t* data) {
  const Place place{at.node, number};
  const SmaPort& port = subnet.sma_port(place);
  const auto nibbles = [](unsigned high, unsigned low) { return static_cast<std::uint8_t>(high << 4 | low); };
  std::memset(data, 0, kSmpData.bytes);
  if (HasCapabilities(subnet, place)) {
    Put64(data, port.m_key);
    Put64(data + 8, port.gid_prefix);
    Put16(data + 16, port.lid);
    Put16(data + 18, port.sm_lid);
    Put32(data + 20, CapabilityMask(subnet, place));
    Put16(data + 26, port.m_key_lease_s);
    data[34] = static_cast<std::uint8_t>(port.m_key_protect << 6 | port.lmc);
    Put16(data + 44, port.m_key_violations);
    Put16(data + 46, port.p_key_violations);
    Put16(data + 48, port.q_key_violations);
    data[50] = kGuidCap;
    data[51] = static_cast<std::uint8_t>(port.multicast_p_key_trap_suppression << 5 | port.subnet_timeout);
    data[52] = kPortRespTimeValue;
    Put16(data + 60, CapabilityMask2(subnet, place));
  }
  data[28] = at.port;
  data[29] = port.widths_enabled;
  data[30] = port.widths_supported;
  data[31] = port.width_active;
  data[32] = nibbles(BasicSpeeds(port.speeds_supported), static_cast<unsigned>(port.state));
  data[33] = nibbles(static_cast<unsigned>(port.physical_state), static_cast<unsigned>(port.link_down_default));
  data[35] = nibbles(BasicSpeedActive(port.speed_active), BasicSpeeds(port.speeds_enabled));
  data[36] = nibbles(port.neighbor_mtu, port.sm_sl);
  data[37] = nibbles(port.vl_cap, port.init_type);
  data[38] = port.vl_high_limit;
  data[39] = kVlArbitrationCap;
  data[40] = kVlArbitrationCap;
  data[41] = port.mtu_cap;
  data[42] = port.vl_stall_and_hoq_life;
  data[43] = nibbles(port.operational_vls, port.enforcement);
  data[53] = port.error_thresholds;
  data[56] = static_cast<std::uint8_t>(ExtendedSpeeds2(port.speed_active) << 5 | ExtendedSpeeds2(port.speeds_supported) << 3 |
                                       ExtendedSpeeds2(port.speeds_enabled));
  data[62] = nibbles(ExtendedSpeeds(port.speed_active), ExtendedSpeeds(port.speeds_supported));
  data[63] = ExtendedSpeeds(port.speeds_enabled);
}

MadStatus HandlePortInfo(Request& request) {
  Subnet& subnet = request.subnet;
  const bool is_switch = subnet.is_switch(request.at.node);
  std::uint32_t number = request.modifier() & ~kSupportsExtendedSpeeds;
  if (number == 0 && !is_switch) number = request.at.port;
  if (number >= subnet.device(request.at.node).sma.ports.size()) return kInvalidField;
  const Place port{request.at.node, static_cast<std::uint8_t>(number)};
  MadStatus status = kOk;
  bool reregister = false;
  if (request.is_set()) {
    // Another port of the adapter has its own keys, which this request has not shown.
    if (!is_switch && port != request.at) return kInvalidField;
    reregister = HasCapabilities(subnet, port) && (request.data[51] & 0x80) != 0;
    status = SetPortInfo(subnet, port, request.data, (request.modifier() & kSupportsExtendedSpeeds) != 0);
  }
  Pack(subnet, request.at, port.port, request.data);
  // The response returns the bit, by which the kernel notifies programs; the port does not store it.
  if (status == kOk && reregister) request.data[51] |= 0x80;
  const SmaPort& keys = subnet.sma_port(subnet.endport(port));
  if (!request.is_set() && keys.m_key_protect == 1 && MKeyOf(request.mad) != keys.m_key) Put64(request.data, 0);
  return status;
}

const AttributeRegistration kRegistered(kSmpLid, "PortInfo", 0x0015, kGetAndSet, kSmpData, HandlePortInfo);

}  // namespace

std::uint32_t CapabilityMask(const Subnet& subnet, Place port) {
  if (!HasCapabilities(subnet, port)) return 0;
  std::uint32_t mask =
      kTrapSupported | kSlMapping | kSystemImageGuid | kCapabilityMaskNotice | kClientReregistration | kOtherLocalChangesNotice;
  if (subnet.sma_port(port).is_sm) mask |= kIsSm;
  if (subnet.is_switch(port.node)) mask |= kMulticastFdbTop;
  const LinkSpeeds speeds = SpeedsOfNode(subnet, port.node);
  if (ExtendedSpeeds(speeds) != 0 || ExtendedSpeeds2(speeds) != 0) mask |= kExtendedSpeedsSupported;
  if (CapabilityMask2(subnet, port) != 0) mask |= kCapabilityMask2;
  return mask;
}

std::uint16_t CapabilityMask2(const Subnet& subnet, Place port) {
  if (!HasCapabilities(subnet, port)) return 0;
  const LinkSpeeds speeds = SpeedsOfNode(subnet, port.node);
  std::uint16_t mask = 0;
  if ((speeds & SpeedBit(LinkSpeed::HDR)) != 0) mask |= kLinkSpeedHdr;
  if ((speeds & SpeedBit(LinkSpeed::NDR)) != 0) mask |= kLinkSpeedNdr;
  if ((speeds & SpeedBit(LinkSpeed::XDR)) != 0) mask |= kExtendedSpeeds2 | kLinkSpeedXdr;
  for (const SmaPort& p : subnet.device(port.node).sma.ports) {
    if ((p.widths_supported & kWidth2x) != 0) mask |= kLinkWidth2x;
  }
  return mask;
}

}  // namespace ccsim::emulator

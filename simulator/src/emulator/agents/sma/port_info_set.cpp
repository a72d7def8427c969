// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/agents/sma/port_info_set.hpp"

#include <optional>

#include "emulator/agents/sma/link.hpp"
#include "emulator/subnet.hpp"

namespace ccsim::emulator {
namespace {

// Values of fields that ask for no change, and for all that is supported.
constexpr unsigned kNoChange = 0;
constexpr unsigned kAllWidths = 0xFF;
constexpr unsigned kAllSpeeds = 0xF;
constexpr unsigned kNoExtendedSpeeds = 30;
constexpr unsigned kAllExtendedSpeeds = 31;

// The widths or speeds that a Set enables; none: it must not enable them.
std::optional<unsigned> Enabled(unsigned wanted, unsigned all, unsigned supported, unsigned now) {
  if (wanted == kNoChange) return now;
  if (wanted == all) return supported;
  if ((wanted & ~supported) != 0) return std::nullopt;
  return wanted;
}

struct Wanted {
  unsigned state, physical_state, link_down_default;
  std::uint16_t lid, sm_lid;
  std::uint8_t lmc, mtu, operational_vls;
  unsigned widths;
  LinkSpeeds speeds;
};

// A port becomes Active only if its neighbour is at least Armed.
bool NeighbourIsArmed(const Subnet& subnet, Place port) {
  const Port& cable = subnet.fabric().nodes()[port.node].ports[port.port];
  return subnet.sma_port({cable.peer_node, static_cast<std::uint8_t>(cable.peer_port)}).state >= PortState::Armed;
}

bool StateIsAllowed(const Subnet& subnet, Place place, const Wanted& wanted) {
  const SmaPort& port = subnet.sma_port(place);
  const bool management_port = place.port == 0;
  if (wanted.physical_state > static_cast<unsigned>(PhysicalState::Disabled)) return false;
  if (wanted.link_down_default > static_cast<unsigned>(PhysicalState::Polling)) return false;
  if (wanted.physical_state != kNoChange && (management_port || wanted.state > static_cast<unsigned>(PortState::Down)))
    return false;
  if (wanted.state == kNoChange || wanted.state == static_cast<unsigned>(port.state)) return wanted.state != 2;
  switch (static_cast<PortState>(wanted.state)) {
    case PortState::Down: return !management_port;
    case PortState::Armed: return port.state == PortState::Init;
    case PortState::Active: return port.state == PortState::Armed && NeighbourIsArmed(subnet, place);
    default: return false;
  }
}

// LID 0 is allowed while the port has no LID yet.
bool LidsAreAllowed(const Subnet& subnet, Place place, const Wanted& wanted) {
  const SmaPort& port = subnet.sma_port(place);
  if (wanted.lid >= kFirstMulticastLid || wanted.sm_lid >= kFirstMulticastLid) return false;
  if ((wanted.lid == 0 && port.lid != 0) || (wanted.sm_lid == 0 && port.sm_lid != 0)) return false;
  // A base switch port 0 has one LID.
  if (wanted.lmc != 0 && subnet.is_switch(place.node)) return false;
  return (wanted.lid & ((1u << wanted.lmc) - 1)) == 0;
}

std::optional<Wanted> Check(const Subnet& subnet, Place place, const std::uint8_t* data, bool knows_extended_speeds) {
  const SmaPort& port = subnet.sma_port(place);
  Wanted wanted{};
  wanted.state = data[32] & 0xFu;
  wanted.physical_state = data[33] >> 4u;
  wanted.link_down_default = data[33] & 0xFu;
  wanted.lid = Get16(data + 16);
  wanted.sm_lid = Get16(data + 18);
  wanted.lmc = data[34] & 0x7;
  wanted.mtu = data[36] >> 4;
  wanted.operational_vls = data[43] >> 4;
  if (wanted.mtu == kNoChange) wanted.mtu = port.neighbor_mtu;
  if (wanted.operational_vls == kNoChange) wanted.operational_vls = port.operational_vls;
  if (wanted.mtu > port.mtu_cap || wanted.operational_vls > port.vl_cap) return std::nullopt;
  if (!StateIsAllowed(subnet, place, wanted)) return std::nullopt;
  if (subnet.endport(place) == place && !LidsAreAllowed(subnet, place, wanted)) return std::nullopt;

  const auto widths = Enabled(data[29], kAllWidths, port.widths_supported, port.widths_enabled);
  const auto basic = Enabled(data[35] & 0xFu, kAllSpeeds, BasicSpeeds(port.speeds_supported), BasicSpeeds(port.speeds_enabled));
  unsigned extended_now = ExtendedSpeeds(port.speeds_enabled);
  const unsigned extended_wanted = knows_extended_speeds ? data[63] & 0x1Fu : kNoChange;
  const auto extended = extended_wanted == kNoExtendedSpeeds
                            ? std::optional<unsigned>(0)
                            : Enabled(extended_wanted, kAllExtendedSpeeds, ExtendedSpeeds(port.speeds_supported), extended_now);
  if (!widths || !basic || !extended) return std::nullopt;
  wanted.widths = *widths;
  wanted.speeds =
      static_cast<LinkSpeeds>((port.speeds_enabled & ~(kBasicSpeedBits | kExtendedSpeedBits)) | *basic | *extended << 4);
  return wanted;
}

void TakeEndport(Subnet& subnet, SmaPort& port, const Wanted& wanted, const std::uint8_t* data) {
  if (port.lid != wanted.lid || port.lmc != wanted.lmc) ++subnet.versions().forwarding;
  port.m_key = Get64(data);
  port.gid_prefix = Get64(data + 8);
  port.lid = wanted.lid;
  port.lmc = wanted.lmc;
  port.sm_lid = wanted.sm_lid;
  port.sm_sl = data[36] & 0xF;
  port.m_key_lease_s = Get16(data + 26);
  port.m_key_protect = data[34] >> 6;
  // Counters can be cleared, not written.
  if (Get16(data + 44) == 0) port.m_key_violations = 0;
  if (Get16(data + 46) == 0) port.p_key_violations = 0;
  if (Get16(data + 48) == 0) port.q_key_violations = 0;
  port.multicast_p_key_trap_suppression = data[51] >> 5 & 0x3;
  port.subnet_timeout = data[51] & 0x1F;
}

void TakeLink(Subnet& subnet, Place place, const Wanted& wanted, const std::uint8_t* data) {
  SmaPort& port = subnet.sma_port(place);
  if (port.operational_vls != wanted.operational_vls || port.vl_high_limit != data[38]) ++subnet.versions().service_levels;
  port.neighbor_mtu = wanted.mtu;
  port.operational_vls = wanted.operational_vls;
  port.vl_high_limit = data[38];
  port.vl_stall_and_hoq_life = data[42];
  port.enforcement = data[43] & 0xF;
  port.error_thresholds = data[53];
  port.init_type = data[37] & 0xF;
  if (wanted.link_down_default != kNoChange) port.link_down_default = static_cast<PhysicalState>(wanted.link_down_default);
  const bool other_widths = port.widths_enabled != wanted.widths;
  const bool other_speeds = port.speeds_enabled != wanted.speeds;
  port.widths_enabled = static_cast<std::uint8_t>(wanted.widths);
  port.speeds_enabled = wanted.speeds;
  if (other_widths || other_speeds) {
    std::uint16_t what = 0;
    if (other_widths) what |= kWidthEnabledChange;
    if (other_speeds) what |= kSpeedEnabledChange;
    subnet.traps().LocalChange(subnet, subnet.endport(place), what);
  }
}

void ChangeState(Subnet& subnet, Place place, const Wanted& wanted) {
  SmaPort& port = subnet.sma_port(place);
  const bool was_up = port.physical_state == PhysicalState::LinkUp;
  if (wanted.physical_state != kNoChange) port.physical_state = static_cast<PhysicalState>(wanted.physical_state);
  if (wanted.physical_state != kNoChange || wanted.state == static_cast<unsigned>(PortState::Down)) {
    if (was_up) {
      subnet.Bounce(place.node, place.port, place.node);
    } else {
      subnet.Train(place.node, place.port, place.node);
    }
  } else if (wanted.state != kNoChange && wanted.state != static_cast<unsigned>(port.state)) {
    port.state = static_cast<PortState>(wanted.state);
    ++subnet.versions().links;
  }
}

}  // namespace

MadStatus SetPortInfo(Subnet& subnet, Place place, const std::uint8_t* data, bool knows_extended_speeds) {
  const std::optional<Wanted> wanted = Check(subnet, place, data, knows_extended_speeds);
  if (!wanted) return kInvalidField;
  SmaPort& port = subnet.sma_port(place);
  if (subnet.endport(place) == place) TakeEndport(subnet, port, *wanted, data);
  // The rest means nothing to a management port without a link.
  if (place.port == 0) return kOk;
  TakeLink(subnet, place, *wanted, data);
  ChangeState(subnet, place, *wanted);
  return kOk;
}

}  // namespace ccsim::emulator

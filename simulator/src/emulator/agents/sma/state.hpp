// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// sma/state.hpp: what a node's subnet management agent holds.
//
// Tables that a subnet manager need not write (SL-to-VL, VL arbitration, P_Keys, GUIDs, multicast) take room from their first Set on.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "fabric.hpp"
#include "link_rate.hpp"
#include "vl_arbitration_tables.hpp"

namespace ccsim::emulator {

enum class PortState : std::uint8_t { Down = 1, Init = 2, Armed = 3, Active = 4 };
enum class PhysicalState : std::uint8_t { Sleep = 1, Polling = 2, Disabled = 3, LinkUp = 5 };

// Capabilities of the emulated devices, as NodeInfo, SwitchInfo and PortInfo give them.
inline constexpr std::uint16_t kPartitionCap = 64;             // P_Keys of an endport
inline constexpr std::uint16_t kPartitionEnforcementCap = 64;  // P_Keys of a switch's external port
inline constexpr std::uint16_t kLinearFdbCap = 0xC000;
inline constexpr std::uint16_t kMulticastFdbCap = 0x1000;
inline constexpr std::uint8_t kVlCap = 4;              // VL 0 to 7
inline constexpr std::uint8_t kOneVlCap = 1;           // VL 0, of devices whose scheme carries one VL
inline constexpr std::uint8_t kVlArbitrationCap = 16;  // entries of each of the two tables
inline constexpr std::uint8_t kGuidCap = 32;

inline constexpr std::uint16_t kDefaultPKey = 0xFFFF;
inline constexpr std::uint64_t kDefaultGidPrefix = 0xFE80000000000000;

// One bit a width, as in LinkWidthEnabled.
enum LinkWidths : std::uint8_t { kWidth1x = 1, kWidth4x = 2, kWidth8x = 4, kWidth12x = 8, kWidth2x = 16 };
// One bit a LinkSpeed. PortInfo spreads them over LinkSpeed, LinkSpeedExt and LinkSpeedExt2, and FDR10 is Mellanox' own.
using LinkSpeeds = std::uint16_t;
constexpr LinkSpeeds SpeedBit(LinkSpeed speed) { return static_cast<LinkSpeeds>(1u << static_cast<unsigned>(speed)); }
// All speeds up to this one.
constexpr LinkSpeeds SpeedsUpTo(LinkSpeed speed) { return static_cast<LinkSpeeds>((SpeedBit(speed) << 1) - 1); }

// SLtoVLMappingTable as it travels: two SLs a byte.
using SlToVlBytes = std::array<std::uint8_t, 8>;
// The table until a Set, of a port with this VLCap: VL s mod 8; of a port that has VL 0 alone, VL 0.
inline const SlToVlBytes& PowerOnSlToVl(std::uint8_t vl_cap) {
  static constexpr SlToVlBytes kEight{0x01, 0x23, 0x45, 0x67, 0x01, 0x23, 0x45, 0x67};
  static constexpr SlToVlBytes kOne{};
  return vl_cap == kOneVlCap ? kOne : kEight;
}

struct SmaPort {
  PortState state = PortState::Down;
  PhysicalState physical_state = PhysicalState::Polling;
  PhysicalState link_down_default = PhysicalState::Polling;

  // Members of endports only: a channel adapter's ports, and port 0 of a switch.
  std::uint16_t lid = 0;
  std::uint8_t lmc = 0;
  std::uint8_t sm_sl = 0;
  std::uint16_t sm_lid = 0;
  bool is_sm = false;
  std::uint64_t guid = 0;
  std::uint64_t gid_prefix = kDefaultGidPrefix;
  std::uint64_t m_key = 0;
  std::uint8_t m_key_protect = 0;
  std::uint16_t m_key_lease_s = 0;  // 0: for ever
  std::uint16_t m_key_violations = 0;
  std::int64_t m_key_lease_end_ns = -1;  // -1: nobody with a wrong key has come
  std::uint16_t p_key_violations = 0;
  std::uint16_t q_key_violations = 0;
  std::uint8_t subnet_timeout = 18;  // 4.096 µs << this, about a second
  std::uint8_t multicast_p_key_trap_suppression = 0;

  std::uint8_t widths_supported = 0;
  std::uint8_t widths_enabled = 0;
  std::uint8_t width_active = 0;
  LinkSpeeds speeds_supported = 0;
  LinkSpeeds speeds_enabled = 0;
  LinkSpeeds speed_active = 0;  // one bit

  std::uint8_t mtu_cap = 0;  // 1: 256 bytes to 5: 4,096
  std::uint8_t neighbor_mtu = 0;
  // 1: VL 0; 2: VL 0 and 1; 3: 0 to 3; 4: 0 to 7; 5: 0 to 14. Until a Set all that the port has: OpenSM's dfsssp and lash look here,
  // before OpenSM has ever set it, for how many there are.
  std::uint8_t operational_vls = kVlCap;
  std::uint8_t vl_cap = kVlCap;
  std::uint8_t init_type = 0;
  std::uint8_t vl_high_limit = 0;
  std::uint8_t vl_stall_and_hoq_life = 0xFF;
  std::uint8_t enforcement = 0;  // of partitions in and out, of raw packets in and out
  std::uint8_t error_thresholds = 0x88;

  std::vector<std::uint16_t> p_keys{kDefaultPKey};  // no longer than what was Set
  std::vector<std::uint64_t> guids;                 // alias GUIDs, element 0 unused
  std::vector<std::uint8_t> vl_arbitration;         // as it travels: low table, then high; empty until a Set
  std::vector<SlToVlBytes> sl_to_vl;                // by port of entry, of what leaves by this one; empty until a Set

  bool has_lid(std::uint16_t dlid) const { return lid != 0 && dlid >= lid && dlid - lid < 1 << lmc; }
};

struct SmaNode {
  std::vector<SmaPort> ports;  // num_ports + 1; element 0 is a switch's management port
  std::string description;     // empty: the node's name in the fabric

  // Members of a switch only.
  std::vector<std::uint8_t> forwarding;  // LinearForwardingTable: by LID, 0xFF none; no longer than what was Set
  std::vector<std::uint16_t> multicast;  // MulticastForwardingTable: [LID from 0xC000][position of 16 ports]
  std::uint16_t forwarding_top = 0;      // LinearFDBTop: no LID above it is forwarded
  std::uint16_t multicast_top = 0;
  std::uint8_t life_time = 0;
  std::uint8_t default_port = 0;
  std::uint8_t default_multicast_primary_port = 0;
  std::uint8_t default_multicast_other_port = 0;
  bool port_state_change = false;

  // The port that packets to this LID leave by; kNoRoute where there is none.
  std::uint8_t Forward(std::uint16_t lid) const {
    return lid < forwarding.size() && lid <= forwarding_top ? forwarding[lid] : kNoRoute;
  }
  const SlToVlBytes& SlToVlOf(std::size_t in_port, std::size_t out_port) const {
    const auto& rows = ports[out_port].sl_to_vl;
    return rows.empty() ? PowerOnSlToVl(ports[out_port].vl_cap) : rows[in_port];
  }
};

}  // namespace ccsim::emulator

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cca/state.hpp: what a node's congestion control agents hold (IBA annex A10): a switch has one agent, at its management port; a
// channel adapter has one at each port.
//
// Behaviour   handlers of attributes change it; the data plane reads the tables through SubnetCcTables (tables.hpp)
// Data        raw values of the attributes, in ccpolicy's structs
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "ccpolicy/tables.h"
#include "ccpolicy/wire.h"
#include "emulator/agents/cca/nvidia_state.hpp"

namespace ccsim::emulator {

// Tables of a channel adapter's port.
struct CaTables {
  ccp_ca_setting setting{};              // its Control_Map gathers the SLs that have ever been set
  std::uint16_t latest_control_map = 0;  // of the latest Set: what a Get shows
  bool has_cct = false;                  // a CongestionControlTable has ever been set
  std::uint16_t ccti_limit = 0;          // of the latest Set
  std::vector<ccp_cct_entry> cct;        // ccti_limit + 1 entries or more: all blocks that have been written are in it
};

// A SwitchPortCongestionSetting element has one of two meanings, by its Control_Type, and a port holds one of each.
struct SwitchPortTables {
  ccp_switch_port_setting congestion{};  // Control_Type 0
  ccp_switch_port_setting starvation{};  // Control_Type 1: CS_Threshold and CS_ReturnDelay
  std::uint8_t latest_control_type = 0;  // of the latest Set: what a Get shows
};

struct SwitchTables {
  ccp_switch_setting setting{};          // its Control_Map gathers what has ever been set
  std::uint32_t latest_control_map = 0;  // of the latest Set: what a Get shows
  std::vector<SwitchPortTables> ports;   // num_ports + 1, or none before the first Set
};

// A firmware's reading of the CCTI_Limit of a table of several blocks.
enum class CctiLimitReading : std::uint8_t {
  Latest,    // that of the latest Set is the table's
  PerBlock,  // the same, but of each block only entries up to (CCTI_Limit mod 64) are taken, as the qib driver does: a sender that
             // writes the final limit in every block loses entries
};

// CongestionLog of a CA: the two layouts of an event that are in use.
enum class CaLogLayout : std::uint8_t { IbTypes, Libibmad };

// Properties in which firmwares differ. Set from outside; a reboot leaves them.
struct CcaFirmware {
  std::uint8_t cct_blocks = 255;  // ControlTableCap of a CA: blocks of 64 entries. 0: a CA without congestion control
  CctiLimitReading limit_reading = CctiLimitReading::Latest;
  CaLogLayout log_layout = CaLogLayout::IbTypes;
  bool credit_starvation = true;   // of a switch
  bool clamps_ccti_limit = false;  // a limit beyond the capacity becomes the capacity's last index, and is not refused
  NvidiaFirmware nvidia;
};

// CongestionKeyInfo (key.hpp).
struct CcaKey {
  std::uint64_t key = 0;  // 0: not checked
  bool protect = false;
  std::uint16_t lease_period_s = 0;
  std::uint16_t violations = 0;               // stays at its largest value
  std::optional<std::int64_t> lease_ends_ns;  // runs since a violation; by the subnet's clock
};

struct SwitchLogEvent {
  std::uint16_t slid = 0;
  std::uint16_t dlid = 0;
  std::uint8_t sl = 0;
  std::int64_t at_ns = 0;  // by the subnet's clock
};

struct CaLogEvent {
  std::uint32_t local_qp = 0;
  std::uint32_t remote_qp = 0;
  std::uint8_t sl = 0;
  std::uint8_t service_type = 0;  // 0: reliable connection
  std::uint16_t local_lid = 0;
  std::uint16_t remote_lid = 0;
  std::int64_t at_ns = 0;
};

// Observations of the data plane, for CongestionLog. Events are in the order in which they happened; when there are more than the
// attribute has room for, the oldest one is removed.
struct CcaLog {
  static constexpr std::size_t kSwitchEvents = 15;
  static constexpr std::size_t kCaEvents = 13;

  std::uint16_t events = 0;  // since last read; stays at its largest value
  std::bitset<256> ports;    // of a switch: that have marked packets since last read
  std::uint16_t sls = 0;     // of a CA: with an event since last read
  std::vector<SwitchLogEvent> switch_events;
  std::vector<CaLogEvent> ca_events;

  void Add(const SwitchLogEvent& event) {
    CountEvent();
    if (switch_events.size() == kSwitchEvents) switch_events.erase(switch_events.begin());
    switch_events.push_back(event);
  }
  void Add(const CaLogEvent& event) {
    CountEvent();
    sls = static_cast<std::uint16_t>(sls | 1u << (event.sl & 15));
    if (ca_events.size() == kCaEvents) ca_events.erase(ca_events.begin());
    ca_events.push_back(event);
  }

 private:
  void CountEvent() {
    if (events < UINT16_MAX) ++events;
  }
};

// An agent: a switch's is that of port 0.
struct CcaPort {
  CaTables tables;        // of a CA
  NvidiaCaTables nvidia;  // of a CA
  CcaKey key;
  ccp_class_port_info trap_target{};  // the trap fields of the latest Set(ClassPortInfo)
  CcaLog log;
};

struct CcaNode {
  CcaFirmware firmware;
  SwitchTables switch_tables;
  NvidiaSwitchTables nvidia;    // of a switch
  std::vector<CcaPort> ports;   // num_ports + 1
  bool tables_ignored = false;  // by a fault: traffic runs as if congestion control were off
  bool ever_set = false;        // a table, since the emulator's start
  bool forgot = false;          // it has lost a table with its power, and the data plane must learn of it

  std::uint64_t noise = 0;  // answers given by NvidiaQuirk::Noise

  // As a device is that has just been switched on: its firmware and its faults stay. `num_ports`: port 0 counted.
  void PowerOn(std::size_t num_ports) {
    forgot = ever_set;
    switch_tables = {};
    nvidia = {};
    ports.assign(num_ports, {});
  }

  // Sets the firmware's properties of NVIDIA's attributes; slots of algorithms are then as after a power-on.
  void SetNvidiaFirmware(NvidiaFirmware changed) {
    firmware.nvidia = std::move(changed);
    for (CcaPort& port : ports) port.nvidia.slots.clear();
  }
};

}  // namespace ccsim::emulator

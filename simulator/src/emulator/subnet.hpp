// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// subnet.hpp: the nodes of a fabric as management sees them: the state of their agents, their links, and the transport of MADs.
//
// Behaviour   belongs to one thread. A MAD is carried at once, hop by hop, along its addresses and the switches' tables; where it is
//             lost (a link that is down, a LID without an entry), the port counts it
// Data        a Device for each node of the Fabric, which is neither copied nor changed
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "emulator/agents/cca/state.hpp"
#include "emulator/agents/pma/state.hpp"
#include "emulator/agents/sma/state.hpp"
#include "emulator/agents/vendor/state.hpp"
#include "emulator/faults.hpp"
#include "emulator/mad.hpp"
#include "emulator/mad_counts.hpp"
#include "emulator/traps.hpp"
#include "emulator/unknown_modifiers.hpp"
#include "fabric.hpp"

namespace ccsim::emulator {

struct Device {
  bool present = true;                     // powered and cabled
  std::vector<std::uint8_t> cable_pulled;  // by port: SetLink has taken it down
  SmaNode sma;
  PmaNode pma;
  CcaNode cca;
  Hardware hardware;
};

// The result of Subnet::Send.
enum class Fate : std::uint8_t {
  Answered,   // an agent has answered: the datagram is the response, back at the sender
  ForClient,  // it is for programs at a place: a response, a trap, or a request that no agent answers
  Consumed,   // an agent has received it, and it asks for no answer (TrapRepress)
  Lost,       // it was lost on its way there or back, or the agent does not answer
};

struct Delivery {
  Fate fate = Fate::Lost;
  Place at{};                  // for ForClient
  std::uint32_t delay_ms = 0;  // how much later than at once, by a fault
};

// Counts the changes of the tables that the data plane follows. Code that changes a table increments its count.
struct TableVersions {
  std::uint64_t forwarding = 0;      // LIDs and LinearForwardingTables
  std::uint64_t service_levels = 0;  // SL-to-VL and VL arbitration
  std::uint64_t congestion = 0;
  std::uint64_t links = 0;  // links, nodes and port states
};

// The running workload, as the agents see it.
class Traffic {
 public:
  virtual ~Traffic() = default;
  // Brings the counters and logs of a device up to date.
  virtual void Refresh(std::uint32_t node) = 0;
};

class Subnet {
 public:
  // The fabric must outlive the subnet. `clock_ns` gives the nanoseconds since the emulator's start; by default the machine's monotonic clock.
  // `vl_cap`: VLCap of all ports.
  explicit Subnet(const Fabric& fabric, std::uint64_t seed = 1, std::function<std::int64_t()> clock_ns = {},
                  std::uint8_t vl_cap = kVlCap);

  const Fabric& fabric() const { return fabric_; }
  std::int64_t now_ns() const { return clock_ns_(); }
  std::uint32_t num_devices() const { return static_cast<std::uint32_t>(devices_.size()); }
  Device& device(std::uint32_t node) { return devices_[node]; }
  const Device& device(std::uint32_t node) const { return devices_[node]; }
  bool is_switch(std::uint32_t node) const { return fabric_.nodes()[node].kind == NodeKind::Switch; }
  // The port that has the LID and the keys: port 0 of a switch, whichever port a MAD came in by.
  Place endport(Place at) const { return {at.node, is_switch(at.node) ? std::uint8_t{0} : at.port}; }
  SmaPort& sma_port(Place at) { return devices_[at.node].sma.ports[at.port]; }
  const SmaPort& sma_port(Place at) const { return devices_[at.node].sma.ports[at.port]; }

  // Carries a datagram from the place where its sender is attached.
  Delivery Send(Place from, Datagram& datagram);

  // True if the physical link is up: a cable joins the port to another node, both nodes are present, the cable is in, and neither end
  // is disabled.
  bool LinkUp(std::uint32_t node, std::uint16_t port) const {
    return devices_[node].sma.ports[port].physical_state == PhysicalState::LinkUp;
  }
  void SetLink(std::uint32_t node, std::uint16_t port, bool up);
  void SetPresent(std::uint32_t node, bool present);
  // A power cycle: the node loses tables, keys and counters, and its links come up again.
  void Reboot(std::uint32_t node);
  // Changes NodeDescription, which is cut to 64 bytes.
  void SetDescription(std::uint32_t node, std::string text);
  // Sets IsSM of this endport: true while a program there is a subnet manager.
  void SetIsSm(Place at, bool is_sm);

  // Brings a link into the state that its ends and its cable allow: up, with both ports in Init, or down. A switch sends no notice of a
  // change that a Set at itself, `by_set_at`, has caused.
  void Train(std::uint32_t node, std::uint16_t port, std::uint32_t by_set_at = kNone);
  // Takes a link down and lets it train again. REQUIRES: it is up.
  void Bounce(std::uint32_t node, std::uint16_t port, std::uint32_t by_set_at = kNone);

  // Notices of nodes, oldest first. Kernel removes them and carries them with Send().
  std::deque<Unsolicited>& outbox() { return outbox_; }
  Traps& traps() { return traps_; }
  // The time at which Tick() is due, by the subnet's clock; INT64_MAX: never.
  std::int64_t NextDeadline_ns() const { return traps_.NextDeadline_ns(); }
  void Tick() { traps_.Tick(*this); }

  Faults& faults() { return faults_; }
  // Counts the MADs that present nodes have sent with Send().
  MadCounts& mad_counts() { return mad_counts_; }
  UnknownModifiers& unknown_modifiers() { return unknown_modifiers_; }
  TableVersions& versions() { return versions_; }
  void set_traffic(Traffic* traffic) { traffic_ = traffic; }
  // Call it before counters or logs of a device are read.
  void Refresh(std::uint32_t node) {
    if (traffic_ != nullptr) traffic_->Refresh(node);
  }

 private:
  void PowerOn(std::uint32_t node);
  bool Cabled(std::uint32_t node, std::uint16_t port) const;
  void TakeDown(std::uint32_t node, std::uint16_t port, bool news);

  const Fabric& fabric_;
  std::function<std::int64_t()> clock_ns_;
  std::vector<std::uint64_t> port_guid_bases_;
  std::uint8_t vl_cap_;
  std::vector<Device> devices_;
  std::deque<Unsolicited> outbox_;
  Traps traps_;
  Faults faults_;
  MadCounts mad_counts_;
  UnknownModifiers unknown_modifiers_;
  TableVersions versions_;
  Traffic* traffic_ = nullptr;
};

}  // namespace ccsim::emulator

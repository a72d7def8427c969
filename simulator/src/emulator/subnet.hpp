// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// subnet.hpp: the nodes of a fabric as management sees them: their agents' state, the links that are up, and the way of a MAD.
//
// Behaviour   one thread's. A MAD is carried at once, hop by hop as its addresses and the switches' tables say; what it meets on the
//             way (a link that is down, a LID without an entry) counts at the port where it ends
// Data        a Device a node of the Fabric; nothing of the Fabric is copied or changed
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
#include "emulator/faults.hpp"
#include "emulator/mad.hpp"
#include "emulator/mad_counts.hpp"
#include "emulator/traps.hpp"
#include "fabric.hpp"

namespace ccsim::emulator {

struct Device {
  bool present = true;                     // powered and cabled
  std::vector<std::uint8_t> cable_pulled;  // by port: taken down by hand
  SmaNode sma;
  PmaNode pma;
  CcaNode cca;
};

// What became of a datagram.
enum class Fate : std::uint8_t {
  Answered,   // an agent has: the datagram is its response, back at the sender
  ForClient,  // for programs at a place: a response, a trap, or a request that no agent answers
  Consumed,   // taken by an agent, and no answer belongs to it (TrapRepress)
  Lost,       // on its way there or back, or left without an answer
};

struct Delivery {
  Fate fate = Fate::Lost;
  Place at{};                  // for ForClient
  std::uint32_t delay_ms = 0;  // that a fault wants
};

// Tables that the data plane follows. Whoever changes one counts it up.
struct TableVersions {
  std::uint64_t forwarding = 0;      // LIDs and LinearForwardingTables
  std::uint64_t service_levels = 0;  // SL-to-VL and VL arbitration
  std::uint64_t congestion = 0;
  std::uint64_t links = 0;  // links, nodes and port states
};

// The running traffic, if there is any, as the agents see it.
class Traffic {
 public:
  virtual ~Traffic() = default;
  // Brings the counters and logs of a device up to the present.
  virtual void Refresh(std::uint32_t node) = 0;
};

class Subnet {
 public:
  // The fabric must outlive the subnet. `clock_ns` gives the nanoseconds since the emulator's start; by default the machine's monotonic clock.
  explicit Subnet(const Fabric& fabric, std::uint64_t seed = 1, std::function<std::int64_t()> clock_ns = {});

  const Fabric& fabric() const { return fabric_; }
  std::int64_t now_ns() const { return clock_ns_(); }
  std::uint32_t num_devices() const { return static_cast<std::uint32_t>(devices_.size()); }
  Device& device(std::uint32_t node) { return devices_[node]; }
  const Device& device(std::uint32_t node) const { return devices_[node]; }
  bool is_switch(std::uint32_t node) const { return fabric_.nodes()[node].kind == NodeKind::Switch; }
  // The port that has a LID and keys: of a switch port 0, whatever port a MAD came in by.
  Place endport(Place at) const { return {at.node, is_switch(at.node) ? std::uint8_t{0} : at.port}; }
  SmaPort& sma_port(Place at) { return devices_[at.node].sma.ports[at.port]; }
  const SmaPort& sma_port(Place at) const { return devices_[at.node].sma.ports[at.port]; }

  // Carries a datagram from where its sender is attached.
  Delivery Send(Place from, Datagram& datagram);

  // A cable joins it to another node, both are there, nobody has pulled the cable, and neither end is disabled: the physical link is up.
  bool LinkUp(std::uint32_t node, std::uint16_t port) const {
    return devices_[node].sma.ports[port].physical_state == PhysicalState::LinkUp;
  }
  void SetLink(std::uint32_t node, std::uint16_t port, bool up);
  void SetPresent(std::uint32_t node, bool present);
  // As after a power cycle: tables, keys and counters are gone, links come up anew.
  void Reboot(std::uint32_t node);
  // What NodeDescription says from now on, cut to 64 bytes.
  void SetDescription(std::uint32_t node, std::string text);
  // Whether a subnet manager runs on programs at this endport.
  void SetIsSm(Place at, bool is_sm);

  // Brings a link into the state that its two ends and its cable allow: up, and both ports in Init, or down. A change caused by a Set at
  // `by_set_at` is not news to that switch.
  void Train(std::uint32_t node, std::uint16_t port, std::uint32_t by_set_at = kNone);
  // Takes a link down and lets it train again. REQUIRES: it is up.
  void Bounce(std::uint32_t node, std::uint16_t port, std::uint32_t by_set_at = kNone);

  // Traps and the like, oldest first: whoever serves the clients takes them out and carries them by Send().
  std::deque<Unsolicited>& outbox() { return outbox_; }
  Traps& traps() { return traps_; }
  // When Tick() is due, on the subnet's clock; INT64_MAX: never.
  std::int64_t NextDeadline_ns() const { return traps_.NextDeadline_ns(); }
  void Tick() { traps_.Tick(*this); }

  Faults& faults() { return faults_; }
  // Of all that present nodes have sent by Send().
  MadCounts& mad_counts() { return mad_counts_; }
  TableVersions& versions() { return versions_; }
  void set_traffic(Traffic* traffic) { traffic_ = traffic; }
  // Before counters or logs of a device are read.
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
  std::vector<Device> devices_;
  std::deque<Unsolicited> outbox_;
  Traps traps_;
  Faults faults_;
  MadCounts mad_counts_;
  TableVersions versions_;
  Traffic* traffic_ = nullptr;
};

}  // namespace ccsim::emulator

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core_tables.cpp: forwarding, service levels and links that change in a run.
//
// Behaviour   as engine.hpp says of SetForward, SetLink and SetServiceLevels. The forwarding table that packets meet has no entry
//             where the way on is impaired, so that their common case costs nothing
// Data        routes_, forwarding_, down_links_, levels_, arbiters_
#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "engine/core.hpp"

namespace ccsim {

// Ports are numbered by ascending node and port.
std::uint32_t EngineCore::PortOf(std::uint32_t node, std::uint16_t port) const {
  const auto before = [](const Hop& a, const Hop& b) { return a.node != b.node ? a.node < b.node : a.port < b.port; };
  const auto found = std::lower_bound(port_names_.begin(), port_names_.end(), Hop{node, port}, before);
  if (found == port_names_.end() || found->node != node || found->port != port) return kNoIndex;
  return static_cast<std::uint32_t>(found - port_names_.begin());
}

// --- Forwarding -------------------------------------------------------------------------------------------------------------------

// From now on an arrival looks at the tables of its own time.
void EngineCore::Disturb() {
  if (disturbed_) return;
  disturbed_ = true;
  diverts_ = true;
  routes_ = forwarding_;
  for (std::uint32_t s = 0; s < switches_.size(); ++s) {
    for (std::uint32_t e = 0; e < num_endports_; ++e) forwarding_.Set(s, e, Effective(s, e));
  }
}

// The output that a packet gets: none if its link is down, or leads to another adapter, which would throw the packet away.
std::uint8_t EngineCore::Effective(std::uint32_t ordinal, std::uint32_t endport) const {
  const std::uint8_t out = routes_(ordinal, endport);
  if (out == kNoOutput) return out;
  const PortState& port = ports_[switches_[ordinal].first_port + out];
  const std::uint32_t host = ports_[port.peer].host;
  return port.impaired || (host != kNoIndex && host != endport) ? kNoOutput : out;
}

void EngineCore::SetForward(std::uint32_t ordinal, std::uint32_t endport, std::uint8_t port) {
  const SwitchState& sw = switches_[ordinal];
  std::uint8_t out = kNoOutput;
  if (port != kNoRoute && sw.num_ports > 0) {
    const std::uint32_t index = PortOf(port_names_[sw.first_port].node, port);
    if (index != kNoIndex) out = static_cast<std::uint8_t>(index - sw.first_port);
  }
  routes_.Set(ordinal, endport, out);
  forwarding_.Set(ordinal, endport, Effective(ordinal, endport));
}

// After the state of its link has changed.
void EngineCore::ReviseForwarding(std::uint32_t port) {
  const std::uint32_t ordinal = ports_[port].switch_ordinal;
  const std::uint32_t out = port - ports_[port].first_port;
  for (std::uint32_t e = 0; e < num_endports_; ++e) {
    if (routes_(ordinal, e) == out) forwarding_.Set(ordinal, e, Effective(ordinal, e));
  }
}

// --- Links ------------------------------------------------------------------------------------------------------------------------

bool EngineCore::ChangesLink(std::uint32_t node, std::uint16_t port_number, bool up) const {
  const std::uint32_t port = PortOf(node, port_number);
  if (port == kNoIndex) {
    throw std::invalid_argument("port " + std::to_string(port_number) + " of node " + std::to_string(node) + " has no link");
  }
  return !up && !down_links_.contains(std::min(port, ports_[port].peer));
}

void EngineCore::SetLink(std::uint32_t node, std::uint16_t port_number, bool up) {
  const std::uint32_t port = PortOf(node, port_number);
  const std::uint32_t peer = ports_[port].peer;
  const auto down = down_links_.find(std::min(port, peer));
  if (up) {
    if (down == down_links_.end() || down->second.rising) return;
    down->second.rising = true;
    calendar_.PushAt(now_, std::max(now_, down->second.clear), kLinkUp, down->first, 0);
    return;
  }
  if (down != down_links_.end()) {
    down->second.rising = false;
    return;
  }
  DownLink link;
  for (const std::uint32_t end : {port, peer}) {
    Impair(end);
    OnLinkDown(end);
    const PortState& sender = ports_[end];
    link.clear = std::max(link.clear, now_ + TimeFor(full_bytes_, sender.byte_time) + sender.arrive_delay + 1);
  }
  down_links_[std::min(port, peer)] = link;
}

void EngineCore::Impair(std::uint32_t port) {
  ports_[port].impaired = true;
  if (ports_[port].host == kNoIndex) {
    ReviseForwarding(port);
    for (unsigned vl = 0; vl < num_vls_; ++vl) LoseQueued(port, vl);
    return;
  }
  const std::uint32_t host = ports_[port].host;
  for (unsigned vl = 0; vl < num_vls_; ++vl) {
    LoseControl(host, vl);
    Lane(port, vl).wants_credits = false;
  }
  hosts_[host].link_free = kNever;  // what its queue pairs have to send waits in them
  StopWaiting(port);
}

void EngineCore::OnLinkUp(std::uint32_t port) {
  const auto down = down_links_.find(port);
  if (down == down_links_.end() || !down->second.rising || now_ < down->second.clear) return;
  down_links_.erase(down);
  const std::uint32_t ends[] = {port, ports_[port].peer};
  for (const std::uint32_t end : ends) ports_[end].impaired = false;
  for (const std::uint32_t end : ends) OnLinkRestored(end);
  for (const std::uint32_t end : ends) {
    if (ports_[end].host == kNoIndex) {
      ReviseForwarding(end);
    } else {
      hosts_[ports_[end].host].link_free = now_;
      TryInject(ports_[end].host);
    }
  }
}

// --- Service levels ---------------------------------------------------------------------------------------------------------------

void EngineCore::SetServiceLevels(const Fabric& fabric) {
  const unsigned vls = ServiceLevels::NumVls(fabric, model_.num_vls);
  if (vls > num_vls_) AddVls(vls);
  levels_ = ServiceLevels(fabric, vls);
  maps_sls_ = true;
  arbitrates_ = fabric.has_vl_arbitration() && num_vls_ > 1;
  ReviseArbitration(fabric);
  DropUnserved();
  for (std::uint32_t host = 0; host < num_endports_; ++host) TryInject(host);
  for (std::uint32_t port = 0; port < ports_.size(); ++port) {
    if (ports_[port].host == kNoIndex) TrySend(port);
  }
}

// An arbiter whose tables stay keeps its place in them.
void EngineCore::ReviseArbitration(const Fabric& fabric) {
  if (!arbitrates_) return arbiters_.clear();
  arbiters_.resize(ports_.size());
  for (std::uint32_t i = 0; i < ports_.size(); ++i) {
    const VlArbitrationTables* tables = fabric.vl_arbitration(port_names_[i].node, port_names_[i].port);
    std::optional<VlArbiter>& arbiter = arbiters_[i];
    if (tables == nullptr) {
      arbiter.reset();
    } else if (!arbiter || arbiter->tables() != *tables) {
      auto known = std::find(arbitration_tables_.begin(), arbitration_tables_.end(), *tables);
      if (known == arbitration_tables_.end()) known = arbitration_tables_.insert(known, *tables);
      arbiter.emplace(*known);
    }
  }
}

bool EngineCore::Serves(std::uint32_t port, unsigned vl) const {
  if (!arbitrates_) return true;
  const std::optional<VlArbiter>& arbiter = arbiters_[port];
  return !arbiter || (arbiter->tables().served_vls() >> vl & 1) != 0;
}

void EngineCore::DropUnserved() {
  for (std::uint32_t port = 0; port < ports_.size(); ++port) {
    for (unsigned vl = 0; vl < num_vls_; ++vl) {
      if (Serves(port, vl)) continue;
      if (ports_[port].host == kNoIndex) {
        LoseQueued(port, vl);
      } else {
        LoseControl(ports_[port].host, vl);
      }
    }
  }
}

// Lays everything that is numbered by VL out anew. Events name a VL, and stay as they are.
void EngineCore::AddVls(unsigned vls) {
  if (shares_) {
    throw std::invalid_argument("service levels that need " + std::to_string(vls) + " VLs, where buffers are shared by " +
                                std::to_string(num_vls_) + "; the number of VLs cannot grow in a run then");
  }
  WidenQueues(num_vls_, vls);  // first: where the scheme refuses, nothing has changed
  const unsigned before = std::exchange(num_vls_, vls);
  const auto widen = [&]<typename V>(V& of, std::size_t rows, const V::value_type& fresh) {
    V wide(rows * vls, fresh);
    for (std::size_t row = 0; row < rows; ++row) {
      std::move(of.begin() + static_cast<std::ptrdiff_t>(row * before),
                of.begin() + static_cast<std::ptrdiff_t>((row + 1) * before),
                wide.begin() + static_cast<std::ptrdiff_t>(row * vls));
    }
    of = std::move(wide);
  };
  widen(ready_, num_endports_, IndexQueue{});
  widen(control_, num_endports_, PacketQueue{});
  if (!credit_held_until_.empty()) widen(credit_held_until_, ports_.size(), Time{0});
  widen(lanes_, ports_.size(), LaneState{});
  widen(wakes_, ports_.size(), kNever);
  for (std::uint32_t port = 0; port < ports_.size(); ++port) {
    for (unsigned vl = before; vl < vls; ++vl) {
      Lane(port, vl) = MakeLane(port);
      Lane(port, vl).detection = Lane(port, 0).detection;
    }
  }
  NumberCrosspoints();
  for (std::uint32_t port = 0; port < ports_.size(); ++port) {
    if (ports_[port].host != kNoIndex) continue;
    for (unsigned vl = before; vl < vls; ++vl) Redetect(port, vl);
  }
}

}  // namespace ccsim

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// management.hpp: a subnet manager's part, for tests: it makes SMPs, sends them, and brings a subnet up.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "emulator/mad.hpp"
#include "emulator/subnet.hpp"
#include "fabric.hpp"

namespace ccsim::emulator::testing {

using Data = std::array<std::uint8_t, 64>;
using Path = std::vector<std::uint8_t>;  // ports to leave by, the sender's first

enum Attribute : std::uint16_t {
  kNodeDescriptionId = 0x0010,
  kNodeInfoId = 0x0011,
  kSwitchInfoId = 0x0012,
  kGuidInfoId = 0x0014,
  kPortInfoId = 0x0015,
  kPKeyTableId = 0x0016,
  kSlToVlId = 0x0017,
  kVlArbitrationId = 0x0018,
  kForwardingId = 0x0019,
  kMulticastId = 0x001B,
  kSmInfoId = 0x0020,
  kExtendedPortInfoId = 0xFF90,
};

struct Smp {
  MadMethod method = kGet;
  std::uint16_t attribute = 0;
  std::uint32_t modifier = 0;
  Data data{};
  std::uint64_t m_key = 0;
};

inline Datagram LidSmp(std::uint16_t dlid, const Smp& smp) {
  Datagram datagram;
  datagram.dlid = dlid;
  std::uint8_t* b = datagram.mad.data();
  b[0] = 1;
  b[1] = kSmpLid;
  b[2] = 1;
  b[3] = smp.method;
  Put64(b + 8, 0x1234);
  Put16(b + 16, smp.attribute);
  Put32(b + 20, smp.modifier);
  Put64(b + 24, smp.m_key);
  std::copy(smp.data.begin(), smp.data.end(), b + 64);
  return datagram;
}

inline Datagram DirectedSmp(const Path& path, const Smp& smp) {
  Datagram datagram = LidSmp(kPermissiveLid, smp);
  datagram.slid = kPermissiveLid;
  std::uint8_t* b = datagram.mad.data();
  b[1] = kSmpDirected;
  b[7] = static_cast<std::uint8_t>(path.size());
  Put16(b + 32, kPermissiveLid);
  Put16(b + 34, kPermissiveLid);
  std::copy(path.begin(), path.end(), b + 129);
  return datagram;
}

struct Response {
  Fate fate = Fate::Lost;
  std::uint16_t status = 0;
  Data data{};
  bool ok() const { return fate == Fate::Answered && status == kOk; }
};

inline Response Ask(Subnet& subnet, Place from, Datagram datagram) {
  Response response;
  response.fate = subnet.Send(from, datagram).fate;
  response.status = Mad(datagram.mad).status() & 0x7FFF;
  std::copy_n(datagram.mad.begin() + 64, 64, response.data.begin());
  return response;
}

// Sends by directed route from one place, as before there are LIDs.
class Manager {
 public:
  Manager(Subnet& subnet, Place from) : subnet_(subnet), from_(from) {}

  Response Get(const Path& path, std::uint16_t attribute, std::uint32_t modifier = 0, std::uint64_t m_key = 0) {
    return Ask(subnet_, from_, DirectedSmp(path, {kGet, attribute, modifier, {}, m_key}));
  }
  Response Set(const Path& path, std::uint16_t attribute, std::uint32_t modifier, const Data& data, std::uint64_t m_key = 0) {
    return Ask(subnet_, from_, DirectedSmp(path, {kSet, attribute, modifier, data, m_key}));
  }
  // PortInfo as it is, made fit to be Set: no change of states.
  Data PortInfo(const Path& path, std::uint8_t port) {
    Data data = Get(path, kPortInfoId, port).data;
    data[32] &= 0xF0;
    data[33] = 0;
    return data;
  }
  Response SetState(const Path& path, std::uint8_t port, PortState state) {
    Data data = PortInfo(path, port);
    data[32] |= static_cast<std::uint8_t>(state);
    return Set(path, kPortInfoId, port, data);
  }

 private:
  Subnet& subnet_;
  Place from_;
};

// LIDs from 1 in the order of the nodes, forwarding as the fabric has it and by minimum hops to switches, all links Active: a subnet as
// a manager leaves it, written straight into the agents' state. `sm` is where the manager runs.
inline void BringUp(Subnet& subnet, Place sm) {
  const Fabric& fabric = subnet.fabric();
  std::uint16_t next = 1;
  std::vector<std::vector<std::uint16_t>> lids(fabric.nodes().size());
  for (std::uint32_t n = 0; n < fabric.nodes().size(); ++n) {
    lids[n].resize(fabric.nodes()[n].ports.size());
    for (std::uint16_t p = 0; p < lids[n].size(); ++p) {
      SmaPort& port = subnet.device(n).sma.ports[p];
      if (p != 0 && port.state != PortState::Down) port.state = PortState::Active;
      if (subnet.is_switch(n) ? p == 0 : fabric.nodes()[n].ports[p].connected()) port.lid = lids[n][p] = next++;
    }
  }
  for (std::uint32_t n = 0; n < fabric.nodes().size(); ++n) {
    for (SmaPort& port : subnet.device(n).sma.ports) {
      if (port.lid != 0) port.sm_lid = subnet.sma_port(sm).lid;
    }
  }
  // From each LID outwards, breadth first.
  for (std::uint32_t n = 0; n < fabric.nodes().size(); ++n) {
    for (std::uint16_t p = 0; p < lids[n].size(); ++p) {
      const std::uint16_t lid = lids[n][p];
      if (lid == 0) continue;
      std::vector<std::uint32_t> reached{n};
      if (subnet.is_switch(n)) subnet.device(n).sma.forwarding.resize(next, kNoRoute);
      if (subnet.is_switch(n)) subnet.device(n).sma.forwarding[lid] = 0;
      for (std::size_t i = 0; i < reached.size(); ++i) {
        for (std::uint16_t out = 1; out <= fabric.nodes()[reached[i]].num_ports(); ++out) {
          if (i == 0 && p != 0 && out != p) continue;
          const Port& link = fabric.nodes()[reached[i]].ports[out];
          if (!link.connected() || !subnet.is_switch(link.peer_node) || !subnet.LinkUp(reached[i], out)) continue;
          if (i > 0 && !subnet.is_switch(reached[i])) continue;
          SmaNode& sma = subnet.device(link.peer_node).sma;
          sma.forwarding.resize(next, kNoRoute);
          sma.forwarding_top = static_cast<std::uint16_t>(next - 1);
          if (sma.forwarding[lid] != kNoRoute || link.peer_node == n) continue;
          sma.forwarding[lid] = static_cast<std::uint8_t>(link.peer_port);
          reached.push_back(link.peer_node);
        }
      }
    }
  }
}

}  // namespace ccsim::emulator::testing

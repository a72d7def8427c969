// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Whatever programs send, and whatever happens to links and nodes meanwhile: every request has a fate, an answer is an answer to what
// was asked, what a Set has taken a Get gives back, and what the agents hold stays possible.
//
// An input is a sequence of steps. The low three bits of a step's first byte say what it is (kinds below), the others which header a MAD
// starts from. A MAD follows as: sender, DLID (2 bytes), number of patches, and for each the offset, the length less one, and the bytes.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "ccpolicy/wire.h"
#include "congestion/held_tables.hpp"
#include "emulator/agents/cca/tables.hpp"
#include "emulator/subnet.hpp"
#include "management.hpp"
#include "prepared_subnet.hpp"

namespace {

using namespace ccsim;
using namespace ccsim::emulator;
using namespace ccsim::emulator::testing;

void Require(bool condition) {
  if (!condition) std::abort();
}

constexpr int kMaxSteps = 24;

enum Kind : std::uint8_t { kLinkStep = 5, kNodeStep = 6, kTimeStep = 7 };  // the rest are MADs
enum Header : std::uint8_t { kDirected = 0, kByLid = 1, kCongestion = 2, kCounters = 3, kNothing = 4 };

// What is left of the input; zeros after its end.
class Input {
 public:
  explicit Input(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
  bool empty() const { return bytes_.empty(); }
  std::uint8_t Byte() {
    if (bytes_.empty()) return 0;
    const std::uint8_t byte = bytes_.front();
    bytes_ = bytes_.subspan(1);
    return byte;
  }
  std::uint16_t Word() {
    const std::uint8_t high = Byte();
    return static_cast<std::uint16_t>(high << 8 | Byte());
  }

 private:
  std::span<const std::uint8_t> bytes_;
};

// Two switches with a loop between them, adapters with one port and with two, and a router.
Fabric Bed() {
  Fabric fabric(2048);
  fabric.AddNode("S1", NodeKind::Switch, 0x10, 4);
  fabric.AddNode("S2", NodeKind::Switch, 0x11, 5);
  fabric.AddNode("H1", NodeKind::Host, 0x20, 1);
  fabric.AddNode("H2", NodeKind::Host, 0x28, 2);
  fabric.AddNode("R", NodeKind::Router, 0x30, 1);
  const auto connect = [&](std::uint32_t a, std::uint16_t pa, std::uint32_t b, std::uint16_t pb, const char* rate) {
    fabric.Connect(a, pa, b, pb, ParseLinkRate(rate), 0);
  };
  connect(0, 1, 1, 2, "4xHDR");
  connect(0, 2, 1, 1, "2xNDR");
  connect(2, 1, 0, 3, "4xXDR");
  connect(3, 1, 0, 4, "4xFDR10");
  connect(3, 2, 1, 3, "1xSDR");
  connect(4, 1, 1, 4, "12xDDR");
  fabric.SetDialect(1, CcDialect::Both);
  fabric.SetDialect(2, CcDialect::NvidiaPpcc);
  fabric.SetDialect(3, CcDialect::Both);
  return fabric;
}

void CheckPort(const Subnet& subnet, const Node& node, const Device& device, std::uint8_t p) {
  const SmaPort& port = device.sma.ports[p];
  const bool is_switch = node.kind == NodeKind::Switch;
  const bool is_management_port = p == 0 && is_switch;
  Require(port.state >= PortState::Down && port.state <= PortState::Active);
  Require((port.state != PortState::Down) == (port.physical_state == PhysicalState::LinkUp));
  Require(!is_management_port || port.state == PortState::Active);
  if (port.physical_state == PhysicalState::LinkUp && !is_management_port) {
    const Port& cable = node.ports[p];
    Require(cable.connected() && device.present && device.cable_pulled[p] == 0);
    const SmaPort& peer = subnet.sma_port({cable.peer_node, static_cast<std::uint8_t>(cable.peer_port)});
    Require(peer.physical_state == PhysicalState::LinkUp);
    Require(peer.width_active == port.width_active && peer.speed_active == port.speed_active);
  }
  Require(port.lid < kFirstMulticastLid && port.sm_lid < kFirstMulticastLid && port.lmc < 8);
  Require((port.lid & ((1u << port.lmc) - 1)) == 0);
  Require((port.widths_enabled & ~port.widths_supported) == 0 && port.widths_enabled != 0);
  Require((port.speeds_enabled & ~port.speeds_supported) == 0);
  Require(port.operational_vls >= 1 && port.operational_vls <= kVlCap);
  Require(port.neighbor_mtu >= 1 && port.neighbor_mtu <= port.mtu_cap);
  Require(port.p_keys.size() <= kPartitionCap && (port.guids.empty() || port.guids.size() == kGuidCap));
  Require(port.vl_arbitration.empty() || port.vl_arbitration.size() == 4u * kVlArbitrationCap);
  Require(port.sl_to_vl.empty() || port.sl_to_vl.size() == (is_switch ? node.ports.size() : 1));
  Require(port.m_key_lease_end_ns < 0 || port.m_key_lease_s != 0 || port.m_key != 0);
}

void CheckState(const Subnet& subnet) {
  for (std::uint32_t n = 0; n < subnet.num_devices(); ++n) {
    const Device& device = subnet.device(n);
    const SmaNode& sma = device.sma;
    Require(sma.forwarding.size() <= kLinearFdbCap && sma.forwarding_top < kLinearFdbCap);
    for (std::uint8_t p = 0; p < sma.ports.size(); ++p) CheckPort(subnet, subnet.fabric().nodes()[n], device, p);
  }
}

// What a Set of these has taken is what is there. Others change by themselves, or need not hand back all.
bool IsPlainTable(const Mad& mad) {
  if (mad.mgmt_class() == kCongestionControl) {
    // The answer to CongestionPortProfileSettings depends on the VL that a Get names, that to algorithms on the SL.
    return (mad.attribute() >= CCP_SWITCH_CONGESTION_SETTING && mad.attribute() <= CCP_CONGESTION_CONTROL_TABLE) ||
           mad.attribute() == CCP_CONGESTION_SWITCH_GENERAL_SETTINGS ||
           (mad.attribute() >= CCP_CONGESTION_SL_MAPPING_SETTINGS && mad.attribute() <= CCP_CONGESTION_HCA_NP_PARAMETERS);
  }
  if (!mad.is_smp()) return false;
  switch (mad.attribute()) {
    case kSlToVlId: return mad.modifier() >> 16 == 0;
    case kSwitchInfoId:
    case kGuidInfoId:
    case kPKeyTableId:
    case kVlArbitrationId:
    case kForwardingId:
    case kMulticastId: return true;
    default: return false;
  }
}

void SendMad(Subnet& subnet, Place from, Datagram datagram) {
  Datagram asked = datagram;
  const Mad was(asked.mad), is(datagram.mad);
  const Delivery delivery = subnet.Send(from, datagram);
  if (delivery.fate == Fate::ForClient) {
    Require(delivery.at.node < subnet.num_devices() && subnet.endport(delivery.at) == delivery.at);
    Require(subnet.device(delivery.at.node).present);
  }
  if (delivery.fate != Fate::Answered) return;
  Require(!was.is_response() && is.method() == kGetResp);
  Require(is.mgmt_class() == was.mgmt_class() && is.transaction_id() == was.transaction_id());
  Require(is.attribute() == was.attribute() && is.modifier() == was.modifier());
  Require(!is.is_directed() || (is.direction() && is.hop_pointer() == 0));
  if (was.method() != kSet || (is.status() & 0x7FFF) != kOk || !IsPlainTable(was)) return;
  was.set_method(kGet);
  Require(subnet.Send(from, asked).fate == Fate::Answered);
  Require(std::equal(asked.mad.begin() + 64, asked.mad.begin() + (is.is_smp() ? 128 : 256), datagram.mad.begin() + 64));
}

Datagram MakeHeader(Header header, std::uint16_t dlid) {
  if (header == kNothing) {
    Datagram datagram;
    datagram.dlid = dlid;
    return datagram;
  }
  Datagram datagram = header == kDirected ? DirectedSmp({}, {}) : LidSmp(dlid, {});
  if (header == kCongestion) datagram.mad[1] = kCongestionControl;
  if (header == kCongestion) datagram.mad[2] = 2;
  if (header == kCounters) datagram.mad[1] = kPerformance;
  return datagram;
}

void MadStep(Subnet& subnet, Input& input, std::uint8_t header) {
  const std::uint8_t sender = input.Byte();
  const std::uint32_t node = sender % subnet.num_devices();
  const auto port = static_cast<std::uint8_t>(1 + sender / 16 % subnet.fabric().nodes()[node].num_ports());
  Datagram datagram = MakeHeader(static_cast<Header>(header % (kNothing + 1)), input.Word());
  for (unsigned patches = input.Byte() % 16; patches > 0; --patches) {
    std::size_t at = input.Byte();
    for (unsigned left = input.Byte() + 1u; left > 0 && at < kMadBytes && !input.empty(); --left)
      datagram.mad[at++] = input.Byte();
  }
  SendMad(subnet, subnet.endport({node, port}), datagram);
}

void OtherStep(Subnet& subnet, Input& input, std::uint8_t kind, std::int64_t& now_ns) {
  const std::uint8_t which = input.Byte();
  const std::uint32_t node = which % subnet.num_devices();
  switch (kind) {
    case kLinkStep:
      subnet.SetLink(node, static_cast<std::uint16_t>(1 + which / 16 % subnet.fabric().nodes()[node].num_ports()),
                     which >> 7 != 0);
      break;
    case kNodeStep:
      if (which >> 6 == 0) subnet.SetPresent(node, false);
      if (which >> 6 == 1) subnet.SetPresent(node, true);
      if (which >> 6 == 2) subnet.Reboot(node);
      if (which >> 6 == 3) subnet.SetIsSm(subnet.endport({node, 1}), (which & 0x20) != 0);
      break;
    default:
      now_ns += std::int64_t{which} << 26;
      subnet.Tick();
      break;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Fabric fabric = Bed();
  static std::int64_t now_ns = 0;
  static PreparedSubnet prepared(fabric, [] { return now_ns; }, [](Subnet& made) { BringUp(made, {2, 1}); });
  now_ns = 0;
  Subnet& subnet = prepared.Fresh();
  Input input({data, size});
  for (int steps = 0; steps < kMaxSteps && !input.empty(); ++steps) {
    const std::uint8_t step = input.Byte();
    if ((step & 0x7) < kLinkStep) {
      MadStep(subnet, input, step >> 3);
    } else {
      OtherStep(subnet, input, step & 0x7, now_ns);
    }
    CheckState(subnet);
    while (!subnet.outbox().empty()) {
      Unsolicited trap = subnet.outbox().front();
      subnet.outbox().pop_front();
      const Fate fate = subnet.Send(trap.from, trap.datagram).fate;
      Require(fate == Fate::ForClient || fate == Fate::Lost);
    }
  }
  Require(subnet.NextDeadline_ns() >= now_ns);
  // What has become of congestion control is what the data plane can take.
  const SubnetCcTables tables(subnet);
  if (tables.tables().num_switches + tables.tables().num_cas == 0) return 0;
  HeldTables held(fabric);
  held.Check(tables.tables());
  held.Set(tables.tables());
  return 0;
}

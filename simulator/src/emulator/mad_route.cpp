// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/mad_route.hpp"

#include <cstdint>

#include "emulator/subnet.hpp"

namespace ccsim::emulator {
namespace {

// LRH 8, BTH 12, DETH 8, MAD 256, ICRC 4: PortXmitData does not count the VCRC.
constexpr std::uint64_t kMadPacketBytes = 288;
constexpr std::uint8_t kMaxHops = 63;

class Route {
 public:
  Route(Subnet& subnet, Place& at, bool is_smp) : subnet_(subnet), at_(at), is_smp_(is_smp) {}

  bool ByLid(std::uint16_t dlid);
  bool Out(Datagram& datagram);
  bool Back(Datagram& datagram);

 private:
  bool Cross(std::uint8_t out_port);
  bool FromRouteEnd(Datagram& datagram, std::uint16_t dlid);
  bool AtSwitch() const { return subnet_.is_switch(at_.node); }
  bool AtLid(std::uint16_t dlid) const { return subnet_.sma_port(subnet_.endport(at_)).has_lid(dlid); }
  PmaPort& Counters(std::uint8_t port) { return subnet_.device(at_.node).pma.ports[port]; }
  bool Discard(std::uint8_t port) {
    ++Counters(port).xmit_discards;
    return false;
  }
  // `cause` is one of the counters that make up PortRcvSwitchRelayErrors.
  bool RelayError(std::uint64_t PmaPort::* cause) {
    ++Counters(at_.port).rcv_switch_relay_errors;
    ++(Counters(at_.port).*cause);
    return false;
  }

  Subnet& subnet_;
  Place& at_;
  bool is_smp_;
};

// Crosses one link if its state allows it: SMPs pass as soon as the link is up, other packets leave by Active ports and enter by Active
// or Armed ports.
bool Route::Cross(std::uint8_t out_port) {
  const SmaPort& out = subnet_.device(at_.node).sma.ports[out_port];
  if (out.physical_state != PhysicalState::LinkUp || (!is_smp_ && out.state != PortState::Active)) {
    ++subnet_.device(at_.node).pma.ports[out_port].inactive_discards;
    return Discard(out_port);
  }
  const Port& link = subnet_.fabric().nodes()[at_.node].ports[out_port];
  subnet_.device(at_.node).pma.ports[out_port].CountXmit(1, kMadPacketBytes);
  at_ = {link.peer_node, static_cast<std::uint8_t>(link.peer_port)};
  subnet_.device(at_.node).pma.ports[at_.port].CountRcv(1, kMadPacketBytes);
  return is_smp_ || subnet_.sma_port(at_).state >= PortState::Armed;
}

bool Route::ByLid(std::uint16_t dlid) {
  if (AtLid(dlid)) return true;
  // The device at the other end of the link receives it; a switch's management port has no link.
  if (dlid == kPermissiveLid && is_smp_) return AtSwitch() || Cross(at_.port);
  if (!AtSwitch()) {
    if (dlid == 0 || dlid >= kFirstMulticastLid) return Discard(at_.port);
    if (!Cross(at_.port)) return false;
  }
  // A packet that has passed more switches than there are is in a loop.
  for (std::uint32_t hops = 0; hops <= subnet_.fabric().num_switches(); ++hops) {
    if (AtLid(dlid)) return true;
    if (!AtSwitch()) return false;
    const std::uint8_t out = dlid < kFirstMulticastLid ? subnet_.device(at_.node).sma.Forward(dlid) : kNoRoute;
    if (out == at_.port) return RelayError(&PmaPort::looping_errors);
    if (out == 0 || out > subnet_.fabric().nodes()[at_.node].num_ports()) return RelayError(&PmaPort::dlid_mapping_errors);
    if (!Cross(out)) return false;
  }
  return Discard(at_.port);
}

// At the end of the directed part an SMP has arrived, or continues by LID from the switch there, to which its response returns.
bool Route::FromRouteEnd(Datagram& datagram, std::uint16_t dlid) {
  datagram.slid = kPermissiveLid;
  datagram.dlid = dlid;
  if (dlid == kPermissiveLid) return true;
  if (!AtSwitch()) return false;
  datagram.slid = subnet_.sma_port(subnet_.endport(at_)).lid;
  return ByLid(dlid);
}

// The request of a directed route: IBA vol. 1, 14.2.2.2, C14-9.
bool Route::Out(Datagram& datagram) {
  const Mad mad(datagram.mad);
  const std::uint8_t hops = mad.hop_count();
  if (mad.hop_pointer() != 0 || hops > kMaxHops) return false;
  for (std::uint8_t hop = 1; hop <= hops; ++hop) {
    const std::uint8_t out = mad.initial_path()[hop];
    const bool first = hop == 1;
    // An adapter sends by its own port only, and forwards nothing.
    if (!AtSwitch() && (!first || out != at_.port)) return first ? Discard(at_.port) : false;
    if (out == 0 || out > subnet_.fabric().nodes()[at_.node].num_ports()) return RelayError(&PmaPort::dlid_mapping_errors);
    mad.set_hop_pointer(hop);
    if (!Cross(out)) return false;
    mad.return_path()[hop] = at_.port;
  }
  mad.set_hop_pointer(static_cast<std::uint8_t>(hops + 1));
  return FromRouteEnd(datagram, mad.dr_dlid());
}

// Its response: 14.2.2.4, C14-13.
bool Route::Back(Datagram& datagram) {
  const Mad mad(datagram.mad);
  const std::uint8_t hops = mad.hop_count();
  if (hops > kMaxHops) return false;
  if (mad.dr_dlid() != kPermissiveLid && !(ByLid(datagram.dlid) && AtSwitch())) return false;
  for (std::uint8_t hop = hops; hop >= 1; --hop) {
    const std::uint8_t out = mad.return_path()[hop];
    const bool first = hop == hops;
    if (!AtSwitch() && (!first || out != at_.port)) return first ? Discard(at_.port) : false;
    if (out == 0 || out > subnet_.fabric().nodes()[at_.node].num_ports()) return RelayError(&PmaPort::dlid_mapping_errors);
    mad.set_hop_pointer(hop);
    if (!Cross(out)) return false;
  }
  mad.set_hop_pointer(0);
  return FromRouteEnd(datagram, mad.dr_slid());
}

}  // namespace

bool CarryMad(Subnet& subnet, Place& at, Datagram& datagram) {
  const Mad mad(datagram.mad);
  Route route(subnet, at, mad.is_smp());
  if (!mad.is_directed()) return route.ByLid(datagram.dlid);
  if (mad.direction()) return route.Back(datagram);
  // The part before the directed one goes by LID, to the switch where the directed part begins.
  if (mad.dr_slid() != kPermissiveLid && !(route.ByLid(datagram.dlid) && subnet.is_switch(at.node))) return false;
  return route.Out(datagram);
}

}  // namespace ccsim::emulator

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// subnet.cpp: sends a datagram to its destination, and returns the answer of an agent.
#include "emulator/subnet.hpp"

#include <chrono>
#include <utility>

#include "emulator/agents/agent.hpp"
#include "emulator/agents/sma/m_key.hpp"
#include "emulator/agents/sma/power_on.hpp"
#include "emulator/mad_route.hpp"

namespace ccsim::emulator {
namespace {

std::function<std::int64_t()> MonotonicClock() {
  using std::chrono::steady_clock;
  return [start = steady_clock::now()]() -> std::int64_t {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(steady_clock::now() - start).count();
  };
}

}  // namespace

Subnet::Subnet(const Fabric& fabric, std::uint64_t seed, std::function<std::int64_t()> clock_ns, std::uint8_t vl_cap)
    : fabric_(fabric),
      clock_ns_(clock_ns ? std::move(clock_ns) : MonotonicClock()),
      port_guid_bases_(PortGuidBases(fabric)),
      vl_cap_(vl_cap),
      devices_(fabric.nodes().size()),
      faults_(seed) {
  for (std::uint32_t node = 0; node < num_devices(); ++node) {
    devices_[node].cable_pulled.assign(fabric_.nodes()[node].ports.size(), 0);
    PowerOn(node);
  }
  for (std::uint32_t node = 0; node < num_devices(); ++node) {
    for (std::uint16_t port = 1; port <= fabric_.nodes()[node].num_ports(); ++port) Train(node, port);
  }
}

Delivery Subnet::Send(Place from, Datagram& datagram) {
  if (!devices_[from.node].present) return {Fate::Lost};
  const Mad mad(datagram.mad);
  mad_counts_.Note(mad, now_ns());
  if (!mad.is_directed()) {
    // A program need not know its LID; any of the port's LIDs (LMC) is valid.
    const SmaPort& own = sma_port(endport(from));
    if (!own.has_lid(datagram.slid)) datagram.slid = own.lid;
  }
  Place at = from;
  if (!CarryMad(*this, at, datagram)) return {Fate::Lost};
  if (mad.is_smp() && mad.method() == kTrapRepress) {
    if (AdmitsMKey(*this, at, datagram.slid, mad)) traps_.Repress(endport(at), mad.transaction_id());
    return {Fate::Consumed, endport(at)};
  }
  if (mad.is_response() || !HasAgent(mad.mgmt_class(), mad.attribute(), mad.method())) return {Fate::ForClient, endport(at)};

  const Answered answered = LetAgentAnswer(*this, at, datagram);
  if (answered.answer == Answer::Silence) return {Fate::Lost};
  if (mad.is_directed()) mad.set_direction(true);
  std::swap(datagram.slid, datagram.dlid);
  std::swap(datagram.sqp, datagram.dqp);
  Place back = endport(at);
  if (!CarryMad(*this, back, datagram) || endport(back) != from) return {Fate::Lost};
  return {Fate::Answered, from, answered.delay_ms};
}

}  // namespace ccsim::emulator

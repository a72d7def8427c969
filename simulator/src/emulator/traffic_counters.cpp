// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/traffic_counters.hpp"

#include <algorithm>
#include <bit>

#include "congestion/log.hpp"
#include "emulator/subnet_fabric.hpp"

namespace ccsim::emulator {
namespace {

constexpr std::uint64_t kVcrcBytes = 2;

// The growth of a count. The engine lowers a count when packets are lost on a wire; growth is 0 until it exceeds its former value.
std::uint64_t Growth(std::uint64_t& seen, std::uint64_t now) {
  if (now <= seen) return 0;
  const std::uint64_t growth = now - seen;
  seen = now;
  return growth;
}

// Adds the events since `seen` to an agent's log: those that the engine still has as entries, the others to the count only.
template <typename Entries, typename Add>
void FoldEvents(const Entries& entries, std::size_t& seen, CcaLog& log, Add add) {
  const std::size_t fresh = entries.added() - seen;
  seen = entries.added();
  const auto known = entries.OldestFirst();
  const std::size_t given = std::min(fresh, known.size());
  log.events = static_cast<std::uint16_t>(std::min<std::size_t>(UINT16_MAX, log.events + (fresh - given)));
  for (std::size_t i = known.size() - given; i < known.size(); ++i) add(known[i]);
}

}  // namespace

TrafficCounters::TrafficCounters(Subnet& subnet, const Engine& engine, std::span<const Flow> flows, std::uint16_t used_sls)
    : subnet_(subnet),
      engine_(engine),
      start_ns_(subnet.now_ns()),
      only_sl_(std::popcount(used_sls) == 1 ? std::countr_zero(used_sls) : -1),
      seen_(engine.port_names().size()),
      switch_events_(subnet.fabric().num_switches()),
      ca_events_(subnet.fabric().endports().size()) {
  std::uint32_t queue_pair = 64;  // the lower numbers are for management and the like
  for (const Flow& flow : flows) {
    first_queue_pair_.push_back(queue_pair);
    queue_pair += flow.queue_pairs;
  }
  std::uint32_t port = 0;
  for (std::uint32_t n = 0; n < subnet.num_devices(); ++n) {
    first_port_.push_back(port);
    while (port < engine.port_names().size() && engine.port_names()[port].node == n) ++port;
  }
  first_port_.push_back(port);
}

void TrafficCounters::Fold(std::uint32_t node) {
  Device& device = subnet_.device(node);
  const Fabric& fabric = subnet_.fabric();
  for (std::uint32_t i = first_port_[node]; i < first_port_[node + 1]; ++i) {
    const std::uint16_t port = engine_.port_names()[i].port;
    if (engine_.port_counters(i).fecn_marked > seen_[i].fecn_marked) device.cca.ports[0].log.ports.set(port);
    FoldPort(i, device.pma.ports[port]);
    if (const std::uint32_t endport = fabric.endport_index(node, port); endport != kNone) FoldCaLog(node, port, endport);
  }
  if (const std::uint32_t ordinal = fabric.switch_ordinal(node); ordinal != kNone) FoldSwitchLog(node, ordinal);
}

void TrafficCounters::FoldPort(std::uint32_t index, PmaPort& pma) {
  const PortCounters now = engine_.port_counters(index);
  PortCounters& seen = seen_[index];
  const std::uint64_t xmit_packets = Growth(seen.xmit_packets, now.xmit_packets);
  const std::uint64_t rcv_packets = Growth(seen.rcv_packets, now.rcv_packets);
  const std::uint64_t xmit_bytes = Growth(seen.xmit_bytes, now.xmit_bytes) - kVcrcBytes * xmit_packets;
  const std::uint64_t rcv_bytes = Growth(seen.rcv_bytes, now.rcv_bytes) - kVcrcBytes * rcv_packets;
  if (only_sl_ >= 0 && xmit_packets + rcv_packets > 0) {
    const auto sl = static_cast<unsigned>(only_sl_);
    pma.BySlVl().sl_xmit_bytes[sl] += xmit_bytes;
    pma.BySlVl().sl_rcv_bytes[sl] += rcv_bytes;
  }
  pma.xmit_packets += xmit_packets;
  pma.unicast_xmit_packets += xmit_packets;
  pma.xmit_bytes += xmit_bytes;
  pma.rcv_packets += rcv_packets;
  pma.unicast_rcv_packets += rcv_packets;
  pma.rcv_bytes += rcv_bytes;
  const Time wait = (now.xmit_wait - seen.xmit_wait) / kFsPerNs;
  seen.xmit_wait += wait * kFsPerNs;
  pma.xmit_wait_ns += static_cast<std::uint64_t>(wait);
  const std::uint64_t discards = Growth(seen.discards, now.discards);
  pma.xmit_discards += discards;
  pma.inactive_discards += discards;
  const std::uint64_t unmapped = Growth(seen.relay_errors, now.relay_errors);
  pma.rcv_switch_relay_errors += unmapped;
  pma.dlid_mapping_errors += unmapped;
  const std::uint64_t fecns = Growth(seen.fecn_received, now.fecn_received);
  const std::uint64_t becns = Growth(seen.becn_received, now.becn_received);
  pma.rcv_fecn += fecns;
  pma.rcv_becn += becns;
  if (only_sl_ >= 0 && fecns + becns > 0) {
    pma.BySlVl().sl_rcv_fecn[static_cast<unsigned>(only_sl_)] += fecns;
    pma.BySlVl().sl_rcv_becn[static_cast<unsigned>(only_sl_)] += becns;
  }
  seen.fecn_marked = now.fecn_marked;
}

// The workload's time on the subnet's clock.
std::int64_t TrafficCounters::AtNs(std::uint32_t timestamp) const {
  return start_ns_ + std::int64_t{timestamp} * (kCctiTimerUnit / kFsPerNs);
}

std::uint16_t TrafficCounters::LidOfEndport(std::uint32_t endport) const { return LidOf(subnet_, endport); }

void TrafficCounters::FoldSwitchLog(std::uint32_t node, std::uint32_t ordinal) {
  CcaLog& log = subnet_.device(node).cca.ports[0].log;
  const SwitchCongestionLog now = engine_.SwitchLog(ordinal);
  FoldEvents(now.entries, switch_events_[ordinal], log, [&](const SwitchLogEntry& e) {
    log.Add(SwitchLogEvent{
        .slid = LidOfEndport(e.source), .dlid = LidOfEndport(e.destination), .sl = e.sl, .at_ns = AtNs(e.timestamp)});
  });
}

void TrafficCounters::FoldCaLog(std::uint32_t node, std::uint16_t port, std::uint32_t endport) {
  CcaLog& log = subnet_.device(node).cca.ports[port].log;
  const CaCongestionLog now = engine_.CaLog(endport);
  log.sls |= ca_events_[endport] < now.entries.added() ? now.sls : std::uint16_t{0};
  FoldEvents(now.entries, ca_events_[endport], log, [&](const CaLogEntry& e) {
    // Both ends of a connection have the same number; at SL level the log has no queue pair.
    const std::uint32_t number = e.queue_pair == CaLogEntry::kWholeSl ? 0 : (first_queue_pair_[e.flow] + e.queue_pair) & 0xFFFFFF;
    log.Add(CaLogEvent{.local_qp = number,
                       .remote_qp = number,
                       .sl = e.sl,
                       .local_lid = LidOfEndport(endport),
                       .remote_lid = LidOfEndport(e.remote),
                       .at_ns = AtNs(e.timestamp)});
  });
}

}  // namespace ccsim::emulator

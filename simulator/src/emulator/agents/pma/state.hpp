// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// pma/state.hpp: what a node's performance management agent counts.
//
// Behaviour   the data plane counts traffic, by SL and VL too; the way of MADs counts MADs, and the discards that they meet. A Set clears.
//             A counter is one here whichever attributes show it, and as wide as it gets: an attribute shows it cut to
//             its width, at its largest value when it is larger. So PortCounters and PortCountersExtended are cleared together
// Data        by port, of a switch from port 0. Bytes are those of the packet from LRH to VCRC, as IBA counts PortXmitData
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace ccsim::emulator {

// A counter for each of VLs 0 to 15, or of SLs 0 to 15.
using PmaSlVlCounters = std::array<std::uint64_t, 16>;

struct PmaBySlVl {
  PmaSlVlCounters vl_rcv_packets{};
  PmaSlVlCounters vl_rcv_bytes{};
  PmaSlVlCounters vl_xmit_wait_ns{};
  PmaSlVlCounters vl_congested_ns{};  // in the congestion state, in which packets are marked
  PmaSlVlCounters sl_xmit_bytes{};
  PmaSlVlCounters sl_rcv_bytes{};
  PmaSlVlCounters sl_rcv_fecn{};  // packets with FECN
  PmaSlVlCounters sl_rcv_becn{};  // packets with BECN, CNPs among them
};

struct PmaPort {
  std::uint64_t xmit_bytes = 0;
  std::uint64_t rcv_bytes = 0;
  std::uint64_t xmit_packets = 0;
  std::uint64_t rcv_packets = 0;
  std::uint64_t unicast_xmit_packets = 0;
  std::uint64_t unicast_rcv_packets = 0;
  std::uint64_t multicast_xmit_packets = 0;
  std::uint64_t multicast_rcv_packets = 0;
  std::uint64_t xmit_wait_ns = 0;  // with packets to send and none sent, for want of credits or of the link's turn
  std::uint64_t congested_ns = 0;  // with a VL in the congestion state
  std::uint64_t rcv_fecn = 0;      // packets with FECN
  std::uint64_t rcv_becn = 0;      // packets with BECN, CNPs among them
  std::uint64_t link_downed = 0;
  std::uint64_t vl15_dropped = 0;
  std::uint64_t xmit_discards = 0;            // of any cause, of which these are two:
  std::uint64_t inactive_discards = 0;        // the port was not active
  std::uint64_t hoq_lifetime_discards = 0;    // waited too long at the head of a queue
  std::uint64_t rcv_switch_relay_errors = 0;  // of any cause, of which these are three:
  std::uint64_t dlid_mapping_errors = 0;      // no entry for the destination
  std::uint64_t vl_mapping_errors = 0;        // the SL has no VL there
  std::uint64_t looping_errors = 0;           // would leave by the port by which it came
  std::unique_ptr<PmaBySlVl> by_sl_vl;        // nullptr: all 0

  PmaBySlVl& BySlVl() {
    if (!by_sl_vl) by_sl_vl = std::make_unique<PmaBySlVl>();
    return *by_sl_vl;
  }
  // Counts unicast packets with `bytes` in total.
  void CountXmit(std::uint64_t packets, std::uint64_t bytes) {
    xmit_packets += packets;
    unicast_xmit_packets += packets;
    xmit_bytes += bytes;
  }
  void CountRcv(std::uint64_t packets, std::uint64_t bytes) {
    rcv_packets += packets;
    unicast_rcv_packets += packets;
    rcv_bytes += bytes;
  }
  // The same, and by SL or VL.
  void CountXmit(std::uint64_t packets, std::uint64_t bytes, unsigned sl) {
    CountXmit(packets, bytes);
    BySlVl().sl_xmit_bytes[sl & 15] += bytes;
  }
  void CountRcv(std::uint64_t packets, std::uint64_t bytes, unsigned sl, unsigned vl) {
    CountRcv(packets, bytes);
    BySlVl().sl_rcv_bytes[sl & 15] += bytes;
    BySlVl().vl_rcv_packets[vl & 15] += packets;
    BySlVl().vl_rcv_bytes[vl & 15] += bytes;
  }
};

struct PmaNode {
  std::vector<PmaPort> ports;  // num_ports + 1

  // As a device counts that has just been switched on. `num_ports`: port 0 counted.
  void PowerOn(std::size_t num_ports) {
    ports.clear();
    ports.resize(num_ports);
  }
};

}  // namespace ccsim::emulator

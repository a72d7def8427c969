// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core_loss.cpp: packets that get no further, because tables or links have changed in the run.
//
// Behaviour   a lost packet gives its buffer's credits back as if it had left, and is counted where it was lost. There is no
//             retransmission: what it carried never comes. A closed loop goes on all the same: the permits that the end of a lost
//             message would have brought come after the time that a sender would have waited for an acknowledgement
#include <algorithm>
#include <stdexcept>
#include <string>

#include "engine/core.hpp"

namespace ccsim {
namespace {

// Local ACK Timeout 14, 4.096 us * 2^14 (IBA 9.7.6.1.3): what most programs set.
constexpr Time kAckTimeout = 4096 * kFsPerNs * (Time{1} << 14);

}  // namespace

// A packet that has come in by a switch's port, or whose head has.
void EngineCore::LoseArrival(std::uint32_t input, std::uint32_t packet) {
  const PortState& port = ports_[input];
  const Packet& k = pool_[packet];
  const Time wire_time = TimeFor(k.wire_bytes, port.byte_time);
  if (port.impaired) {
    // Never received; unless it is counted so already, since its tail would have come after the end of the run.
    if (now_ - routing_latency_ + wire_time <= options_.duration) {
      PortCounters& sender = port_counters_[port.peer];
      sender.cut_bytes += k.wire_bytes;
      ++sender.cut_packets;
      if (k.kind == PacketKind::Data) --record_.packet_hops;
    }
  } else {
    const std::uint8_t out = (disturbed_ ? routes_ : forwarding_)(port.switch_ordinal, k.destination);
    if (out == kNoOutput) {
      ++port_counters_[input].relay_errors;
    } else {
      ++port_counters_[port.first_port + out].discards;
    }
  }
  GiveRoomBack(k.from, k, now_ + wire_time);
  Lose(packet);
}

void EngineCore::LoseUnqueued(std::uint32_t output, std::uint32_t packet) {
  const Packet& k = pool_[packet];
  ++port_counters_[output].discards;
  const std::uint32_t from = ports_[output].first_port + k.input;
  GiveRoomBack(k.from, k, now_ + TimeFor(k.wire_bytes, ports_[from].byte_time));
  Lose(packet);
}

// The ACKs and CNPs that wait in an adapter.
void EngineCore::LoseControl(std::uint32_t host_index, unsigned vl) {
  HostState& host = hosts_[host_index];
  PacketQueue& queue = ControlQueue(host_index, vl);
  while (!queue.empty()) {
    ++port_counters_[host.port].discards;
    Lose(queue.Pop(pool_));
  }
  host.control_vls &= static_cast<std::uint16_t>(~(1u << vl));
}

void EngineCore::Lose(std::uint32_t packet) {
  const Packet k = pool_[packet];
  pool_.Free(packet);
  if (k.kind != PacketKind::Data) return;
  ++flow_counters_[k.flow].lost_packets;
  if (!k.ends_message) return;
  for (const std::uint32_t granted : flows_[k.flow].grants) {
    calendar_.PushAt(now_, now_ + kAckTimeout + flows_[k.flow].think, kPermit, granted, 0);
  }
}

// Not the packet that was due at its receiver: others were lost, or have overtaken it on another way.
void EngineCore::TakeOutOfOrder(const Packet& k) {
  std::uint32_t& expected = queue_pairs_[k.queue_pair].expected_sequence;  // counted up already
  if (!disturbed_) {
    throw std::logic_error("packet " + std::to_string(k.sequence) + " of queue pair " + std::to_string(k.queue_pair) +
                           " came where " + std::to_string(expected - 1) + " was due");
  }
  expected = std::max(expected - 1, k.sequence + 1);
}

}  // namespace ccsim

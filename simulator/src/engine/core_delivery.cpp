// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core_delivery.cpp: what becomes of a packet that has been delivered, and what answers it.
#include "engine/core.hpp"

namespace ccsim {

void EngineCore::OnDelivered(std::uint32_t host, std::uint32_t packet) {
  const Packet k = pool_[packet];
  CountDelivery(hosts_[host], k);
  pool_.Free(packet);
  if (!k.permits) return;
  for (const std::uint32_t granted : flows_[k.flow].grants) {
    const Time think = flows_[k.flow].think;
    if (think > 0) {
      calendar_.PushAt(now_, now_ + think, kPermit, granted, 0);
    } else {
      OnPermit(granted);
    }
  }
}

// An answer to the data packet `k`, ready to be sent at the time `ready`. An SL of its own has that SL's VL, whatever model.ca.control_vl
// says.
void EngineCore::SendControl(std::uint32_t host, const Packet& k, PacketKind kind, bool becn, Time ready, unsigned sl) {
  const std::uint32_t packet = pool_.Allocate();
  Packet& answer = pool_[packet];
  answer.flow = k.flow;
  answer.queue_pair = k.queue_pair;
  answer.destination = flows_[k.flow].src;
  answer.set_answering_endport(k.destination);
  answer.wire_bytes = static_cast<std::uint16_t>(kind == PacketKind::Ack ? kAckBytes : kCnpBytes);
  const FlowState& flow = flows_[k.flow];
  answer.sl = maps_sls_ ? levels_.Sl(flow.sl, k.destination, flow.src) : flow.sl;
  answer.vl = maps_sls_ ? levels_.FirstVl(host, answer.sl) : flow.vl;
  if (model_.ca.control_vl == ControlVl::Last && !maps_sls_) answer.vl = static_cast<std::uint8_t>(num_vls_ - 1);
  if (sl != kSlOfData) {
    answer.sl = static_cast<std::uint8_t>(sl);
    answer.vl = levels_.FirstVl(host, sl);
  }
  answer.kind = kind;
  answer.fecn = answer.ack_request = answer.ends_message = answer.permits = false;
  answer.drawn = k.drawn;
  answer.becn = becn;
  if (answer.vl == kNoVl) [[unlikely]] {
    ++port_counters_[hosts_[host].port].discards;
    return Lose(packet);
  }
  calendar_.PushAt(now_, ready, kControl, host, packet);
}

}  // namespace ccsim

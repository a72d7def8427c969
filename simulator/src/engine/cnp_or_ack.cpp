// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "engine/cnp_or_ack.hpp"

#include <utility>

namespace ccsim {

void CnpOrAck::CountFecn(EngineCore& e, std::uint32_t host, const Packet& k, Time tail_there) {
  if (tail_there > e.options_.duration) return;
  ++e.flow_counters_[k.flow].fecn_received;
  ++e.port_counters_[e.hosts_[host].port].fecn_received;
}

ReceiverRecord& CnpOrAck::RecordOf(EngineCore& e, const Packet& k) {
  const auto is_idle = [&](std::uint32_t, const ReceiverRecord& r) { return r.cnp_allowed <= e.now_ && !r.becn_pending(); };
  return e.receivers_.Make(k.flow, k.destination, is_idle);
}

Time& CnpOrAck::NextCnp(EngineCore& e, const Packet& k) {
  return k.drawn ? RecordOf(e, k).cnp_allowed : e.queue_pairs_[k.queue_pair].cnp_allowed;
}

void CnpOrAck::OnFecn(EngineCore& e, std::uint32_t host, const Packet& k, Time tail_there) {
  CountFecn(e, host, k, tail_there);
  if (e.model_.ca.becn_carrier == BecnCarrier::Ack) {
    if (k.drawn) {
      RecordOf(e, k).tag = 1;
    } else {
      e.queue_pairs_[k.queue_pair].becn_pending = true;
    }
    return;
  }
  Time& allowed = NextCnp(e, k);
  if (tail_there < allowed) return;
  allowed = tail_there + e.cnp_spacing_;
  e.SendControl(host, k, PacketKind::Cnp, true, tail_there + e.becn_delay_);
}

bool CnpOrAck::TakePending(EngineCore& e, const Packet& k) {
  if (!k.drawn) return std::exchange(e.queue_pairs_[k.queue_pair].becn_pending, false);
  ReceiverRecord* record = e.receivers_.Find(k.flow, k.destination);
  if (record == nullptr || !record->becn_pending()) return false;
  record->tag = 0;
  return true;
}

}  // namespace ccsim

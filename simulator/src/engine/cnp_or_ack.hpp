// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cnp_or_ack.hpp: the policy `Notification` of annex A10: a packet with FECN is answered by a CNP, or a BECN rides on the next ACK
// (model.ca.becn_carrier).
//
// Data        QueuePairState or ReceiverRecord, for what is kept of a queue pair at its receiver
#pragma once

#include "engine/core.hpp"

namespace ccsim {

struct CnpOrAck {
  // A data packet with FECN comes to a host; its tail is there at `tail_there`.
  static void OnFecn(EngineCore& e, std::uint32_t host, const Packet& k, Time tail_there);
  static void CountFecn(EngineCore& e, std::uint32_t host, const Packet& k, Time tail_there);
  // When the next CNP of the packet's queue pair may be sent, at its receiver. Valid until the next call.
  static Time& NextCnp(EngineCore& e, const Packet& k);
  // Whether the ACK of this packet carries a BECN.
  static bool TakeBecn(EngineCore& e, const Packet& k) {
    return e.model_.ca.becn_carrier != BecnCarrier::Cnp && TakePending(e, k);
  }

 private:
  static ReceiverRecord& RecordOf(EngineCore& e, const Packet& k);
  static bool TakePending(EngineCore& e, const Packet& k);
};

}  // namespace ccsim

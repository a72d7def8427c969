// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "engine/dcqcn_reaction.hpp"

namespace ccsim {
namespace {

// Counts a packet against its queue pair's rate; returns for how long the next one waits when it has been on the wire.
Time DelayAfter(EngineCore& e, const QueuePairState& qp, const SentPacket& sent) {
  const DcqcnSetting& setting = e.rates_.setting(e.flows_[qp.flow].src);
  DcqcnState unslowed;
  DcqcnState* state = &unslowed;
  if (!qp.draws && !qp.is_context) {
    state = &e.rates_.OfQueuePair(sent.queue_pair);
  } else if (DcqcnState* known = e.rates_.FindOfPair(qp.flow, qp.destination)) {
    state = known;
  }
  const double rate = DcqcnRate(setting, *state, e.now_);
  OnSentBytes(setting, *state, sent.wire_bytes, e.now_);
  return rate >= setting.line_gbps ? 0 : static_cast<Time>(static_cast<double>(sent.wire_time) * (setting.line_gbps / rate - 1));
}

}  // namespace

void DcqcnReaction::OnBecn(EngineCore& e, const Packet& k) {
  const std::uint32_t host = e.flows_[k.flow].src;
  switch (e.held_.ReactsBy(host)) {
    case ActsBy::A10: return CctReaction::OnBecn(e, k);
    case ActsBy::Nothing: return;
    case ActsBy::Nvidia: break;
  }
  DcqcnState& state = k.drawn ? e.rates_.MakeOfPair(k.flow, k.answering_endport()) : e.rates_.OfQueuePair(k.queue_pair);
  OnCnp(e.rates_.setting(host), state, e.now_);
}

void DcqcnReaction::AfterPacket(EngineCore& e, std::uint32_t throttle, const SentPacket& sent) {
  const QueuePairState& qp = e.queue_pairs_[sent.queue_pair];
  switch (e.held_.ReactsBy(e.flows_[qp.flow].src)) {
    case ActsBy::A10: return CctReaction::AfterPacket(e, throttle, sent);
    case ActsBy::Nothing: return;
    case ActsBy::Nvidia: break;
  }
  const Time delay = DelayAfter(e, qp, sent);
  if (delay <= 0) return;
  if (qp.draws) {
    e.HoldBackDrawn(sent.queue_pair, sent.wire_time, delay);
  } else {
    e.HoldBack(throttle, sent.wire_time, delay);
  }
}

void DcqcnReaction::AfterDrawnPacket(EngineCore& e, const SentPacket& sent) {
  const QueuePairState& qp = e.queue_pairs_[sent.queue_pair];
  if (e.held_.ReactsBy(e.flows_[qp.flow].src) == ActsBy::A10) return CctReaction::AfterDrawnPacket(e, sent);
  AfterPacket(e, qp.throttle, sent);
}

}  // namespace ccsim

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core_traffic.cpp: what a flow wants to send, and when.
//
// Events      kFlowStart, kOffer (a queue pair may have something to send), kPermit (a closed flow may begin a message)
// Behaviour   a queue pair sends message after message as its budget, its bursts, its permits or its trace allow. A flow with many
//             destinations draws one for each message at the moment it can be sent. If the queue pair to that destination is held
//             back by CC, the message waits there and the next is drawn: nothing in the adapter blocks anything else (thesis,
//             Paper IV, Frame I). Only where the destinations move does a flow wait with its one destination,
//             and under a strict generator (core_turns.cpp)
// Data        FlowState, QueuePairState
#include <algorithm>
#include <utility>

#include "engine/burst.hpp"
#include "engine/core.hpp"
#include "engine/index_queue.hpp"

namespace ccsim {
namespace {

// The earliest time, now or later, at which the flow's budget and bursts let it begin a message. The budget's clock stands still in
// pauses: what it gained in a burst stays, to the last fraction of a message. Times asked for never decrease.
Time NextOn(FlowState& flow, QueuePairState& qp, Time now) {
  while (std::max(now, qp.due) >= flow.burst_end) {
    const Time pause = BurstLength(flow.off, flow.random_bursts, flow.rng);
    flow.burst_begin = flow.burst_end + pause;
    flow.burst_end = flow.burst_begin + BurstLength(flow.on, flow.random_bursts, flow.rng);
    if (qp.pacing > 0) qp.due += pause;
  }
  return std::max({now, qp.due, flow.burst_begin});
}

Time NextMove(const FlowState& flow, Time now) {
  const Time period = flow.destinations->period;
  return flow.start + ((now - flow.start) / period + 1) * period;
}

std::uint32_t DrawDestination(FlowState& flow, Time now) {
  const std::vector<std::uint32_t>& endports = flow.destinations->endports;
  const auto count = static_cast<std::uint32_t>(endports.size());
  switch (flow.destinations->order) {
    case Destinations::Order::Uniform: {
      if (flow.self == kNoIndex) return endports[flow.rng.Below(count)];
      const auto place = static_cast<std::uint32_t>(flow.rng.Below(count - 1));
      return endports[place < flow.self ? place : place + 1];
    }
    case Destinations::Order::Cyclic:
      do flow.cursor = flow.cursor + 1 < count ? flow.cursor + 1 : 0;
      while (flow.cursor == flow.self);
      return endports[flow.cursor];
    case Destinations::Order::Moving: {
      std::size_t place = static_cast<std::size_t>((now - flow.start) / flow.destinations->period) % count;
      while (endports[place] == flow.src) place = (place + 1) % count;
      return endports[place];
    }
  }
  return kNoIndex;
}

}  // namespace

void EngineCore::OnFlowStart(std::uint32_t index) {
  const FlowState& flow = flows_[index];
  for (std::uint32_t i = 0; i < flow.num_queue_pairs; ++i) WaitForNext(flow.first_queue_pair + i);
}

void EngineCore::OnOffer(std::uint32_t index) {
  QueuePairState& qp = queue_pairs_[index];
  if (!qp.queued && flows_[qp.flow].stop > now_ && NextOffer(qp) <= now_) MakeReady(index);
}

void EngineCore::OnPermit(std::uint32_t index) {
  FlowState& flow = flows_[index];
  QueuePairState& qp = queue_pairs_[flow.first_queue_pair];
  if (!flow.closed || ++flow.arrived < flow.needs) return;
  flow.arrived = 0;
  if (flow.window == 1 && flow.begun != kNever) {
    FlowCounters& counters = flow_counters_[index];
    ++counters.round_trips;
    counters.round_trip_sum += now_ - flow.begun;
    counters.round_trip_max = std::max(counters.round_trip_max, now_ - flow.begun);
    if (options_.judged_from <= now_ && now_ <= options_.judged_until) record_.round_trips.Add(index, now_ - flow.begun);
  }
  ++qp.pending;
  if (!qp.queued && now_ >= flow.start) WaitForNext(flow.first_queue_pair);
}

// When a queue pair has its next packet to send; kNever if somebody else has to say so.
Time EngineCore::NextOffer(QueuePairState& qp) {
  if (qp.message_left > 0) return qp.whole ? now_ : std::max(now_, qp.due);
  if (qp.pending == 0) return kNever;
  if (qp.is_context) return now_;
  FlowState& flow = flows_[qp.flow];
  if (flow.unbroken) return std::max(now_, qp.due);
  if (flow.messages == nullptr) return NextOn(flow, qp, now_);
  if (flow.next_message == flow.messages->size()) return kNever;
  return std::max(now_, (*flow.messages)[flow.next_message].time);
}

void EngineCore::WaitForNext(std::uint32_t index) {
  const Time time = NextOffer(queue_pairs_[index]);
  if (time == kNever) return;
  if (time > now_) {
    calendar_.PushAt(now_, time, kOffer, index, 0);
  } else {
    MakeReady(index);
  }
}

// After a packet: behind the other queue pairs of its throttle if there is another to send, else as WaitForNext.
void EngineCore::ContinueWith(std::uint32_t index) {
  QueuePairState& qp = queue_pairs_[index];
  const Time time = NextOffer(qp);
  if (time <= now_) {
    qp.queued = true;
    PushBack(throttles_[qp.throttle].queue_pairs, queue_pairs_, index);
  } else if (time != kNever) {
    calendar_.PushAt(now_, time, kOffer, index, 0);
  }
}

// Lets a queue pair begin its next message. False if it has none now: then it has seen to it that it will be asked again.
bool EngineCore::BeginMessage(std::uint32_t index) {
  QueuePairState& qp = queue_pairs_[index];
  FlowState& flow = flows_[qp.flow];
  if (const Time time = NextOffer(qp); time > now_) {
    if (time != kNever) calendar_.PushAt(now_, time, kOffer, index, 0);
    return false;
  }
  if (qp.draws) return DrawMessage(index);
  qp.message_left = flow.messages == nullptr ? flow.message_bytes : (*flow.messages)[flow.next_message++].bytes;
  if (qp.is_context) {
    --qp.pending;
    if (qp.calls) {
      qp.calls = false;
      calendar_.PushAt(now_, now_, kOffer, flow.first_queue_pair, 0);
    }
    return true;
  }
  Charge(flow, qp);
  if (qp.whole && qp.pacing > 0) qp.due += TimeForMessage(flow.message_bytes, qp.pacing);
  return true;
}

// A message begins, against the permits.
void EngineCore::Charge(FlowState& flow, QueuePairState& qp) {
  if (qp.pending != kEndless) --qp.pending;
  if (flow.closed) flow.begun = now_;
  if (GeneratorState* generator = GeneratorOf(qp.flow, Generator::Kind::Strict);
      generator != nullptr && generator->drawn == qp.flow) {
    CallGenerator(generator_of_[qp.flow], now_);  // there is room in the queue that it waits for
  }
}

// Fetches what the message after this one will look up.
void EngineCore::FetchNextReaction(std::uint32_t flow_index) const {
  const FlowState& flow = flows_[flow_index];
  if (flow.destinations->order != Destinations::Order::Uniform || flow.random_bursts) return;
  Rng ahead = flow.rng;
  const std::uint64_t place = ahead.Below(flow.destinations->endports.size() - (flow.self != kNoIndex));
  reactions_.Prefetch(flow_index, flow.destinations->endports[place + (place >= flow.self)]);
}

bool EngineCore::DrawMessage(std::uint32_t index) {
  const std::uint32_t flow_index = queue_pairs_[index].flow;
  FlowState& flow = flows_[flow_index];
  const bool moving = flow.destinations->order == Destinations::Order::Moving;
  GeneratorState* generator = GeneratorOf(flow_index, Generator::Kind::Strict);
  const std::uint32_t room = generator != nullptr ? generator->of->queue_messages : moving ? 1 : kEndless;
  do {
    const bool drawn = generator != nullptr && generator->destination != kNoIndex;
    const std::uint32_t destination = drawn ? std::exchange(generator->destination, kNoIndex) : DrawDestination(flow, now_);
    const ReactionRecord* record = flow.contexts == 0 ? nullptr : reactions_.Find(flow_index, destination);
    const std::uint32_t held = record == nullptr ? kNoIndex : record->queue_pair();
    const bool free = held == kNoIndex;
    if (!free && queue_pairs_[held].pending >= room) {
      // Where destinations move, the next message waits there already; another would still go there when the destination has moved on.
      queue_pairs_[held].calls = true;
      if (!moving) {
        generator->destination = destination;
      } else if (const Time move = NextMove(flow, now_); flow.move_event != move) {
        flow.move_event = move;
        calendar_.PushAt(now_, move, kOffer, index, 0);
      }
      return false;
    }
    QueuePairState& qp = queue_pairs_[index];
    Charge(flow, qp);
    if (qp.pacing > 0) qp.due += TimeForMessage(flow.message_bytes, qp.pacing);
    if (free) {
      qp.destination = destination;
      qp.message_left = flow.message_bytes;
      return true;
    }
    ++queue_pairs_[held].pending;
    if (!queue_pairs_[held].queued) MakeReadySoon(held);  // whoever asks for a message is looking at the host's queues
  } while (NextOffer(queue_pairs_[index]) <= now_);
  if (const Time time = NextOffer(queue_pairs_[index]); time != kNever) calendar_.PushAt(now_, time, kOffer, index, 0);
  return false;
}

// Gives the rest of a drawing queue pair's message to a queue pair of its destination's own, which has none.
std::uint32_t EngineCore::HandOver(std::uint32_t index) {
  const std::uint32_t held = MakeContext(queue_pairs_[index].flow, queue_pairs_[index].destination);
  queue_pairs_[held].message_left = queue_pairs_[index].message_left;
  queue_pairs_[index].message_left = 0;
  return held;
}

ReactionRecord& EngineCore::MakeReaction(std::uint32_t flow_index, std::uint32_t destination) {
  const auto is_idle = [this](std::uint32_t flow, const ReactionRecord& r) {
    if (r.queue_pair() != kNoIndex) return false;
    const FlowState& of = flows_[flow];
    for (unsigned path = 0; path < 1u << levels_.path_sl_bits(); ++path) {
      const std::uint32_t index = SettingOf(of.src, unsigned{of.sl} << levels_.path_sl_bits() | path);
      if (index != kNoIndex && CurrentCcti(settings_[index], r.reaction(), now_) != settings_[index].min) return false;
    }
    return true;
  };
  return reactions_.Make(flow_index, destination, is_idle);
}

// A queue pair of its own for a destination that has none.
std::uint32_t EngineCore::MakeContext(std::uint32_t flow_index, std::uint32_t destination) {
  FlowState& flow = flows_[flow_index];
  std::uint32_t index;
  if (free_contexts_.empty()) {
    index = static_cast<std::uint32_t>(queue_pairs_.size());
    queue_pairs_.emplace_back();
    queue_pairs_.back().throttle = static_cast<std::uint32_t>(throttles_.size());
    throttles_.emplace_back();
  } else {
    index = free_contexts_.back();
    free_contexts_.pop_back();
  }
  ReactionRecord& record = MakeReaction(flow_index, destination);
  QueuePairState qp{};
  qp.flow = flow_index;
  qp.throttle = queue_pairs_[index].throttle;
  qp.next = kNoIndex;
  qp.destination = destination;
  qp.vl = flow.vl;
  qp.is_context = true;
  queue_pairs_[index] = qp;
  ThrottleState throttle{};
  throttle.setting = SettingFor(flow, destination);
  throttle.next = kNoIndex;
  throttle.context = index;
  throttle.reaction = ReactionOf(record);
  record.Hold(index);
  throttle.status = ThrottleStatus::Idle;
  throttles_[qp.throttle] = throttle;
  ++flow.contexts;
  return index;
}

// A queue pair with nothing to send and nothing that delays it needs no more than its reaction.
void EngineCore::DropContext(std::uint32_t index) {
  const QueuePairState& qp = queue_pairs_[index];
  ReactionRecord* record = reactions_.Find(qp.flow, qp.destination);
  record->Set(throttles_[qp.throttle].reaction);
  throttles_[qp.throttle].setting = kNoIndex;
  --flows_[qp.flow].contexts;
  free_contexts_.push_back(index);
}

}  // namespace ccsim

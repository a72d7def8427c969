// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core_turns.cpp: which of a host's queue pairs sends next, and flows whose messages are generated together.
//
// Events      kGenerate
// Behaviour   most hosts' queue pairs are equal and take turns packet by packet: the ready queue's own order. Where their weights
//             differ, where a message is a turn (model.ca.qp_scheduling), or where flows have a generator, the next one is looked
//             for among all that are ready. Weighted turns are start-time fair queueing (Goyal, Vin and Cheng, SIGCOMM 1996): each
//             sender has a clock of what it has sent over its weight, the least goes next, and who comes back after a while
//             starts where the others are, so that nobody makes up for time in which it was held back
// Data        TurnState, GeneratorState
#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "engine/core.hpp"
#include "engine/index_queue.hpp"
#include "engine/rng_streams.hpp"

namespace ccsim {
namespace {

constexpr std::size_t kNobody = std::numeric_limits<std::size_t>::max();

// Brings an entry of a queue to its head. `before`: the one before it, kNoIndex for the head itself.
template <typename Records>
void BringToHead(IndexQueue& queue, Records& records, std::uint32_t index, std::uint32_t before) {
  if (before == kNoIndex) return;
  records[before].next = records[index].next;
  if (queue.tail == index) queue.tail = before;
  records[index].next = queue.head;
  queue.head = index;
}

}  // namespace

void EngineCore::BuildGenerators(std::span<const Flow> flows) {
  std::map<const Generator*, std::uint32_t> known;
  for (std::uint32_t f = 0; f < flows.size(); ++f) {
    const Generator* of = flows[f].generator.get();
    if (of == nullptr) continue;
    if (generator_of_.empty()) generator_of_.assign(flows.size(), kNoIndex);
    const auto [place, is_new] = known.try_emplace(of, static_cast<std::uint32_t>(generators_.size()));
    generator_of_[f] = place->second;
    if (is_new) {
      owned_generators_.push_back(flows[f].generator);
      generators_.emplace_back(of, Rng(options_.seed, rng_streams::kGenerators[f]), flows[f].start);
    }
    GeneratorState& generator = generators_[place->second];
    generator.flows.push_back(f);
    generator.up_to.push_back((generator.up_to.empty() ? 0 : generator.up_to.back()) +
                              static_cast<std::uint64_t>(flows[f].rate_gbps * 1e9));
  }
  for (GeneratorState& generator : generators_) {
    generator.pacing = ByteTimeOf(static_cast<double>(generator.up_to.back()) * 1e-9);
    // Somewhere within its first message's time, as other flows that draw.
    const std::uint32_t first = generator.flows.front();
    const Time spacing = TimeForMessage(flows_[first].message_bytes, generator.pacing);
    Rng phase(0, rng_streams::kFlowPhases[first]);
    generator.due += static_cast<Time>(phase.Below(static_cast<std::uint64_t>(std::max<Time>(spacing, 1))));
  }
}

// A queue pair's weight is the rate of its flow, or of its generator. Without a rate it is an equal part of what the others of its
// port and VL leave, but at least an equal part of all that the port can send.
std::vector<TurnState> EngineCore::WeighTurns(std::span<const Flow> flows) {
  struct Offered {
    double rated = 0, queue_pairs = 0, without_rate = 0;
  };
  std::map<std::pair<std::uint32_t, unsigned>, Offered> offered;  // by host and VL
  const auto of = [&](const QueuePairState& qp) -> Offered& { return offered[{flows[qp.flow].src, qp.vl}]; };
  const auto rate = [&](const QueuePairState& qp) {
    return flows[qp.flow].messages ? 0 : flows[qp.flow].rate_gbps / flows[qp.flow].queue_pairs;
  };
  for (const QueuePairState& qp : queue_pairs_) {
    of(qp).rated += rate(qp);
    ++of(qp).queue_pairs;
    of(qp).without_rate += rate(qp) > 0 ? 0 : 1;
  }
  std::vector<TurnState> turns;
  for (const QueuePairState& qp : queue_pairs_) {
    const HostState& host = hosts_[flows[qp.flow].src];
    const double of_link = 8e6 * 65536.0 / static_cast<double>(ports_[host.port].byte_time) * mtu_bytes_ / full_bytes_;
    const double of_bus = host.inject_byte_time > 0 ? 8e6 * 65536.0 / static_cast<double>(host.inject_byte_time) : of_link;
    const double all = std::min(of_link, of_bus);
    const Offered& others = of(qp);
    const double left = std::max((all - others.rated) / std::max(others.without_rate, 1.0), all / others.queue_pairs);
    const GeneratorState* generator = GeneratorOf(qp.flow, Generator::Kind::Independent);
    turns.push_back({.cost = generator != nullptr ? generator->pacing : ByteTimeOf(rate(qp) > 0 ? rate(qp) : left)});
  }
  return turns;
}

void EngineCore::BuildTurns(std::span<const Flow> flows) {
  std::vector<TurnState> turns = WeighTurns(flows);
  std::vector<std::uint8_t> chooses(num_endports_, 0);
  std::map<std::pair<std::uint32_t, unsigned>, ByteTime> costs;  // of the first, by host and VL
  for (std::uint32_t i = 0; i < queue_pairs_.size(); ++i) {
    const Flow& flow = flows[queue_pairs_[i].flow];
    const auto [place, is_first] = costs.try_emplace({flow.src, queue_pairs_[i].vl}, turns[i].cost);
    const bool differs = model_.ca.qp_scheduling == QpScheduling::Weighted && place->second != turns[i].cost;
    const bool by_message = model_.ca.qp_scheduling == QpScheduling::Message && (!is_first || flow.destinations);
    const bool drawn = GeneratorOf(queue_pairs_[i].flow, Generator::Kind::Independent) != nullptr;
    if (differs || by_message || drawn) chooses[flow.src] = 1;
  }
  if (std::find(chooses.begin(), chooses.end(), 1) == chooses.end()) return;
  chooses_ = std::move(chooses);
  turns_ = std::move(turns);
  turn_clocks_.assign(std::size_t{num_endports_} * kMaxVls, 0);
}

// The queue pair that stands for all whose turns are counted together.
std::uint32_t EngineCore::SenderOf(std::uint32_t index) {
  const FlowState& flow = flows_[queue_pairs_[index].flow];
  const GeneratorState* generator = GeneratorOf(queue_pairs_[index].flow, Generator::Kind::Independent);
  if (generator != nullptr) return flows_[generator->flows.front()].first_queue_pair;
  return flow.destinations != nullptr ? flow.first_queue_pair : index;
}

// Brings the queue pair that is next to the head of its throttle's queue, and the throttle to the head of the ready queue.
// REQUIRES: the ready queue is not empty.
void EngineCore::ChooseNext(std::uint32_t host, unsigned vl) {
  IndexQueue& ready = ReadyQueue(host, vl);
  const QpScheduling scheduling = model_.ca.qp_scheduling;
  const Time clock = turn_clocks_[std::size_t{host} * kMaxVls + vl];
  candidates_.clear();
  std::size_t begun = kNobody;  // the first that is in the middle of a message
  std::size_t next = 0;
  Time least = kNever;
  std::uint32_t throttle_before = kNoIndex;
  for (std::uint32_t t = ready.head; t != kNoIndex; throttle_before = std::exchange(t, throttles_[t].next)) {
    std::uint32_t before = kNoIndex;
    for (std::uint32_t q = throttles_[t].queue_pairs.head; q != kNoIndex; before = std::exchange(q, queue_pairs_[q].next)) {
      const std::uint32_t sender = SenderOf(q);
      if (begun == kNobody && queue_pairs_[q].message_left > 0) begun = candidates_.size();
      if (const Time served = std::max(turns_[sender].served, clock); served < least) {
        least = served;
        if (scheduling == QpScheduling::Weighted) next = candidates_.size();
      }
      candidates_.push_back({t, throttle_before, q, before, sender});
    }
  }
  if (candidates_.empty()) return;
  if (scheduling == QpScheduling::Message && begun != kNobody) next = begun;
  const std::uint32_t flow = queue_pairs_[candidates_[next].queue_pair].flow;
  if (GeneratorState* generator = GeneratorOf(flow, Generator::Kind::Independent)) next = ChooseOfGenerator(*generator);
  const Candidate& chosen = candidates_[next];
  BringToHead(throttles_[chosen.throttle].queue_pairs, queue_pairs_, chosen.queue_pair, chosen.queue_pair_before);
  BringToHead(ready, throttles_, chosen.throttle, chosen.throttle_before);
}

// A message that has begun goes on; else one begins of the flow that is drawn among those that may. REQUIRES: one of them is there.
std::size_t EngineCore::ChooseOfGenerator(GeneratorState& generator) {
  std::vector<std::size_t>& first = generator.candidates;  // by flow, the one that has been ready for longest
  first.assign(generator.flows.size(), kNobody);
  std::uint64_t sum = 0;
  for (std::size_t c = 0; c < candidates_.size(); ++c) {
    const QueuePairState& qp = queue_pairs_[candidates_[c].queue_pair];
    const auto place = std::find(generator.flows.begin(), generator.flows.end(), qp.flow) - generator.flows.begin();
    const auto i = static_cast<std::size_t>(place);
    if (i == first.size()) continue;
    if (qp.message_left > 0) return c;
    if (first[i] != kNobody) continue;
    first[i] = c;
    sum += generator.Weight(i);
  }
  std::uint64_t drawn = generator.rng.Below(sum);
  std::size_t i = 0;
  while (first[i] == kNobody || drawn >= generator.Weight(i)) {
    if (first[i] != kNobody) drawn -= generator.Weight(i);
    ++i;
  }
  return first[i];
}

// A packet of the queue pair is sent.
void EngineCore::CountTurn(std::uint32_t host, unsigned vl, std::uint32_t queue_pair, std::uint32_t payload) {
  Time& clock = turn_clocks_[std::size_t{host} * kMaxVls + vl];
  TurnState& turn = turns_[SenderOf(queue_pair)];
  clock = std::max(turn.served, clock);
  turn.served = clock + TimeFor(payload, turn.cost);
}

// Draws messages until one has to wait: for room in its queue, or for its time.
void EngineCore::OnGenerate(std::uint32_t index) {
  GeneratorState& generator = generators_[index];
  generator.alarmed = false;
  if (flows_[generator.flows.front()].stop <= now_) return;
  for (;;) {
    if (generator.drawn == kNoIndex) {
      if (generator.due > now_) return CallGenerator(index, generator.due);
      const std::uint64_t drawn = generator.rng.Below(generator.up_to.back());
      const auto place = std::upper_bound(generator.up_to.begin(), generator.up_to.end(), drawn) - generator.up_to.begin();
      generator.drawn = generator.flows[static_cast<std::size_t>(place)];
      generator.due += TimeForMessage(flows_[generator.drawn].message_bytes, generator.pacing);
    }
    const FlowState& flow = flows_[generator.drawn];
    QueuePairState& qp = queue_pairs_[flow.first_queue_pair];
    // A flow that draws its destinations has a queue for each of them, and one message that is about to go to one.
    if (qp.pending >= (flow.destinations != nullptr ? 1 : generator.of->queue_messages)) return;
    generator.drawn = kNoIndex;
    ++qp.pending;
    if (!qp.queued) MakeReadySoon(flow.first_queue_pair);
  }
}

void EngineCore::CallGenerator(std::uint32_t index, Time time) {
  GeneratorState& generator = generators_[index];
  if (generator.alarmed || time > options_.duration) return;
  generator.alarmed = true;
  calendar_.PushAt(now_, time, kGenerate, index, 0);
}

}  // namespace ccsim

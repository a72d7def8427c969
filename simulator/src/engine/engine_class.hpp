// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// engine_class.hpp: the class of engine_of.hpp, whose functions are here, in engine_host.hpp, engine_switch.hpp and prefetch.hpp.
#pragma once

#include <memory>
#include <utility>

#include "engine/core.hpp"
#include "engine/ports.hpp"

namespace ccsim {

template <typename P>
class EngineOf final : public EngineCore {
 public:
  using Policies = P;
  static constexpr bool kPlain = P::Ports::kPlain;

  explicit EngineOf(const Setup& setup) : EngineCore(setup) { queueing_.Prepare(*this); }
  // Continues a run with other policies, which hold the same data.
  template <typename Other>
  explicit EngineOf(EngineOf<Other>&& other)
      : EngineCore(std::move(other)),
        queueing_(std::move(other.queueing_)),
        arbiter_(std::move(other.arbiter_)),
        detection_(std::move(other.detection_)),
        transport_(std::move(other.transport_)),
        sink_(std::move(other.sink_)) {}

  bool RunUntil(Time until, std::uint64_t events) override;
  std::unique_ptr<EngineCore> Disturbable() override;
  void TryInject(std::uint32_t host) override;
  void TrySend(std::uint32_t output) override { TrySendAt(output); }
  void BuildQueues() override {
    queueing_.Build(*this);
    arbiter_.Build(*this);
    detection_.Build(*this);
    if constexpr (P::HostSink::kQueues) sink_.Build(*this);
  }
  void WidenQueues(unsigned before, unsigned vls) override {
    queueing_.Widen(*this, before, vls);
    detection_.Widen(*this, before, vls);
  }
  void LoseQueued(std::uint32_t output, unsigned vl) override;
  void OnLinkDown(std::uint32_t port) override { queueing_.OnLinkDown(*this, port); }
  void OnLinkRestored(std::uint32_t port) override { queueing_.OnLinkRestored(*this, port); }
  void GiveRoomBack(std::uint32_t from, const Packet& packet, Time at) override {
    queueing_.GiveBack(*this, from, packet, packet.vl, at);
  }
  bool CountsRoomByQueue() const override { return P::Queueing::kCountsRoom; }
  bool HasAllRoom() const override { return queueing_.HasAllRoom(); }
  void Redetect(std::uint32_t port, unsigned vl) override { detection_.Redetect(*this, port, Lane(port, vl)); }
  void SampleQueues() override {
    queueing_.Sample(*this);
    if constexpr (P::HostSink::kQueues) sink_.Sample(*this);
  }
  void ForEachQueued(std::uint32_t input, const QueuedVisit& visit) const override { queueing_.ForEach(*this, input, visit); }
  std::int32_t LeastBlocksAtHeads(std::uint32_t output, unsigned vl) const override;
  bool WaitsForReads(std::uint32_t output) const override { return arbiter_.Waits(*this, output); }
  void CheckQueues(std::uint32_t output, unsigned vl) const override;

  // --- For policies ---

  LaneState& LaneAt(std::uint32_t port, unsigned vl) { return kPlain ? lanes_[port] : Lane(port, vl); }
  // The first bit behind the given one, going round once. REQUIRES: there is one. Without branches.
  static unsigned FirstAfter(std::uint64_t bits, unsigned bit) {
    const std::uint64_t after = bits & (~std::uint64_t{1} << bit);
    const std::uint64_t none = std::uint64_t{0} - std::uint64_t{after == 0};
    return static_cast<unsigned>(__builtin_ctzll(after | (bits & none)));
  }
  // Guesses the input that the round robin comes to if nothing changes and every read port is free, among the first 64. It takes no
  // branches, as nobody could foresee them.
  [[gnu::always_inline]] std::uint32_t LikelyInput(const LaneState& lane) const {
    const std::uint64_t ready = *ReadyMask(lane);
    return FirstAfter(ready | std::uint64_t{ready == 0}, lane.last_input % 64);
  }
  bool IsReady(const LaneState& lane, unsigned input) const { return (ReadyMask(lane)[input / 64] >> (input % 64) & 1) != 0; }
  // The input has a packet that may leave next by the lane. `was_clear`: it had none.
  [[gnu::always_inline]] void SetReady(LaneState& lane, std::uint32_t output, unsigned vl, unsigned input, bool was_clear) {
    (kPlain ? &lane.ready : ReadyMask(lane))[kPlain ? 0 : input / 64] |= std::uint64_t{1} << (input % 64);
    if constexpr (!kPlain) {
      lane.queued_inputs = static_cast<std::uint8_t>(lane.queued_inputs + was_clear);
      ports_[output].queued_vls |= static_cast<std::uint16_t>(1u << vl);
    }
  }
  // A packet of the input has left. `is_clear`: the input has no other now that may leave next by the lane.
  [[gnu::always_inline]] void ClearReady(LaneState& lane, std::uint32_t output, unsigned vl, unsigned input, bool is_clear) {
    (kPlain ? &lane.ready : ReadyMask(lane))[kPlain ? 0 : input / 64] &= ~(std::uint64_t{is_clear} << (input % 64));
    if constexpr (!kPlain) {
      lane.queued_inputs = static_cast<std::uint8_t>(lane.queued_inputs - is_clear);
      ports_[output].queued_vls &= static_cast<std::uint16_t>(~(unsigned{lane.queued_inputs == 0} << vl));
    }
  }
  // A queue pair that the transport has held back may send again.
  void Unpark(std::uint32_t queue_pair) {
    queue_pairs_[queue_pair].queued = false;
    MakeReady(queue_pair);
  }

  typename P::Queueing queueing_;
  typename P::Arbiter arbiter_;
  typename P::Detection detection_;
  typename P::Transport transport_;
  [[no_unique_address]] typename P::HostSink sink_;

 private:
  void Dispatch(const Event& event, unsigned track);

  // engine_switch.hpp
  void OnArrive(std::uint32_t output, std::uint32_t packet);
  std::uint32_t Divert(std::uint32_t sent_to, std::uint32_t packet);
  void Enter(std::uint32_t output, std::uint32_t packet);
  void OnSent(std::uint32_t output);
  void OnReadFree(std::uint32_t output, unsigned input);
  void OnCredit(std::uint32_t port, unsigned vl);
  void OnMessage(std::uint32_t port, std::uint32_t argument);
  void TrySendAt(std::uint32_t output);
  // The input whose turn it is and whose packet may go, or -1: then something that will change is waited for.
  int NextInput(std::uint32_t output, unsigned vl);
  bool TrySendLane(std::uint32_t output, unsigned vl);
  void TrySendArbitrated(std::uint32_t output);
  void Forward(std::uint32_t output, unsigned vl, unsigned input);
  Time HoldCredit(std::uint32_t input, std::uint32_t output, const LaneState& lane, std::uint32_t crosspoint,
                  const Packet& packet);
  // Puts a packet on a port's wire and on its way to the far end; returns how long it is on the wire.
  Time Transmit(std::uint32_t port, std::uint32_t packet);

  // engine_host.hpp
  void OnHostWake(std::uint32_t host);
  void OnThrottleEnd(std::uint32_t throttle);
  void OnControl(std::uint32_t host, std::uint32_t packet);
  void OnBecn(std::uint32_t packet);
  bool TryInjectControl(std::uint32_t host);
  bool TryInjectArbitrated(std::uint32_t host);
  bool ServeHead(std::uint32_t host, unsigned vl);
  void Park(std::uint32_t throttle, std::uint32_t queue_pair);
  void InjectData(std::uint32_t host, unsigned vl);
  void InjectControl(std::uint32_t host, unsigned vl);
  void Inject(std::uint32_t port, std::uint32_t packet);
  void Receive(std::uint32_t host, std::uint32_t packet, Time tail_there);
  void Accept(std::uint32_t host, std::uint32_t packet, const Packet& k, Time delivered);
  void OnDrain(std::uint32_t host);

  // prefetch.hpp
  void FetchForArrive(unsigned track) const;
  void FetchForSent(unsigned track) const;
  void FetchForSentDeep(unsigned track) const;
  void FetchForHostWake(unsigned track) const;
  void FetchForBecn(unsigned track) const;
  void FetchForWheel() const;
  std::uint32_t LikelyQueuePair(const Event& wake) const;
  void FetchAtFarEnd(std::uint32_t output, const Packet& packet) const;
};

template <typename P>
bool EngineOf<P>::RunUntil(Time until, std::uint64_t events) {
  Event event{};
  for (std::uint64_t i = 0; i < events; ++i) {
    const unsigned track = calendar_.Pop(until, event);
    if (track == Calendar::kNothing) {
      now_ = until;
      return true;
    }
    now_ = event.time;
    ++record_.events;
    Dispatch(event, track);
  }
  return false;
}

template <typename P>
inline void EngineOf<P>::Dispatch(const Event& event, unsigned track) {
  switch (static_cast<EventType>(event.type)) {
    case kArrive: FetchForArrive(track); return OnArrive(event.target, event.argument);
    case kSent: FetchForSent(track); return OnSent(event.target);
    case kCredit: return OnCredit(event.target, event.argument);
    case kHostWake: track == 0 ? FetchForWheel() : FetchForHostWake(track); return OnHostWake(event.target);
    case kDelivered: return OnDelivered(event.target, event.argument);
    case kBecn: FetchForBecn(track); return OnBecn(event.argument);
    case kThrottleEnd: return OnThrottleEnd(event.target);
    case kOffer: return OnOffer(event.target);
    case kGenerate: return OnGenerate(event.target);
    case kPermit: return OnPermit(event.target);
    case kControl: FetchForWheel(); return OnControl(event.target, event.argument);
    case kFlowStart: return OnFlowStart(event.target);
    case kProgram: return Program(*options_.programmings[event.target].tables);
    case kLinkUp: return OnLinkUp(event.target);
    case kMessage: return OnMessage(event.target, event.argument);
    case kReadFree: return OnReadFree(event.target, event.argument);
    case kDrain: return OnDrain(event.target);
    case kHostLoad:
      if constexpr (P::HostSink::kQueues) sink_.OnLoad(*this, event.target, event.argument != 0);
      return;
    case kHostSample:
      if constexpr (P::HostSink::kQueues) sink_.OnHostSample(*this, event.target);
      return;
    case kSample: return OnSample();
  }
}

template <typename P>
std::unique_ptr<EngineCore> EngineOf<P>::Disturbable() {
  if constexpr (kPlain) {
    auto other = std::make_unique<EngineOf<typename P::Disturbed>>(std::move(*this));
    other->CountReady();
    return other;
  } else {
    return nullptr;
  }
}

template <typename P>
void EngineOf<P>::LoseQueued(std::uint32_t output, unsigned vl) {
  queueing_.Lose(*this, output, vl);
  Lane(output, vl).wants_credits = false;
  if (ports_[output].queued_vls == 0) StopWaiting(output);
}

template <typename P>
std::int32_t EngineOf<P>::LeastBlocksAtHeads(std::uint32_t output, unsigned vl) const {
  const LaneState& lane = Lane(output, vl);
  std::int32_t least = FarBufferBlocks(output) + 1;
  for (unsigned input = 0; input < switches_[ports_[output].switch_ordinal].num_ports; ++input) {
    if (!IsReady(lane, input)) continue;
    least = std::min<std::int32_t>(least, pool_[queueing_.Head(*this, lane, output, input)].blocks());
  }
  return least;
}

template <typename P>
void EngineOf<P>::CheckQueues(std::uint32_t output, unsigned vl) const {
  const LaneState& lane = Lane(output, vl);
  const std::uint32_t inputs = switches_[ports_[output].switch_ordinal].num_ports;
  std::uint32_t ready = 0;
  for (unsigned input = 0; input < inputs; ++input) ready += IsReady(lane, input);
  const std::string name = "port " + std::to_string(output);
  if (arbiter_.ReadsTooMuch(*this, output))
    throw std::logic_error(name + ": more packets leave its buffer than it has read ports");
  queueing_.Check(*this, output, vl);
  if (kPlain) return;
  if (ready != lane.queued_inputs) throw std::logic_error(name + ": the count of inputs disagrees with the mask");
  if ((ready > 0) != ((ports_[output].queued_vls >> vl & 1) != 0))
    throw std::logic_error(name + ": the mask of VLs disagrees with the queues");
}

}  // namespace ccsim

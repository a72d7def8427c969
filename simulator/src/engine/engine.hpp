// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// engine.hpp: one run of a fabric, packet by packet.
//
// A packet's way: its queue pair has a message to send (engine_traffic.cpp), is taken from the host's ready queue (engine_host.cpp)
// and the packet sent into the link; the
// head reaches the switch's input, and after the routing latency the packet stands in the VOQ of its output (engine_switch.cpp);
// the output's arbiter picks it when the link is idle, the far end has credits and the input a free read port; its tail leaving
// gives credits back upstream. At the receiving host (engine_receive.cpp) the tail enters the receive buffer, which drains at the
// host's own rate, and the packet is delivered. Virtual cut-through: a packet may leave a switch before its tail has come, but on a faster link only so
// late that the tail is there in time.
//
// One engine is one thread's; engines share nothing that changes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "ccpolicy/tables.h"
#include "congestion/held_tables.hpp"
#include "congestion/log.hpp"
#include "congestion/starvation.hpp"
#include "engine/big_vector.hpp"
#include "engine/calendar.hpp"
#include "engine/deadlock.hpp"
#include "engine/lft_blocks.hpp"
#include "engine/packet_pool.hpp"
#include "engine/pair_table.hpp"
#include "engine/run_record.hpp"
#include "engine/service_levels.hpp"
#include "engine/state.hpp"
#include "engine/vl_arbitration.hpp"
#include "fabric.hpp"
#include "flow.hpp"
#include "model.hpp"

namespace ccsim {

class Engine {
 public:
  // Copies what it needs of `tables` (may be null: CC off everywhere) and of the fabric. Throws std::invalid_argument with a
  // sentence on flows or options that make no sense, and on a flow without a route.
  Engine(const Fabric& fabric, const Model& model, std::span<const Flow> flows, const ccp_tables* tables,
         const RunOptions& options);

  // Runs to the end, or until `keep_going`, asked now and then with the time reached, returns false. True if it reached the end.
  // `when`: how often it asks.
  struct Questions {
    std::uint64_t events = 1 << 15;  // after so many at most
    Time time = kNever;              // and after so much time at most, events or none
  };
  bool Run(const std::function<bool(Time)>& keep_going, const Questions& when);
  bool Run(const std::function<bool(Time)>& keep_going) { return Run(keep_going, Questions{}); }

  // Sets tables between events: from within `keep_going`, or before the run. State is carried over: a port VL is in the congestion
  // state if its fill level says so, a CCTI stays where it is within the new bounds, and a delay that has begun ends when it would
  // have (unless Port_Control changes: then it ends at once). Throws std::invalid_argument on tables of another fabric.
  void Program(const ccp_tables& tables);

  // Forwarding, service levels and links, set between events likewise (engine_tables.cpp). A packet that is in a VOQ goes on as it
  // was queued; one that arrives afterwards meets the new tables. Where there is no way on for it, it is lost: there is no
  // retransmission. REQUIRES: nodes and ports of the fabric that the engine was made for.
  //
  // By switch ordinal and endport, the port to leave by; kNoRoute, or a port without a link: none.
  void SetForward(std::uint32_t ordinal, std::uint32_t endport, std::uint8_t port);
  // The link on a connected port, which is up before the first call. What is queued for a link that goes down is lost, and what is
  // on its wire, but for a packet whose way to an adapter has begun. A link that comes up carries packets from the time on at which
  // the last one lost would have arrived.
  void SetLink(std::uint32_t node, std::uint16_t port, bool up);
  // SL-to-VL and VL arbitration, as the fabric has them now. What stands queued for a VL that nothing serves any more is lost.
  void SetServiceLevels(const Fabric& fabric);

  // What a switch (by ordinal) and an adapter's port (by endport) have logged; `clear` as a manager's Get does.
  SwitchCongestionLog SwitchLog(std::uint32_t ordinal) const;
  CaCongestionLog CaLog(std::uint32_t endport) const;
  void ClearSwitchLog(std::uint32_t ordinal);
  void ClearCaLog(std::uint32_t endport);

  Time now() const { return now_; }
  const RunRecord& record() const { return record_; }
  std::size_t num_flows() const { return flow_counters_.size(); }
  const BigVector<FlowCounters>& flow_counters() const { return flow_counters_; }
  std::vector<PortCounters> port_counters() const;
  PortCounters port_counters(std::uint32_t port) const;  // of one, by dense index
  std::size_t num_endports() const { return num_endports_; }
  const std::vector<Hop>& port_names() const { return port_names_; }  // (node, port number) by dense index
  // Not yet on their last link.
  std::uint64_t packets_in_flight() const { return pool_.live(); }

  // Throws std::logic_error if credits, queues and packets do not add up. For tests: it walks everything.
  void CheckInvariants() const;
  // True if every port has all the credits that its far end's buffer stands for, as on a fabric that has run dry.
  bool AllCreditsReturned() const;

 private:
  enum EventType : std::uint32_t {
    kArrive,       // target: output port of a switch; argument: packet, now in its VOQ
    kSent,         // target: port of a switch whose packet's tail has left
    kCredit,       // target: port that has waited for credits; argument: VL
    kHostWake,     // target: host whose link or bus is free again
    kDelivered,    // target: host; argument: packet, drained from the receive buffer
    kBecn,         // argument: ACK or CNP whose tail has come
    kThrottleEnd,  // target: throttle whose injection rate delay is over
    kOffer,        // target: queue pair that has something to send
    kGenerate,     // target: generator that may draw a message
    kPermit,       // target: closed flow that may begin a message
    kControl,      // target: host; argument: ACK or CNP that is ready to be sent
    kFlowStart,    // target: flow
    kProgram,      // target: which of the programmings
    kLinkUp,       // target: a port whose link comes up
    kSample,
  };

  // engine_build.cpp
  void BuildPorts(const Fabric& fabric);
  void BuildHosts(const Fabric& fabric);
  void BuildForwarding(const Fabric& fabric);
  LaneState MakeLane(std::uint32_t port);
  std::uint16_t LinkKindOf(const PortState& port);
  void BuildFlows(std::span<const Flow> flows);
  void BuildLanes();
  Time SlotWidth() const;

  // engine_program.cpp
  void ReviseDetection();
  void Redetect(std::uint32_t port, unsigned vl);
  void ReviseReactions();
  void FindReactsUntil();
  std::vector<bool> AddSettings();
  ReactionSetting MakeSetting(std::uint32_t endport, unsigned sl) const;
  std::uint32_t SettingOf(std::uint32_t endport, unsigned sl) const;
  // Of packets to a destination of the flow.
  std::uint32_t SettingFor(const FlowState& flow, std::uint32_t destination) const;
  std::uint32_t SettingOf(const QueuePairState& qp) const;
  std::uint32_t SettingOfAny(const FlowState& flow) const;
  bool IsSpareContext(std::uint32_t queue_pair, bool has_packets);
  void AssignThrottles(const std::vector<bool>& hosts);
  std::vector<std::uint32_t> TakeQueued(const std::vector<bool>& hosts);

  // engine_switch.cpp
  void OnArrive(std::uint32_t output, std::uint32_t packet);
  template <bool kPlain>
  void OnArriveAs(std::uint32_t output, std::uint32_t packet);
  template <bool kPlain>
  LaneState& LaneOf(std::uint32_t port, unsigned vl);
  template <bool kPlain>
  void EnterVoq(std::uint32_t output, std::uint32_t packet);
  std::uint32_t Divert(std::uint32_t sent_to, std::uint32_t packet);
  void OnSent(std::uint32_t output);
  template <bool kPlain>
  void OnSentAs(std::uint32_t output);
  void OnCredit(std::uint32_t port, unsigned vl);
  void TrySend(std::uint32_t output);
  template <bool kPlain>
  void TrySendAs(std::uint32_t output);
  template <bool kPlain>
  bool TrySendLane(std::uint32_t output, unsigned vl);
  // The input whose turn it is and whose packet has its credits, or -1: then something that will change is waited for.
  int NextInput(std::uint32_t output, unsigned vl);
  template <bool kPlain>
  int FindInput(std::uint32_t output, unsigned vl);  // the same, for where every instruction counts
  // The words of a lane's mask of inputs with packets.
  std::uint64_t* ReadyMask(LaneState& lane) { return one_word_masks_ ? &lane.ready : &masks_[lane.ready]; }
  const std::uint64_t* ReadyMask(const LaneState& lane) const { return one_word_masks_ ? &lane.ready : &masks_[lane.ready]; }
  void WaitForReads(std::uint32_t output, const LaneState& lane);
  void Forward(std::uint32_t output, unsigned vl, unsigned input);
  template <bool kPlain>
  void ForwardAs(std::uint32_t output, unsigned vl, unsigned input);
  void OfferReadPort(std::uint32_t input_port, std::uint32_t output);
  // Sends the credits of a packet back to the port that it came from, whose far end's buffer it leaves at the time `at`.
  void GiveCredit(std::uint32_t from, unsigned vl, unsigned blocks, Time at);
  void GiveCreditNow(std::uint32_t from, unsigned vl, unsigned blocks, Time at);
  void TakeCredits(LaneState& lane, Time now) {
    if (lane.last_blocks == 0 || NextReturn(lane) > now) return;
    TakeListedCredits(lane, now);
    if (lane.first_return != kNoIndex || lane.last_time > now) return;
    lane.credits += static_cast<std::int32_t>(lane.last_blocks);
    lane.last_blocks = 0;
  }
  void TakeListedCredits(LaneState& lane, Time now);
  void AddReturn(LaneState& lane, Time time, unsigned blocks);
  // When the next credits come back; kNever if none are on their way.
  Time NextReturn(const LaneState& lane) const {
    if (lane.first_return != kNoIndex) return credit_returns_[lane.first_return].time;
    return lane.last_blocks == 0 ? kNever : lane.last_time;
  }
  void WakeForCredits(std::uint32_t port, unsigned vl, Time time);
  std::int32_t Available(const LaneState& lane) const { return shares_ ? AvailableShared(lane) : lane.credits; }
  // True if the lane has the credits; if not, it is woken when the next ones come.
  bool HasCredits(std::uint32_t port, unsigned vl, unsigned blocks);
  bool DetectAfterArrival(LaneState& lane, std::uint32_t voq, unsigned wire_bytes);  // true: it has entered congestion
  void DetectAfterDeparture(LaneState& lane, std::uint32_t voq, unsigned wire_bytes);
  // The two places of the root test.
  bool MayCross(LaneState& lane);
  bool MayMark(const LaneState& lane, unsigned blocks) const;
  // What is compared with a Threshold.
  std::uint64_t FillLevel(const LaneState& lane, std::uint32_t voq) const;
  // Puts a packet on a port's wire and on its way to the far end; returns how long it is on the wire.
  Time Transmit(std::uint32_t port, std::uint32_t packet);
  template <bool kPlain>
  Time TransmitAs(std::uint32_t port, std::uint32_t packet);

  // engine_lanes.cpp
  bool TrySendArbitrated(std::uint32_t output);
  bool TryInjectArbitrated(std::uint32_t host);
  std::uint32_t PortOf(const LaneState& lane) const { return static_cast<std::uint32_t>(&lane - lanes_.data()) / num_vls_; }
  std::int32_t AvailableShared(const LaneState& lane) const;
  void Borrow(std::uint32_t port, const LaneState& lane, std::int32_t blocks);
  void TakeSharedCredits(LaneState& lane, Time now);
  bool HasSharedCredits(std::uint32_t port, unsigned vl, std::int32_t blocks);
  void WakeSharers(std::uint32_t port, Time time);
  Time HoldCredit(std::uint32_t input, std::uint32_t output, const LaneState& lane, std::uint32_t voq, const Packet& packet);
  void LogEntered(std::uint32_t output, const Packet& packet);
  void LogReached(const ReactionSetting& setting, const Packet& packet);

  // engine_tables.cpp
  struct DownLink {
    Time clear = 0;  // from when on nothing that was sent before can arrive
    bool rising = false;
  };
  static constexpr std::uint8_t kNoOutput = 0xFF;
  std::uint32_t PortOf(std::uint32_t node, std::uint16_t port) const;
  std::uint8_t Effective(std::uint32_t ordinal, std::uint32_t endport) const;
  void Disturb();
  void ReviseForwarding(std::uint32_t port);
  void Impair(std::uint32_t port);
  void OnLinkUp(std::uint32_t port);
  void AddVls(unsigned vls);
  void ReviseArbitration(const Fabric& fabric);
  bool Serves(std::uint32_t port, unsigned vl) const;
  void DropUnserved();

  // engine_loss.cpp
  void LoseArrival(std::uint32_t input, std::uint32_t packet);
  void LoseQueued(std::uint32_t output, unsigned vl);
  void LoseControl(std::uint32_t host, unsigned vl);
  void Lose(std::uint32_t packet);
  void TakeOutOfOrder(const Packet& packet);

  // engine_traffic.cpp
  void OnFlowStart(std::uint32_t flow);
  void OnOffer(std::uint32_t queue_pair);
  void OnPermit(std::uint32_t flow);
  Time NextOffer(QueuePairState& qp);
  void WaitForNext(std::uint32_t queue_pair);
  void ContinueWith(std::uint32_t queue_pair);
  bool BeginMessage(std::uint32_t queue_pair);
  void Charge(FlowState& flow, QueuePairState& qp);
  bool DrawMessage(std::uint32_t queue_pair);
  void FetchNextReaction(std::uint32_t flow) const;
  void DelayDrawn(std::uint32_t queue_pair, Time packet_time);
  ReactionState ReactionOf(const ReactionRecord& record) const {
    const std::uint32_t held = record.queue_pair();
    return held != kNoIndex ? throttles_[queue_pairs_[held].throttle].reaction : record.reaction();
  }
  ReactionRecord& MakeReaction(std::uint32_t flow, std::uint32_t destination);
  std::uint32_t MakeContext(std::uint32_t flow, std::uint32_t destination);
  void DropContext(std::uint32_t queue_pair);

  // engine_turns.cpp
  void BuildGenerators(std::span<const Flow> flows);
  std::vector<TurnState> WeighTurns(std::span<const Flow> flows);
  void BuildTurns(std::span<const Flow> flows);
  // The flow's generator if it is of that kind, or nullptr.
  GeneratorState* GeneratorOf(std::uint32_t flow, Generator::Kind kind) {
    if (generator_of_.empty() || generator_of_[flow] == kNoIndex) return nullptr;
    GeneratorState& generator = generators_[generator_of_[flow]];
    return generator.of->kind == kind ? &generator : nullptr;
  }
  std::uint32_t SenderOf(std::uint32_t queue_pair);
  void ChooseNext(std::uint32_t host, unsigned vl);
  std::size_t ChooseOfGenerator(GeneratorState& generator);
  void CountTurn(std::uint32_t host, unsigned vl, std::uint32_t queue_pair, std::uint32_t payload);
  void OnGenerate(std::uint32_t generator);
  void CallGenerator(std::uint32_t generator, Time time);

  // engine_host.cpp
  void OnHostWake(std::uint32_t host);
  void OnThrottleEnd(std::uint32_t throttle);
  void OnControl(std::uint32_t host, std::uint32_t packet);
  void WakeAt(std::uint32_t host, Time time);
  void WakeAfterInjection(std::uint32_t host);
  void TryInject(std::uint32_t host);
  bool TryInjectControl(std::uint32_t host);
  bool ServeHead(std::uint32_t host, unsigned vl);
  void InjectData(std::uint32_t host, unsigned vl);
  void InjectControl(std::uint32_t host, unsigned vl);
  // The VL on which the packet at the head of a ready queue, which ServeHead() has put there, will travel, and its credits.
  unsigned HeadVl(std::uint32_t host, unsigned queue) const;
  unsigned HeadBlocks(std::uint32_t host, unsigned queue) const {
    const std::uint32_t qp = throttles_[ready_[std::size_t{host} * num_vls_ + queue].head].queue_pairs.head;
    return CreditBlocks(std::min(queue_pairs_[qp].message_left, mtu_bytes_) + kHeaderBytes);
  }
  void DelayThrottle(std::uint32_t throttle, Time packet_time);
  // A queue pair has something to send: at once, or in an event of its own.
  void MakeReady(std::uint32_t queue_pair);
  void MakeReadySoon(std::uint32_t queue_pair);
  bool JoinThrottle(std::uint32_t queue_pair);  // true if its throttle came to the host's ready queue by that
  void Enqueue(std::uint32_t host, unsigned vl, std::uint32_t throttle);
  static Time NextInjection(const HostState& host) { return std::max(host.link_free, host.inject_free); }
  IndexQueue& ReadyQueue(std::uint32_t host, unsigned vl) { return ready_[std::size_t{host} * num_vls_ + vl]; }
  PacketQueue& ControlQueue(std::uint32_t host, unsigned vl) { return control_[std::size_t{host} * num_vls_ + vl]; }

  // engine_receive.cpp
  void Receive(std::uint32_t host, std::uint32_t packet, Time tail_there);
  void OnFecn(std::uint32_t host, const Packet& packet, Time tail_there);
  void OnDelivered(std::uint32_t host, std::uint32_t packet);
  void OnBecn(std::uint32_t packet);
  void React(const ReactionSetting& setting, ReactionState& reaction, const Packet& packet);
  void CountDelivery(HostState& host, const Packet& packet);
  bool TakeBecnPending(const Packet& packet);
  void SendControl(std::uint32_t host, const Packet& packet, PacketKind kind, bool becn, Time ready);

  // deadlock.cpp
  std::optional<Deadlock> FindDeadlock() const;  // looks at everything: for the end of a run
  bool WantsCreditsForGood(std::uint32_t port, unsigned vl) const;

  // engine_fetch.hpp
  void FetchForArrive(unsigned lane) const;
  void FetchForSent(unsigned lane) const;
  void FetchForSentDeep(unsigned lane) const;
  void FetchForHostWake(unsigned lane) const;
  void FetchForBecn(unsigned lane) const;
  void FetchForWheel() const;
  std::uint32_t LikelyQueuePair(const Event& wake) const;
  void FetchAtFarEnd(std::uint32_t output, const Packet& packet) const;
  std::uint32_t LikelyInput(const LaneState& lane) const;
  std::uint32_t LikelyPacket(std::uint32_t output) const;
  // The first bit behind the given one, going round once. REQUIRES: there is one. Without branches.
  static unsigned FirstAfter(std::uint64_t bits, unsigned bit) {
    const std::uint64_t after = bits & (~std::uint64_t{1} << bit);
    const std::uint64_t none = std::uint64_t{0} - std::uint64_t{after == 0};
    return static_cast<unsigned>(__builtin_ctzll(after | (bits & none)));
  }

  // engine_run.cpp
  void Dispatch(const Event& event, unsigned lane);
  void OnSample();

  // Over all VLs of an output port.
  std::uint32_t QueuedBytes(std::uint32_t port) const {
    std::uint32_t bytes = 0;
    for (unsigned vl = 0; vl < num_vls_; ++vl) bytes += Lane(port, vl).queued_bytes;
    return bytes;
  }
  // Credit blocks of the buffer at the far end of a port, for each VL.
  std::int32_t FarBufferBlocks(std::uint32_t port) const {
    const bool to_host = ports_[ports_[port].peer].host != kNoIndex;
    if (!to_host && shares_) return mtu_blocks_;  // that it has to itself
    return static_cast<std::int32_t>((to_host ? model_.ca.input_buffer_bytes : model_.switches.input_buffer_bytes) / 64);
  }
  void CheckSharing(std::uint32_t port) const;
  void CheckAlarms() const;
  std::int32_t CreditsOnTheirWay(const LaneState& lane) const;
  std::int32_t BlocksInFarVoqs(std::uint32_t port, unsigned vl) const;
  LaneState& Lane(std::uint32_t port, unsigned vl) { return lanes_[std::size_t{port} * num_vls_ + vl]; }
  const LaneState& Lane(std::uint32_t port, unsigned vl) const { return lanes_[std::size_t{port} * num_vls_ + vl]; }
  void StopWaiting(std::uint32_t port) {
    PortState& p = ports_[port];
    if (!p.waits) return;
    port_counters_[port].xmit_wait += now_ - wait_since_[port];
    p.waits = false;
  }
  void BeginWaiting(std::uint32_t port) {
    if (ports_[port].waits) return;
    ports_[port].waits = true;
    wait_since_[port] = now_;
  }
  Time Propagation(const PortState& port) const { return port.arrive_delay - routing_latency_; }
  void Trace(TraceEvent event, Time time, std::uint32_t port, const Packet& packet);

  // Fixed for the run.
  const Model model_;
  const RunOptions options_;
  const bool shares_;          // VLs share the buffers of switches
  bool fetches_ = false;       // a run touches more than a core's own cache holds: fetch ahead (engine_fetch.hpp)
  bool fetches_deep_ = false;  // far more: step by step, all of it
  const std::uint32_t mtu_bytes_;
  const std::uint16_t mtu_blocks_;
  const std::int32_t plenty_of_credits_;  // blocks that a lane cannot use up in the time of two full packets, and a packet more
  const std::uint16_t full_bytes_;        // on the wire, of a packet of the MTU
  const Time routing_latency_;
  const Time becn_delay_;
  const Time cnp_spacing_;
  std::vector<std::shared_ptr<const Generator>> owned_generators_;  // that generators_ points into
  std::vector<std::shared_ptr<const Destinations>> destinations_;   // that flows_ points into; so is the next
  std::vector<std::shared_ptr<const std::vector<TracedMessage>>> messages_;
  std::vector<Hop> port_names_;
  std::uint32_t num_endports_ = 0;
  std::deque<VlArbitrationTables> arbitration_tables_;  // different ones; never moved

  // Changed by SetForward, SetLink and SetServiceLevels alone.
  // One VL, switches of at most 64 ports, fill levels of whole outputs, no packet trace: what nearly all fabrics are.
  bool plain_ = false;
  bool one_word_masks_ = false;  // no switch has more than 64 ports
  bool diverts_ = false;         // a packet may have another way on when it comes than when it was sent, or none
  unsigned num_vls_;
  ServiceLevels levels_;
  bool maps_sls_;  // a packet's SL or VL is not simply its flow's
  bool arbitrates_;
  bool disturbed_ = false;                        // packets may be lost, or overtake each other
  LftBlocks forwarding_;                          // by switch and endport: local output, or kNoOutput
  LftBlocks routes_;                              // the same as it was set, whatever is impaired; empty until disturbed
  std::map<std::uint32_t, DownLink> down_links_;  // by the lower of its ports

  // Changing.
  Time now_ = 0;
  Calendar calendar_;
  PacketPool pool_;
  Rng marking_rng_;
  HeldTables held_;
  std::vector<ReactionSetting> settings_;
  std::vector<std::uint32_t> setting_of_;  // [endport][SL]; empty without tables
  bool starves_ = false;
  std::vector<Starvation> starvation_;   // by input port, if any port applies it
  std::vector<Time> credit_held_until_;  // by lane of the input
  BigVector<PortState> ports_;
  BigVector<LaneState> lanes_;
  BigVector<Time> wait_since_;  // by port: since when it waits
  std::vector<LinkKind> link_kinds_;
  BigVector<Time> wakes_;  // by lane: the earliest kCredit event that is on its way, or kNever
  BigVector<CreditReturn> credit_returns_;
  std::uint32_t free_credit_return_ = kNoIndex;
  std::vector<SwitchState> switches_;
  BigVector<std::uint64_t> masks_;
  BigVector<PacketRing> voqs_;
  std::vector<std::uint32_t> voq_bytes_;  // only where each VOQ is judged on its own; so is the next
  std::vector<std::uint8_t> voq_over_;    // the VOQ has crossed the threshold and not yet fallen below the release level
  std::vector<std::int32_t> sharing_;     // by port: blocks of the far end's pool that are free, if VLs share them
  std::vector<std::optional<VlArbiter>> arbiters_;  // by port; empty: VLs take turns everywhere
  std::vector<std::uint8_t> reads_busy_;            // by port: packets leaving this input buffer now
  BigVector<HostState> hosts_;
  std::vector<std::uint32_t> host_ports_;  // by host: its port, for who has not fetched the host yet
  BigVector<IndexQueue> ready_;            // [host][VL]: throttles
  BigVector<PacketQueue> control_;         // [host][VL]: ACKs and CNPs
  BigVector<ThrottleState> throttles_;
  BigVector<QueuePairState> queue_pairs_;
  BigVector<FlowState> flows_;
  // A queue pair that may be next, and where it stands in its queues.
  struct Candidate {
    std::uint32_t throttle, throttle_before;
    std::uint32_t queue_pair, queue_pair_before;
    std::uint32_t sender;
  };
  std::vector<std::uint8_t> chooses_;  // by host: its queue pairs do not just take turns; empty: those of all hosts do
  std::vector<TurnState> turns_;       // by queue pair, of those made at the start; likewise
  std::vector<Time> turn_clocks_;      // [host][VL], of kMaxVls each: `served` of whoever sent last, before it sent
  std::vector<Candidate> candidates_;  // scratch
  std::vector<GeneratorState> generators_;
  std::vector<std::uint32_t> generator_of_;   // by flow; empty: there is none
  std::vector<std::uint32_t> free_contexts_;  // queue pairs made for single destinations that are not in use
  PairTable<ReactionRecord> reactions_;
  PairTable<ReceiverRecord> receivers_;
  Time next_sample_ = 0;

  // Looked at in the end.
  std::vector<SwitchCongestionLog> switch_logs_;  // by ordinal; empty: nothing has been logged; so is the next
  std::vector<CaCongestionLog> ca_logs_;          // by endport
  std::vector<std::uint64_t> marks_read_;         // by port: fecn_marked when its switch's log was read last; empty: never
  BigVector<PortCounters> port_counters_;
  BigVector<FlowCounters> flow_counters_;
  std::vector<std::uint64_t> sampled_bytes_;       // received_bytes of each flow at the last sample
  std::vector<std::uint64_t> host_sampled_bytes_;  // of each host
  RunRecord record_;
};

}  // namespace ccsim

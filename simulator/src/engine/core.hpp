// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core.hpp: what all engines share: the state of a run as flat arrays, how it is built from a fabric, and all that is not done for each
// packet. What is done for each packet stands in EngineOf (engine_of.hpp), which is composed of policies.
//
// For engine/ and schemes/ alone: everybody else sees Engine (engine.hpp). All members are public, since policies read and write them.
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
#include "engine/rates.hpp"
#include "engine/run_record.hpp"
#include "engine/service_levels.hpp"
#include "engine/setup.hpp"
#include "engine/state.hpp"
#include "engine/vl_arbitration.hpp"
#include "fabric.hpp"
#include "flow.hpp"
#include "host/host_model.hpp"
#include "model.hpp"

namespace ccsim {

class EngineCore {
 public:
  // Copies what it needs of the fabric and of the model. Nothing is built yet: Build() calls functions of the derived class.
  // Throws std::invalid_argument with a sentence on options and flows that make no sense, and on a flow without a route.
  explicit EngineCore(const Setup& setup);
  EngineCore(EngineCore&&) = default;
  EngineCore(const EngineCore&) = delete;
  EngineCore& operator=(const EngineCore&) = delete;
  EngineCore& operator=(EngineCore&&) = delete;
  virtual ~EngineCore() = default;

  // From the fabric, flows and tables to the flat arrays of the run, and its first events.
  void Build(const Setup& setup);

  // --- What EngineOf does (engine_of.hpp) ---

  // Runs until `until` or for so many events. True if it has reached `until`.
  virtual bool RunUntil(Time until, std::uint64_t events) = 0;
  // The same run, by an engine that can take what Disturb() brings about; nullptr: this one can.
  virtual std::unique_ptr<EngineCore> Disturbable() { return nullptr; }
  virtual void TryInject(std::uint32_t host) = 0;
  virtual void TrySend(std::uint32_t output) = 0;
  // Makes the queues of all switches, all empty.
  virtual void BuildQueues() = 0;
  // Makes the queues of `vls` VLs where there were those of `before`, which keep what they hold; lanes and crosspoints are numbered
  // anew afterwards. Throws std::invalid_argument if the scheme cannot, and has changed nothing then.
  virtual void WidenQueues(unsigned before, unsigned vls) = 0;
  // Loses all that stands queued for a switch's output and VL.
  virtual void LoseQueued(std::uint32_t output, unsigned vl) = 0;
  // The scheme's part where a link goes down or has come up, at the end `port`.
  virtual void OnLinkDown(std::uint32_t port) = 0;
  virtual void OnLinkRestored(std::uint32_t port) = 0;
  // The room of a packet in a buffer that `from` has sent it to is free at the time `at`.
  virtual void GiveRoomBack(std::uint32_t from, const Packet& packet, Time at) = 0;
  // True if the scheme counts room by queue at the far end of a switch-bound link, so that the lane's credits stand still.
  virtual bool CountsRoomByQueue() const = 0;
  // True if no queue's room is taken, where the scheme counts it.
  virtual bool HasAllRoom() const = 0;
  // Records what a scheme's own series have at the present sample.
  virtual void SampleQueues() = 0;
  // Puts a port VL into the congestion state or out of it, as if its present fill level had just been reached.
  virtual void Redetect(std::uint32_t port, unsigned vl) = 0;
  // visit(packet, output, vl) for each packet in an input port's buffer; by `output` and its VL `vl` leaves the first packet of the queue
  // that it is in.
  using QueuedVisit = std::function<void(const Packet&, std::uint32_t, unsigned)>;
  virtual void ForEachQueued(std::uint32_t input, const QueuedVisit& visit) const = 0;
  // Blocks of the smallest packet that would leave next by an output's lane, of any input.
  virtual std::int32_t LeastBlocksAtHeads(std::uint32_t output, unsigned vl) const = 0;
  // True if an output waits for the read port of an input.
  virtual bool WaitsForReads(std::uint32_t output) const = 0;
  // Throws std::logic_error if the queues of a switch's output and VL disagree with its lane.
  virtual void CheckQueues(std::uint32_t output, unsigned vl) const = 0;

  // --- Set between events (engine.hpp) ---

  void Program(const ccp_tables& tables);
  void SetForward(std::uint32_t ordinal, std::uint32_t endport, std::uint8_t port);
  // True if the Set would take a link down that is up. Throws std::invalid_argument on a port that has no link.
  bool ChangesLink(std::uint32_t node, std::uint16_t port, bool up) const;
  void SetLink(std::uint32_t node, std::uint16_t port, bool up);
  void SetServiceLevels(const Fabric& fabric);

  // --- Looked at ---

  SwitchCongestionLog SwitchLog(std::uint32_t ordinal) const;
  CaCongestionLog CaLog(std::uint32_t endport) const;
  void ClearSwitchLog(std::uint32_t ordinal);
  void ClearCaLog(std::uint32_t endport);
  PortCounters port_counters(std::uint32_t port) const;
  void CheckInvariants() const;
  bool AllCreditsReturned() const;

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
    kMessage,      // target: port; argument: what its neighbour tells it, in the scheme's own code
    kReadFree,     // target: output of a switch; argument: input that has given its packet, before the tail has left
    kDrain,        // target: modelled host whose packet has left the receive buffer, unless its rate has changed since
    kHostLoad,     // target: which of the loads; argument: 1 as it begins, 0 as it ends
    kHostSample,   // target: modelled host whose signals hostCC reads
    kSample,
  };
  static_assert(kSample < 1u << Event::kTypeBits);

  // core_build.cpp
  void BuildPorts(const Fabric& fabric);
  void FindHostModels(const Fabric& fabric);
  void CheckHostLoads() const;
  void BuildHosts(const Fabric& fabric);
  void BuildForwarding(const Fabric& fabric);
  LaneState MakeLane(std::uint32_t port);
  std::uint16_t LinkKindOf(const PortState& port);
  void BuildFlows(std::span<const Flow> flows);
  void BuildTracks();
  Time SlotWidth() const;

  void NumberCrosspoints();
  // Rows by crosspoint after the number of VLs has grown, in the old order; those of new VLs are 0.
  template <typename Rows>
  Rows WidenCrosspoints(const Rows& rows, unsigned before, unsigned vls) const {
    Rows wide;
    auto was = rows.begin();
    for (const PortState& port : ports_) {
      if (port.host != kNoIndex) continue;
      const std::uint32_t inputs = switches_[port.switch_ordinal].num_ports;
      wide.insert(wide.end(), was, was + inputs * before);
      was += inputs * before;
      wide.resize(wide.size() + std::size_t{inputs} * (vls - before));
    }
    return wide;
  }
  // After a run on PlainPorts, which does not count these: LaneState::queued_inputs and PortState::queued_vls.
  void CountReady();

  // A parameter of the model's scheme: its value, or its preset.
  double SchemeValue(const char* parameter) const;
  // Throws std::invalid_argument where the run needs more than one VL, service levels included.
  void RequireOneVl() const;
  // Throws std::invalid_argument: the scheme carries one VL, and the service levels to be set need `vls`.
  [[noreturn]] void RefuseVls(unsigned vls) const;

  // core_program.cpp
  void ReviseDetection(const std::vector<bool>& averaged);
  void ReviseReactions();
  void ReviseRates();
  void FindReactsUntil();
  std::vector<bool> AddSettings();
  ReactionSetting MakeSetting(std::uint32_t endport, unsigned sl) const;
  std::uint32_t SettingOf(std::uint32_t endport, unsigned sl) const;
  // Gives the setting that governs the flow's packets to a destination.
  std::uint32_t SettingFor(const FlowState& flow, std::uint32_t destination) const;
  std::uint32_t SettingOf(const QueuePairState& qp) const;
  std::uint32_t SettingOfAny(const FlowState& flow) const;
  bool IsSpareContext(std::uint32_t queue_pair, bool has_packets);
  void AssignThrottles(const std::vector<bool>& hosts);
  std::vector<std::uint32_t> TakeQueued(const std::vector<bool>& hosts);

  // core_credit.cpp
  //
  // Sends the credits of a packet back to the port that it came from, whose far end's buffer it leaves at the time `at`.
  [[gnu::always_inline]] void GiveCreditNow(std::uint32_t from, unsigned vl, unsigned blocks, Time at) {
    LaneState& lane = Lane(from, vl);
    const LinkKind& link = link_kinds_[lane.link_kind];
    const Time time = at + link.propagation;
    if (lane.credits >= plenty_of_credits_ && lane.last_blocks != 0 && time - now_ <= link.two_packets) {
      // The lane cannot use up what it has before then, so it does not matter if it gets the credits of the last return as late as
      // these: one record serves for both.
      lane.last_time = std::max(lane.last_time, time);
      lane.last_blocks += blocks;
      return;
    }
    AddReturn(lane, time, blocks);
    if (lane.wants_credits) WakeForCredits(from, vl, time);
    if (shares_) WakeSharers(from, time);
  }
  void GiveCredit(std::uint32_t from, unsigned vl, unsigned blocks, Time at);  // the same, out of line
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
  // Sends a message to the node at the other end of a port's link, which gets it after the propagation delay.
  void SendMessage(std::uint32_t port, std::uint32_t argument, Time at) {
    calendar_.PushAfter(now_, at - now_ + Propagation(ports_[port]), kMessage, ports_[port].peer, argument);
  }
  // The words of a lane's mask of inputs with packets.
  std::uint64_t* ReadyMask(LaneState& lane) { return one_word_masks_ ? &lane.ready : &masks_[lane.ready]; }
  const std::uint64_t* ReadyMask(const LaneState& lane) const { return one_word_masks_ ? &lane.ready : &masks_[lane.ready]; }

  // core_lanes.cpp
  std::uint32_t PortOf(const LaneState& lane) const { return static_cast<std::uint32_t>(&lane - lanes_.data()) / num_vls_; }
  std::int32_t AvailableShared(const LaneState& lane) const;
  void Borrow(std::uint32_t port, const LaneState& lane, std::int32_t blocks);
  void TakeSharedCredits(LaneState& lane, Time now);
  bool HasSharedCredits(std::uint32_t port, unsigned vl, std::int32_t blocks);
  void WakeSharers(std::uint32_t port, Time time);
  void LogEntered(std::uint32_t output, const Packet& packet);
  void LogReached(const ReactionSetting& setting, const Packet& packet);

  // core_tables.cpp
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

  // core_loss.cpp
  void LoseArrival(std::uint32_t input, std::uint32_t packet);
  // A packet that has been taken out of the queue of an output, where it will never be sent.
  void LoseUnqueued(std::uint32_t output, std::uint32_t packet);
  void LoseControl(std::uint32_t host, unsigned vl);
  void Lose(std::uint32_t packet);
  void TakeOutOfOrder(const Packet& packet);

  // core_traffic.cpp
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
  std::uint32_t HandOver(std::uint32_t queue_pair);
  ReactionState ReactionOf(const ReactionRecord& record) const {
    const std::uint32_t held = record.queue_pair();
    return held != kNoIndex ? throttles_[queue_pairs_[held].throttle].reaction : record.reaction();
  }
  ReactionRecord& MakeReaction(std::uint32_t flow, std::uint32_t destination);
  std::uint32_t MakeContext(std::uint32_t flow, std::uint32_t destination);
  void DropContext(std::uint32_t queue_pair);

  // core_turns.cpp
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

  // core_host.cpp
  // A host that has nothing to send sets no alarm: whatever comes up next tries at once, and sets it if it is too early.
  void WakeAt(std::uint32_t host_index, Time time) {
    HostState& host = hosts_[host_index];
    if (time >= host.wake) return;
    host.wake = time;
    calendar_.PushAt(now_, time, kHostWake, host_index, 0);
  }
  // As WakeAt; after full packets the time is always equally far, so that the event is cheap.
  void WakeAfterInjection(std::uint32_t host_index) {
    HostState& host = hosts_[host_index];
    if ((host.control_vls | host.ready_vls) == 0) return;
    const Time time = host.control_vls != 0 ? host.link_free : NextInjection(host);
    if (time >= host.wake) return;
    host.wake = time;
    calendar_.PushAfter(now_, time - now_, kHostWake, host_index, 0);
  }
  // The VL on which the packet at the head of a ready queue, which ServeHead() has put there, will travel, and its credits.
  unsigned HeadVl(std::uint32_t host, unsigned queue) const;
  unsigned HeadBlocks(std::uint32_t host, unsigned queue) const {
    const std::uint32_t qp = throttles_[ready_[std::size_t{host} * num_vls_ + queue].head].queue_pairs.head;
    return CreditBlocks(std::min(queue_pairs_[qp].message_left, mtu_bytes_) + kHeaderBytes);
  }
  // A queue pair has something to send: at once, or in an event of its own.
  void MakeReady(std::uint32_t queue_pair);
  void MakeReadySoon(std::uint32_t queue_pair);
  bool JoinThrottle(std::uint32_t queue_pair);  // true if its throttle came to the host's ready queue by that
  // Holds a throttle back until the packet that is being sent has been on the wire, and for the delay after it.
  void HoldBack(std::uint32_t throttle, Time packet_time, Time delay) {
    throttles_[throttle].status = ThrottleStatus::Delayed;
    calendar_.PushAt(now_, now_ + packet_time + delay, kThrottleEnd, throttle, 0);
  }
  // The same for the destination of a queue pair that draws, which gets a queue pair of its own.
  void HoldBackDrawn(std::uint32_t queue_pair, Time packet_time, Time delay);
  void Enqueue(std::uint32_t host, unsigned vl, std::uint32_t throttle) {
    throttles_[throttle].status = ThrottleStatus::Queued;
    PushBack(ReadyQueue(host, vl), throttles_, throttle);
    hosts_[host].ready_vls |= static_cast<std::uint16_t>(1u << vl);
  }
  static Time NextInjection(const HostState& host) { return std::max(host.link_free, host.inject_free); }
  IndexQueue& ReadyQueue(std::uint32_t host, unsigned vl) { return ready_[std::size_t{host} * num_vls_ + vl]; }
  PacketQueue& ControlQueue(std::uint32_t host, unsigned vl) { return control_[std::size_t{host} * num_vls_ + vl]; }

  // core_delivery.cpp
  void CountDelivery(HostState& host, const Packet& packet) {
    FlowCounters& counters = flow_counters_[packet.flow];
    ++counters.received_packets;
    counters.received_bytes += packet.payload_bytes();
    counters.received_messages += packet.ends_message;
    host.received_bytes += packet.payload_bytes();
  }
  void OnDelivered(std::uint32_t host, std::uint32_t packet);
  static constexpr unsigned kSlOfData = kNumSls;
  void SendControl(std::uint32_t host, const Packet& packet, PacketKind kind, bool becn, Time ready, unsigned sl = kSlOfData);

  // deadlock.cpp
  std::optional<Deadlock> FindDeadlock() const;  // looks at everything: for the end of a run
  bool WantsCreditsForGood(std::uint32_t port, unsigned vl) const;

  // core_record.cpp
  void EndRun();
  void OnSample();
  void SampleRates();

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
    if (to_host && !host_models_.empty()) return HostBufferBlocks(ports_[ports_[port].peer].host);
    return static_cast<std::int32_t>((to_host ? model_.ca.input_buffer_bytes : model_.switches.input_buffer_bytes) / 64);
  }
  std::int32_t HostBufferBlocks(std::uint32_t host) const;
  void CheckSharing(std::uint32_t port) const;
  void CheckAlarms() const;
  bool IsAnyReady(std::uint32_t port) const;  // an input of a switch asks for the output
  std::int32_t CreditsOnTheirWay(const LaneState& lane) const;
  std::int32_t BlocksInFarBuffer(std::uint32_t port, unsigned vl) const;
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
  bool fetches_ = false;       // a run touches more than a core's own cache holds: fetch ahead (prefetch.hpp)
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
  std::vector<std::shared_ptr<const HostModel>> host_models_;  // by endport; empty: no host has one
  std::uint32_t num_endports_ = 0;
  std::deque<VlArbitrationTables> arbitration_tables_;  // different ones; never moved

  // Changed by SetForward, SetLink and SetServiceLevels alone.
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
  std::uint32_t num_crosspoints_ = 0;  // triples of output, VL and input of a switch
  BigVector<std::uint64_t> masks_;
  std::vector<std::int32_t> sharing_;               // by port: blocks of the far end's pool that are free, if VLs share them
  std::vector<std::optional<VlArbiter>> arbiters_;  // by port; empty: VLs take turns everywhere
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
  std::vector<Time> sampled_wait_;                 // xmit_wait of each port, where queues are traced
  RunRecord record_;

  Rates rates_;  // of adapters with NVIDIA's congestion control
};

}  // namespace ccsim

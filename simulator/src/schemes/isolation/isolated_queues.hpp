// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// isolated_queues.hpp: the policies of FBICM, CCFIT, HFDI and EcoCC: a FlowIsolation for each switch and each adapter decides, and the
// packets are here. docs/research/flow-isolation.md has the protocol.
//
// Ports       at each input of a switch a queue for ACKs and CNPs, which goes first; normal queues: one, or one an output; special
//             queues. All share the input's buffer and its credits
// Messages    those of FlowIsolation, which take a link's propagation delay and no time on the wire
// Behaviour   a packet whose destination a CAM line holds is moved into the line's special queue when it is at the head of its normal
//             queue. An adapter does not inject to destinations of a line that its switch has stopped
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "engine/crosspoint_lists.hpp"
#include "engine/port_vl_detection.hpp"
#include "schemes/isolation/flow_isolation.hpp"
#include "schemes/isolation/isolation_schemes.hpp"

namespace ccsim {

class IsolatedQueues : public CrosspointLists {
 public:
  template <typename E>
  void Build(E& e) {
    parameters_ = IsolationOf(e.model_.scheme, e.num_endports_);
    per_output_ = parameters_.normal_queues == NormalQueues::PerOutput;
    throttles_ = parameters_.throttles;
    std::size_t queues = 0;
    for (std::uint32_t s = 0; s < e.switches_.size(); ++s) {
      const SwitchState& sw = e.switches_[s];
      const unsigned normal = per_output_ ? sw.num_ports : 1;
      const auto first = static_cast<std::uint32_t>(queues);
      layout_.push_back({first, first + sw.num_ports * (1 + normal), normal});
      queues += std::size_t{sw.num_ports} * (1 + normal + parameters_.special_queues);
      devices_.emplace_back(parameters_, FlowIsolation::Shape{.device = s,
                                                              .ports = static_cast<std::uint16_t>(sw.num_ports),
                                                              .packet_bytes = e.full_bytes_,
                                                              .inputs = FlowIsolation::Inputs::Links,
                                                              .output_lines = OutputLines(e, sw)});
      for (unsigned port = 0; port < sw.num_ports; ++port) devices_.back().LinkUp(port);
    }
    for (std::uint32_t host = 0; host < e.num_endports_; ++host) {
      const PortState& peer = e.ports_[e.ports_[PortOfHost(e, host)].peer];
      const SwitchState* sw = peer.host == kNoIndex ? &e.switches_[peer.switch_ordinal] : nullptr;
      adapters_.emplace_back(parameters_,
                             FlowIsolation::Shape{.device = static_cast<std::uint32_t>(e.switches_.size()) + host,
                                                  .ports = 1,
                                                  .packet_bytes = e.full_bytes_,
                                                  .inputs = FlowIsolation::Inputs::None,
                                                  .output_lines = sw != nullptr ? InputLines(*sw) : std::uint16_t{1}});
      adapters_.back().LinkUp(0);
    }
    parked_.resize(e.num_endports_);
    BuildLists(e, queues);
  }

  template <typename E>
  [[gnu::always_inline]] void Push(E& e, LaneState&, std::uint32_t output, unsigned, unsigned input, std::uint32_t packet) {
    const Place at = PlaceOf(e, output);
    Packet& k = e.pool_[packet];
    k.output = static_cast<std::uint8_t>(output - at.first_port);
    if (k.kind != PacketKind::Data) {
      const std::uint32_t queue = ControlQueue(at, input);
      const bool is_first = queues_[queue].ring.empty();
      queues_[queue].ring.Push(e.pool_, packet);
      if (is_first) List(e, queue, output, input, output, true);
      return;
    }
    const std::uint32_t queue = NormalQueue(at, input, k.output);
    FlowIsolation& device = devices_[at.sw];
    queues_[queue].ring.Push(e.pool_, packet);
    device.Entered(input, k.output, k.destination, k.wire_bytes);
    if (per_output_ && device.all_normal(input, k.output)) [[likely]] {
      EnsureListed(e, queue, output, input);
    } else if (queues_[queue].listed_at == kNoIndex || !device.all_normal(input)) {
      // A packet that is not the first changes nothing while no line holds any.
      Settle(e, at, device, input, queue, output);
    }
    Tell(e, at.first_port, device);
    Judge(e, output, k);
  }
  template <typename E>
  [[gnu::always_inline]] std::uint32_t Pop(E& e, LaneState& lane, std::uint32_t output, unsigned, unsigned input) {
    const Place at = PlaceOf(e, output);
    FlowIsolation& device = devices_[at.sw];
    const std::uint32_t queue = First(lane, input);
    const std::uint32_t packet = queues_[queue].ring.Pop(e.pool_);
    const unsigned local = output - at.first_port;
    if (per_output_ && device.all_normal(input, local) && queue == NormalQueue(at, input, local)) [[likely]] {
      KeepListed(e, queue, output, input);
      device.LeftNormal(e.now_, input, local, e.pool_[packet].wire_bytes);
      Tell(e, at.first_port, device);
      return packet;
    }
    Unlist(e, queue, output, input);
    Left(e, at, input, queue, e.pool_[packet]);
    if (!queues_[queue].ring.empty()) {
      if (device.all_normal(input) && queue != ControlQueue(at, input)) [[likely]] {
        List(e, queue, at.first_port + e.pool_[queues_[queue].ring.Head(e.pool_)].output, input, output);
      } else {
        Ask(e, at, input, queue, output);
      }
    }
    Tell(e, at.first_port, device);
    return packet;
  }
  // A special queue that has been stopped since it was listed takes itself out.
  template <typename E>
  [[gnu::always_inline]] bool MaySend(E& e, LaneState& lane, std::uint32_t output, unsigned vl, unsigned input) {
    const Place at = PlaceOf(e, output);
    if (!devices_[at.sw].uses_special(input)) [[likely]] {
      return (E::kPlain && lane.credits >= e.plenty_of_credits_) ||
             e.HasCredits(output, vl, e.pool_[Head(e, lane, output, input)].blocks());
    }
    while (First(lane, input) != kNoIndex) {
      const std::uint32_t queue = First(lane, input);
      const int special = SpecialOf(at, input, queue);
      if (special < 0 || devices_[at.sw].MaySend(input, static_cast<unsigned>(special)))
        return e.HasCredits(output, vl, e.pool_[queues_[queue].ring.Head(e.pool_)].blocks());
      Unlist(e, queue, output, input);
    }
    return false;
  }
  template <typename E>
  [[gnu::always_inline]] void Take(E& e, std::uint32_t port, LaneState& lane, const Packet& k) {
    lane.credits -= static_cast<std::int32_t>(k.blocks());
    // A packet that has left its queue may end the congestion state for those behind it.
    if (throttles_ && e.ports_[port].host == kNoIndex) Judge(e, port, k);
  }

  template <typename E>
  void OnMessage(E& e, std::uint32_t port, std::uint32_t argument) {
    const IsolationMessage message = messages_[argument];
    free_messages_.push_back(argument);
    if (e.ports_[port].impaired) return;
    if (e.ports_[port].host != kNoIndex) {
      const std::uint32_t host = e.ports_[port].host;
      const bool look = adapters_[host].Receive(0, message);
      Tell(e, port, adapters_[host]);
      if (look) Release(e, host);
      return;
    }
    const Place at = PlaceOf(e, port);
    const bool look = devices_[at.sw].Receive(port - at.first_port, message);
    if (look) LookAgain(e, at, port);
    Tell(e, at.first_port, devices_[at.sw]);
    Flush(e);
  }
  template <typename E>
  void OnLinkDown(E& e, std::uint32_t port) {
    if (e.ports_[port].host != kNoIndex) {
      adapters_[e.ports_[port].host].LinkDown(0);
      return Release(e, e.ports_[port].host);
    }
    const Place at = PlaceOf(e, port);
    devices_[at.sw].LinkDown(port - at.first_port);
    LookAgain(e, at, port);
    Tell(e, at.first_port, devices_[at.sw]);
    Flush(e);
  }
  template <typename E>
  void OnLinkRestored(E& e, std::uint32_t port) {
    if (e.ports_[port].host != kNoIndex) {
      adapters_[e.ports_[port].host].LinkUp(0);
      return Tell(e, port, adapters_[e.ports_[port].host]);
    }
    const Place at = PlaceOf(e, port);
    devices_[at.sw].LinkUp(port - at.first_port);
    Tell(e, at.first_port, devices_[at.sw]);
  }

  // Fetches what Push will touch.
  template <typename E>
  [[gnu::always_inline]] void FetchForArrival(const E& e, std::uint32_t output, const Packet& k) const {
    const unsigned input = k.input;
    FetchList(e.Lane(output, 0), input);
    const Place at = PlaceOf(e, output);
    __builtin_prefetch(queues_.data() + NormalQueue(at, input, output - at.first_port));
    devices_[at.sw].Prefetch(input, output - at.first_port);
  }

  template <typename E>
  [[gnu::always_inline]] void FetchForSent(const E& e, std::uint32_t output) const {
    FetchLikelyQueue(e, output);
  }

  // --- For the adapters ---

  bool Holds(std::uint32_t host, std::uint32_t destination) const { return !adapters_[host].MayInject(0, destination); }
  void Park(std::uint32_t host, std::uint32_t queue_pair) { parked_[host].push_back(queue_pair); }

  // --- Seldom ---

  template <typename E>
  void Lose(E& e, std::uint32_t output, unsigned) {
    const Place at = PlaceOf(e, output);
    for (unsigned input = 0; input < e.switches_[at.sw].num_ports; ++input) {
      for (unsigned i = 0; i < QueuesOfInput(at); ++i) {
        const std::uint32_t queue = QueueAt(at, input, i);
        if (queues_[queue].ring.empty()) continue;
        const Packet first = e.pool_[queues_[queue].ring.Head(e.pool_)];
        if (queues_[queue].listed_at != kNoIndex) Unlist(e, queue, at.first_port + first.output, input);
        LoseFrom(e, queue, output, [&](const Packet& k) { Left(e, at, input, queue, k); });
        Ask(e, at, input, queue, kNoIndex);
      }
    }
    Tell(e, at.first_port, devices_[at.sw]);
    e.Lane(output, 0).congested = false;
    Flush(e);
  }
  template <typename E, typename Visit>
  void ForEach(const E& e, std::uint32_t input_port, const Visit& visit) const {
    const Place at = PlaceOf(e, input_port);
    for (unsigned i = 0; i < QueuesOfInput(at); ++i) {
      ForEachIn(e, QueueAt(at, input_port - at.first_port, i), at.first_port, visit);
    }
  }
  template <typename E>
  void Check(const E& e, std::uint32_t port, unsigned) const {
    const Place at = PlaceOf(e, port);
    const unsigned input = port - at.first_port;
    const std::string name = "port " + std::to_string(port);
    for (unsigned i = 0; i < QueuesOfInput(at); ++i) {
      const std::uint32_t queue = QueueAt(at, input, i);
      CheckListed(e, queue, at.first_port);
      std::uint64_t bytes = 0;
      queues_[queue].ring.ForEach(e.pool_, [&](const Packet& k) { bytes += k.wire_bytes; });
      if (i == 0) continue;
      const int special = static_cast<int>(i) - 1 - static_cast<int>(layout_[at.sw].normal);
      const std::uint64_t known = special < 0 ? devices_[at.sw].normal_bytes(input, i - 1)
                                              : devices_[at.sw].special_bytes(input, static_cast<unsigned>(special));
      if (bytes != known) throw std::logic_error(name + ": a queue's bytes disagree with those that its CAM lines go by");
      const bool stopped = special >= 0 && !devices_[at.sw].MaySend(input, static_cast<unsigned>(special));
      if (!queues_[queue].ring.empty() && queues_[queue].listed_at == kNoIndex && !stopped)
        throw std::logic_error(name + ": a queue does not ask for the crosspoint of its first packet");
    }
  }

  // Special queues and CAM lines in use, and input ports without a free special queue.
  template <typename E>
  void Sample(E& e) {
    std::uint64_t input_lines = 0, output_lines = 0, exhausted = 0, times = 0, special = 0;
    for (const FlowIsolation& device : devices_) {
      input_lines += device.input_lines_in_use();
      output_lines += device.output_lines_in_use();
      exhausted += device.ports_without_free_queue();
      times += device.times_without_queue();
    }
    const std::size_t row = e.record_.special_queues.size();
    if (e.options_.trace_occupancy) e.record_.special_queues.resize(row + e.ports_.size(), 0);
    for (std::uint32_t s = 0; s < devices_.size(); ++s) {
      for (unsigned input = 0; input < devices_[s].inputs(); ++input) {
        std::uint8_t in_use = 0;
        for (unsigned i = 0; i < devices_[s].special_queues(); ++i) in_use += devices_[s].input_line(input, i).in_use();
        special += in_use;
        if (e.options_.trace_occupancy) e.record_.special_queues[row + e.switches_[s].first_port + input] = in_use;
      }
    }
    auto& series = e.record_.scheme_series;
    series["special_queues_in_use"].push_back(special);
    series["input_lines_in_use"].push_back(input_lines);
    series["output_lines_in_use"].push_back(output_lines);
    series["ports_without_free_queue"].push_back(exhausted);
    series["packets_without_special_queue"].push_back(times);
  }

 private:
  // First come the control queue and the normal queues of each input, as every packet enters one of these; then special queues.
  struct Layout {
    std::uint32_t first;
    std::uint32_t first_special;
    unsigned normal;  // queues of an input
  };
  struct Place {
    std::uint32_t sw;
    std::uint32_t first_port;
  };

  template <typename E>
  static Place PlaceOf(const E& e, std::uint32_t port) {
    return {e.ports_[port].switch_ordinal, e.ports_[port].first_port};
  }
  template <typename E>
  static std::uint32_t PortOfHost(const E& e, std::uint32_t host) {
    return e.host_ports_[host];
  }
  std::uint16_t InputLines(const SwitchState& sw) const {
    return static_cast<std::uint16_t>(parameters_.special_queues + (per_output_ ? sw.num_ports : 0));
  }
  // Gives as many lines as any neighbour may announce.
  template <typename E>
  std::uint16_t OutputLines(const E& e, const SwitchState& sw) const {
    std::uint16_t most = 1;
    for (std::uint32_t port = sw.first_port; port < sw.first_port + sw.num_ports; ++port) {
      const PortState& peer = e.ports_[e.ports_[port].peer];
      if (peer.host == kNoIndex) most = std::max(most, InputLines(e.switches_[peer.switch_ordinal]));
    }
    return most;
  }
  unsigned QueuesOfInput(const Place& at) const { return 1 + layout_[at.sw].normal + parameters_.special_queues; }
  // The control queue, normal ones, special ones.
  std::uint32_t QueueAt(const Place& at, unsigned input, unsigned i) const {
    const unsigned normal = layout_[at.sw].normal;
    return i <= normal ? ControlQueue(at, input) + i : SpecialQueue(at, input, i - 1 - normal);
  }
  std::uint32_t ControlQueue(const Place& at, unsigned input) const {
    const Layout& layout = layout_[at.sw];
    return layout.first + input * (1 + layout.normal);
  }
  std::uint32_t NormalQueue(const Place& at, unsigned input, unsigned output) const {
    return ControlQueue(at, input) + (per_output_ ? 1 + output : 1);
  }
  std::uint32_t SpecialQueue(const Place& at, unsigned input, unsigned special) const {
    return layout_[at.sw].first_special + input * parameters_.special_queues + special;
  }
  // The special queue's number, or -1. A special queue with packets is in use.
  int SpecialOf(const Place& at, unsigned input, std::uint32_t queue) const {
    if (!devices_[at.sw].uses_special(input)) [[likely]]
      return -1;
    const std::uint32_t first = SpecialQueue(at, input, 0);
    return queue >= first ? static_cast<int>(queue - first) : -1;
  }

  // Moves packets from the head of a normal queue while CAM lines hold them, and lets it ask for the first that stays.
  template <typename E>
  [[gnu::always_inline]] void Settle(E& e, const Place& at, FlowIsolation& device, unsigned input, std::uint32_t queue,
                                     std::uint32_t tried_anyway) {
    Queue& normal = queues_[queue];
    if (normal.ring.empty()) return;
    const Packet& head = e.pool_[normal.ring.Head(e.pool_)];
    const int special = device.QueueFor(input, head.destination, head.output);
    if (special >= 0) [[unlikely]]
      return MoveHeads(e, at, device, input, queue, special, tried_anyway);
    if (normal.listed_at == kNoIndex) List(e, queue, at.first_port + head.output, input, tried_anyway);
  }
  template <typename E>
  [[gnu::noinline]] void MoveHeads(E& e, const Place& at, FlowIsolation& device, unsigned input, std::uint32_t queue, int special,
                                   std::uint32_t tried_anyway) {
    while (special >= 0) {
      const std::uint32_t packet = queues_[queue].ring.Head(e.pool_);
      const Packet& k = e.pool_[packet];
      if (queues_[queue].listed_at != kNoIndex) Unlist(e, queue, at.first_port + k.output, input);
      queues_[queue].ring.Pop(e.pool_);
      const std::uint32_t into = SpecialQueue(at, input, static_cast<unsigned>(special));
      queues_[into].ring.Push(e.pool_, packet);
      device.Moved(e.now_, input, k.output, static_cast<unsigned>(special), k.wire_bytes);
      if (queues_[into].listed_at == kNoIndex) Ask(e, at, input, into, tried_anyway);
      Judge(e, at.first_port + k.output, k);
      if (queues_[queue].ring.empty()) return;
      const Packet& next = e.pool_[queues_[queue].ring.Head(e.pool_)];
      special = device.QueueFor(input, next.destination, next.output);
    }
    if (queues_[queue].listed_at != kNoIndex) return;
    List(e, queue, at.first_port + e.pool_[queues_[queue].ring.Head(e.pool_)].output, input, tried_anyway);
  }
  // The queue, which is not listed, asks for the crosspoint of its first packet if it has one and that may go.
  template <typename E>
  void Ask(E& e, const Place& at, unsigned input, std::uint32_t queue, std::uint32_t tried_anyway) {
    if (queues_[queue].ring.empty()) return;
    const Packet& k = e.pool_[queues_[queue].ring.Head(e.pool_)];
    const int special = SpecialOf(at, input, queue);
    const bool is_control = queue == ControlQueue(at, input);
    if (special < 0 && !is_control) return Settle(e, at, devices_[at.sw], input, queue, tried_anyway);
    if (special >= 0 && !devices_[at.sw].MaySend(input, static_cast<unsigned>(special))) return;
    List(e, queue, at.first_port + k.output, input, tried_anyway, is_control);
  }
  template <typename E>
  [[gnu::always_inline]] void Left(E& e, const Place& at, unsigned input, std::uint32_t queue, const Packet& k) {
    if (k.kind != PacketKind::Data) return;
    const int special = SpecialOf(at, input, queue);
    if (special >= 0) {
      devices_[at.sw].LeftSpecial(input, static_cast<unsigned>(special), k.wire_bytes);
    } else {
      devices_[at.sw].LeftNormal(e.now_, input, k.output, k.wire_bytes);
    }
  }
  // After what is known of the tree behind a port has changed: queues of all inputs that have packets for it.
  template <typename E>
  void LookAgain(E& e, const Place& at, std::uint32_t output) {
    const unsigned local = output - at.first_port;
    for (unsigned input = 0; input < e.switches_[at.sw].num_ports; ++input) {
      for (unsigned special = 0; special < parameters_.special_queues; ++special) {
        const std::uint32_t queue = SpecialQueue(at, input, special);
        if (queues_[queue].listed_at == kNoIndex) Ask(e, at, input, queue, kNoIndex);
      }
      Settle(e, at, devices_[at.sw], input, NormalQueue(at, input, local), kNoIndex);
    }
  }
  // The congestion state of an output is what its queues say, if the scheme throttles and the switch's tables enable marking.
  template <typename E>
  void Judge(E& e, std::uint32_t output, const Packet& k) {
    if (!throttles_) return;
    LaneState& lane = e.Lane(output, 0);
    const PortState& port = e.ports_[output];
    const bool congested = lane.detection.marks() && devices_[port.switch_ordinal].Congested(output - port.first_port);
    if (congested && !lane.congested) e.LogEntered(output, k);
    lane.congested = congested;
  }
  template <typename E>
  [[gnu::always_inline]] void Tell(E& e, std::uint32_t first_port, FlowIsolation& device) {
    if (!device.messages().empty()) [[unlikely]]
      Carry(e, first_port, device);
  }
  template <typename E>
  [[gnu::noinline]] void Carry(E& e, std::uint32_t first_port, FlowIsolation& device) {
    for (const IsolationMessage& message : device.messages()) {
      std::uint32_t index = static_cast<std::uint32_t>(messages_.size());
      if (free_messages_.empty()) {
        messages_.push_back(message);
      } else {
        index = free_messages_.back();
        free_messages_.pop_back();
        messages_[index] = message;
      }
      e.SendMessage(first_port + message.port, index, e.now_);
    }
    device.Sent();
  }
  template <typename E>
  void Release(E& e, std::uint32_t host) {
    const std::vector<std::uint32_t> parked = std::exchange(parked_[host], {});
    for (const std::uint32_t queue_pair : parked) {
      if (Holds(host, e.queue_pairs_[queue_pair].destination)) {
        parked_[host].push_back(queue_pair);
      } else {
        e.Unpark(queue_pair);
      }
    }
  }

  IsolationParameters parameters_;
  bool per_output_ = false;
  bool throttles_ = false;
  std::vector<Layout> layout_;                      // by switch
  std::vector<FlowIsolation> devices_;              // by switch
  std::vector<FlowIsolation> adapters_;             // by host
  std::vector<std::vector<std::uint32_t>> parked_;  // by host: queue pairs
  std::vector<IsolationMessage> messages_;          // on their way
  std::vector<std::uint32_t> free_messages_;
};

// The queues say which output is congested.
class RootDetection : public PortVlDetection {
 public:
  template <typename E>
  void Build(E&) {}
  template <typename E>
  bool AfterArrival(E&, LaneState&, std::uint32_t, unsigned) {
    return false;
  }
  template <typename E>
  void AfterDeparture(E&, LaneState&, std::uint32_t, unsigned) {}
  template <typename E>
  std::uint64_t FillLevel(const E&, const LaneState& lane, std::uint32_t) const {
    return lane.queued_bytes;
  }
  template <typename E>
  void Redetect(E&, std::uint32_t, LaneState& lane) {
    if (!lane.detection.marks()) lane.congested = false;
  }
};

// A host does not send to destinations of a CAM line that its switch has stopped.
struct StoppedDestinations {
  static constexpr bool kHolds = true;

  template <typename E>
  static bool Holds(E& e, std::uint32_t host, const QueuePairState& qp) {
    return e.queueing_.Holds(host, qp.destination);
  }
  template <typename E>
  static void Park(E& e, std::uint32_t queue_pair) {
    e.queueing_.Park(e.flows_[e.queue_pairs_[queue_pair].flow].src, queue_pair);
  }
};

}  // namespace ccsim

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dbbm.cpp: destination-based buffer management. An input has a fixed number of queues, and a packet's destination chooses its queue
// (destination modulo queues), so that a packet waits only for those to destinations of its own queue, whatever their outputs. Named in
// the thesis' Paper V among the techniques that reduce head-of-line blocking without looking for congestion.
//
// Data        the queues of each input port next to each other: queue = port * queues + destination % queues. They share the input's
//             buffer: a queue may fill it, and room is counted by the lanes' credits
#include "engine/bus_drain.hpp"
#include "engine/cct_reaction.hpp"
#include "engine/cnp_or_ack.hpp"
#include "engine/crosspoint_lists.hpp"
#include "engine/engine_of.hpp"
#include "engine/islip.hpp"
#include "engine/open_transport.hpp"
#include "engine/port_vl_detection.hpp"
#include "engine/ports.hpp"
#include "schemes/registry.hpp"

namespace ccsim {
namespace {

class QueueByDestinationModulo : public CrosspointLists {
 public:
  template <typename E>
  void Build(E& e) {
    queues_per_input_ = static_cast<std::uint32_t>(e.SchemeValue("queues"));
    BuildLists(e, e.ports_.size() * queues_per_input_);
  }

  template <typename E>
  [[gnu::always_inline]] void Push(E& e, LaneState&, std::uint32_t output, unsigned, unsigned input, std::uint32_t packet) {
    const std::uint32_t first_port = e.ports_[output].first_port;
    Packet& k = e.pool_[packet];
    k.output = static_cast<std::uint8_t>(output - first_port);
    const std::uint32_t queue = FirstOf(first_port + input) + k.destination % queues_per_input_;
    const bool is_first = queues_[queue].ring.empty();
    queues_[queue].ring.Push(e.pool_, packet);
    if (is_first) List(e, queue, output, input, output);
  }
  template <typename E>
  [[gnu::always_inline]] std::uint32_t Pop(E& e, LaneState& lane, std::uint32_t output, unsigned, unsigned input) {
    const std::uint32_t queue = First(lane, input);
    const std::uint32_t packet = queues_[queue].ring.Pop(e.pool_);
    Unlist(e, queue, output, input);
    ListHead(e, queue, e.ports_[output].first_port, input, output);
    return packet;
  }

  template <typename E>
  void Lose(E& e, std::uint32_t output, unsigned) {
    const PortState& port = e.ports_[output];
    for (unsigned input = 0; input < e.switches_[port.switch_ordinal].num_ports; ++input) {
      const std::uint32_t first = FirstOf(port.first_port + input);
      for (std::uint32_t queue = first; queue < first + queues_per_input_; ++queue) {
        if (queues_[queue].ring.empty()) continue;
        Unlist(e, queue, port.first_port + e.pool_[queues_[queue].ring.Head(e.pool_)].output, input);
        LoseFrom(e, queue, output, [](const Packet&) {});
        ListHead(e, queue, port.first_port, input, kNoIndex);
      }
    }
    Flush(e);
  }
  template <typename E, typename Visit>
  void ForEach(const E& e, std::uint32_t input, const Visit& visit) const {
    const std::uint32_t first = FirstOf(input);
    for (std::uint32_t queue = first; queue < first + queues_per_input_; ++queue)
      ForEachIn(e, queue, e.ports_[input].first_port, visit);
  }
  template <typename E>
  void Check(const E& e, std::uint32_t port, unsigned) const {
    for (std::uint32_t i = 0; i < queues_per_input_; ++i) {
      const Queue& queue = queues_[FirstOf(port) + i];
      bool right = queue.ring.empty() == (queue.listed_at == kNoIndex);
      queue.ring.ForEach(e.pool_, [&](const Packet& k) { right &= k.destination % queues_per_input_ == i; });
      if (!right) {
        throw std::logic_error("port " + std::to_string(port) + ": queue " + std::to_string(i) +
                               " is listed with no packet, or not with one, or holds one of another queue");
      }
      CheckListed(e, FirstOf(port) + i, e.ports_[port].first_port);
    }
  }

 private:
  std::uint32_t FirstOf(std::uint32_t input_port) const { return input_port * queues_per_input_; }
  template <typename E>
  [[gnu::always_inline]] void ListHead(E& e, std::uint32_t queue, std::uint32_t first_port, unsigned input,
                                       std::uint32_t tried_anyway) {
    const PacketRing& ring = queues_[queue].ring;
    if (!ring.empty()) List(e, queue, first_port + e.pool_[ring.Head(e.pool_)].output, input, tried_anyway);
  }

  std::uint32_t queues_per_input_ = 1;
};

struct Dbbm {
  using Ports = AnyPorts;
  using Queueing = QueueByDestinationModulo;
  using Arbiter = Islip;
  using Detection = PortVlDetection;
  using Notification = CnpOrAck;
  using Reaction = CctReaction;
  using HostSink = BusDrain;
  using Transport = OpenTransport;
};

const SchemeRegistration kRegistered(
    {.name = "dbbm",
     .summary = "A fixed number of queues at each input, chosen by destination; a packet waits for those in its queue.",
     .source = "Nachiondo, Flich, Duato; thesis, Paper V",
     .without = "1q",
     .parameters =
         {{.name = "queues",
           .least = 1,
           .most = 64,
           .preset = 8,
           .whole = true,
           .unit = "queues",
           .meaning = "Queues of an input port; a packet goes into that of its destination modulo so many.",
           .consequence =
               "With 1 it is `1q`. With more, fewer destinations share a queue; all queues share the port's buffer, and "
               "packets of a congested destination can still fill that."},
          Islip::CrossbarParameter()},
     .make = MakePlainOrAny<Dbbm>,
     .one_vl = true});

}  // namespace
}  // namespace ccsim

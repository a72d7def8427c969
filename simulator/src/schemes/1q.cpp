// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// 1q.cpp: a switch whose inputs have one queue each. The packet at its head holds up all behind it, whatever their outputs.
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

// Data        a queue for each port, known by its index
class OneQueue : public CrosspointLists {
 public:
  template <typename E>
  void Build(E& e) {
    BuildLists(e, e.ports_.size());
  }

  template <typename E>
  void Push(E& e, LaneState&, std::uint32_t output, unsigned, unsigned input, std::uint32_t packet) {
    const std::uint32_t first_port = e.ports_[output].first_port;
    e.pool_[packet].output = static_cast<std::uint8_t>(output - first_port);
    PacketRing& ring = queues_[first_port + input].ring;
    const bool is_first = ring.empty();
    ring.Push(e.pool_, packet);
    if (is_first) List(e, first_port + input, output, input, output);
  }
  template <typename E>
  std::uint32_t Pop(E& e, LaneState&, std::uint32_t output, unsigned, unsigned input) {
    const std::uint32_t first_port = e.ports_[output].first_port;
    const std::uint32_t packet = queues_[first_port + input].ring.Pop(e.pool_);
    Unlist(e, first_port + input, output, input);
    ListFirst(e, first_port, input, output);
    return packet;
  }

  template <typename E>
  void Lose(E& e, std::uint32_t output, unsigned) {
    const PortState& port = e.ports_[output];
    for (unsigned input = 0; input < e.switches_[port.switch_ordinal].num_ports; ++input) {
      const std::uint32_t queue = port.first_port + input;
      if (queues_[queue].ring.empty()) continue;
      Unlist(e, queue, port.first_port + e.pool_[queues_[queue].ring.Head(e.pool_)].output, input);
      LoseFrom(e, queue, output, [](const Packet&) {});
      ListFirst(e, port.first_port, input, kNoIndex);
    }
    Flush(e);
  }
  template <typename E, typename Visit>
  void ForEach(const E& e, std::uint32_t input, const Visit& visit) const {
    ForEachIn(e, input, e.ports_[input].first_port, visit);
  }
  template <typename E>
  void Check(const E& e, std::uint32_t output, unsigned) const {
    if (queues_[output].ring.empty() != (queues_[output].listed_at == kNoIndex))
      throw std::logic_error("port " + std::to_string(output) + ": its queue is listed with no packet, or not with one");
    CheckListed(e, output, e.ports_[output].first_port);
  }

 private:
  template <typename E>
  void ListFirst(E& e, std::uint32_t first_port, unsigned input, std::uint32_t tried_anyway) {
    const PacketRing& ring = queues_[first_port + input].ring;
    if (!ring.empty()) List(e, first_port + input, first_port + e.pool_[ring.Head(e.pool_)].output, input, tried_anyway);
  }
};

struct OneQueueSwitch {
  using Ports = AnyPorts;
  using Queueing = OneQueue;
  using Arbiter = Islip;
  using Detection = PortVlDetection;
  using Notification = CnpOrAck;
  using Reaction = CctReaction;
  using HostSink = BusDrain;
  using Transport = OpenTransport;
};

const SchemeRegistration kRegistered(
    {.name = "1q",
     .summary = "One queue at each input; a packet waits for all before it, whatever their outputs.",
     .source = "thesis, Paper V",
     .parameters = {Islip::CrossbarParameter()},
     .make = MakePlainOrAny<OneQueueSwitch>,
     .one_vl = true});

}  // namespace
}  // namespace ccsim

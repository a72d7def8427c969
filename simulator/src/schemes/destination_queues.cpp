// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "schemes/destination_queues.hpp"

#include <bit>
#include <map>
#include <vector>

namespace ccsim {
namespace {

constexpr unsigned kBits = 64;

// Which hosts send to which: a row of bits for each destination.
class Senders {
 public:
  explicit Senders(std::size_t hosts) : hosts_(hosts), words_((hosts + kBits - 1) / kBits), bits_(hosts * words_, 0) {}

  std::vector<std::uint64_t> RowOf(std::span<const std::uint32_t> endports) const {
    std::vector<std::uint64_t> row(words_, 0);
    for (const std::uint32_t e : endports) {
      if (e < hosts_) row[e / kBits] |= std::uint64_t{1} << (e % kBits);
    }
    return row;
  }
  void Add(std::uint32_t destination, std::span<const std::uint64_t> senders) {
    if (destination >= hosts_) return;
    for (std::size_t w = 0; w < words_; ++w) bits_[destination * words_ + w] |= senders[w];
  }
  void Add(std::uint32_t destination, std::uint32_t sender) {
    if (destination < hosts_ && sender < hosts_)
      bits_[destination * words_ + sender / kBits] |= std::uint64_t{1} << (sender % kBits);
  }
  // visit(sender) for each but the destination itself.
  template <typename Visit>
  void ForEach(std::uint32_t destination, const Visit& visit) const {
    for (std::size_t w = 0; w < words_; ++w) {
      for (std::uint64_t word = bits_[destination * words_ + w]; word != 0; word &= word - 1) {
        const auto sender = static_cast<std::uint32_t>(w * kBits + static_cast<unsigned>(std::countr_zero(word)));
        if (sender != destination) visit(sender);
      }
    }
  }

 private:
  std::size_t hosts_;
  std::size_t words_;
  std::vector<std::uint64_t> bits_;
};

// Both ways: packets are answered.
Senders SendersOf(std::size_t hosts, std::span<const Flow> flows) {
  Senders senders(hosts);
  std::map<const Destinations*, std::vector<std::uint32_t>> drawing;  // sources
  for (const Flow& flow : flows) {
    if (flow.destinations) {
      drawing[flow.destinations.get()].push_back(flow.src);
    } else {
      senders.Add(flow.dst, flow.src);
      senders.Add(flow.src, flow.dst);
    }
  }
  for (const auto& [destinations, sources] : drawing) {
    const std::vector<std::uint64_t> from = senders.RowOf(sources), to = senders.RowOf(destinations->endports);
    for (const std::uint32_t destination : destinations->endports) senders.Add(destination, from);
    for (const std::uint32_t source : sources) senders.Add(source, to);
  }
  return senders;
}

}  // namespace

std::uint64_t CountDestinationQueues(const Fabric& fabric, std::span<const Flow> flows) {
  const std::vector<Node>& nodes = fabric.nodes();
  const auto hosts = static_cast<std::uint32_t>(fabric.endports().size());
  const Senders senders = SendersOf(hosts, flows);
  std::vector<std::uint32_t> first_switch(hosts);  // ordinal, or kNone of a host that is linked to another
  for (std::uint32_t host = 0; host < hosts; ++host) {
    const Endport& at = fabric.endports()[host];
    first_switch[host] = fabric.switch_ordinal(nodes[at.node].ports[at.port].peer_node);
  }
  std::uint64_t queues = 0;
  std::vector<std::uint32_t> reached(fabric.num_switches(), kNone);  // the last destination whose tree has the switch
  for (std::uint32_t destination = 0; destination < hosts; ++destination) {
    senders.ForEach(destination, [&](std::uint32_t sender) {
      std::uint32_t at = first_switch[sender];
      if (at == kNone) return;
      ++queues;
      while (reached[at] != destination) {
        reached[at] = destination;
        const std::uint8_t port = fabric.forward(at, destination);
        const Node& node = nodes[fabric.switches()[at]];
        if (port > node.num_ports() || !node.ports[port].connected()) return;
        const std::uint32_t next = fabric.switch_ordinal(node.ports[port].peer_node);
        if (next == kNone) return;
        ++queues;
        at = next;
      }
    });
  }
  return queues;
}

}  // namespace ccsim

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// toy_network.hpp: a small network of switches and hosts with flow isolation, in steps of virtual time, with faults.
//
// A byte takes a step on each link. Buffers are at inputs, and a packet is sent only if its whole length is free at the other end.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "rng.hpp"
#include "schemes/isolation/flow_isolation.hpp"
#include "schemes/isolation/toy_topology.hpp"

namespace ccsim::testing {

struct ToyPacket {
  unsigned src = 0, dst = 0;  // host numbers
  std::uint32_t bytes = 0;
  std::uint64_t seq = 0;  // within (src, dst)
};

// A packet or a message under way: it arrives at `at`.
template <typename T>
struct Arriving {
  std::uint64_t at;
  T what;
};

struct ToySide {
  unsigned node = 0, port = 0;
};

struct ToyLink {
  ToySide side[2];
  unsigned delay = 1;
  struct Direction {  // d: from side[d] to side[1 - d]
    std::deque<Arriving<ToyPacket>> packets;
    std::deque<Arriving<IsolationMessage>> messages;
    std::uint64_t busy_until = 0;
  } way[2];
  bool up = true;
  bool lossy = false;  // messages were lost, or a side has started over, and the sides have not agreed since
  // What each side is still told of the last fault.
  std::optional<std::uint64_t> comes_up_at, told_down_at[2], told_up_at[2];
  bool deaf[2] = {false, false};  // drops messages until it is told that the link is up
  bool quiet() const {
    return up && !comes_up_at && !told_down_at[0] && !told_down_at[1] && !told_up_at[0] && !told_up_at[1] &&
           way[0].messages.empty() && way[1].messages.empty();
  }
};

struct ToyInput {
  std::uint32_t used = 0;  // bytes in queues, and of packets under way to them
  std::vector<std::deque<ToyPacket>> normal, special;
  std::vector<std::uint64_t> sent_at;  // by special queue: the step at which it last sent, or was empty
  // Bytes of packets that are being sent, by normal and by special queue: no longer in a deque, and not yet reported to have left.
  std::vector<std::uint64_t> normal_leaving, special_leaving;
};

struct ToyNode {
  bool host = false;
  unsigned ports = 0;
  std::unique_ptr<FlowIsolation> isolation;
  std::vector<ToyInput> inputs;
  std::vector<unsigned> output_of;               // by host number
  std::vector<unsigned> turn;                    // by output: the queue after the one served last
  std::vector<std::deque<ToyPacket>> generated;  // of a host, by destination
};

struct ToySizes {
  std::uint32_t packet_bytes = 4;
  std::uint32_t buffer_bytes = 64;
  bool hosts_buffer = false;
  bool one_reader = true;    // an input port feeds one output at a time
  bool leaves_late = false;  // a packet leaves its queue when its last byte does; otherwise with its first
};

class ToyNetwork {
 public:
  ToyNetwork(const ToyTopology& topology, const IsolationParameters& parameters, const ToySizes& sizes, Rng& rng)
      : sizes_(sizes) {
    const auto hosts = static_cast<unsigned>(topology.host_switch.size());
    nodes_.resize(topology.switches + hosts);
    std::vector<std::map<unsigned, unsigned>> port_to(topology.switches);
    const auto connect = [&](unsigned a, unsigned b) {
      ToyLink link;
      link.side[0] = {a, nodes_[a].ports++};
      link.side[1] = {b, nodes_[b].ports++};
      link.delay = 1 + static_cast<unsigned>(rng.Below(8));
      links_.push_back(link);
    };
    for (const auto& [a, b] : topology.trunks) {
      port_to[a][b] = nodes_[a].ports;
      port_to[b][a] = nodes_[b].ports;
      connect(a, b);
    }
    std::vector<unsigned> host_port(hosts);
    for (unsigned h = 0; h < hosts; ++h) {
      host_port[h] = nodes_[topology.host_switch[h]].ports;
      connect(topology.host_switch[h], topology.switches + h);
    }
    unsigned most_ports = 0;
    for (const ToyNode& node : nodes_) most_ports = std::max(most_ports, node.ports);
    for (unsigned n = 0; n < nodes_.size(); ++n) {
      ToyNode& node = nodes_[n];
      node.host = n >= topology.switches;
      using Inputs = FlowIsolation::Inputs;
      const FlowIsolation::Shape shape{.device = n,
                                       .ports = static_cast<std::uint16_t>(node.ports),
                                       .packet_bytes = sizes.packet_bytes,
                                       .inputs = !node.host           ? Inputs::Links
                                                 : sizes.hosts_buffer ? Inputs::Injection
                                                                      : Inputs::None,
                                       .output_lines = static_cast<std::uint16_t>(parameters.special_queues + most_ports)};
      node.isolation = std::make_unique<FlowIsolation>(parameters, shape);
      node.inputs.resize(node.isolation->inputs());
      for (ToyInput& input : node.inputs) {
        input.normal.resize(node.isolation->normal_queues());
        input.special.resize(node.isolation->special_queues());
        input.sent_at.resize(node.isolation->special_queues());
        input.normal_leaving.resize(input.normal.size());
        input.special_leaving.resize(input.special.size());
      }
      node.turn.resize(node.ports);
      node.generated.resize(node.host ? hosts : 0);
      for (unsigned h = 0; h < hosts; ++h) {
        const unsigned at = topology.host_switch[h];
        node.output_of.push_back(node.host ? 0 : at == n ? host_port[h] : port_to[n][topology.next[n][at]]);
      }
      for (unsigned p = 0; p < node.ports; ++p) node.isolation->LinkUp(p);
    }
    link_of_.resize(nodes_.size());
    for (unsigned l = 0; l < links_.size(); ++l) {
      for (unsigned d = 0; d < 2; ++d) {
        auto& ports = link_of_[links_[l].side[d].node];
        ports.resize(std::max<std::size_t>(ports.size(), links_[l].side[d].port + 1));
        ports[links_[l].side[d].port] = {l, d};
      }
    }
    num_hosts_ = hosts;
  }

  // ---- what a test does ----

  unsigned num_hosts() const { return num_hosts_; }
  unsigned num_switches() const { return static_cast<unsigned>(nodes_.size()) - num_hosts_; }
  std::uint64_t now() const { return now_; }
  ToyNode& host(unsigned h) { return nodes_[num_switches() + h]; }
  const std::vector<ToyNode>& nodes() const { return nodes_; }
  const std::vector<ToyLink>& links() const { return links_; }

  void Generate(unsigned src, unsigned dst, std::uint32_t bytes) {
    host(src).generated[dst].push_back({src, dst, bytes, ++generated_seq_[{src, dst}]});
    generated_bytes_ += bytes;
  }

  // A fault of a link that has none. Each side that notices is told within `lag` steps.
  void Fail(unsigned l, std::uint64_t steps, bool notices0, bool notices1, std::uint64_t lag, Rng& rng) {
    ToyLink& link = links_[l];
    Lose(link);
    link.up = false;
    link.comes_up_at = now_ + 1 + steps;
    const bool notices[2] = {notices0, notices1};
    for (unsigned d = 0; d < 2; ++d) {
      if (!notices[d]) continue;
      const std::uint64_t down = now_ + rng.Below(lag + 1);
      if (rng.Below(4) != 0) link.told_down_at[d] = down;
      link.told_up_at[d] = std::max(down, *link.comes_up_at) + 1 + rng.Below(lag + 1);
      link.deaf[d] = rng.Below(2) == 0;
    }
  }
  bool Failing(unsigned l) const {
    const ToyLink& link = links_[l];
    return !link.up || link.told_down_at[0] || link.told_down_at[1] || link.told_up_at[0] || link.told_up_at[1];
  }
  // A device forgets its lines: alone, or with its packets and what is under way on its links, which go down and up at once.
  void StartOver(unsigned n, bool with_packets) {
    ToyNode& node = nodes_[n];
    for (unsigned p = 0; p < node.ports; ++p) {
      links_[link_of_[n][p].first].lossy = true;
      if (with_packets) Lose(links_[link_of_[n][p].first]);
      Call(n, [&](FlowIsolation& f) { f.LinkDown(p); });
    }
    for (unsigned i = 0; with_packets && i < node.inputs.size(); ++i) {
      ToyInput& input = node.inputs[i];
      for (auto& queue : input.normal) {
        for (; !queue.empty(); queue.pop_front()) DropNormal(n, i, queue.front());
      }
      for (unsigned s = 0; s < input.special.size(); ++s) {
        for (; !input.special[s].empty(); input.special[s].pop_front()) {
          const std::uint32_t bytes = input.special[s].front().bytes;
          lost_bytes_ += bytes;
          input.used -= bytes;
          Call(n, [&](FlowIsolation& f) { f.LeftSpecial(i, s, bytes); });
        }
      }
    }
    for (unsigned p = 0; p < node.ports; ++p) Call(n, [&](FlowIsolation& f) { f.LinkUp(p); });
  }

  void Step() {
    ++now_;
    for (; !leaving_.empty() && leaving_.front().at <= now_; leaving_.pop_front()) Leave(leaving_.front().what);
    for (ToyLink& link : links_) {
      TellOfFaults(link);
      for (unsigned d = 0; d < 2; ++d) Deliver(link, d);
      if (link.quiet()) link.lossy = false;
    }
    for (unsigned n = 0; n < nodes_.size(); ++n) {
      if (nodes_[n].host) Inject(n);
      for (unsigned p = 0; p < nodes_[n].ports; ++p) Arbitrate(n, p);
    }
  }

  std::uint64_t generated_bytes() const { return generated_bytes_; }
  std::uint64_t arrived_bytes() const { return arrived_bytes_; }
  std::uint64_t lost_bytes() const { return lost_bytes_; }
  std::uint64_t progressed_at() const { return progressed_at_; }  // the last step at which a packet was sent
  std::uint64_t BytesInside() const {
    std::uint64_t bytes = 0;
    const auto add = [&](const auto& queue) {
      for (const ToyPacket& p : queue) bytes += p.bytes;
    };
    for (const ToyNode& node : nodes_) {
      for (const auto& queue : node.generated) add(queue);
      for (const ToyInput& input : node.inputs) {
        for (const auto& queue : input.normal) add(queue);
        for (const auto& queue : input.special) add(queue);
      }
    }
    for (const ToyLink& link : links_) {
      for (const auto& way : link.way) {
        for (const auto& p : way.packets) bytes += p.what.bytes;
      }
    }
    return bytes;
  }
  bool LinesFree() const {
    for (const ToyNode& node : nodes_) {
      if (node.isolation->input_lines_in_use() + node.isolation->output_lines_in_use() > 0) return false;
    }
    return true;
  }

  std::vector<std::string> findings;       // what must not happen, and has
  std::map<std::string, unsigned> counts;  // changes of state, and messages

 private:
  void Found(const std::string& text) { findings.push_back("step " + std::to_string(now_) + ": " + text); }

  static const char* Name(InputLineState s) {
    const char* const names[] = {"Free", "Quiet", "Announced", "Stopped"};
    return names[static_cast<unsigned>(s)];
  }
  static const char* Name(MessageKind k) {
    const char* const names[] = {"None", "Allocate", "Update", "Stop", "Go", "Release", "Clear", "Cleared"};
    return names[static_cast<unsigned>(k)];
  }

  // Calls a device, counts the states that its lines change to, and sends its messages.
  template <typename F>
  void Call(unsigned n, F f) {
    FlowIsolation& isolation = *nodes_[n].isolation;
    before_.clear();
    for (unsigned i = 0; i < isolation.inputs(); ++i) {
      for (unsigned k = 0; k < isolation.input_lines(); ++k) before_.push_back(isolation.input_line(i, k).state);
    }
    const std::uint64_t no_queue = isolation.times_without_queue();
    const IsolationMessage* const outbox = isolation.messages().data();
    f(isolation);
    if (isolation.messages().data() != outbox) Found("messages have allocated memory at node " + std::to_string(n));
    if (isolation.times_without_queue() != no_queue) ++counts["no free special queue"];
    auto from = before_.begin();
    for (unsigned i = 0; i < isolation.inputs(); ++i) {
      for (unsigned k = 0; k < isolation.input_lines(); ++k, ++from) {
        const InputLineState to = isolation.input_line(i, k).state;
        if (*from != to) ++counts[std::string(Name(*from)) + " to " + Name(to)];
      }
    }
    for (const IsolationMessage& m : isolation.messages()) {
      ++counts[Name(m.kind)];
      const auto [l, d] = link_of_[n][m.port];
      if (!links_[l].up) continue;
      links_[l].way[d].messages.push_back({now_ + links_[l].delay, m});
    }
    isolation.Sent();
  }

  void DropNormal(unsigned n, unsigned i, const ToyPacket& packet) {
    lost_bytes_ += packet.bytes;
    nodes_[n].inputs[i].used -= packet.bytes;
    Call(n, [&](FlowIsolation& f) { f.LeftNormal(Clock(), i, nodes_[n].output_of[packet.dst], packet.bytes); });
  }

  void Lose(ToyLink& link) {
    link.lossy = true;
    for (unsigned d = 0; d < 2; ++d) {
      const ToySide to = link.side[1 - d];
      for (const auto& p : link.way[d].packets) {
        lost_bytes_ += p.what.bytes;
        if (!nodes_[to.node].host) nodes_[to.node].inputs[to.port].used -= p.what.bytes;
      }
      link.way[d].packets.clear();
      link.way[d].messages.clear();
    }
  }

  void TellOfFaults(ToyLink& link) {
    if (link.comes_up_at && *link.comes_up_at <= now_) {
      link.up = true;
      link.comes_up_at.reset();
    }
    for (unsigned d = 0; d < 2; ++d) {
      const ToySide side = link.side[d];
      if (link.told_down_at[d] && *link.told_down_at[d] <= now_) {
        link.told_down_at[d].reset();
        Call(side.node, [&](FlowIsolation& f) { f.LinkDown(side.port); });
      }
      if (link.told_up_at[d] && *link.told_up_at[d] <= now_) {
        link.told_up_at[d].reset();
        link.deaf[d] = false;
        Call(side.node, [&](FlowIsolation& f) { f.LinkUp(side.port); });
      }
    }
  }

  void Deliver(ToyLink& link, unsigned d) {
    const ToySide to = link.side[1 - d];
    auto& way = link.way[d];
    while (!way.messages.empty() && way.messages.front().at <= now_) {
      const IsolationMessage m = way.messages.front().what;
      way.messages.pop_front();
      if (link.deaf[1 - d]) continue;
      const FlowIsolation& f = *nodes_[to.node].isolation;
      if (!link.lossy && m.kind < MessageKind::Clear) {
        const OutputLineState state = f.output_line(to.port, m.line).state;
        if (!kOutputLineSteps[static_cast<unsigned>(state)][static_cast<unsigned>(m.kind)].expected) {
          Found(std::string(Name(m.kind)) + " for an output line in state " + std::to_string(static_cast<unsigned>(state)));
        }
      }
      Call(to.node, [&](FlowIsolation& isolation) { isolation.Receive(to.port, m); });
      for (unsigned i = 0; i < nodes_[to.node].inputs.size(); ++i) PostProcess(to.node, i);
    }
    while (!way.packets.empty() && way.packets.front().at <= now_) {
      const ToyPacket packet = way.packets.front().what;
      way.packets.pop_front();
      if (nodes_[to.node].host) {
        Arrive(packet);
      } else {
        Enter(to.node, to.port, packet);
      }
    }
  }

  void Arrive(const ToyPacket& packet) {
    arrived_bytes_ += packet.bytes;
    std::uint64_t& last = arrived_seq_[{packet.src, packet.dst}];
    if (packet.seq <= last) {
      Found("packet " + std::to_string(packet.seq) + " of flow " + std::to_string(packet.src) + " to " +
            std::to_string(packet.dst) + " arrives after packet " + std::to_string(last));
    }
    last = packet.seq;
  }

  void Enter(unsigned n, unsigned i, const ToyPacket& packet) {
    ToyNode& node = nodes_[n];
    const unsigned output = node.output_of[packet.dst];
    node.inputs[i].normal[node.isolation->normal_queues() == 1 ? 0 : output].push_back(packet);
    Call(n, [&](FlowIsolation& f) { f.Entered(i, output, packet.dst, packet.bytes); });
    PostProcess(n, i);
  }

  void PostProcess(unsigned n, unsigned i) {
    ToyNode& node = nodes_[n];
    for (auto& queue : node.inputs[i].normal) {
      while (!queue.empty()) {
        const ToyPacket packet = queue.front();
        const unsigned output = node.output_of[packet.dst];
        int special = FlowIsolation::kNormal;
        Call(n, [&](FlowIsolation& f) {
          const bool all_normal = f.all_normal(i);
          special = f.QueueFor(i, packet.dst, output);
          if (special == FlowIsolation::kNormal) return;
          if (all_normal) throw std::logic_error("all packets of an input were to stay in normal queues, but one does not");
          f.Moved(Clock(), i, output, static_cast<unsigned>(special), packet.bytes);
        });
        if (special == FlowIsolation::kNormal) break;
        const auto s = static_cast<unsigned>(special);
        if (node.inputs[i].special[s].empty()) node.inputs[i].sent_at[s] = now_;
        node.inputs[i].special[s].push_back(packet);
        queue.pop_front();
      }
    }
  }

  void Inject(unsigned n) {
    ToyNode& node = nodes_[n];
    if (node.inputs.empty()) return;
    for (unsigned k = 0; k < num_hosts_; ++k) {
      const unsigned dst = static_cast<unsigned>((now_ + k) % num_hosts_);
      auto& queue = node.generated[dst];
      if (queue.empty() || node.inputs[0].used + queue.front().bytes > sizes_.buffer_bytes) continue;
      if (!node.isolation->MayInject(0, dst)) continue;
      const ToyPacket packet = queue.front();
      queue.pop_front();
      node.inputs[0].used += packet.bytes;
      Enter(n, 0, packet);
      return;
    }
  }

  struct Departure {
    unsigned node, input, queue, output;  // queue: normal queues, then special ones
    std::uint32_t bytes;
  };
  void LeaveAt(std::uint64_t at, const Departure& departure) {
    const auto later = [at](const Arriving<Departure>& other) { return other.at > at; };
    leaving_.insert(std::find_if(leaving_.begin(), leaving_.end(), later), {at, departure});
  }
  void Leave(const Departure& d) {
    ToyInput& input = nodes_[d.node].inputs[d.input];
    const auto normal = static_cast<unsigned>(input.normal.size());
    if (d.queue < normal) {
      input.normal_leaving[d.queue] -= d.bytes;
      Call(d.node, [&](FlowIsolation& f) { f.LeftNormal(Clock(), d.input, d.output, d.bytes); });
    } else {
      input.special_leaving[d.queue - normal] -= d.bytes;
      Call(d.node, [&](FlowIsolation& f) { f.LeftSpecial(d.input, d.queue - normal, d.bytes); });
    }
  }

  bool HasRoom(ToySide to, std::uint32_t bytes) const {
    return nodes_[to.node].host || nodes_[to.node].inputs[to.port].used + bytes <= sizes_.buffer_bytes;
  }

  // Sends at most one packet by an output: queues take turns.
  void Arbitrate(unsigned n, unsigned output) {
    const auto [l, d] = link_of_[n][output];
    ToyLink& link = links_[l];
    if (!link.up || link.way[d].busy_until > now_) return;
    ToyNode& node = nodes_[n];
    const ToySide to = link.side[1 - d];
    const unsigned normal = node.isolation->normal_queues(), queues = normal + node.isolation->special_queues();
    const unsigned all = node.inputs.empty() ? num_hosts_ : static_cast<unsigned>(node.inputs.size()) * queues;
    for (unsigned k = 0; k < all; ++k) {
      const unsigned at = (node.turn[output] + k) % all;
      if (node.inputs.empty()) {
        auto& queue = node.generated[at];
        if (queue.empty() || !HasRoom(to, queue.front().bytes) || !node.isolation->MayInject(output, at)) continue;
        const ToyPacket packet = queue.front();
        queue.pop_front();
        SendPacket(link, d, packet);
        node.turn[output] = at + 1;
        return;
      }
      const unsigned i = at / queues, q = at % queues;
      ToyInput& input = node.inputs[i];
      auto& queue = q < normal ? input.normal[q] : input.special[q - normal];
      if (queue.empty() || node.output_of[queue.front().dst] != output || !HasRoom(to, queue.front().bytes)) continue;
      if (q >= normal && !node.isolation->MaySend(i, q - normal)) continue;
      if (sizes_.one_reader && !reading_.insert({now_, n, i}).second) continue;
      const ToyPacket packet = queue.front();
      queue.pop_front();
      input.used -= packet.bytes;
      if (q >= normal) input.sent_at[q - normal] = now_;
      const Departure departure{n, i, q, output, packet.bytes};
      (q < normal ? input.normal_leaving[q] : input.special_leaving[q - normal]) += packet.bytes;
      if (sizes_.leaves_late) {
        LeaveAt(now_ + packet.bytes, departure);
      } else {
        Leave(departure);
      }
      SendPacket(link, d, packet);
      PostProcess(n, i);
      node.turn[output] = at + 1;
      return;
    }
  }

  void SendPacket(ToyLink& link, unsigned d, const ToyPacket& packet) {
    const ToySide to = link.side[1 - d];
    if (!nodes_[to.node].host) nodes_[to.node].inputs[to.port].used += packet.bytes;
    link.way[d].busy_until = now_ + packet.bytes;
    link.way[d].packets.push_back({now_ + packet.bytes + link.delay, packet});
    progressed_at_ = now_;
    if (!reading_.empty() && std::get<0>(*reading_.begin()) < now_) reading_.clear();
  }

  Time Clock() const { return static_cast<Time>(now_) * kFsPerNs; }

  ToySizes sizes_;
  std::vector<ToyNode> nodes_;  // switches, then hosts
  std::vector<ToyLink> links_;
  std::vector<std::vector<std::pair<unsigned, unsigned>>> link_of_;  // by node and port: the link, and the direction from there
  std::map<std::pair<unsigned, unsigned>, std::uint64_t> generated_seq_, arrived_seq_;
  std::set<std::tuple<std::uint64_t, unsigned, unsigned>> reading_;
  std::deque<Arriving<Departure>> leaving_;  // by time
  std::vector<InputLineState> before_;
  unsigned num_hosts_ = 0;
  std::uint64_t now_ = 0, generated_bytes_ = 0, arrived_bytes_ = 0, lost_bytes_ = 0, progressed_at_ = 0;
};

}  // namespace ccsim::testing

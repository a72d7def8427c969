// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// toy_checks.hpp: what holds in a toy network after each step. Each function returns what does not hold, or nothing.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "schemes/isolation/toy_network.hpp"

namespace ccsim::testing {

inline std::uint64_t BytesOf(const std::deque<ToyPacket>& queue) {
  std::uint64_t bytes = 0;
  for (const ToyPacket& p : queue) bytes += p.bytes;
  return bytes;
}

inline std::string At(unsigned node, unsigned input, unsigned line) {
  return "node " + std::to_string(node) + " input " + std::to_string(input) + " line " + std::to_string(line) + ": ";
}

// A special line takes its root from the output line to which it belongs, and belongs to one if one holds a destination of it.
inline std::string CheckLink(unsigned n, const ToyNode& node, unsigned i, unsigned k) {
  const FlowIsolation& f = *node.isolation;
  const FlowIsolation::InputLine& line = f.input_line(i, k);
  if (!line.root()) {
    const FlowIsolation::OutputLine& next = f.output_line(line.output, static_cast<unsigned>(line.next_line));
    if (!next.in_use()) return At(n, i, k) + "belongs to an output line that is free";
    if (line.hops != next.hops + 1 || line.congestion_root != next.congestion_root)
      return At(n, i, k) + "has another root than downstream";
    return "";
  }
  if (line.hops != 1 || line.congestion_root != CongestionRoot{n, line.output}) return At(n, i, k) + "is not its own root";
  for (unsigned y = 0; y < f.output_lines(); ++y) {
    if (!f.output_line(line.output, y).in_use()) continue;
    for (const std::uint32_t d : f.output_destinations(line.output, y)) {
      if (Holds(f.input_destinations(i, k), d))
        return At(n, i, k) + "belongs to no output line, though one holds its destination";
    }
  }
  return "";
}

// Counts of bytes and lines are those of the queues; a special queue with packets has a line that holds their destinations; no two
// special lines of an input port hold the same one; lines of special queues without packets wait for a Go.
inline std::string CheckNode(unsigned n, const ToyNode& node) {
  const FlowIsolation& f = *node.isolation;
  std::vector<unsigned> above(node.ports);
  std::uint64_t in_use = 0;
  unsigned full_ports = 0;
  for (unsigned i = 0; i < node.inputs.size(); ++i) {
    const ToyInput& input = node.inputs[i];
    for (unsigned q = 0; q < input.normal.size(); ++q) {
      if (f.normal_bytes(i, q) != BytesOf(input.normal[q]) + input.normal_leaving[q])
        return At(n, i, q) + "bytes of the normal queue differ";
    }
    std::set<std::uint32_t> held;
    unsigned special_in_use = 0;
    for (unsigned k = 0; k < f.input_lines(); ++k) {
      const FlowIsolation::InputLine& line = f.input_line(i, k);
      in_use += line.in_use();
      if (line.above && (!line.in_use() || !line.root())) return At(n, i, k) + "counts for the congestion state, and is no root";
      if (line.above) ++above[line.output];
      if (k >= input.special.size()) continue;
      special_in_use += line.in_use();
      const std::deque<ToyPacket>& queue = input.special[k];
      if (f.special_bytes(i, k) != BytesOf(queue) + input.special_leaving[k])
        return At(n, i, k) + "bytes of the special queue differ";
      if (!line.in_use()) {
        if (!queue.empty()) return At(n, i, k) + "packets in a queue without a line";
        continue;
      }
      for (const std::uint32_t d : f.input_destinations(i, k)) {
        if (!held.insert(d).second) return At(n, i, k) + "holds a destination that another line holds";
        if (node.output_of[d] != line.output) return At(n, i, k) + "holds a destination of another output";
      }
      for (const ToyPacket& p : queue) {
        if (!Holds(f.input_destinations(i, k), p.dst)) return At(n, i, k) + "a packet whose destination the line does not hold";
      }
      if (f.special_bytes(i, k) == 0 && f.MaySend(i, k)) return At(n, i, k) + "in use without packets";
      if (std::string found = CheckLink(n, node, i, k); !found.empty()) return found;
    }
    full_ports += special_in_use == f.special_queues();
  }
  if (in_use != f.input_lines_in_use()) return At(n, 0, 0) + "input lines in use are miscounted";
  if (full_ports != f.ports_without_free_queue()) return At(n, 0, 0) + "ports without a free special queue are miscounted";
  for (unsigned p = 0; p < node.ports; ++p) {
    if (f.Congested(p) != (above[p] > 0)) return At(n, p, 0) + "the congestion state of the output is not that of its roots";
  }
  return "";
}

// The output lines of a side are those that the other side has announced, but for the messages on the way.
inline std::string CheckWay(const std::vector<ToyNode>& nodes, const ToyLink& link, unsigned from) {
  const ToySide down = link.side[from], up = link.side[1 - from];
  const FlowIsolation& announcer = *nodes[down.node].isolation;
  const FlowIsolation& holder = *nodes[up.node].isolation;
  const bool announces = !nodes[down.node].host;
  for (unsigned y = 0; y < holder.output_lines(); ++y) {
    OutputLineState state = holder.output_line(up.port, y).state;
    const auto list = holder.output_destinations(up.port, y);
    std::vector<std::uint32_t> destinations(list.begin(), list.end());
    unsigned hops = holder.output_line(up.port, y).hops;
    for (const auto& m : link.way[from].messages) {
      if (m.what.line != y) continue;
      state = kOutputLineSteps[static_cast<unsigned>(state)][static_cast<unsigned>(m.what.kind)].next;
      if (m.what.kind != MessageKind::Allocate && m.what.kind != MessageKind::Update) continue;
      destinations.assign(m.what.list().begin(), m.what.list().end());
      hops = m.what.hops;
    }
    const bool exists = announces && y < announcer.input_lines();
    const InputLineState told = exists ? announcer.input_line(down.port, y).state : InputLineState::Free;
    const OutputLineState wanted = told == InputLineState::Announced ? OutputLineState::Go
                                   : told == InputLineState::Stopped ? OutputLineState::Stop
                                                                     : OutputLineState::Free;
    if (state != wanted) return At(up.node, up.port, y) + "the output line is not what downstream has announced";
    if (wanted == OutputLineState::Free) continue;
    const auto own = announcer.input_destinations(down.port, y);
    if (!std::equal(own.begin(), own.end(), destinations.begin(), destinations.end())) {
      return At(up.node, up.port, y) + "the output line holds other destinations than downstream";
    }
    if (hops != announcer.input_line(down.port, y).hops) return At(up.node, up.port, y) + "hops differ from downstream";
  }
  return "";
}

inline std::string CheckNetwork(const ToyNetwork& network) {
  if (!network.findings.empty()) return network.findings.front();
  if (network.generated_bytes() != network.arrived_bytes() + network.lost_bytes() + network.BytesInside()) {
    return "bytes are not conserved";
  }
  for (unsigned n = 0; n < network.nodes().size(); ++n) {
    if (std::string found = CheckNode(n, network.nodes()[n]); !found.empty()) return found;
  }
  for (const ToyLink& link : network.links()) {
    for (unsigned d = 0; d < 2 && !link.lossy; ++d) {
      if (std::string found = CheckWay(network.nodes(), link, d); !found.empty()) return found;
    }
  }
  return "";
}

// A special queue that has not sent for so many steps.
inline std::string CheckNoQueueWaits(const ToyNetwork& network, std::uint64_t steps) {
  for (unsigned n = 0; n < network.nodes().size(); ++n) {
    const ToyNode& node = network.nodes()[n];
    for (unsigned i = 0; i < node.inputs.size(); ++i) {
      for (unsigned s = 0; s < node.inputs[i].special.size(); ++s) {
        if (!node.inputs[i].special[s].empty() && network.now() - node.inputs[i].sent_at[s] > steps) {
          return At(n, i, s) + "has not sent for " + std::to_string(steps) + " steps";
        }
      }
    }
  }
  return "";
}

// Queues with packets and the lines of a network, one a line of text: for the report of a failure.
inline std::string Describe(const ToyNetwork& network) {
  std::string text;
  const auto queue = [&](const std::string& name, const std::deque<ToyPacket>& packets) {
    if (packets.empty()) return;
    text += "    " + name + ":";
    for (const ToyPacket& p : packets)
      text += " " + std::to_string(p.src) + ">" + std::to_string(p.dst) + "." + std::to_string(p.bytes);
    text += "\n";
  };
  for (unsigned n = 0; n < network.nodes().size(); ++n) {
    const ToyNode& node = network.nodes()[n];
    const FlowIsolation& f = *node.isolation;
    text += (node.host ? "  host node " : "  switch node ") + std::to_string(n) + "\n";
    for (unsigned d = 0; d < node.generated.size(); ++d) queue("to inject", node.generated[d]);
    for (unsigned i = 0; i < node.inputs.size(); ++i) {
      const std::string input = "input " + std::to_string(i);
      for (const auto& normal : node.inputs[i].normal) queue(input + " normal", normal);
      for (unsigned s = 0; s < node.inputs[i].special.size(); ++s)
        queue(input + " special " + std::to_string(s), node.inputs[i].special[s]);
      for (unsigned k = 0; k < f.input_lines(); ++k) {
        const FlowIsolation::InputLine& line = f.input_line(i, k);
        if (!line.in_use()) continue;
        text += "    " + input + " line " + std::to_string(k) + ": state " + std::to_string(static_cast<unsigned>(line.state)) +
                ", output " + std::to_string(line.output) + ", next line " + std::to_string(line.next_line) + "\n";
      }
    }
    for (unsigned p = 0; p < node.ports; ++p) {
      for (unsigned y = 0; y < f.output_lines(); ++y) {
        if (!f.output_line(p, y).in_use()) continue;
        text += "    output " + std::to_string(p) + " line " + std::to_string(y) + ": state " +
                std::to_string(static_cast<unsigned>(f.output_line(p, y).state)) + ", to";
        for (const std::uint32_t d : f.output_destinations(p, y)) text += " " + std::to_string(d);
        text += "\n";
      }
    }
  }
  for (unsigned l = 0; l < network.links().size(); ++l) {
    const ToyLink& link = network.links()[l];
    text += "  link " + std::to_string(l) + ": node " + std::to_string(link.side[0].node) + " port " +
            std::to_string(link.side[0].port) + ", node " + std::to_string(link.side[1].node) + " port " +
            std::to_string(link.side[1].port) + (link.lossy ? ", lossy" : "") + (link.up ? "" : ", down") + "\n";
  }
  return text;
}

}  // namespace ccsim::testing

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// flow_isolation_messages.cpp: output lines: messages from the neighbour downstream, links that go down and come up.
#include <algorithm>
#include <cstddef>

#include "schemes/isolation/flow_isolation.hpp"

namespace ccsim {

bool FlowIsolation::Stopped(unsigned output, std::uint32_t destination) const {
  for (unsigned y = 0; y < lines_per_output_; ++y) {
    if (output_line(output, y).state == OutputLineState::Stop && Holds(output_destinations(output, y), destination)) return true;
  }
  return false;
}

// The first line of an output that holds one of the destinations, or -1.
int FlowIsolation::FindOutputLine(unsigned output, std::span<const std::uint32_t> destinations) const {
  if (of_port_[output].output_lines_in_use == 0) return -1;
  for (unsigned y = 0; y < lines_per_output_; ++y) {
    if (!output_line(output, y).in_use()) continue;
    for (const std::uint32_t d : destinations) {
      if (Holds(output_destinations(output, y), d)) return static_cast<int>(y);
    }
  }
  return -1;
}

bool FlowIsolation::Receive(unsigned port, const IsolationMessage& message) {
  switch (message.kind) {
    case MessageKind::Clear:
      // What this device has announced before is forgotten, or will be when Cleared arrives behind it.
      EndOutputLines(port);
      ForgetAnnouncements(port);
      Send(MessageKind::Cleared, port);
      return true;
    case MessageKind::Cleared: EndOutputLines(port); return true;
    case MessageKind::None: return false;
    default: break;
  }
  if (message.line >= lines_per_output_) {
    // The packets of that tree stay in normal queues here. The sender need not know: it announces nothing twice.
    if (message.kind == MessageKind::Allocate) ++refused_announcements_;
    return false;
  }
  OutputLine& line = output_lines_[OutputIndex(port, message.line)];
  const OutputLineStep& step = kOutputLineSteps[static_cast<unsigned>(line.state)][static_cast<unsigned>(message.kind)];
  switch (message.kind) {
    case MessageKind::Allocate:
      if (line.in_use()) EndOutputLine(port, message.line);
      line.state = step.next;
      ++of_port_[port].output_lines_in_use;
      ++total_output_lines_in_use_;
      SetOutputLine(port, message);
      return true;
    case MessageKind::Update:
      if (!line.in_use()) return false;
      SetOutputLine(port, message);
      return true;
    case MessageKind::Release:
      if (!line.in_use()) return false;
      EndOutputLine(port, message.line);
      return true;
    default: break;
  }
  if (line.state == step.next) return false;
  line.state = step.next;
  if (line.state == OutputLineState::Go) FreeLinked(port, message.line);
  return line.state == OutputLineState::Go;
}

void FlowIsolation::LinkUp(unsigned port) {
  const bool first = link_[port] == Link::Never;
  link_[port] = Link::Up;
  if (first) return;
  // Either side may have missed that the link was down, and each may hold lines of which the other knows nothing.
  EndOutputLines(port);
  ForgetAnnouncements(port);
  Send(MessageKind::Clear, port);
}

void FlowIsolation::LinkDown(unsigned port) {
  link_[port] = Link::Down;
  EndOutputLines(port);
  ForgetAnnouncements(port);
}

// The input port starts as if it had announced nothing; its lines are announced again when their queues rise.
void FlowIsolation::ForgetAnnouncements(unsigned input) {
  if (input >= inputs_) return;  // a host without buffers announces nothing
  for (unsigned line = 0; line < lines_per_input_; ++line) {
    if (lines_[LineIndex(input, line)].in_use()) Step(input, line, InputLineEvent::Forget);
  }
}

// Takes destinations, hops and root from an Allocate or Update.
void FlowIsolation::SetOutputLine(unsigned output, const IsolationMessage& message) {
  const std::size_t i = OutputIndex(output, message.line);
  OutputLine& line = output_lines_[i];
  const unsigned held = std::min<unsigned>(message.num_destinations, list_size_);
  line.num_destinations = static_cast<std::uint8_t>(held);
  line.hops = message.hops;
  line.congestion_root = message.root;
  std::copy_n(message.destinations.begin(), held, &output_lists_[i * list_size_]);
  LinkLines(output, message.line);
}

// A special line taken before its tree was announced from downstream belongs to that tree from now on, and one that belongs to it
// takes over its hops and root.
void FlowIsolation::LinkLines(unsigned output, unsigned line) {
  const OutputLine& next = output_line(output, line);
  for (unsigned input = 0; input < inputs_; ++input) {
    for (unsigned s = 0; s < special_ && of_port_[input].special_in_use > 0; ++s) {
      const InputLine& l = lines_[LineIndex(input, s)];
      if (!l.in_use() || l.output != output) continue;
      const bool stale =
          l.next_line == static_cast<int>(line) && (l.congestion_root != next.congestion_root || l.hops != next.hops + 1);
      const bool joins = l.root() && FindOutputLine(output, input_destinations(input, s)) == static_cast<int>(line);
      if (stale || joins) LinkTo(input, s, static_cast<int>(line));
    }
  }
}

void FlowIsolation::LinkTo(unsigned input, unsigned special, int next_line) {
  InputLine& line = lines_[LineIndex(input, special)];
  const OutputLine& next = output_line(line.output, static_cast<unsigned>(next_line));
  SetAbove(line, false);
  line.next_line = static_cast<std::int16_t>(next_line);
  line.hops = static_cast<std::uint8_t>(next.hops + 1);
  line.congestion_root = next.congestion_root;
  Step(input, special, InputLineEvent::Change);
}

// Releases what has waited for a Go alone.
void FlowIsolation::FreeLinked(unsigned output, unsigned line) {
  for (unsigned input = 0; input < inputs_; ++input) {
    for (unsigned s = 0; s < special_ && of_port_[input].special_in_use > 0; ++s) {
      const InputLine& l = lines_[LineIndex(input, s)];
      if (l.in_use() && l.output == output && l.next_line == static_cast<int>(line)) FreeIfDone(input, s);
    }
  }
}

// The tree beyond this output is gone: the release travels from the root to the leaves. A special queue that belonged to it may send
// without condition now. It is released when it is empty; if it rises instead, this output holds it up, and the tree begins here.
void FlowIsolation::Unlink(unsigned input, unsigned special) {
  InputLine& line = lines_[LineIndex(input, special)];
  line.next_line = -1;
  FreeIfDone(input, special);
  if (!line.in_use()) return;
  // Another line of the output may hold destinations of this one.
  if (const int next = FindOutputLine(line.output, input_destinations(input, special)); next >= 0) {
    LinkTo(input, special, next);
    return;
  }
  line.hops = 1;
  line.congestion_root = {device_, line.output};
  Step(input, special, InputLineEvent::Change);
}

void FlowIsolation::EndOutputLine(unsigned output, unsigned line) {
  output_lines_[OutputIndex(output, line)] = {};
  --of_port_[output].output_lines_in_use;
  --total_output_lines_in_use_;
  for (unsigned input = 0; input < inputs_; ++input) {
    for (unsigned s = 0; s < special_ && of_port_[input].special_in_use > 0; ++s) {
      const InputLine& l = lines_[LineIndex(input, s)];
      if (l.in_use() && l.output == output && l.next_line == static_cast<int>(line)) Unlink(input, s);
    }
  }
}

// All lines first, so that no special line goes from one that ends to the next.
void FlowIsolation::EndOutputLines(unsigned output) {
  if (of_port_[output].output_lines_in_use == 0) return;
  std::fill_n(&output_lines_[OutputIndex(output, 0)], lines_per_output_, OutputLine{});
  total_output_lines_in_use_ -= of_port_[output].output_lines_in_use;
  of_port_[output].output_lines_in_use = 0;
  for (unsigned input = 0; input < inputs_; ++input) {
    for (unsigned s = 0; s < special_ && of_port_[input].special_in_use > 0; ++s) {
      const InputLine& l = lines_[LineIndex(input, s)];
      if (l.in_use() && l.output == output && !l.root()) Unlink(input, s);
    }
  }
}

void FlowIsolation::Send(MessageKind kind, unsigned port) {
  IsolationMessage& message = outbox_.emplace_back();
  message.kind = kind;
  message.port = static_cast<std::uint16_t>(port);
}

}  // namespace ccsim

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// flow_isolation.cpp: input lines: detection, post-processing, thresholds, release. flow_isolation_messages.cpp has output lines.
#include "schemes/isolation/flow_isolation.hpp"

#include <cassert>
#include <cstddef>
#include <stdexcept>

namespace ccsim {
namespace {

bool PerOutput(const IsolationParameters& parameters, const FlowIsolation::Shape& shape) {
  Check(parameters);
  if (shape.ports == 0) throw std::invalid_argument("ports is 0; a device with flow isolation must have at least 1");
  if (shape.packet_bytes == 0) throw std::invalid_argument("packet_bytes is 0; a packet of the MTU must have at least 1");
  return parameters.normal_queues == NormalQueues::PerOutput;
}

}  // namespace

FlowIsolation::FlowIsolation(const IsolationParameters& p, const Shape& shape)
    : per_output_(PerOutput(p, shape)),
      announces_(shape.inputs == Inputs::Links),
      stop_at_first_crossing_(p.stop_at_first_crossing),
      detection_bytes_(std::uint64_t{p.detection_packets} * shape.packet_bytes),
      of_port_(shape.ports),
      device_(shape.device),
      ports_(shape.ports),
      inputs_(shape.inputs == Inputs::None ? 0 : shape.ports),
      special_(p.special_queues),
      normal_(per_output_ ? ports_ : 1),
      lines_per_input_(special_ + (per_output_ ? ports_ : 0)),
      lines_per_output_(shape.output_lines != 0 ? shape.output_lines : lines_per_input_),
      list_size_(p.line_destinations),
      propagation_bytes_(std::uint64_t{p.propagation_packets} * shape.packet_bytes),
      stop_bytes_(std::uint64_t{p.stop_packets} * shape.packet_bytes),
      go_bytes_(std::uint64_t{p.go_packets} * shape.packet_bytes),
      high_bytes_(std::uint64_t{p.high_packets} * shape.packet_bytes),
      low_bytes_(std::uint64_t{p.low_packets} * shape.packet_bytes),
      life_time_(FromNs(p.life_time_ns)),
      lines_(std::size_t{inputs_} * lines_per_input_),
      output_lines_(std::size_t{ports_} * lines_per_output_),
      input_lists_(std::make_unique_for_overwrite<std::uint32_t[]>(lines_.size() * list_size_)),
      output_lists_(std::make_unique_for_overwrite<std::uint32_t[]>(output_lines_.size() * list_size_)),
      normal_queues_(per_output_ ? std::size_t{inputs_} * normal_ : 0),
      special_bytes_(std::size_t{inputs_} * special_),
      link_(ports_, Link::Never) {
  // A message that ends output lines can release each special line of the device, or change it: at most one message each, besides a
  // Cleared. A packet causes at most an Allocate and a Stop of its line, and a Release and an Update.
  outbox_.reserve(std::size_t{2} * inputs_ * special_ + 8);
}

// ---- what a packet does ----

int FlowIsolation::Match(unsigned input, std::uint32_t destination, unsigned output) {
  const bool detect = of_port_[input].detect;
  of_port_[input].detect = false;
  if (const int own = FindSpecial(input, destination); own >= 0) return own;
  const int next = FindOutputLine(output, {&destination, 1});
  if (next < 0) return detect ? TakeSpecial(input, destination, output, -1) : kNormal;
  // The tree already has a queue here if another destination of its line has come by.
  for (unsigned s = 0; s < special_ && of_port_[input].special_in_use > 0; ++s) {
    const InputLine& line = lines_[LineIndex(input, s)];
    if (line.in_use() && line.output == output && line.next_line == next && Add(input, s, destination))
      return static_cast<int>(s);
  }
  return TakeSpecial(input, destination, output, next);
}

int FlowIsolation::FindSpecial(unsigned input, std::uint32_t destination) const {
  if (of_port_[input].special_in_use == 0) return kNormal;
  for (unsigned s = 0; s < special_; ++s) {
    if (lines_[LineIndex(input, s)].in_use() && Holds(input_destinations(input, s), destination)) return static_cast<int>(s);
  }
  return kNormal;
}

// A new line for the packet, or kNormal if all special queues are in use: the packet then stays where it is, as in all four schemes.
int FlowIsolation::TakeSpecial(unsigned input, std::uint32_t destination, unsigned output, int next_line) {
  for (unsigned s = 0; s < special_; ++s) {
    if (lines_[LineIndex(input, s)].in_use()) continue;
    Take(input, s, output, destination);
    if (++of_port_[input].special_in_use == special_) ++ports_without_free_queue_;
    if (next_line >= 0) LinkTo(input, s, next_line);
    return static_cast<int>(s);
  }
  ++times_without_queue_;
  return kNormal;
}

void FlowIsolation::Moved(Time now, unsigned input, unsigned output, unsigned special, std::uint32_t bytes) {
  assert(input_line(input, special).in_use() && input_line(input, special).output == output);
  // First into the special queue: in between, the line would be seen empty.
  const std::uint64_t fill = special_bytes_[input * special_ + special] += bytes;
  Rose(input, special, fill);
  LeftNormal(now, input, output, bytes);
}

void FlowIsolation::LeftSpecial(unsigned input, unsigned special, std::uint32_t bytes) {
  std::uint64_t& fill = special_bytes_[input * special_ + special];
  assert(fill >= bytes);
  fill -= bytes;
  Fell(input, special, fill);
  FreeIfDone(input, special);
}

// A CPQ has a line of its own number, as all its packets cross one root: detection needs no special queue (Paper VI, section 3.1.2).
void FlowIsolation::NormalRose(unsigned input, unsigned output, std::uint32_t destination) {
  const unsigned line = special_ + output;
  NormalQueue& queue = normal_queues_[input * normal_ + output];
  const std::uint64_t fill = queue.bytes;
  if (!queue.line_in_use && fill <= detection_bytes_) return;
  // Destinations in a special line are those of a tree that begins further on; they only pass this queue on their way into theirs.
  const bool crosses = FindSpecial(input, destination) == kNormal;
  if (queue.line_in_use) {
    if (crosses) Add(input, line, destination);
  } else if (crosses) {
    Take(input, line, output, destination);
    queue.line_in_use = true;
  } else {
    return;
  }
  Rose(input, line, fill);
}

void FlowIsolation::NormalFell(Time now, unsigned input, unsigned output) {
  const unsigned line = special_ + output;
  NormalQueue& queue = normal_queues_[input * normal_ + output];
  if (!queue.line_in_use) return;
  const std::uint64_t fill = queue.bytes;
  InputLine& root = lines_[LineIndex(input, line)];
  Fell(input, line, fill);
  if (fill >= low_bytes_) {
    root.below_since = kNever;
  } else if (root.below_since == kNever) {
    root.below_since = now;
  }
  // No packet waits in a queue of this line, so that it can end at any time; and a CPQ with traffic may never be seen empty.
  const bool aged = root.below_since != kNever && now - root.below_since >= life_time_ && root.state != InputLineState::Stopped;
  if (fill != 0 && !aged) return;
  Free(input, line);
  queue.line_in_use = false;
}

// ---- what a line does ----

void FlowIsolation::Step(unsigned input, unsigned line, InputLineEvent event) {
  InputLine& l = lines_[LineIndex(input, line)];
  const InputLineStep& step = kInputLineSteps[static_cast<unsigned>(l.state)][static_cast<unsigned>(event)];
  assert(step.possible);
  l.state = step.next;
  if (step.message == MessageKind::None) return;
  Send(step.message, input);
  IsolationMessage& message = outbox_.back();
  message.line = static_cast<std::uint16_t>(line);
  if (step.message != MessageKind::Allocate && step.message != MessageKind::Update) return;
  const std::span<const std::uint32_t> list = input_destinations(input, line);
  message.hops = l.hops;
  message.root = l.congestion_root;
  message.num_destinations = l.num_destinations;
  std::copy(list.begin(), list.end(), message.destinations.begin());
}

// A line whose tree begins here, until LinkTo says otherwise.
void FlowIsolation::Take(unsigned input, unsigned line, unsigned output, std::uint32_t destination) {
  const std::size_t i = LineIndex(input, line);
  const auto port = static_cast<std::uint16_t>(output);
  lines_[i] = {.state = lines_[i].state, .hops = 1, .num_destinations = 1, .output = port, .congestion_root = {device_, port}};
  input_lists_[i * list_size_] = destination;
  ++input_lines_in_use_;
  Step(input, line, InputLineEvent::Take);
}

// True if the line holds the destination now.
bool FlowIsolation::Add(unsigned input, unsigned line, std::uint32_t destination) {
  const std::size_t i = LineIndex(input, line);
  if (Holds(input_destinations(input, line), destination)) return true;
  if (lines_[i].num_destinations == list_size_) return false;
  input_lists_[i * list_size_ + lines_[i].num_destinations++] = destination;
  Step(input, line, InputLineEvent::Change);
  return true;
}

void FlowIsolation::Rose(unsigned input, unsigned line, std::uint64_t fill) {
  InputLine& l = lines_[LineIndex(input, line)];
  // The one-hop rule: only a queue whose packets cross the root next brings it into the congestion state (Paper V, section III.C).
  if (l.root() && fill > high_bytes_) SetAbove(l, true);
  if (!announces_ || link_[input] != Link::Up) return;
  const bool announce = l.state == InputLineState::Quiet && fill > propagation_bytes_;
  if (announce) Step(input, line, InputLineEvent::ReachAllocate);
  // Where one threshold does both, the second crossing stops (Paper VI, section 3.1.2). Each packet that enters above the threshold is
  // a crossing: a queue that never falls below it in between would otherwise never stop its neighbour, and fill the buffer.
  if (l.state == InputLineState::Announced && fill > stop_bytes_ && (stop_at_first_crossing_ || !announce)) {
    Step(input, line, InputLineEvent::ReachStop);
  }
}

void FlowIsolation::Fell(unsigned input, unsigned line, std::uint64_t fill) {
  InputLine& l = lines_[LineIndex(input, line)];
  if (fill < low_bytes_) SetAbove(l, false);
  if (fill < go_bytes_ && l.state == InputLineState::Stopped) Step(input, line, InputLineEvent::FallToGo);
}

void FlowIsolation::SetAbove(InputLine& line, bool above) {
  if (line.above == above) return;
  line.above = above;
  of_port_[line.output].above_high = static_cast<std::uint16_t>(of_port_[line.output].above_high + (above ? 1 : -1));
}

void FlowIsolation::Free(unsigned input, unsigned line) {
  InputLine& l = lines_[LineIndex(input, line)];
  assert(!l.above);  // its queue is below Low
  Step(input, line, InputLineEvent::Empty);
  --input_lines_in_use_;
  l = {};
  if (line < special_ && of_port_[input].special_in_use-- == special_) --ports_without_free_queue_;
}

// A special line is released when its queue is empty and the line downstream lets it send (Paper V, section III.C). A stopped one
// stays: the next packet of the tree would take it again at once.
void FlowIsolation::FreeIfDone(unsigned input, unsigned special) {
  const InputLine& line = lines_[LineIndex(input, special)];
  if (line.in_use() && special_bytes_[input * special_ + special] == 0 && !HeldBack(line)) Free(input, special);
}

}  // namespace ccsim

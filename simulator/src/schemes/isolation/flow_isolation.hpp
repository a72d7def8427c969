// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// flow_isolation.hpp: the CAM lines of one device, and what they decide: FBICM, CCFIT (thesis, Paper V), HFDI, EcoCC (Paper VI).
//
// The caller has the packets, the queues, the links and the arbiter. It asks at the head of a normal queue whether the packet there
// belongs into a special queue (QueueFor) and moves it (Moved); asks whether a special queue may send (MaySend); reports what enters
// and leaves queues; carries messages() to the neighbours; and passes messages that arrive to Receive. cam_line.hpp has the states of a
// line, and docs/research/flow-isolation.md the protocol.
//
// No packet overtakes another of its flow (source, destination), given that routes do not change while it is under way:
//  1. A destination has one output, so a flow's packets enter one normal queue of an input port, in order.
//  2. They leave it at its head alone, in order: by the output, or into a special queue.
//  3. An input port has at most one special line that holds a destination. While the flow has packets in a special queue, its line holds
//     the destination, as lines in use forget none; so later packets follow into the same queue, and none passes it by.
//  4. A special line is released only when its queue is empty. Then the flow has packets in the normal queue alone.
// So at any time a flow's packets at an input port are some in one special queue, which are the first, and the rest in one normal
// queue. What happens to output lines, links and neighbours changes whether a queue may send, never where a packet waits.
//
// Nothing allocates after construction if messages() is emptied after each call. A call costs O(lines of a port) per packet, and
// O(special queues of the device) per message received.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "schemes/isolation/cam_line.hpp"
#include "schemes/isolation/isolation_parameters.hpp"
#include "units.hpp"

namespace ccsim {

class alignas(64) FlowIsolation {
 public:
  static constexpr int kNormal = -1;  // the queue of a packet that no line holds

  enum class Inputs : std::uint8_t {
    Links,      // a switch: input i is the other direction of output i, and its lines are announced to the neighbour there
    Injection,  // a host with queues between its traffic and its link: as many inputs as outputs, whose lines are announced to nobody
    None,       // a host that injects straight from its queues by destination: it has output lines alone
  };
  struct Shape {
    std::uint32_t device = 0;        // in the CongestionRoot of trees that begin here
    std::uint16_t ports = 0;         // outputs, numbered from 0
    std::uint32_t packet_bytes = 0;  // a packet of the MTU: the unit of thresholds
    Inputs inputs = Inputs::Links;
    std::uint16_t output_lines = 0;  // of an output port; 0: as many as an input port of a switch with so many ports has
  };

  // Thresholds by a queue's fill level in bytes. Throws std::invalid_argument as Check does, or if the shape has no port or no bytes.
  FlowIsolation(const IsolationParameters& parameters, const Shape& shape);

  // ---- packets ----

  // The queue of the packet at the head of a normal queue of `input` that waits for `output`: kNormal, or the special queue into which
  // the caller must move it, and report Moved, before it calls anything else. Asked after each Entered, for a head that is not being
  // sent: that is where FBICM and CCFIT detect congestion.
  int QueueFor(unsigned input, std::uint32_t destination, unsigned output) {
    const OfPort& in = of_port_[input];
    if (in.special_in_use == 0 && of_port_[output].output_lines_in_use == 0 && !in.detect) return kNormal;
    return Match(input, destination, output);
  }
  // True if QueueFor has kNormal for whatever packet of `input`.
  bool all_normal(unsigned input) const {
    const OfPort& in = of_port_[input];
    return total_output_lines_in_use_ == 0 && in.special_in_use == 0 && !in.detect;
  }
  // The same for those to `output` alone, where each output has a normal queue: that never detects at its head.
  bool all_normal(unsigned input, unsigned output) const {
    return of_port_[input].special_in_use == 0 && of_port_[output].output_lines_in_use == 0;
  }
  // Fetches what a packet that enters touches; `input` may be too large.
  [[gnu::always_inline]] void Prefetch(unsigned input, unsigned output) const {
    if (per_output_) __builtin_prefetch(normal_queues_.data() + input * normal_ + output);
    __builtin_prefetch(of_port_.data() + input);
    __builtin_prefetch(of_port_.data() + output);
  }
  bool uses_special(unsigned input) const { return of_port_[input].special_in_use > 0; }
  // False while the neighbour downstream has stopped the line of a special queue.
  bool MaySend(unsigned input, unsigned special) const { return !HeldBack(lines_[LineIndex(input, special)]); }
  // False if the neighbour downstream has stopped a line that holds the destination. Only hosts ask before they inject: a packet in a
  // normal queue, for which there is no special queue, obeys credits alone.
  bool MayInject(unsigned output, std::uint32_t destination) const {
    return total_output_lines_in_use_ == 0 || of_port_[output].output_lines_in_use == 0 || !Stopped(output, destination);
  }

  // A packet has entered its normal queue, has gone from there into a special queue, or has left by `output`.
  void Entered(unsigned input, unsigned output, std::uint32_t destination, std::uint32_t bytes) {
    NormalQueue& queue = Normal(input, output);
    queue.bytes += bytes;
    if (queue.bytes <= detection_bytes_ && !queue.line_in_use) return;
    if (per_output_) {
      NormalRose(input, output, destination);
    } else {
      of_port_[input].detect = true;
    }
  }
  void Moved(Time now, unsigned input, unsigned output, unsigned special, std::uint32_t bytes);
  void LeftNormal(Time now, unsigned input, unsigned output, std::uint32_t bytes) {
    NormalQueue& queue = Normal(input, output);
    assert(queue.bytes >= bytes);
    queue.bytes -= bytes;
    if (per_output_) {
      if (queue.line_in_use) NormalFell(now, input, output);
    } else if (queue.bytes <= detection_bytes_) {
      of_port_[input].detect = false;
    }
  }
  void LeftSpecial(unsigned input, unsigned special, std::uint32_t bytes);

  // True while a queue at the root holds the output in the congestion state: then its packets may be marked (CCFIT and EcoCC).
  bool Congested(unsigned output) const { return of_port_[output].above_high > 0; }

  // ---- neighbours ----

  // What to send, in order, each by its port. The caller calls Sent after each call that changes anything.
  std::span<const IsolationMessage> messages() const { return outbox_; }
  void Sent() { outbox_.clear(); }
  // A message has arrived by `port`. True if heads of queues for that output must be looked at again: one may send, or belongs into
  // a special queue.
  bool Receive(unsigned port, const IsolationMessage& message);
  // Ports start without a link. The first LinkUp of a port sends nothing; each later one sends Clear. A device that comes back calls
  // both for each port, and reports packets that it has lost as if they had left.
  void LinkUp(unsigned port);
  void LinkDown(unsigned port);

  // ---- lines and counts ----

  struct InputLine {
    InputLineState state = InputLineState::Free;
    bool above = false;  // counts for the congestion state of `output`
    std::uint8_t hops = 0;
    std::uint8_t num_destinations = 0;
    std::uint16_t output = 0;
    std::int16_t next_line = -1;  // of `output`: the tree goes on there; -1: it begins at `output`
    CongestionRoot congestion_root;
    Time below_since = kNever;  // of a CPQ's line: when the CPQ fell below low_packets
    bool in_use() const { return state != InputLineState::Free; }
    bool root() const { return next_line < 0; }
  };
  struct OutputLine {
    OutputLineState state = OutputLineState::Free;
    std::uint8_t hops = 0;
    std::uint8_t num_destinations = 0;
    CongestionRoot congestion_root;
    bool in_use() const { return state != OutputLineState::Free; }
  };

  unsigned ports() const { return ports_; }
  unsigned inputs() const { return inputs_; }
  unsigned special_queues() const { return special_; }
  unsigned input_lines() const { return lines_per_input_; }
  unsigned output_lines() const { return lines_per_output_; }
  unsigned normal_queues() const { return normal_; }
  const InputLine& input_line(unsigned input, unsigned line) const { return lines_[LineIndex(input, line)]; }
  const OutputLine& output_line(unsigned output, unsigned line) const { return output_lines_[OutputIndex(output, line)]; }
  std::span<const std::uint32_t> input_destinations(unsigned input, unsigned line) const {
    const std::size_t i = LineIndex(input, line);
    return {&input_lists_[i * list_size_], lines_[i].num_destinations};
  }
  std::span<const std::uint32_t> output_destinations(unsigned output, unsigned line) const {
    const std::size_t i = OutputIndex(output, line);
    return {&output_lists_[i * list_size_], output_lines_[i].num_destinations};
  }
  std::uint64_t normal_bytes(unsigned input, unsigned queue) const {
    return per_output_ ? normal_queues_[input * normal_ + queue].bytes : of_port_[input].normal.bytes;
  }
  std::uint64_t special_bytes(unsigned input, unsigned special) const { return special_bytes_[input * special_ + special]; }
  std::uint64_t input_lines_in_use() const { return input_lines_in_use_; }
  std::uint64_t output_lines_in_use() const { return total_output_lines_in_use_; }
  // Input ports that have no free special queue now, and how often QueueFor has found none free.
  unsigned ports_without_free_queue() const { return ports_without_free_queue_; }
  std::uint64_t times_without_queue() const { return times_without_queue_; }
  // Announcements for which an output port has no line of that number.
  std::uint64_t refused_announcements() const { return refused_announcements_; }

 private:
  struct NormalQueue {
    std::uint32_t bytes = 0;
    bool line_in_use = false;  // its own, of a CPQ
  };
  // Holds together what every packet asks of a port, in both directions.
  struct OfPort {
    std::uint8_t special_in_use = 0;        // of the input
    bool detect = false;                    // of the input: a packet has entered an NFQ that exceeds the detection threshold
    std::uint16_t output_lines_in_use = 0;  // of the output; so is the next
    std::uint16_t above_high = 0;           // queues at this root that hold it in the congestion state
    NormalQueue normal;                     // of the input, if it has one alone
  };

  NormalQueue& Normal(unsigned input, unsigned output) {
    return per_output_ ? normal_queues_[input * normal_ + output] : of_port_[input].normal;
  }
  std::size_t LineIndex(unsigned input, unsigned line) const { return std::size_t{input} * lines_per_input_ + line; }
  std::size_t OutputIndex(unsigned output, unsigned line) const { return std::size_t{output} * lines_per_output_ + line; }
  bool HeldBack(const InputLine& line) const {
    return line.next_line >= 0 &&
           output_lines_[OutputIndex(line.output, static_cast<unsigned>(line.next_line))].state == OutputLineState::Stop;
  }
  bool Stopped(unsigned output, std::uint32_t destination) const;

  int Match(unsigned input, std::uint32_t destination, unsigned output);
  int FindSpecial(unsigned input, std::uint32_t destination) const;
  int FindOutputLine(unsigned output, std::span<const std::uint32_t> destinations) const;
  int TakeSpecial(unsigned input, std::uint32_t destination, unsigned output, int next_line);
  bool Add(unsigned input, unsigned line, std::uint32_t destination);
  void NormalRose(unsigned input, unsigned output, std::uint32_t destination);
  void NormalFell(Time now, unsigned input, unsigned output);
  void Rose(unsigned input, unsigned line, std::uint64_t fill);
  void Fell(unsigned input, unsigned line, std::uint64_t fill);
  void SetAbove(InputLine& line, bool above);
  void Step(unsigned input, unsigned line, InputLineEvent event);
  void Take(unsigned input, unsigned line, unsigned output, std::uint32_t destination);
  void Free(unsigned input, unsigned line);
  void FreeIfDone(unsigned input, unsigned special);

  void LinkTo(unsigned input, unsigned special, int next_line);
  void Unlink(unsigned input, unsigned special);
  void LinkLines(unsigned output, unsigned line);
  void FreeLinked(unsigned output, unsigned line);
  void SetOutputLine(unsigned output, const IsolationMessage& message);
  void EndOutputLine(unsigned output, unsigned line);
  void EndOutputLines(unsigned output);
  void ForgetAnnouncements(unsigned input);
  void Send(MessageKind kind, unsigned port);

  // One cache line has all that a packet asks of a device before any congestion.
  const bool per_output_, announces_, stop_at_first_crossing_;
  std::uint32_t total_output_lines_in_use_ = 0;
  const std::uint64_t detection_bytes_;
  std::vector<OfPort> of_port_;
  std::vector<IsolationMessage> outbox_;

  const std::uint32_t device_;
  const unsigned ports_, inputs_, special_, normal_, lines_per_input_, lines_per_output_, list_size_;
  const std::uint64_t propagation_bytes_, stop_bytes_, go_bytes_, high_bytes_, low_bytes_;
  const Time life_time_;

  std::vector<InputLine> lines_;  // by input: those of special queues, then those of CPQs, by output
  std::vector<OutputLine> output_lines_;
  // Destinations of each line, list_size_ each. Not initialised: pages of lines that nobody uses take no memory.
  std::unique_ptr<std::uint32_t[]> input_lists_, output_lists_;
  std::vector<NormalQueue> normal_queues_;  // of CPQs, by input and output
  std::vector<std::uint64_t> special_bytes_;
  enum class Link : std::uint8_t { Never, Up, Down };
  std::vector<Link> link_;  // by port

  std::uint64_t input_lines_in_use_ = 0, times_without_queue_ = 0, refused_announcements_ = 0;
  unsigned ports_without_free_queue_ = 0;
};

}  // namespace ccsim

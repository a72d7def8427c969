// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// flow.hpp: a flow of a workload: a stream of messages from an endport.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "units.hpp"

namespace ccsim {

// The destinations of a flow that has several. Flows with the same destinations share one object.
struct Destinations {
  enum class Order : std::uint8_t {
    Uniform,  // drawn for each message, each endport equally likely
    Cyclic,   // one after the other, starting after the source's place in the list
    Moving,   // all messages to one endport; after each `period` to the next
  };
  Order order = Order::Uniform;
  std::vector<std::uint32_t> endports;  // the source itself is skipped
  Time period = 0;                      // of Moving: endports[(now - start) / period mod their number]
};

// Generates the messages of flows of one host that share it. Each message belongs to one of them, with a chance in proportion to
// their rates.
struct Generator {
  enum class Kind : std::uint8_t {
    // Each flow has its own budget, and what holds back one never holds back another. The draw decides only whose message begins
    // next where several may begin one (thesis, Paper IV, Frame I).
    Independent,
    // Their budget is one. The generator draws message after message, and waits as long as the queue of the destination drawn is full.
    Strict,
  };
  Kind kind = Kind::Independent;
  std::uint32_t queue_messages = 1;  // used by Strict alone: a destination's queue holds so many
};

// A message of a flow that replays a trace.
struct TracedMessage {
  Time time;  // when it is given to the adapter, counted from the start of the run; ascending
  std::uint32_t bytes;
};

struct Flow {
  std::uint32_t src = 0;  // endport indices
  std::uint32_t dst = 0;  // not used with `destinations`
  std::shared_ptr<const Destinations> destinations;
  Time start = 0;
  Time stop = kNever;
  std::uint32_t message_bytes = 65536;
  std::uint32_t queue_pairs = 1;  // with `destinations`: 1, which means one to each of them
  std::uint8_t sl = 0;
  // Offered payload rate of all its queue pairs together; 0: as much as possible. The rate is a budget: until time t, a flow has
  // offered rate * (t - start) at most, and what it could not send in time it sends later.
  double rate_gbps = 0;

  // On-off: messages begin only while the flow is on, and it starts on. The lengths are fixed, or drawn from exponential distributions
  // with these means. 0: always on. The budget of a rate does not grow while the flow is off.
  Time on = 0;
  Time off = 0;
  bool random_bursts = false;

  // Closed loop: each message of a closed flow uses up a permit, of which the flow has `window` at the start. Each delivered message of
  // any flow gives one permit to each flow in its `grants`, `think` later. With `needs` above 1, that many are one permit: who waits
  // for several others begins when the last of them has come.
  bool closed = false;
  std::uint32_t window = 0;
  std::uint16_t needs = 1;
  std::vector<std::uint32_t> grants;  // indices of flows
  Time think = 0;

  // Flows that share a generator have the same source, SL, start and stop. Each has a rate, and no bursts, closed loop or trace.
  std::shared_ptr<const Generator> generator;

  // Exactly these messages instead of an endless stream; message_bytes and rate_gbps are not used.
  std::shared_ptr<const std::vector<TracedMessage>> messages;
};

// Refuses a workload for one of its flows, whose sentence counts them from 1.
[[noreturn]] inline void RefuseFlow(std::size_t flow, const std::string& sentence) {
  throw std::invalid_argument("flow " + std::to_string(flow + 1) + ": " + sentence);
}

}  // namespace ccsim

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// flow.hpp: one stream of messages from an endport, as a workload states it.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "units.hpp"

namespace ccsim {

// Where the messages of a flow go that has no single destination. Shared by all flows that draw from the same hosts.
struct Destinations {
  enum class Order : std::uint8_t {
    Uniform,  // drawn anew for each message, each endport equally likely
    Cyclic,   // one after the other, beginning behind the source's own place
    Moving,   // all to the same one, until the next takes its place after `period`
  };
  Order order = Order::Uniform;
  std::vector<std::uint32_t> endports;  // the source itself is passed over
  Time period = 0;                      // of Moving: endports[(now - start) / period mod their number]
};

// A message of a flow that sends what a trace says.
struct TracedMessage {
  Time time;  // when it is handed to the adapter, from the start of the run; ascending
  std::uint32_t bytes;
};

struct Flow {
  std::uint32_t src = 0;  // endport indices
  std::uint32_t dst = 0;  // meaningless with `destinations`
  std::shared_ptr<const Destinations> destinations;
  Time start = 0;
  Time stop = kNever;
  std::uint32_t message_bytes = 65536;
  std::uint32_t queue_pairs = 1;  // with `destinations`: 1, which stands for one to each of them
  std::uint8_t sl = 0;
  // Offered payload rate, over all its queue pairs; 0: all it can get. A budget: by any time t, a flow has offered rate * (t -
  // start) at most, and what it could not send in time it sends later.
  double rate_gbps = 0;

  // On-off: messages are begun only while it is on; it starts on. Lengths are fixed, or drawn from exponential distributions of
  // these means. 0: always on. What a budget gains while it is off is lost.
  Time on = 0;
  Time off = 0;
  bool random_bursts = false;

  // Closed loop: a closed flow begins a message only against a permit, of which it has `window` at the start. Each message of any
  // flow that has been delivered gives one permit to each flow in its `grants`, `think` later.
  bool closed = false;
  std::uint32_t window = 0;
  std::vector<std::uint32_t> grants;  // indices of flows
  Time think = 0;

  // Exactly these messages instead of an endless stream; message_bytes and rate_gbps are not used.
  std::shared_ptr<const std::vector<TracedMessage>> messages;
};

}  // namespace ccsim

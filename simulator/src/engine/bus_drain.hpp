// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// bus_drain.hpp: the policy `HostSink` of an adapter whose receive buffer drains through the host's bus, packet after packet.
#pragma once

#include <algorithm>

#include "engine/state.hpp"

namespace ccsim {

struct BusDrain {
  static constexpr bool kQueues = false;

  // The time at which a data packet whose tail comes at `tail_there` has left the receive buffer. Packets come in order.
  static Time Delivered(HostState& host, const Packet& k, Time tail_there) {
    if (host.receive_byte_time == 0) return tail_there;
    host.receive_free = std::max(host.receive_free, tail_there) + TimeFor(k.payload_bytes(), host.receive_byte_time);
    return host.receive_free;
  }
};

}  // namespace ccsim

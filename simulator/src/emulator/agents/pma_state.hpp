// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// pma_state.hpp: what a node's performance management agent counts. The data plane and the MADs' own way add; a Set clears.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace ccsim::emulator {

inline constexpr unsigned kNumVlCounters = 16;

// Since the last Set; wide here, cut and pegged where an attribute is written.
struct PmaPort {
  std::uint64_t xmit_bytes = 0;
  std::uint64_t rcv_bytes = 0;
  std::uint64_t xmit_packets = 0;
  std::uint64_t rcv_packets = 0;
  std::uint64_t xmit_wait_ns = 0;
  std::uint64_t xmit_discards = 0;
  std::uint64_t rcv_switch_relay_errors = 0;
};

struct PmaNode {
  std::vector<PmaPort> ports;  // num_ports + 1
};

}  // namespace ccsim::emulator

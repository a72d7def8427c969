// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// sma_state.hpp: what a node's subnet management agent holds.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace ccsim::emulator {

enum class PortState : std::uint8_t { Down = 1, Init = 2, Armed = 3, Active = 4 };

struct SmaPort {
  PortState state = PortState::Down;
  std::uint16_t lid = 0;  // of a switch only port 0 has one
  std::uint8_t lmc = 0;
  std::uint16_t sm_lid = 0;
  std::uint8_t sm_sl = 0;
};

struct SmaNode {
  std::vector<SmaPort> ports;            // num_ports + 1; element 0 is a switch's management port
  std::vector<std::uint8_t> forwarding;  // LinearForwardingTable of a switch: by LID, 0xFF none
};

}  // namespace ccsim::emulator

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// grid.hpp: finds the torus, mesh or hypercube in a fabric, from the coordinates of its switches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "switch_graph.hpp"

namespace ccsim {

struct Dimension {
  std::uint16_t size = 0;  // coordinates are 0 to size - 1
  bool wrapped = false;    // a link joins the first and the last of some row; never with a size below 3
};

struct Grid {
  std::vector<Dimension> dimensions;
  // Ports that lead to a neighbour, by switch, dimension and direction (0: to the lower neighbour, 1: to the higher one).
  std::vector<std::vector<std::uint8_t>> ports;
  std::vector<std::vector<std::uint8_t>> dimension_of;  // by switch and port: whose link it is; kNoDimension for other ports

  static constexpr std::uint8_t kNoDimension = UINT8_MAX;
  const std::vector<std::uint8_t>& PortsTo(std::uint32_t s, std::size_t dimension, bool higher) const {
    return ports[(s * dimensions.size() + dimension) * 2 + (higher ? 1 : 0)];
  }
};

// Switches without links need no coordinates. Throws std::invalid_argument with the reason if the coordinates are missing or do not
// fit together, or if a link joins switches that are not neighbours.
Grid FindGrid(const SwitchGraph& graph);

// A place as text: (1, 0, 3).
std::string PlaceText(const std::vector<std::uint16_t>& at);

}  // namespace ccsim

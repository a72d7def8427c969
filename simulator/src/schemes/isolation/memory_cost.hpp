// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// memory_cost.hpp: control memory that the lines of flow isolation take in a switch (thesis, Paper VI, section 8). A cell holds a bit:
// of the CAM, of a line's output, hops, number of the next line and destinations; of the SRAM, of its bits Stop, Stop sent and
// propagated, and its timer.
#pragma once

#include <cstdint>

#include "schemes/isolation/isolation_parameters.hpp"
#include "schemes/switch_memory.hpp"

namespace ccsim {

// Cells of a line that holds so many destinations, 1 to 32, in a network of so many hosts, at least 2. Throws std::invalid_argument
// outside these ranges.
MemoryCells CellsPerLine(std::uint64_t hosts, unsigned destinations);

// Lines of an input port, whose switch has so many outputs that a packet can take from there: in an 8-port switch, 7.
std::uint64_t LinesPerInputPort(const IsolationParameters& parameters, unsigned outputs);

// Cells of all lines of such a port.
MemoryCells CellsPerInputPort(const IsolationParameters& parameters, std::uint64_t hosts, unsigned outputs);

}  // namespace ccsim

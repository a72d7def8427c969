// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "schemes/isolation/memory_cost.hpp"

#include <bit>
#include <stdexcept>
#include <string>

#include "schemes/isolation/cam_line.hpp"

namespace ccsim {
namespace {

// Paper VI, section 8: up to 64 ports, up to 64 hops, up to 16 lines downstream.
constexpr unsigned kOutputCells = 6, kHopsCells = 6, kNextLineCells = 4;
constexpr unsigned kStopCells = 1, kSentStopCells = 1, kPropagatedCells = 1, kTimerCells = 32;

}  // namespace

MemoryCells CellsPerLine(std::uint64_t hosts, unsigned destinations) {
  if (hosts < 2) throw std::invalid_argument("hosts is " + std::to_string(hosts) + "; it must be at least 2");
  if (destinations < 1 || destinations > kMaxLineDestinations) {
    throw std::invalid_argument("destinations is " + std::to_string(destinations) + "; it must be from 1 to " +
                                std::to_string(kMaxLineDestinations));
  }
  const auto address_cells = static_cast<unsigned>(std::bit_width(hosts - 1));  // log2, rounded up
  return {kOutputCells + kHopsCells + kNextLineCells + std::uint64_t{destinations} * address_cells,
          kStopCells + kSentStopCells + kPropagatedCells + kTimerCells};
}

std::uint64_t LinesPerInputPort(const IsolationParameters& parameters, unsigned outputs) {
  return parameters.special_queues + (parameters.normal_queues == NormalQueues::PerOutput ? outputs : 0);
}

MemoryCells CellsPerInputPort(const IsolationParameters& parameters, std::uint64_t hosts, unsigned outputs) {
  const std::uint64_t lines = LinesPerInputPort(parameters, outputs);
  const MemoryCells line = CellsPerLine(hosts, parameters.line_destinations);
  return {lines * line.cam, lines * line.sram};
}

}  // namespace ccsim

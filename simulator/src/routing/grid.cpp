// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "grid.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <stdexcept>

namespace ccsim {
namespace {

[[noreturn]] void RefuseGrid(const std::string& reason) {
  throw std::invalid_argument("the fabric is not a torus or mesh: " + reason);
}

void FindSizes(const SwitchGraph& graph, Grid& grid) {
  std::map<std::vector<std::uint16_t>, std::uint32_t> by_place;
  std::uint32_t first = kNone;
  for (std::uint32_t s = 0; s < graph.size(); ++s) {
    const auto& at = graph.fabric().coordinates(s);
    if (at.empty()) {
      if (graph.links(s).empty()) continue;
      RefuseGrid("switch " + graph.Name(s) + " has no coordinates");
    }
    if (first == kNone) {
      first = s;
      grid.dimensions.resize(at.size());
    }
    if (at.size() != grid.dimensions.size()) {
      RefuseGrid("switch " + graph.Name(s) + " has " + std::to_string(at.size()) + " coordinates, " + graph.Name(first) +
                 " has " + std::to_string(grid.dimensions.size()));
    }
    const auto [other, is_new] = by_place.emplace(at, s);
    if (!is_new) RefuseGrid("switches " + graph.Name(other->second) + " and " + graph.Name(s) + " are both at " + PlaceText(at));
    for (std::size_t d = 0; d < at.size(); ++d) {
      grid.dimensions[d].size = std::max<std::uint16_t>(grid.dimensions[d].size, static_cast<std::uint16_t>(at[d] + 1));
    }
  }
}

// The dimension in which two places differ by one step, or by a whole row if it has at least three places; none otherwise.
std::size_t StepDimension(const Grid& grid, const std::vector<std::uint16_t>& a, const std::vector<std::uint16_t>& b) {
  std::size_t found = grid.dimensions.size();
  for (std::size_t d = 0; d < a.size(); ++d) {
    if (a[d] == b[d]) continue;
    const int size = grid.dimensions[d].size;
    const int step = std::abs(a[d] - b[d]);
    if (found != grid.dimensions.size() || (step != 1 && step != size - 1)) return grid.dimensions.size();
    found = d;
  }
  return found;
}

}  // namespace

std::string PlaceText(const std::vector<std::uint16_t>& at) {
  std::string text;
  for (const std::uint16_t number : at) text += (text.empty() ? "(" : ", ") + std::to_string(number);
  return text + ")";
}

Grid FindGrid(const SwitchGraph& graph) {
  Grid grid;
  FindSizes(graph, grid);
  const std::size_t n = grid.dimensions.size();
  grid.ports.resize(graph.size() * n * 2);
  for (std::uint32_t s = 0; s < graph.size(); ++s) {
    grid.dimension_of.emplace_back(graph.fabric().nodes()[graph.node(s)].ports.size(), Grid::kNoDimension);
    const auto& here = graph.fabric().coordinates(s);
    for (const SwitchLink& link : graph.links(s)) {
      const auto& there = graph.fabric().coordinates(link.to);
      const std::size_t d = StepDimension(grid, here, there);
      if (d == n) {
        RefuseGrid("switches " + graph.Name(s) + " at " + PlaceText(here) + " and " + graph.Name(link.to) + " at " +
                   PlaceText(there) + " are linked and no neighbours");
      }
      const bool wraps = std::abs(here[d] - there[d]) != 1;
      grid.dimensions[d].wrapped |= wraps;
      grid.ports[(s * n + d) * 2 + ((there[d] > here[d]) != wraps ? 1 : 0)].push_back(link.port);
      grid.dimension_of[s][link.port] = static_cast<std::uint8_t>(d);
    }
  }
  return grid;
}

}  // namespace ccsim

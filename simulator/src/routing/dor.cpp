// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dor: dimension order routing (Dally and Seitz, 1987) of tori, meshes and hypercubes: a packet goes all its way in the first dimension,
// then in the second, and so on, the short way round where rows are rings.
//
// Rings of four or more switches would have credit loops. There, the link between the last and the first switch of a row is the
// dateline. A packet that crosses it in a dimension uses VL 1 in all of that dimension, other packets VL 0: no route is longer than half
// a ring, so neither VL goes all the way round. The source knows which datelines a packet crosses and sets one bit of the SL for each
// dimension, as in OpenSM's torus-2QoS.
#include <cstddef>
#include <stdexcept>
#include <utility>

#include "balance.hpp"
#include "grid.hpp"
#include "registry.hpp"

namespace ccsim {
namespace {

class Dor {
 public:
  Dor(Fabric& fabric, std::uint64_t order_seed)
      : fabric_(fabric), graph_(fabric, order_seed), grid_(FindGrid(graph_)), balance_(fabric, graph_) {}

  void Route() {
    for (const std::uint32_t to : graph_.ByLoad()) {
      if (graph_.attached(to).empty()) continue;
      balance_.Deliver(to, graph_.attached(to));
      if (at(to).empty()) continue;  // a switch without links
      for (std::uint32_t s = 0; s < graph_.size(); ++s) {
        if (s != to && !at(s).empty()) RouteFrom(s, to);
      }
    }
    SetVls();
  }

 private:
  const std::vector<std::uint16_t>& at(std::uint32_t s) const { return fabric_.coordinates(s); }
  bool NeedsDateline(std::size_t d) const { return grid_.dimensions[d].wrapped && grid_.dimensions[d].size > 3; }

  // True if the way from coordinate `from` to that of the place `to` leads to higher coordinates. Half-way round, both ways are
  // equally long: neighbours take different ones, in each dimension and each row, so that neither direction has more to carry.
  bool GoesHigher(std::size_t d, std::uint16_t from, const std::vector<std::uint16_t>& to) const {
    if (!grid_.dimensions[d].wrapped) return to[d] > from;
    const unsigned size = grid_.dimensions[d].size;
    const unsigned ahead = (to[d] + size - from) % size;
    if (2 * ahead != size) return 2 * ahead < size;
    unsigned parity = from;
    for (std::size_t other = 0; other < to.size(); ++other) parity += other == d ? 0u : to[other];
    return parity % 2 == 0;
  }

  void RouteFrom(std::uint32_t s, std::uint32_t to) {
    std::size_t d = 0;
    while (at(s)[d] == at(to)[d]) ++d;
    const bool higher = GoesHigher(d, at(s)[d], at(to));
    const auto& ports = grid_.PortsTo(s, d, higher);
    if (ports.empty()) {
      throw std::invalid_argument("dimension order has no route from switch " + graph_.Name(s) + " at " + PlaceText(at(s)) +
                                  " to " + graph_.Name(to) + " at " + PlaceText(at(to)) + ": there is no link to the " +
                                  (higher ? "next" : "previous") + " switch of dimension " + std::to_string(d + 1));
    }
    PortSet parallel;
    for (const std::uint8_t port : ports) parallel.push_back(port);
    balance_.Forward(s, graph_.attached(to), parallel);
  }

  void SetVls() {
    std::vector<std::size_t> bit_dimensions;
    for (std::size_t d = 0; d < grid_.dimensions.size(); ++d) {
      if (NeedsDateline(d)) bit_dimensions.push_back(d);
    }
    if (bit_dimensions.empty()) return;
    const auto bits = static_cast<unsigned>(bit_dimensions.size());
    if (bits > 4) {
      throw std::invalid_argument("dimension order needs a bit of the SL for each of " + std::to_string(bits) +
                                  " rings of four or more switches; an SL has 4");
    }
    std::vector<std::uint8_t> path_sls(std::size_t{graph_.size()} * graph_.size(), 0);
    for (std::uint32_t from = 0; from < graph_.size(); ++from) {
      for (std::uint32_t to = 0; to < graph_.size(); ++to) {
        if (at(from).empty() || at(to).empty()) continue;
        std::uint8_t sl = 0;
        for (unsigned bit = 0; bit < bits; ++bit) {
          const std::size_t d = bit_dimensions[bit];
          const bool higher = GoesHigher(d, at(from)[d], at(to));
          const bool crosses = higher ? at(to)[d] < at(from)[d] : at(to)[d] > at(from)[d];
          sl = static_cast<std::uint8_t>(sl | (crosses ? 1u << bit : 0u));
        }
        path_sls[std::size_t{from} * graph_.size() + to] = sl;
      }
    }
    fabric_.SetPathSls(bits, std::move(path_sls));
    for (unsigned bit = 0; bit < bits; ++bit) SetSlToVl(bit, bit_dimensions[bit]);
    fabric_.SetMinVls(2);
  }

  // For packets that continue in dimension `d`, from hosts and from links of this and earlier dimensions; no others turn that way.
  void SetSlToVl(unsigned bit, std::size_t d) {
    SlToVl vls;
    for (unsigned sl = 0; sl < kNumSls; ++sl) vls[sl] = (sl >> bit) & 1;
    for (std::uint32_t s = 0; s < graph_.size(); ++s) {
      const auto& dimension_of = grid_.dimension_of[s];
      for (const SwitchLink& out : graph_.links(s)) {
        if (dimension_of[out.port] != d) continue;
        for (const SwitchLink& in : graph_.links(s)) {
          if (in.port != out.port && dimension_of[in.port] <= d) fabric_.SetSlToVl(graph_.node(s), in.port, out.port, vls);
        }
        for (const Attached& in : graph_.attached(s)) fabric_.SetSlToVl(graph_.node(s), in.port, out.port, vls);
      }
    }
  }

  Fabric& fabric_;
  SwitchGraph graph_;
  Grid grid_;
  Balance balance_;
};

void RouteDor(Fabric& fabric, const RoutingOptions& options) { Dor(fabric, options.order_seed).Route(); }

const RoutingRegistration kRegistered("dor", RouteDor);

}  // namespace
}  // namespace ccsim

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// fabrics.hpp: fabrics to try routings on, and what a route is made of.
#pragma once

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "fabric.hpp"
#include "rng.hpp"

namespace ccsim::testing {

// Hands out GUIDs and the next free port of each switch, so that tests name nodes only.
class Builder {
 public:
  std::uint32_t Switch(std::uint16_t ports = 36) {
    const std::uint32_t node = fabric.AddNode("S" + std::to_string(used_.size()), NodeKind::Switch, used_.size() + 1, ports);
    used_.push_back(0);
    return node;
  }
  std::uint32_t Host(std::uint32_t sw, NodeKind kind = NodeKind::Host) {
    const std::uint32_t node = fabric.AddNode("H" + std::to_string(used_.size()), kind, used_.size() + 1, 1);
    used_.push_back(0);
    Link(node, sw);
    return fabric.endport_index(node, 1);
  }
  void Link(std::uint32_t a, std::uint32_t b) {
    fabric.Connect(a, ++used_[a], b, ++used_[b], ParseLinkRate("4xDDR"), FromNs(25));
  }

  Fabric fabric{2048};

 private:
  std::vector<std::uint16_t> used_;  // by node
};

// Switches in a ring, each with its hosts: port 1 to the next, port 2 to the one before (the last: the other way round). With
// coordinates.
inline Fabric Ring(unsigned switches, unsigned hosts) {
  Builder b;
  for (unsigned i = 0; i < switches; ++i) b.fabric.SetCoordinates(b.Switch(), {static_cast<std::uint16_t>(i)});
  for (unsigned i = 0; i < switches; ++i) {
    b.fabric.Connect(i, 1, (i + 1) % switches, 2, ParseLinkRate("4xDDR"), FromNs(25));
  }
  for (unsigned i = 0; i < switches * hosts; ++i) {
    const std::uint32_t host = b.fabric.AddNode("H", NodeKind::Host, 1000 + i, 1);
    b.fabric.Connect(host, 1, i / hosts, static_cast<std::uint16_t>(3 + i % hosts), ParseLinkRate("4xDDR"), FromNs(25));
  }
  return std::move(b.fabric);
}

// A grid with one host a switch, wrapped in each dimension if `torus`. Switch ordinals count the last dimension fastest.
inline Fabric Grid(const std::vector<std::uint16_t>& sizes, bool torus) {
  Builder b;
  std::vector<std::vector<std::uint16_t>> places{{}};
  for (const std::uint16_t size : sizes) {
    std::vector<std::vector<std::uint16_t>> longer;
    for (const auto& place : places) {
      for (std::uint16_t i = 0; i < size; ++i) {
        longer.push_back(place);
        longer.back().push_back(i);
      }
    }
    places = std::move(longer);
  }
  for (const auto& place : places) b.fabric.SetCoordinates(b.Switch(), place);
  for (std::uint32_t s = 0; s < places.size(); ++s) {
    std::uint32_t stride = 1;
    for (std::size_t d = sizes.size(); d-- > 0; stride *= sizes[d]) {
      const std::uint32_t at = places[s][d];
      if (at + 1u < sizes[d]) b.Link(s, s + stride);
      if (at + 1u == sizes[d] && torus && sizes[d] > 2) b.Link(s, s - at * stride);
    }
  }
  for (std::uint32_t s = 0; s < places.size(); ++s) b.Host(s);
  return std::move(b.fabric);
}

// A k-ary tree of three levels, all of it built: k^3 hosts. Ordinals: leaves, then middle, then top.
inline Fabric KAry3Tree(unsigned k) {
  Builder b;
  for (unsigned i = 0; i < 3 * k * k; ++i) b.Switch();
  for (unsigned pod = 0; pod < k; ++pod) {
    for (unsigned i = 0; i < k; ++i) {
      for (unsigned j = 0; j < k; ++j) b.Link(pod * k + i, k * k + pod * k + j);
      for (unsigned j = 0; j < k; ++j) b.Link(k * k + pod * k + i, 2 * k * k + i * k + j);
      for (unsigned h = 0; h < k; ++h) b.Host(pod * k + i);
    }
  }
  return std::move(b.fabric);
}

// Connected switches with random extra links, parallel ones among them, and zero to three hosts each.
inline Fabric RandomFabric(Rng& rng) {
  Builder b;
  const auto switches = static_cast<std::uint32_t>(2 + rng.Below(14));
  for (std::uint32_t s = 0; s < switches; ++s) b.Switch(60);
  for (std::uint32_t s = 1; s < switches; ++s) b.Link(s, static_cast<std::uint32_t>(rng.Below(s)));
  for (std::uint64_t extra = rng.Below(2 * switches); extra > 0; --extra) {
    const auto a = static_cast<std::uint32_t>(rng.Below(switches));
    const auto other = static_cast<std::uint32_t>(rng.Below(switches));
    if (a != other) b.Link(a, other);
  }
  for (std::uint32_t s = 0; s < switches; ++s) {
    for (std::uint64_t h = rng.Below(4); h > 0; --h) b.Host(s);
  }
  return std::move(b.fabric);
}

// The switches on a route, by ordinal.
inline std::vector<std::uint32_t> SwitchesOn(const Fabric& fabric, std::uint32_t src, std::uint32_t dst) {
  std::vector<std::uint32_t> switches;
  for (const Hop& hop : fabric.Route(src, dst)) {
    if (fabric.switch_ordinal(hop.node) != kNone) switches.push_back(fabric.switch_ordinal(hop.node));
  }
  return switches;
}

// What an action refuses with; empty if it does not.
template <typename Action>
std::string Refusal(Action action) {
  try {
    action();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

}  // namespace ccsim::testing

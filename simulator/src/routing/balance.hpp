// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// balance.hpp: chooses among equally good ports the one with the fewest destinations so far, then the lowest.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "switch_graph.hpp"

namespace ccsim {

// The ports by which one switch may send to one destination, ascending.
class PortSet {
 public:
  void clear() { size_ = 0; }
  void push_back(std::uint8_t port) { ports_[size_++] = port; }
  bool empty() const { return size_ == 0; }
  const std::uint8_t* begin() const { return ports_.data(); }
  const std::uint8_t* end() const { return ports_.data() + size_; }

 private:
  std::array<std::uint8_t, kMaxPorts> ports_;
  std::size_t size_ = 0;
};

class Balance {
 public:
  // `fabric` is the one that `graph` was made of.
  Balance(Fabric& fabric, const SwitchGraph& graph) : fabric_(fabric), graph_(graph), load_(graph.size()) {}

  // Writes the forwarding entries of switch `s` for `destinations`, which `ports` all reach equally well.
  void Forward(std::uint32_t s, std::span<const Attached> destinations, const PortSet& ports);
  // Writes the entries of the destinations' own switch.
  void Deliver(std::uint32_t s, std::span<const Attached> destinations);

 private:
  Fabric& fabric_;
  const SwitchGraph& graph_;
  std::vector<std::array<std::uint32_t, kMaxPorts + 1>> load_;  // by switch and port: destinations sent that way
};

}  // namespace ccsim

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "balance.hpp"

namespace ccsim {

void Balance::Forward(std::uint32_t s, std::span<const Attached> destinations, const PortSet& ports) {
  if (ports.empty()) return;
  auto& load = load_[s];
  const std::uint32_t node = graph_.node(s);
  for (const Attached& destination : destinations) {
    std::uint8_t best = *ports.begin();
    for (const std::uint8_t port : ports) {
      if (load[port] < load[best]) best = port;
    }
    ++load[best];
    fabric_.SetForward(node, destination.endport, best);
  }
}

void Balance::Deliver(std::uint32_t s, std::span<const Attached> destinations) {
  for (const Attached& destination : destinations) fabric_.SetForward(graph_.node(s), destination.endport, destination.port);
}

}  // namespace ccsim

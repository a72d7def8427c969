// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// subnet.cpp: the devices, as they are when they are switched on.
#include "emulator/subnet.hpp"

#include <chrono>
#include <utility>

namespace ccsim::emulator {
namespace {

std::function<std::int64_t()> MonotonicClock() {
  using Clock = std::chrono::steady_clock;
  return [start = Clock::now()]() -> std::int64_t {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count();
  };
}

}  // namespace

Subnet::Subnet(const Fabric& fabric, std::uint64_t seed, std::function<std::int64_t()> clock_ns)
    : fabric_(fabric),
      clock_ns_(clock_ns ? std::move(clock_ns) : MonotonicClock()),
      devices_(fabric.nodes().size()),
      faults_(seed) {
  for (std::uint32_t n = 0; n < devices_.size(); ++n) {
    const std::size_t ports = std::size_t{fabric.nodes()[n].num_ports()} + 1;
    Device& device = devices_[n];
    device.cable_pulled.assign(ports, 0);
    device.sma.ports.resize(ports);
    device.pma.ports.resize(ports);
    device.cca.ports.resize(ports);
  }
}

bool Subnet::LinkUp(std::uint32_t node, std::uint16_t port) const {
  const Port& own = fabric_.nodes()[node].ports[port];
  if (!own.connected() || !devices_[node].present || devices_[node].cable_pulled[port] != 0) return false;
  return devices_[own.peer_node].present && devices_[own.peer_node].cable_pulled[own.peer_port] == 0;
}

}  // namespace ccsim::emulator

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// switch_memory.hpp: memory that the switches of a fabric need under a scheme: buffers of packets, and the control memory of CAM lines
// (thesis, Paper VI, sections 4.1 and 8).
#pragma once

#include <cstdint>

namespace ccsim {

class Fabric;
struct Model;

// A cell holds a bit.
struct MemoryCells {
  std::uint64_t cam = 0;
  std::uint64_t sram = 0;
  friend bool operator==(const MemoryCells&, const MemoryCells&) = default;
};

// Memory that an input port needs.
struct PortMemory {
  std::uint64_t buffer_bytes = 0;  // of all its queues together
  std::uint64_t lines = 0;         // CAM lines
  MemoryCells line{};              // cells of each
  friend bool operator==(const PortMemory&, const PortMemory&) = default;
};

// Memory that all switches of a fabric need. Ports without a link are not counted.
struct SwitchMemory {
  std::uint64_t input_ports = 0;
  PortMemory port{};  // of the input port with the most lines
  std::uint64_t buffer_bytes = 0;
  MemoryCells cells{};
  friend bool operator==(const SwitchMemory&, const SwitchMemory&) = default;
};

// Returns the memory of a port with the model's buffer and no CAM lines: one buffer for all VLs if they share it, else one for each.
PortMemory PlainPortMemory(const Fabric& fabric, const Model& model);

// Throws std::invalid_argument for a scheme or a parameter that Model::Validate refuses, and for less than two hosts where CAM lines hold
// destinations.
SwitchMemory MemoryOfSwitches(const Fabric& fabric, const Model& model);

}  // namespace ccsim

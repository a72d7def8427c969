// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "schemes/switch_memory.hpp"

#include <algorithm>

#include "engine/service_levels.hpp"
#include "fabric.hpp"
#include "model.hpp"
#include "schemes/registry.hpp"

namespace ccsim {

PortMemory PlainPortMemory(const Fabric& fabric, const Model& model) {
  const bool shares = model.switches.buffer_sharing == BufferSharing::Shared;
  return {.buffer_bytes =
              std::uint64_t{model.switches.input_buffer_bytes} * (shares ? 1 : ServiceLevels::NumVls(fabric, model.num_vls))};
}

SwitchMemory MemoryOfSwitches(const Fabric& fabric, const Model& model) {
  const Scheme& scheme = FindScheme(model.scheme.name);
  CheckValues(scheme, model.scheme.values);
  SwitchMemory all;
  for (const std::uint32_t node : fabric.switches()) {
    const std::vector<Port>& ports = fabric.nodes()[node].ports;
    const auto inputs = static_cast<unsigned>(std::ranges::count_if(ports, [](const Port& port) { return port.connected(); }));
    if (inputs == 0) continue;
    const PortMemory port =
        scheme.port_memory != nullptr ? scheme.port_memory(fabric, model, inputs - 1) : PlainPortMemory(fabric, model);
    if (all.input_ports == 0 || port.lines > all.port.lines) all.port = port;
    all.input_ports += inputs;
    all.buffer_bytes += inputs * port.buffer_bytes;
    all.cells.cam += inputs * port.lines * port.line.cam;
    all.cells.sram += inputs * port.lines * port.line.sram;
  }
  return all;
}

}  // namespace ccsim

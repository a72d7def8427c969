// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// SLtoVLMappingTable (IBA vol. 1, 14.2.5.8): of a switch by port of entry (modifier bits 15 to 8, 0 for the management port) and of
// exit (bits 7 to 0); of an adapter its one table. A Set to a switch may be for all ports of entry (bit 17), of exit (bit 16), or both.
#include <algorithm>

#include "emulator/agents/agent.hpp"
#include "emulator/subnet.hpp"

namespace ccsim::emulator {
namespace {

constexpr std::uint32_t kAllPortsOfExit = 1u << 16;
constexpr std::uint32_t kAllPortsOfEntry = 1u << 17;

struct PortRange {
  std::size_t first, last;
};

// Rows have an element a port of entry; an adapter's has one.
void Write(Subnet& subnet, std::uint32_t node, PortRange entry, PortRange exit, const SlToVlBytes& wanted) {
  auto& ports = subnet.device(node).sma.ports;
  bool changed = false;
  for (std::size_t out = exit.first; out <= exit.last; ++out) {
    auto& row = ports[out].sl_to_vl;
    if (row.empty()) row.assign(subnet.is_switch(node) ? ports.size() : 1, PowerOnSlToVl(ports[out].vl_cap));
    for (std::size_t in = entry.first; in <= entry.last; ++in) {
      changed = changed || row[in] != wanted;
      row[in] = wanted;
    }
  }
  if (changed) ++subnet.versions().service_levels;
}

MadStatus HandleSlToVlMappingTable(Request& request) {
  Subnet& subnet = request.subnet;
  const SmaNode& sma = subnet.device(request.at.node).sma;
  PortRange entry{0, 0}, exit{request.at.port, request.at.port};
  if (subnet.is_switch(request.at.node)) {
    const std::uint32_t modifier = request.modifier();
    const auto range = [&](std::uint32_t port, bool all) {
      return all ? PortRange{0, sma.ports.size() - 1} : PortRange{port, port};
    };
    entry = range(modifier >> 8 & 0xFF, (modifier & kAllPortsOfEntry) != 0);
    exit = range(modifier & 0xFF, (modifier & kAllPortsOfExit) != 0);
    const bool wildcards = (modifier >> 16) != 0;
    if (modifier >> 18 != 0 || (wildcards && !request.is_set())) return kInvalidField;
    if (entry.last >= sma.ports.size() || exit.last >= sma.ports.size()) return kInvalidField;
  }
  if (request.is_set()) {
    SlToVlBytes wanted;
    std::copy_n(request.data, wanted.size(), wanted.begin());
    Write(subnet, request.at.node, entry, exit, wanted);
  }
  const SlToVlBytes& table = sma.SlToVlOf(entry.first, exit.first);
  std::fill_n(request.data, kSmpData.bytes, std::uint8_t{0});
  std::copy(table.begin(), table.end(), request.data);
  return kOk;
}

const AttributeRegistration kRegistered(kSmpLid, "SLtoVLMappingTable", 0x0017, kGetAndSet, kSmpData, HandleSlToVlMappingTable);

}  // namespace
}  // namespace ccsim::emulator

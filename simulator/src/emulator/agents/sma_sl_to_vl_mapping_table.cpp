// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// SLtoVLMappingTable (IBA vol. 1, 14.2.5.8): of a switch by port of entry (modifier bits 15 to 8, 0 for the management port) and of
// exit (bits 7 to 0); of an adapter its one table. OptimizedSLtoVLMappingProgramming, by which one Set can stand for many ports, is not
// offered in SwitchInfo, and refused.
#include <algorithm>
#include <cstring>

#include "emulator/agents/agent.hpp"
#include "emulator/agents/sma_pack.hpp"
#include "emulator/subnet.hpp"

namespace ccsim::emulator {
namespace {

MadStatus Handle(Request& request) {
  Subnet& subnet = request.subnet;
  SmaNode& sma = subnet.device(request.at.node).sma;
  std::size_t in_port = 0, out_port = request.at.port;
  if (subnet.is_switch(request.at.node)) {
    in_port = request.modifier() >> 8 & 0xFF;
    out_port = request.modifier() & 0xFF;
    if (request.modifier() >> 16 != 0 || in_port >= sma.ports.size() || out_port >= sma.ports.size()) return kInvalidField;
  }
  if (request.is_set()) {
    auto& rows = sma.ports[out_port].sl_to_vl;
    if (rows.empty()) rows.assign(subnet.is_switch(request.at.node) ? sma.ports.size() : 1, kPowerOnSlToVl);
    SlToVlBytes wanted;
    std::copy_n(request.data, wanted.size(), wanted.begin());
    if (rows[in_port] != wanted) ++subnet.versions().service_levels;
    rows[in_port] = wanted;
  }
  const SlToVlBytes& table = sma.SlToVlOf(in_port, out_port);
  std::memset(request.data, 0, kSmpDataBytes);
  std::copy(table.begin(), table.end(), request.data);
  return kOk;
}

const AttributeRegistration registration(kSmpLid, 0x0017, kGetAndSet, kSmpData, Handle);

}  // namespace
}  // namespace ccsim::emulator

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// GUIDInfo (IBA vol. 1, 14.2.5.5): an endport's GUIDs, in blocks of eight. The first is the port's own and cannot be written.
#include "emulator/agents/agent.hpp"
#include "emulator/subnet.hpp"

namespace ccsim::emulator {
namespace {

constexpr std::uint32_t kGuidsPerBlock = 8;

MadStatus HandleGuidInfo(Request& request) {
  if (request.modifier() >= kGuidCap / kGuidsPerBlock) return kInvalidField;
  SmaPort& port = request.subnet.sma_port(request.subnet.endport(request.at));
  const std::uint32_t first = request.modifier() * kGuidsPerBlock;
  if (request.is_set()) {
    port.guids.resize(kGuidCap);
    for (std::uint32_t i = 0; i < kGuidsPerBlock; ++i) port.guids[first + i] = Get64(request.data + 8 * std::size_t{i});
  }
  for (std::uint32_t i = 0; i < kGuidsPerBlock; ++i) {
    const std::uint64_t guid = first + i == 0 ? port.guid : port.guids.empty() ? 0 : port.guids[first + i];
    Put64(request.data + 8 * std::size_t{i}, guid);
  }
  return kOk;
}

const AttributeRegistration kRegistered(kSmpLid, "GUIDInfo", 0x0014, kGetAndSet, kSmpData, HandleGuidInfo);

}  // namespace
}  // namespace ccsim::emulator

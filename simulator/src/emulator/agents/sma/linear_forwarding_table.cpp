// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// LinearForwardingTable (IBA vol. 1, 14.2.5.10): the port for each LID, in blocks of 64.
#include <cstring>

#include "emulator/agents/agent.hpp"
#include "emulator/subnet.hpp"

namespace ccsim::emulator {
namespace {

MadStatus HandleLinearForwardingTable(Request& request) {
  if (!request.subnet.is_switch(request.at.node)) return kUnsupportedMethodAttribute;
  if (request.modifier() >= kLinearFdbCap / kSmpData.bytes) return kInvalidField;
  std::vector<std::uint8_t>& table = request.subnet.device(request.at.node).sma.forwarding;
  const std::size_t first = request.modifier() * kSmpData.bytes;
  if (request.is_set()) {
    if (table.size() < first + kSmpData.bytes) table.resize(first + kSmpData.bytes, kNoRoute);
    if (std::memcmp(table.data() + first, request.data, kSmpData.bytes) != 0) ++request.subnet.versions().forwarding;
    std::memcpy(table.data() + first, request.data, kSmpData.bytes);
    return kOk;
  }
  for (std::size_t i = 0; i < kSmpData.bytes; ++i) {
    request.data[i] = first + i < table.size() ? table[first + i] : kNoRoute;
  }
  return kOk;
}

const AttributeRegistration kRegistered(kSmpLid, "LinearForwardingTable", 0x0019, kGetAndSet, kSmpData,
                                        HandleLinearForwardingTable);

}  // namespace
}  // namespace ccsim::emulator

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// VLArbitrationTable (IBA vol. 1, 14.2.5.9): the modifier's high half is 1 or 2 for the lower and upper 32 entries of the low-priority
// table, 3 or 4 for those of the high-priority table; its low half is the port of a switch.
#include "emulator/agents/sma/vl_arbitration.hpp"

#include <algorithm>
#include <cstring>

#include "emulator/agents/agent.hpp"
#include "emulator/subnet.hpp"

namespace ccsim::emulator {
namespace {

// A table that is larger has entries in the second block.
static_assert(kVlArbitrationCap <= 32);
constexpr std::size_t kTableBytes = std::size_t{2} * kVlArbitrationCap;  // VL and weight
constexpr std::uint8_t kPowerOnWeight = 4;
enum Block : std::uint32_t { kLowerLow = 1, kLowerHigh = 3 };

// Data VLs share the link evenly.
std::vector<std::uint8_t> PowerOnTables() {
  std::vector<std::uint8_t> bytes(2 * kTableBytes);
  for (std::uint8_t vl = 0; vl < 8; ++vl) {
    bytes[std::size_t{2} * vl] = vl;
    bytes[std::size_t{2} * vl + 1] = kPowerOnWeight;
  }
  return bytes;
}

MadStatus HandleVlArbitrationTable(Request& request) {
  Subnet& subnet = request.subnet;
  auto& ports = subnet.device(request.at.node).sma.ports;
  const std::uint32_t of_port = subnet.is_switch(request.at.node) ? request.modifier() & 0xFFFF : request.at.port;
  const std::uint32_t block = request.modifier() >> 16;
  if (of_port >= ports.size() || (block != kLowerLow && block != kLowerHigh)) return kInvalidField;
  auto& tables = ports[of_port].vl_arbitration;
  const std::size_t offset = block == kLowerLow ? 0 : kTableBytes;
  if (request.is_set()) {
    if (tables.empty()) tables = PowerOnTables();
    for (std::size_t i = 0; i < kTableBytes; i += 2) request.data[i] &= 0x0F;
    if (std::memcmp(tables.data() + offset, request.data, kTableBytes) != 0) ++subnet.versions().service_levels;
    std::copy_n(request.data, kTableBytes, tables.begin() + static_cast<std::ptrdiff_t>(offset));
  }
  std::memset(request.data, 0, kSmpData.bytes);
  if (!tables.empty()) {
    std::memcpy(request.data, tables.data() + offset, kTableBytes);
  } else {
    std::memcpy(request.data, PowerOnTables().data() + offset, kTableBytes);
  }
  return kOk;
}

const AttributeRegistration kRegistered(kSmpLid, "VLArbitrationTable", 0x0018, kGetAndSet, kSmpData, HandleVlArbitrationTable);

}  // namespace

std::optional<VlArbitrationTables> VlArbitrationOf(const SmaPort& port) {
  if (port.vl_arbitration.empty()) return std::nullopt;
  VlArbitrationTables tables;
  tables.high_limit = port.vl_high_limit;
  for (std::size_t i = 0; i < 2 * kTableBytes; i += 2) {
    const VlArbitrationEntry entry{port.vl_arbitration[i], port.vl_arbitration[i + 1]};
    // VL 15 is for management, and no entry may name it.
    if (entry.weight == 0 || entry.vl >= kMaxVls) continue;
    (i < kTableBytes ? tables.low : tables.high).push_back(entry);
  }
  return tables;
}

}  // namespace ccsim::emulator

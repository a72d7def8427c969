// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// P_KeyTable (IBA vol. 1, 14.2.5.7): blocks of 32. The modifier's low half is the block, its high half the port of a switch.
#include <algorithm>

#include "emulator/agents/agent.hpp"
#include "emulator/subnet.hpp"

namespace ccsim::emulator {
namespace {

constexpr std::size_t kPKeysPerBlock = 32;

MadStatus HandlePKeyTable(Request& request) {
  const bool is_switch = request.subnet.is_switch(request.at.node);
  auto& ports = request.subnet.device(request.at.node).sma.ports;
  const std::uint32_t of_port = is_switch ? request.modifier() >> 16 : request.at.port;
  if (of_port >= ports.size()) return kInvalidField;
  auto& p_keys = ports[of_port].p_keys;
  const std::size_t cap = is_switch && of_port != 0 ? kPartitionEnforcementCap : kPartitionCap;
  const std::size_t first = (request.modifier() & 0xFFFF) * kPKeysPerBlock;
  if (first >= cap) return kInvalidField;
  const std::size_t count = std::min(kPKeysPerBlock, cap - first);
  if (request.is_set()) {
    if (p_keys.size() < first + count) p_keys.resize(first + count);
    for (std::size_t i = 0; i < count; ++i) p_keys[first + i] = Get16(request.data + 2 * i);
  }
  for (std::size_t i = 0; i < kPKeysPerBlock; ++i) {
    Put16(request.data + 2 * i, i < count && first + i < p_keys.size() ? p_keys[first + i] : std::uint16_t{0});
  }
  return kOk;
}

const AttributeRegistration kRegistered(kSmpLid, "P_KeyTable", 0x0016, kGetAndSet, kSmpData, HandlePKeyTable);

}  // namespace
}  // namespace ccsim::emulator

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// NodeDescription (IBA vol. 1, 14.2.5.2). To write it by MAD is an option (CapabilityMask2) that these devices do not have.
#include <algorithm>
#include <cstring>

#include "emulator/agents/agent.hpp"
#include "emulator/agents/sma_pack.hpp"
#include "emulator/subnet.hpp"

namespace ccsim::emulator {
namespace {

MadStatus Handle(Request& request) {
  PackNodeDescription(request.subnet, request.at.node, request.data);
  return kOk;
}

const AttributeRegistration registration(kSmpLid, 0x0010, kGetOnly, kSmpData, Handle);

}  // namespace

void PackNodeDescription(const Subnet& subnet, std::uint32_t node, std::uint8_t* data) {
  const std::string& changed = subnet.device(node).sma.description;
  const std::string& text = changed.empty() ? subnet.fabric().nodes()[node].name : changed;
  std::memset(data, 0, kSmpDataBytes);
  std::memcpy(data, text.data(), std::min(text.size(), kSmpDataBytes));
}

}  // namespace ccsim::emulator

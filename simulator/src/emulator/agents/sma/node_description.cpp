// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// NodeDescription (IBA vol. 1, 14.2.5.2). To write it by MAD is an option (CapabilityMask2) that these devices do not have.
#include <algorithm>
#include <cstring>

#include "emulator/agents/agent.hpp"
#include "emulator/agents/sma/port_info.hpp"
#include "emulator/subnet.hpp"

namespace ccsim::emulator {
namespace {

MadStatus HandleNodeDescription(Request& request) {
  const std::string& changed = request.subnet.device(request.at.node).sma.description;
  const std::string& text = changed.empty() ? request.subnet.fabric().nodes()[request.at.node].name : changed;
  std::memcpy(request.data, text.data(), std::min<std::size_t>(text.size(), kSmpData.bytes));
  return kOk;
}

const AttributeRegistration kRegistered(kSmpLid, "NodeDescription", 0x0010, kGetOnly, kSmpData, HandleNodeDescription);

}  // namespace
}  // namespace ccsim::emulator

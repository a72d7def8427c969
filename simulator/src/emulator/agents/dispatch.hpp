// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dispatch.hpp: finds the handler of a request's attribute. agent.hpp is for handlers, this is for faults, which come between the two.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "emulator/agents/agent.hpp"

namespace ccsim::emulator {

// LetAgentAnswer without faults. `key_refused`: see Request.
Answered AskAgent(Subnet& subnet, Place at, Datagram& datagram, bool key_refused);

// The attribute's place in the MAD; nothing if no agent has the attribute.
std::optional<DataSpan> DataOf(std::uint8_t mgmt_class, std::uint16_t attribute);

// An attribute that agents answer; `mgmt_class` kSmpLid stands for both kinds of SMPs.
struct AgentAttribute {
  std::uint8_t mgmt_class;
  std::uint16_t attribute;
  const char* name;
};

// All of them, by ascending class and attribute.
std::vector<AgentAttribute> AgentAttributes();

}  // namespace ccsim::emulator

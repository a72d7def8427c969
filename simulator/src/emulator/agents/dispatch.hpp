// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dispatch.hpp: what stands between a request and the attribute's handler, for those who come between the two.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "emulator/agents/agent.hpp"

namespace ccsim::emulator {

// LetAgentAnswer without faults. `key_refused`: see Request.
Answered AskAgent(Subnet& subnet, Place at, Datagram& datagram, bool key_refused);

// Where an attribute stands in the MAD; nothing if no agent has it.
std::optional<DataSpan> DataOf(std::uint8_t mgmt_class, std::uint16_t attribute);

// (class, attribute) of all that agents answer, ascending; kSmpLid stands for both kinds of SMPs.
std::vector<std::pair<std::uint8_t, std::uint16_t>> AgentAttributes();

}  // namespace ccsim::emulator

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cca/key_trap.hpp: CC_KeyViolation, trap 0 of class 0x21: an agent reports a request with a wrong CC_Key.
#pragma once

#include "emulator/agents/agent.hpp"

namespace ccsim::emulator {

// Sends it to the trap target of the latest Set(ClassPortInfo); sends nothing without a target, or while the agent's port has no LID.
// Unlike those of class 0x01, agents of this class do not repeat a trap.
void SendKeyViolationTrap(const Request& request);

}  // namespace ccsim::emulator

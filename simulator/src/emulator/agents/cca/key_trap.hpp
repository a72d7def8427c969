// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cca/key_trap.hpp: the trap by which an agent tells that a request had a wrong CC_Key: CC_KeyViolation, trap 0 of class 0x21.
#pragma once

#include "emulator/agents/agent.hpp"

namespace ccsim::emulator {

// To the trap target that a Set(ClassPortInfo) has given; without one, or while the agent's port has no LID, nothing. Sent once:
// agents of this class do not repeat it until it is repressed, as those of class 0x01 do.
void SendKeyViolationTrap(const Request& request);

}  // namespace ccsim::emulator

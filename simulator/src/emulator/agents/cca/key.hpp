// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cca/key.hpp: CC_Key, which authenticates the manager to an agent (IBA A10.4.3.4).
//
// Behaviour   the key stands in bytes 24 to 31 of each MAD of the class. If the agent's key is 0, every request is admitted. Otherwise
//             a request with another key is a violation: the agent does not answer, counts it, sends a trap (key_trap.hpp), and
//             starts the lease if it does not run yet. A request with the right key stops the lease. When the lease ends, the protect
//             bit is cleared. Get(CongestionKeyInfo) is admitted with any key: with the protect bit clear, it returns the key to
//             everyone, so that a manager that has lost the key can read it; with the bit set, only to those who know it
//
// The annex is not public. These rules are what ib_types.h, ibis and OpenSM's successors write about the fields ("how long the CC Key
// protect bit is to remain non-zero"; off, "CC managers are allowed to read the key by KeyInfo GET"). Where they have nothing, the
// rules of the baseboard management class apply, whose B_KeyInfo has the same fields.
#pragma once

#include <cstdint>

#include "emulator/agents/agent.hpp"
#include "emulator/agents/cca/state.hpp"

namespace ccsim::emulator {

// The key of a request.
std::uint64_t CcKeyOf(const Request& request);

// Clears the protect bit if the lease has ended.
void EndLease(CcaKey& key, std::int64_t now_ns);

}  // namespace ccsim::emulator

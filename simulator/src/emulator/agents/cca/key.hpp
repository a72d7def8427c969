// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cca/key.hpp: CC_Key, by which an agent knows its manager (IBA A10.4.3.4).
//
// Behaviour   the key stands in bytes 24 to 31 of each MAD of the class. A key of 0 at the agent: every request is let in. Else one
//             with another key is a violation: it gets no answer, is counted, tells the trap target (key_trap.hpp), and starts
//             the lease, unless that runs. A request with the right key stops the lease. When the lease is over, the protect bit
//             goes off. Get(CongestionKeyInfo) is let in with any key: with the protect bit off it shows the key to everyone, so
//             that a manager that has lost it can have it again; with the bit on, only to who knows it
//
// The annex is not public. This is what ib_types.h, ibis and OpenSM's successors say of the fields ("how long the CC Key protect bit
// is to remain non-zero"; off, "CC managers are allowed to read the key by KeyInfo GET"), and where they are silent the rules of
// the baseboard management class, whose B_KeyInfo has the same fields.
#pragma once

#include <cstdint>

#include "emulator/agents/agent.hpp"
#include "emulator/agents/cca/state.hpp"

namespace ccsim::emulator {

// The key of a request.
std::uint64_t CcKeyOf(const Request& request);

// Turns the protect bit off if the lease is over by now.
void EndLease(CcaKey& key, std::int64_t now_ns);

}  // namespace ccsim::emulator

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// sma/m_key.hpp: M_Key, which protects a node's subnet management attributes (IBA vol. 1, 14.2.4).
#pragma once

#include <cstdint>

#include "emulator/mad.hpp"

namespace ccsim::emulator {

class Subnet;

inline std::uint64_t MKeyOf(const Mad& mad) { return Get64(mad.bytes() + 24); }

// Checks the M_Key of an SMP that reached a node. A wrong key where one is needed counts as a violation, starts the lease and causes trap
// 256; the right key stops the lease. `key_refused`: a fault; any key counts as wrong.
bool AdmitsMKey(Subnet& subnet, Place at, std::uint16_t slid, const Mad& mad, bool key_refused = false);

}  // namespace ccsim::emulator

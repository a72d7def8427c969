// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// mad_route.hpp: carries a MAD through the subnet, by LID (IBA vol. 1, 14.2.1.1) or by directed route (14.2.2).
#pragma once

#include "emulator/mad.hpp"

namespace ccsim::emulator {

class Subnet;

// Carries a datagram from a place to its destination. Returns true if it arrives: `at` is then the destination and the port that it came
// in by (port 0 of a switch if it never left the switch), and hop pointer and return path of a directed route are those of that place.
// Returns false if it is lost. The loss is counted: as PortXmitDiscards at a port that it could not leave by, as
// PortRcvSwitchRelayErrors at the switch's port of entry if no table has a way on.
//
// A program's request has hop pointer 0. The hop pointer of a program's response is ignored: it starts at the route's end.
bool CarryMad(Subnet& subnet, Place& at, Datagram& datagram);

}  // namespace ccsim::emulator

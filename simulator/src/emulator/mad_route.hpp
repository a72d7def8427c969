// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// mad_route.hpp: the way of one MAD through the subnet, by LID (IBA vol. 1, 14.2.1.1) or by directed route (14.2.2).
#pragma once

#include "emulator/mad.hpp"

namespace ccsim::emulator {

class Subnet;

// Carries a datagram from a place to where its addresses say. On true `at` is the node that it is for, and the port by which it came in
// (of a switch 0 for one that never left it); the hop pointer and the return path of a directed route are as they are there. On false it
// was lost, and counted where: as PortXmitDiscards at a port that it could not leave by, as PortRcvSwitchRelayErrors at a switch's port
// of entry if nothing says where to go.
//
// A program gives its request a hop pointer of 0, and its response any: it starts at the route's end.
bool CarryMad(Subnet& subnet, Place& at, Datagram& datagram);

}  // namespace ccsim::emulator

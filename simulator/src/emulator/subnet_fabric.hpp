// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// subnet_fabric.hpp: the fabric that packets meet under the tables of its devices.
#pragma once

#include <cstdint>

#include "emulator/subnet.hpp"
#include "fabric.hpp"
#include "model.hpp"

namespace ccsim::emulator {

// True if packets may take a link, in both directions: it is up, and the ports at both its ends are Active.
bool Carries(const Subnet& subnet, std::uint32_t node, std::uint16_t port);

// The base LID of an endport; 0: nobody has given it one.
std::uint16_t LidOf(const Subnet& subnet, std::uint32_t endport);

// OperationalVLs of PortInfo as a number of data VLs.
unsigned OperationalVls(const SmaPort& port);

// By switch node and endport, the port that the LinearForwardingTable has for the endport's base LID; kNoRoute: none, or one that has
// no cable. Says nothing of whether the link is up.
std::uint8_t ForwardOf(const Subnet& subnet, std::uint32_t node, std::uint32_t endport);

// SL-to-VL and VL arbitration as the devices hold them, for traffic on the SLs in `used` (bit per SL). An SL has kNoVl where its
// packets are discarded: its VL is none of the operational ones of the port, VL 15, or one that VL arbitration never serves. No table
// is set where they say no more than that an SL travels on VL (SL modulo the number of VLs).
void SetServiceLevels(const Subnet& subnet, std::uint16_t used, const Model& model, Fabric& fabric);

// A copy of the subnet's fabric with all this; it forwards only by links that carry packets.
Fabric FabricOf(const Subnet& subnet, std::uint16_t used_sls, const Model& model);

}  // namespace ccsim::emulator

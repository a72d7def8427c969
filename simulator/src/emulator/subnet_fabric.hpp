// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// subnet_fabric.hpp: makes a Fabric for the engine from the tables that the devices hold.
#pragma once

#include <cstdint>

#include "emulator/subnet.hpp"
#include "fabric.hpp"
#include "model.hpp"

namespace ccsim::emulator {

// True if packets may take a link, in both directions: it is up, and the ports at both its ends are Active.
bool Carries(const Subnet& subnet, std::uint32_t node, std::uint16_t port);

// The base LID of an endport; 0: none is assigned.
std::uint16_t LidOf(const Subnet& subnet, std::uint32_t endport);

// OperationalVLs of PortInfo as a number of data VLs.
unsigned OperationalVls(const SmaPort& port);

// The port that a switch's LinearForwardingTable has for the endport's base LID; kNoRoute: it has none, or the port has no cable. The
// link may be down.
std::uint8_t ForwardOf(const Subnet& subnet, std::uint32_t node, std::uint32_t endport);

// Sets SL-to-VL and VL arbitration of `fabric` as the devices hold them, for traffic on the SLs in `used` (bit per SL). An SL has kNoVl
// where its packets are discarded: its VL is not operational at the port, is VL 15, or is never served by VL arbitration. Where the
// devices' tables are the default, an SL on VL (SL modulo the number of VLs), no table is set.
void SetServiceLevels(const Subnet& subnet, std::uint16_t used, const Model& model, Fabric& fabric);

// A copy of the subnet's fabric with these tables. It forwards only by links that carry packets.
Fabric FabricOf(const Subnet& subnet, std::uint16_t used_sls, const Model& model);

}  // namespace ccsim::emulator

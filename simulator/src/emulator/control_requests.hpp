// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// control_requests.hpp: what a client asks about the port that it is attached to, as a driver knows it.
#pragma once

#include <string_view>

#include "emulator/ibsim_protocol.hpp"
#include "emulator/subnet.hpp"

namespace ccsim::emulator {

// The port that a program is attached to: of a switch 0, of any other node the first that has a cable. `node` is a node description,
// a GUID (0x…, or 16 hexadecimal digits), or a GUID after S-, H- or R- as ibnetdiscover writes it and ibsim takes it; empty for the
// first host. ibsim's client cuts it to 31 characters, so a description of which 31 are given is found too. Throws
// std::invalid_argument if there is no such node, or several.
Place FindPlace(const Fabric& fabric, std::string_view node);

// Leaves in `control` what is answered to a Get… of a client at a place.
void AnswerControl(Subnet& subnet, Place at, ibsim::Control& control);

}  // namespace ccsim::emulator

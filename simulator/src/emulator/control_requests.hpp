// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// control_requests.hpp: answers what a client asks a driver about the port that it is attached to.
#pragma once

#include <string_view>

#include "emulator/ibsim_protocol.hpp"
#include "emulator/subnet.hpp"

namespace ccsim::emulator {

// The port that a program is attached to: port 0 of a switch, the first port with a cable of any other node. `node` is a node
// description, a GUID (0x…, or 16 hexadecimal digits), or a GUID after S-, H- or R- as ibnetdiscover prints and ibsim accepts it; empty
// stands for the first host. ibsim's client cuts it to 31 characters, so the first 31 of a description are enough. Throws
// std::invalid_argument if there is no such node, or several.
Place FindPlace(const Fabric& fabric, std::string_view node);

// Replaces a client's Get… request in `control` by the answer for its place.
void AnswerControl(Subnet& subnet, Place at, ibsim::Control& control);

}  // namespace ccsim::emulator

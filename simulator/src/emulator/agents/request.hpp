// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// request.hpp: helpers of handlers: the node of a request, and attributes that ccpolicy packs and unpacks.
#pragma once

#include <cstdint>
#include <stdexcept>

#include "ccpolicy/wire.h"
#include "emulator/agents/agent.hpp"
#include "emulator/subnet.hpp"

namespace ccsim::emulator {

template <typename Host>
Host Unpacked(ccp_attribute_id id, const std::uint8_t* data) {
  Host host{};
  ccp_unpack(id, data, &host);
  return host;
}

// REQUIRES: values fit their fields, as those do that were unpacked from fields of the same width.
template <typename Host>
void PackInto(std::uint8_t* data, ccp_attribute_id id, const Host& host) {
  ccp_error error{};
  if (ccp_pack(id, &host, data, &error) != 0) throw std::logic_error(error.message);
}

// RespTimeValue in the ClassPortInfo of every class: answers within about 1 ms.
inline constexpr std::uint8_t kClassRespTimeValue = 8;

inline const Node& NodeOf(const Request& request) { return request.subnet.fabric().nodes()[request.at.node]; }
inline bool IsSwitch(const Request& request) { return request.subnet.is_switch(request.at.node); }

}  // namespace ccsim::emulator

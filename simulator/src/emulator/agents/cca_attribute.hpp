// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cca_attribute.hpp: what the handlers of class 0x21 share: an attribute's struct from and to its bytes, and who is asked.
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

// REQUIRES: values fit their fields, as those do that came out of fields of the same width.
template <typename Host>
void PackInto(std::uint8_t* data, ccp_attribute_id id, const Host& host) {
  ccp_error error{};
  if (ccp_pack(id, &host, data, &error) != 0) throw std::logic_error(error.message);
}

inline const Node& NodeOf(const Request& request) { return request.subnet.fabric().nodes()[request.at.node]; }
inline bool IsSwitch(const Request& request) { return request.subnet.is_switch(request.at.node); }
// A router's ports are no channel adapter's: profiles have nothing for them either.
inline bool IsCa(const Request& request) {
  return NodeOf(request).kind == NodeKind::Host || NodeOf(request).kind == NodeKind::Aggregation;
}

inline CcaNode& CcaOf(const Request& request) { return request.subnet.device(request.at.node).cca; }
inline CcaPort& AgentOf(const Request& request) { return CcaOf(request).ports[request.subnet.endport(request.at).port]; }

// For a Set of tables, once it is one that the device takes.
inline void NoteSet(const Request& request) {
  CcaOf(request).ever_set = true;
  ++request.subnet.versions().congestion;
}

// TimeStamp: units of 1.024 us in 32 bits, which wrap after 73 minutes.
inline std::uint32_t Timestamp(std::int64_t at_ns) { return static_cast<std::uint32_t>(at_ns / CCP_TIMER_UNIT_NS); }

}  // namespace ccsim::emulator

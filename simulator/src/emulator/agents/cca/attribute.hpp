// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cca/attribute.hpp: what the handlers of class 0x21 share.
#pragma once

#include <cstdint>

#include "emulator/agents/request.hpp"

namespace ccsim::emulator {

// Registers an attribute with the name, number and place in the MAD that ccpolicy has for it.
struct CcaRegistration : AttributeRegistration {
  CcaRegistration(ccp_attribute_id id, Methods methods, AttributeHandler handler, GetContent get_content = GetContent::Cleared)
      : CcaRegistration(*ccp_find_attribute(id), methods, handler, get_content) {}

 private:
  CcaRegistration(const ccp_wire_attribute& attribute, Methods methods, AttributeHandler handler, GetContent get_content)
      : AttributeRegistration(kCongestionControl, attribute.name, static_cast<std::uint16_t>(attribute.id), methods,
                              {attribute.mad_offset, attribute.bytes}, handler, get_content) {}
};

// A handler that answers on devices whose dialect has the attribute; on others the attribute is unsupported.
template <bool (*Knows)(CcDialect), AttributeHandler Handle>
MadStatus ForDialect(Request& request) {
  return Knows(NodeOf(request).dialect) ? Handle(request) : kUnsupportedMethodAttribute;
}

// False for routers: profiles have nothing for their ports either.
inline bool IsCa(const Request& request) {
  return NodeOf(request).kind == NodeKind::Host || NodeOf(request).kind == NodeKind::Aggregation;
}

inline CcaNode& CcaOf(const Request& request) { return request.subnet.device(request.at.node).cca; }
inline CcaPort& AgentOf(const Request& request) { return CcaOf(request).ports[request.subnet.endport(request.at).port]; }

// Every accepted Set of a table calls it.
inline void NoteSet(const Request& request) {
  CcaOf(request).ever_set = true;
  ++request.subnet.versions().congestion;
}

// TimeStamp: units of 1.024 us in 32 bits, which wrap after 73 minutes.
inline std::uint32_t Timestamp(std::int64_t at_ns) { return static_cast<std::uint32_t>(at_ns / CCP_TIMER_UNIT_NS); }

}  // namespace ccsim::emulator

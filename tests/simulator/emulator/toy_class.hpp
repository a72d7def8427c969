// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// toy_class.hpp: a management class of tests' own, of vendor range 1, with attributes that do as tests need.
#pragma once

#include <cstdint>
#include <cstring>
#include <map>

#include "emulator/agents/agent.hpp"
#include "emulator/mad.hpp"

namespace ccsim::emulator::testing {

inline constexpr auto kToyClass = static_cast<MgmtClass>(0x0B);
inline constexpr std::uint8_t kToyVersion = 3;
inline constexpr std::uint16_t kStored = 0x0011;    // its 192 bytes are what was last Set
inline constexpr std::uint16_t kReadOnly = 0x0012;  // bytes 1, 2, 3 ...
inline constexpr std::uint16_t kRefusing = 0x0013;  // an invalid field, always
inline constexpr std::uint8_t kGoodKey = 0x42;      // MAD byte 24

// What a toy agent holds and has seen, by node.
struct ToyAgent {
  std::uint8_t stored[192] = {};
  unsigned requests = 0;
  unsigned violations = 0;
};
inline std::map<std::uint32_t, ToyAgent>& ToyAgents() {
  static std::map<std::uint32_t, ToyAgent> agents;
  return agents;
}

inline Datagram ToyRequest(MadMethod method, std::uint16_t attribute, std::uint64_t transaction_id = 0x100000001) {
  Datagram datagram;
  const Mad mad(datagram.mad);
  datagram.mad[0] = 1;
  datagram.mad[1] = kToyClass;
  datagram.mad[2] = kToyVersion;
  datagram.mad[24] = kGoodKey;
  mad.set_method(method);
  mad.set_transaction_id(transaction_id);
  Put16(mad.bytes() + 16, attribute);
  return datagram;
}

inline Admission Admit(Request& request) {
  ToyAgent& agent = ToyAgents()[request.at.node];
  if (!request.key_refused && request.mad.bytes()[24] == kGoodKey) return Admission::Admitted;
  ++agent.violations;
  return Admission::Ignored;
}

inline MadStatus Stored(Request& request) {
  ToyAgent& agent = ToyAgents()[request.at.node];
  ++agent.requests;
  if (request.is_set()) {
    std::memcpy(agent.stored, request.data, sizeof(agent.stored));
  } else {
    std::memcpy(request.data, agent.stored, sizeof(agent.stored));
  }
  return kOk;
}

inline MadStatus ReadOnly(Request& request) {
  for (unsigned i = 0; i < kGmpData.bytes; ++i) request.data[i] = static_cast<std::uint8_t>(i + 1);
  return kOk;
}

inline MadStatus Refusing(Request& /*request*/) { return kInvalidField; }

inline const ClassRegistration kClass(kToyClass, kToyVersion, Admit);
inline const AttributeRegistration kStoredRegistration(kToyClass, "Stored", kStored, kGetAndSet, kGmpData, Stored);
inline const AttributeRegistration kReadOnlyRegistration(kToyClass, "ReadOnly", kReadOnly, kGetOnly, kGmpData, ReadOnly);
inline const AttributeRegistration kRefusingRegistration(kToyClass, "Refusing", kRefusing, kGetAndSet, kGmpData, Refusing);

}  // namespace ccsim::emulator::testing

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// agent.hpp: what answers a MAD at a node. A class (SMA, PMA, CCA) is one file that registers its version and its key check; an
// attribute is one file that registers its handler in its last line. No list elsewhere names them.
#pragma once

#include <cstdint>

#include "emulator/mad.hpp"

namespace ccsim::emulator {

class Subnet;

// A request at the node that it was for. The handler of an attribute finds the attribute as it was sent in `data` and leaves there
// what is sent back; the dispatcher has zeroed `data` before a Get, but for class 0x04, where a Get has a PortSelect there.
struct Request {
  Subnet& subnet;
  Place at;                  // the node, and the port by which the MAD came in; of a switch 0 for one from the node itself
  std::uint16_t slid;        // who asks
  Mad mad;                   // header and keys; not yet changed
  std::uint8_t* data;        // of the attribute
  bool key_refused = false;  // a fault: the admission check takes the key for a wrong one, whatever it is
  bool is_set() const { return mad.method() == kSet; }
  std::uint32_t modifier() const { return mad.modifier(); }
};

using AttributeHandler = MadStatus (*)(Request& request);

enum Methods : std::uint8_t { kGetOnly = 1, kSetOnly = 2, kGetAndSet = 3 };

// Where an attribute stands in the MAD.
struct DataSpan {
  std::uint16_t offset;
  std::uint16_t bytes;
};
inline constexpr DataSpan kSmpData{64, 64};
inline constexpr DataSpan kGmpData{64, 192};
inline constexpr DataSpan kCongestionLogData{32, 224};

// `mgmt_class` kSmpLid stands for both kinds of SMPs.
struct AttributeRegistration {
  AttributeRegistration(MgmtClass mgmt_class, std::uint16_t attribute, Methods methods, DataSpan data, AttributeHandler handler);
};

// What a class says of a request before its attribute is looked at.
enum class Admission : std::uint8_t {
  Admitted,
  Ignored,  // a wrong key: no answer at all, the sender's kernel will time it out
};
using AdmissionCheck = Admission (*)(Request& request);  // nullptr: admits all

struct ClassRegistration {
  ClassRegistration(MgmtClass mgmt_class, std::uint8_t class_version, AdmissionCheck admission);
};

// True if nodes answer requests of this class and attribute themselves: others are for programs (SA, SM to SM).
bool HasAgent(std::uint8_t mgmt_class, std::uint16_t attribute, std::uint8_t method);

enum class Answer : std::uint8_t { Reply, Silence };

struct Answered {
  Answer answer = Answer::Reply;
  std::uint32_t delay_ms = 0;  // that a fault wants
};

// Lets the agents of a node answer a request, faults included: on Reply the datagram's MAD has become the response (method, status,
// data; addresses and directed route are the caller's).
Answered LetAgentAnswer(Subnet& subnet, Place at, Datagram& datagram);

}  // namespace ccsim::emulator

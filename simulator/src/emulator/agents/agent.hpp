// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// agent.hpp: what answers a MAD at a node. A management class is a folder here: sma, pma, cca, vendor. One file of it registers the class with
// its version and its key check. Each attribute registers its handler, with its name and number, in the last line of its file; the
// counters of pma are rows of one table. No list elsewhere names them.
#pragma once

#include <cstdint>

#include "emulator/mad.hpp"

namespace ccsim::emulator {

class Subnet;

// A request at the node that it is addressed to. The handler reads the attribute as it was sent from `data` and writes the reply
// there. Before a Get the dispatcher sets `data` to zeros, unless the attribute's registration says that its Gets carry data.
struct Request {
  Subnet& subnet;
  Place at;                  // the node, and the port that the MAD came in by; of a switch 0 for one from the node itself
  std::uint16_t slid;        // the requester's LID
  Mad mad;                   // header and keys; not yet changed
  std::uint8_t* data;        // the attribute's bytes
  bool key_refused = false;  // a fault: the admission check takes any key for a wrong one
  bool is_set() const { return mad.method() == kSet; }
  std::uint32_t modifier() const { return mad.modifier(); }
};

using AttributeHandler = MadStatus (*)(Request& request);

enum Methods : std::uint8_t { kGetOnly = 1, kSetOnly = 2, kGetAndSet = 3 };

// The data of a Get's request: nothing, or what the handler reads there, such as a PortSelect of class 0x04.
enum class GetContent : std::uint8_t { Cleared, Kept };

// The place of an attribute in the MAD, in bytes.
struct DataSpan {
  std::uint16_t offset;
  std::uint16_t bytes;
};
inline constexpr DataSpan kSmpData{64, 64};
inline constexpr DataSpan kGmpData{64, 192};
inline constexpr DataSpan kCongestionLogData{32, 224};

// `mgmt_class` kSmpLid stands for both kinds of SMPs. `name` is the attribute's name in the specification; programs show it, and
// users give it (tuner/emulator/attributes.py). It must live as long as the program.
struct AttributeRegistration {
  AttributeRegistration(MgmtClass mgmt_class, const char* name, std::uint16_t attribute, Methods methods, DataSpan data,
                        AttributeHandler handler, GetContent get_content = GetContent::Cleared);
};

// Result of a class's key check, which comes before the attribute's handler.
enum class Admission : std::uint8_t {
  Admitted,
  Ignored,  // a wrong key: the agent does not answer, and the request times out at its sender
};
using AdmissionCheck = Admission (*)(Request& request);  // nullptr: every request is admitted

struct ClassRegistration {
  ClassRegistration(MgmtClass mgmt_class, std::uint8_t class_version, AdmissionCheck admission);
};

// True if the nodes' agents answer requests of this class and attribute. All others are for programs (SA, SM to SM).
bool HasAgent(std::uint8_t mgmt_class, std::uint16_t attribute, std::uint8_t method);

enum class Answer : std::uint8_t { Reply, Silence };

struct Answered {
  Answer answer = Answer::Reply;
  std::uint32_t delay_ms = 0;  // how much later than at once, by a fault
};

// Lets the agents of a node answer a request, with the faults in force. On Reply the datagram's MAD is the response (method, status,
// data); the caller sets addresses and the directed route.
Answered LetAgentAnswer(Subnet& subnet, Place at, Datagram& datagram);

}  // namespace ccsim::emulator

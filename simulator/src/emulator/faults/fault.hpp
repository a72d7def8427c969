// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// fault.hpp: one kind of fault. A kind is one file of this folder, which registers itself in its last lines; no list elsewhere names
// it, and what it says of itself there is the help that people see.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "emulator/agents/agent.hpp"
#include "emulator/faults.hpp"
#include "emulator/mad.hpp"

namespace ccsim::emulator {

// A request on which a fault works: before the agent has seen it, or when it has become the answer.
struct Struck {
  Subnet& subnet;
  Place at;
  Mad mad;
  bool is_set;               // what the request was
  bool key_refused = false;  // the agent is to take the key for a wrong one
};

class Fault {
 public:
  enum class Outcome : std::uint8_t {
    Onward,    // the agent gets the request, as it now is
    Answered,  // the MAD has become the answer: the agent never sees it
    Lost,      // neither agent nor sender hear more of it
  };

  virtual ~Fault() = default;
  // Whether a request that the spec matches is one that this kind can strike at all.
  virtual bool Concerns(const Mad& request) const;
  // Of each request that matches, whether or not the fault will strike it.
  virtual void Seen(const Mad& request, Place at);
  // Strikes a request on its way to the agent.
  virtual Outcome Before(Struck& request);
  // Strikes its answer, if there is one.
  virtual void After(Struck& answer, Answered& answered);
  // While it is in force, a device accepts congestion control tables and follows none of them.
  virtual bool ignores_tables() const { return false; }
};

// The parameters of a fault, by which its kind makes it. Each function throws std::invalid_argument with a sentence.
class ParameterReader {
 public:
  explicit ParameterReader(const FaultSpec& spec) : spec_(spec) {}
  const FaultSpec& spec() const { return spec_; }
  bool has(const std::string& name) const { return spec_.parameters.contains(name); }
  std::int64_t Number(const std::string& name, std::int64_t least, std::int64_t most) const;
  // Text, one of `choices`, of which the first holds where none is given.
  std::string Choice(const std::string& name, const std::vector<std::string>& choices) const;
  std::string Text(const std::string& name) const;
  // "fault 'clamp': " and the sentence.
  [[noreturn]] void Refuse(const std::string& sentence) const;

 private:
  const FaultSpec& spec_;
};

struct FaultParameter {
  std::string name;
  std::string description;
};

struct FaultKind {
  std::string name;
  std::string description;  // one sentence, for people
  std::vector<FaultParameter> parameters;
  std::unique_ptr<Fault> (*make)(const ParameterReader& parameters);
  std::uint64_t default_count = 0;  // strikes after which it is over where none are given; 0: never
};

struct FaultRegistration {
  explicit FaultRegistration(FaultKind kind);
};

// In alphabetical order.
std::vector<const FaultKind*> FaultKinds();
// Throws std::invalid_argument, listing the known kinds.
const FaultKind& FindFaultKind(const std::string& name);

}  // namespace ccsim::emulator

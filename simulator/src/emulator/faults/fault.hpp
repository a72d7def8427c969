// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// fault.hpp: one kind of fault. Each kind is a file in this folder and registers itself in its last lines, with the description that
// `ibcc emulator fault kinds` shows. No list elsewhere names it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "emulator/agents/agent.hpp"
#include "emulator/faults.hpp"
#include "emulator/mad.hpp"

namespace ccsim::emulator {

// The object of a fault: a request before the agent has seen it, or the agent's answer.
struct Struck {
  Subnet& subnet;
  Place at;
  Mad mad;
  bool is_set;               // the request is a Set
  bool key_refused = false;  // the agent must take the key for a wrong one
};

class Fault {
 public:
  enum class Outcome : std::uint8_t {
    Onward,    // the agent gets the request as it now is
    Answered,  // the MAD is the answer; the agent does not get the request
    Lost,      // the agent does not get the request, and nobody answers it
  };

  virtual ~Fault() = default;
  // True if this kind of fault can strike a request that the spec matches.
  virtual bool Concerns(const Mad& request) const;
  // Called for each request that matches, whether or not the fault will strike it.
  virtual void Seen(const Mad& request, Place at);
  // Strikes a request on its way to the agent.
  virtual Outcome Before(Struck& request);
  // Strikes its answer, if there is one.
  virtual void After(Struck& answer, Answered& answered);
  // True if a device accepts congestion control tables and does not act on them while this fault is in force.
  virtual bool ignores_tables() const { return false; }
};

// Reads the parameters of a fault for its kind. Each function throws std::invalid_argument with a sentence.
class ParameterReader {
 public:
  explicit ParameterReader(const FaultSpec& spec) : spec_(spec) {}
  const FaultSpec& spec() const { return spec_; }
  bool has(const std::string& name) const { return spec_.parameters.contains(name); }
  std::int64_t Number(const std::string& name, std::int64_t least, std::int64_t most) const;
  // One of `choices`; the first if the parameter is missing.
  std::string Choice(const std::string& name, const std::vector<std::string>& choices) const;
  std::string Text(const std::string& name) const;
  // Throws "fault 'clamp': " and the sentence.
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
  std::uint64_t default_count = 0;  // strikes after which it ends if the spec has no count; 0: never
};

struct FaultRegistration {
  explicit FaultRegistration(FaultKind kind);
};

// In alphabetical order.
std::vector<const FaultKind*> FaultKinds();
// Throws std::invalid_argument that lists the known kinds.
const FaultKind& FindFaultKind(const std::string& name);

}  // namespace ccsim::emulator

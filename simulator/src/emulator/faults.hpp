// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// faults.hpp: what emulated devices do wrong on purpose.
//
// Behaviour   a request that a node's agent is to answer is held against the faults in the order of their ids. One that matches it
//             and whose chance has come strikes; one that settles the answer leaves out those after it. Chance is drawn from the seed
//             and the fault's id, so the same MADs in the same order meet the same faults
// Data        belongs to the emulator's thread
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "emulator/agents/agent.hpp"

namespace ccsim::emulator {

// By name, as the kind of fault describes them.
using FaultParameters = std::map<std::string, std::variant<std::int64_t, std::string>>;

struct FaultSpec {
  std::string kind;
  // Which requests it may strike; nothing: all.
  std::optional<std::uint32_t> node;
  std::optional<std::uint8_t> mgmt_class;  // kSmpLid stands for both kinds of SMPs
  std::optional<std::uint16_t> attribute;
  Methods methods = kGetAndSet;
  double probability = 1.0;            // of each that matches, above 0
  std::optional<std::uint64_t> count;  // ends after so many strikes; without: what the kind says
  FaultParameters parameters;
};

struct FaultReport {
  std::uint64_t id;
  FaultSpec spec;
  std::uint64_t matched;  // requests that it might have struck
  std::uint64_t struck;
};

class Faults {
 public:
  explicit Faults(std::uint64_t seed);
  ~Faults();
  Faults(const Faults&) = delete;
  Faults& operator=(const Faults&) = delete;

  // Returns the fault's id, from 1. Throws std::invalid_argument with a sentence on a kind or parameter that does not exist or a value
  // that makes no sense.
  std::uint64_t Add(Subnet& subnet, FaultSpec spec);
  // False if there is no such fault.
  bool Clear(Subnet& subnet, std::uint64_t id);
  // Returns how many there were.
  std::size_t ClearAll(Subnet& subnet);
  // By ascending id, those too that have struck as often as they may.
  std::vector<FaultReport> List() const;

  bool none() const { return active_.empty(); }
  // As LetAgentAnswer, with faults.
  Answered Answer(Subnet& subnet, Place at, Datagram& datagram);

 private:
  struct Active;
  void Remove(Subnet& subnet, std::size_t position);
  void TellIgnored(Subnet& subnet, const Active& changed);

  std::uint64_t seed_;
  std::uint64_t last_id_ = 0;
  std::vector<std::unique_ptr<Active>> active_;
};

}  // namespace ccsim::emulator

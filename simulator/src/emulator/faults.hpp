// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// faults.hpp: the faults in force: errors that emulated devices make on purpose.
//
// Behaviour   each request to a node's agent is compared with the faults in the order of their ids. A fault that matches strikes with
//             its probability; after one that decides the answer, the others are skipped. Random numbers follow from the seed and the
//             fault's id, so the same MADs in the same order meet the same faults
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

// Parameters by the names that the kind of fault has for them.
using FaultParameters = std::map<std::string, std::variant<std::int64_t, std::string>>;

struct FaultSpec {
  std::string kind;
  // The requests that it may strike; nothing: all.
  std::optional<std::uint32_t> node;
  std::optional<std::uint8_t> mgmt_class;  // kSmpLid stands for both kinds of SMPs
  std::optional<std::uint16_t> attribute;
  Methods methods = kGetAndSet;
  double probability = 1.0;            // of each matching request, above 0
  std::optional<std::uint64_t> count;  // strikes after which it ends; without: the kind's default
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

  // Returns the fault's id, from 1. Throws std::invalid_argument with a sentence if a kind or parameter does not exist or a value is
  // out of range.
  std::uint64_t Add(Subnet& subnet, FaultSpec spec);
  // False if there is no such fault.
  bool Clear(Subnet& subnet, std::uint64_t id);
  // Returns how many there were.
  std::size_t ClearAll(Subnet& subnet);
  // Returns the faults by ascending id, including those that have reached their count.
  std::vector<FaultReport> List() const;

  bool none() const { return active_.empty(); }
  // As LetAgentAnswer, with faults.
  Answered Answer(Subnet& subnet, Place at, Datagram& datagram);

 private:
  struct Active;
  void Remove(Subnet& subnet, std::size_t position);
  void NoteIgnored(Subnet& subnet, const Active& changed);

  std::uint64_t seed_;
  std::uint64_t last_id_ = 0;
  std::vector<std::unique_ptr<Active>> active_;
};

}  // namespace ccsim::emulator

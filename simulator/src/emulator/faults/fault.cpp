// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// fault.cpp: the kinds of faults by name, and the reader of their parameters.
#include "emulator/faults/fault.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <utility>

namespace ccsim::emulator {
namespace {

// Registrations write it before main() or while the module is loaded; afterwards it is only read.
std::map<std::string, FaultKind>& Kinds() {
  static std::map<std::string, FaultKind> kinds;
  return kinds;
}

template <typename Range, typename Name>
std::string Listed(const Range& range, Name name) {
  std::string text;
  for (const auto& element : range) text += (text.empty() ? "" : ", ") + name(element);
  return text;
}

}  // namespace

bool Fault::Concerns(const Mad& /*request*/) const { return true; }
void Fault::Seen(const Mad& /*request*/, Place /*at*/) {}
Fault::Outcome Fault::Before(Struck& /*request*/) { return Outcome::Onward; }
void Fault::After(Struck& /*answer*/, Answered& /*answered*/) {}

void ParameterReader::Refuse(const std::string& sentence) const {
  throw std::invalid_argument("fault '" + spec_.kind + "': " + sentence);
}

std::int64_t ParameterReader::Number(const std::string& name, std::int64_t least, std::int64_t most) const {
  const std::string range = "a whole number from " + std::to_string(least) + " to " + std::to_string(most);
  const auto found = spec_.parameters.find(name);
  if (found == spec_.parameters.end()) Refuse("needs " + name + ", " + range);
  const auto* number = std::get_if<std::int64_t>(&found->second);
  if (number == nullptr) Refuse(name + " is '" + std::get<std::string>(found->second) + "'; it must be " + range);
  if (*number < least || *number > most) Refuse(name + " is " + std::to_string(*number) + "; it must be " + range);
  return *number;
}

std::string ParameterReader::Text(const std::string& name) const {
  const auto found = spec_.parameters.find(name);
  if (found == spec_.parameters.end()) Refuse("needs " + name);
  const auto* text = std::get_if<std::string>(&found->second);
  if (text == nullptr)
    Refuse(name + " is the number " + std::to_string(std::get<std::int64_t>(found->second)) + "; it must be a text");
  return *text;
}

std::string ParameterReader::Choice(const std::string& name, const std::vector<std::string>& choices) const {
  if (!has(name)) return choices.front();
  std::string chosen = Text(name);
  if (std::find(choices.begin(), choices.end(), chosen) == choices.end()) {
    Refuse(name + " is '" + chosen + "'; it must be one of " + Listed(choices, [](const std::string& choice) { return choice; }));
  }
  return chosen;
}

FaultRegistration::FaultRegistration(FaultKind kind) {
  std::string name = kind.name;
  Kinds().emplace(std::move(name), std::move(kind));
}

std::vector<const FaultKind*> FaultKinds() {
  std::vector<const FaultKind*> kinds;
  for (const auto& [name, kind] : Kinds()) kinds.push_back(&kind);
  return kinds;
}

const FaultKind& FindFaultKind(const std::string& name) {
  const auto found = Kinds().find(name);
  if (found == Kinds().end()) {
    const std::string known = Listed(FaultKinds(), [](const FaultKind* kind) { return kind->name; });
    throw std::invalid_argument("there is no fault '" + name + "'; there are " + known);
  }
  return found->second;
}

}  // namespace ccsim::emulator

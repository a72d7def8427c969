// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// faults.cpp: decides which faults strike a request, and applies them to the request and its answer.
#include "emulator/faults.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "emulator/agents/dispatch.hpp"
#include "emulator/faults/fault.hpp"
#include "emulator/subnet.hpp"
#include "rng.hpp"

namespace ccsim::emulator {
namespace {

constexpr double kTwoTo64 = 18446744073709551616.0;

bool Matches(const FaultSpec& spec, std::uint32_t node, const Mad& mad) {
  if (spec.node && *spec.node != node) return false;
  if (spec.mgmt_class && *spec.mgmt_class != CanonicalClass(mad.mgmt_class())) return false;
  if (spec.attribute && *spec.attribute != mad.attribute()) return false;
  return (spec.methods & (mad.method() == kSet ? kSetOnly : kGetOnly)) != 0;
}

void Check(const Subnet& subnet, const FaultSpec& spec, const FaultKind& kind) {
  const ParameterReader reader(spec);
  if (spec.node && *spec.node >= subnet.num_devices()) {
    reader.Refuse("node " + std::to_string(*spec.node) + " does not exist; the last is " +
                  std::to_string(subnet.num_devices() - 1));
  }
  if (!(spec.probability > 0 && spec.probability <= 1)) {
    reader.Refuse("probability is " + std::to_string(spec.probability) + "; it must be above 0 and at most 1");
  }
  if (spec.count && *spec.count == 0) reader.Refuse("count is 0; it must be at least 1");
  if (spec.attribute && !spec.mgmt_class) reader.Refuse("has an attribute but no class; attributes are numbered by class");
  for (const auto& [name, value] : spec.parameters) {
    if (std::any_of(kind.parameters.begin(), kind.parameters.end(), [&](const auto& known) { return known.name == name; }))
      continue;
    std::string known;
    for (const FaultParameter& parameter : kind.parameters) known += (known.empty() ? "it has " : ", ") + parameter.name;
    reader.Refuse("has no parameter '" + name + "'; " + (known.empty() ? "it has none" : known));
  }
}

}  // namespace

struct Faults::Active {
  std::uint64_t id;
  FaultSpec spec;
  std::uint64_t most;  // strikes
  std::unique_ptr<Fault> fault;
  Rng rng;
  std::uint64_t matched = 0;
  std::uint64_t struck = 0;

  bool Strikes() {
    ++matched;
    if (struck >= most) return false;
    if (spec.probability < 1 && static_cast<double>(rng.Next()) >= spec.probability * kTwoTo64) return false;
    ++struck;
    return true;
  }
};

Faults::Faults(std::uint64_t seed) : seed_(seed) {}
Faults::~Faults() = default;

std::uint64_t Faults::Add(Subnet& subnet, FaultSpec spec) {
  const FaultKind& kind = FindFaultKind(spec.kind);
  if (spec.mgmt_class) spec.mgmt_class = CanonicalClass(*spec.mgmt_class);
  Check(subnet, spec, kind);
  std::unique_ptr<Fault> fault = kind.make(ParameterReader(spec));
  const std::uint64_t most = spec.count.value_or(kind.default_count == 0 ? UINT64_MAX : kind.default_count);
  const std::uint64_t id = ++last_id_;
  active_.push_back(std::make_unique<Active>(Active{id, std::move(spec), most, std::move(fault), Rng(seed_, id)}));
  NoteIgnored(subnet, *active_.back());
  return id;
}

void Faults::Remove(Subnet& subnet, std::size_t position) {
  const std::unique_ptr<Active> removed = std::move(active_[position]);
  active_.erase(active_.begin() + static_cast<std::ptrdiff_t>(position));
  NoteIgnored(subnet, *removed);
}

bool Faults::Clear(Subnet& subnet, std::uint64_t id) {
  const auto found = std::find_if(active_.begin(), active_.end(), [id](const auto& active) { return active->id == id; });
  if (found == active_.end()) return false;
  Remove(subnet, static_cast<std::size_t>(found - active_.begin()));
  return true;
}

std::size_t Faults::ClearAll(Subnet& subnet) {
  const std::size_t cleared = active_.size();
  while (!active_.empty()) Remove(subnet, active_.size() - 1);
  return cleared;
}

std::vector<FaultReport> Faults::List() const {
  std::vector<FaultReport> reports;
  reports.reserve(active_.size());
  for (const auto& active : active_) reports.push_back({active->id, active->spec, active->matched, active->struck});
  return reports;
}

// Updates the devices that `changed` concerns: ignoring its tables is a state of a device, and does not depend on requests.
void Faults::NoteIgnored(Subnet& subnet, const Active& changed) {
  if (!changed.fault->ignores_tables()) return;
  for (std::uint32_t node = 0; node < subnet.num_devices(); ++node) {
    if (changed.spec.node && *changed.spec.node != node) continue;
    subnet.device(node).cca.tables_ignored = std::any_of(active_.begin(), active_.end(), [node](const auto& active) {
      return active->fault->ignores_tables() && (!active->spec.node || *active->spec.node == node);
    });
  }
  ++subnet.versions().congestion;
}

Answered Faults::Answer(Subnet& subnet, Place at, Datagram& datagram) {
  Struck request{subnet, at, Mad(datagram.mad), Mad(datagram.mad).method() == kSet};
  std::vector<Fault*> struck;
  Fault::Outcome outcome = Fault::Outcome::Onward;
  for (const auto& active : active_) {
    if (!Matches(active->spec, at.node, request.mad) || !active->fault->Concerns(request.mad)) continue;
    active->fault->Seen(request.mad, at);
    if (outcome != Fault::Outcome::Onward || !active->Strikes()) continue;
    struck.push_back(active->fault.get());
    outcome = active->fault->Before(request);
  }
  if (outcome == Fault::Outcome::Lost) return {Answer::Silence};
  Answered answered;
  if (outcome == Fault::Outcome::Onward) answered = AskAgent(subnet, at, datagram, request.key_refused);
  for (Fault* fault : struck) {
    if (answered.answer == emulator::Answer::Silence) break;
    fault->After(request, answered);
  }
  return answered;
}

}  // namespace ccsim::emulator

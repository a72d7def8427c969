// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "engine/engine.hpp"

#include <utility>

#include "engine/core.hpp"
#include "schemes/registry.hpp"

namespace ccsim {

Engine::Engine(const Fabric& fabric, const Model& model, std::span<const Flow> flows, const ccp_tables* tables,
               const RunOptions& options) {
  const Setup setup{fabric, model, flows, tables, options};
  CheckDialects(FindScheme(model.scheme.name), fabric);
  CheckHostModels(FindScheme(model.scheme.name), fabric);
  core_ = FindScheme(model.scheme.name).make(setup);
  core_->Build(setup);
}

Engine::~Engine() = default;

bool Engine::Run(const std::function<bool(Time)>& keep_going, const Questions& when) {
  for (;;) {
    const Time end = core_->options_.duration;
    const Time until = when.time < end - core_->now_ ? core_->now_ + when.time : end;
    if (core_->RunUntil(until, when.events) && until == end) {
      core_->EndRun();
      return true;
    }
    if (!keep_going(core_->now_)) return false;
  }
}

void Engine::Program(const ccp_tables& tables) { core_->Program(tables); }

// From now on packets may be lost or overtake each other.
void Engine::Disturb() {
  if (std::unique_ptr<EngineCore> other = core_->Disturbable()) core_ = std::move(other);
  core_->Disturb();
}

void Engine::SetForward(std::uint32_t ordinal, std::uint32_t endport, std::uint8_t port) {
  Disturb();
  core_->SetForward(ordinal, endport, port);
}

void Engine::SetLink(std::uint32_t node, std::uint16_t port, bool up) {
  if (core_->ChangesLink(node, port, up)) Disturb();
  core_->SetLink(node, port, up);
}

void Engine::SetServiceLevels(const Fabric& fabric) {
  Disturb();
  core_->SetServiceLevels(fabric);
}

SwitchCongestionLog Engine::SwitchLog(std::uint32_t ordinal) const { return core_->SwitchLog(ordinal); }
CaCongestionLog Engine::CaLog(std::uint32_t endport) const { return core_->CaLog(endport); }
void Engine::ClearSwitchLog(std::uint32_t ordinal) { core_->ClearSwitchLog(ordinal); }
void Engine::ClearCaLog(std::uint32_t endport) { core_->ClearCaLog(endport); }

Time Engine::now() const { return core_->now_; }
const RunRecord& Engine::record() const { return core_->record_; }
std::size_t Engine::num_flows() const { return core_->flow_counters_.size(); }
const BigVector<FlowCounters>& Engine::flow_counters() const { return core_->flow_counters_; }
PortCounters Engine::port_counters(std::uint32_t port) const { return core_->port_counters(port); }
std::size_t Engine::num_endports() const { return core_->num_endports_; }
const std::vector<Hop>& Engine::port_names() const { return core_->port_names_; }
std::uint64_t Engine::packets_in_flight() const { return core_->pool_.live(); }
void Engine::CheckInvariants() const { core_->CheckInvariants(); }
bool Engine::AllCreditsReturned() const { return core_->AllCreditsReturned(); }

std::vector<PortCounters> Engine::port_counters() const {
  std::vector<PortCounters> counters;
  counters.reserve(core_->ports_.size());
  for (std::uint32_t port = 0; port < core_->ports_.size(); ++port) counters.push_back(core_->port_counters(port));
  return counters;
}

}  // namespace ccsim

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/table_follower.hpp"

#include "emulator/agents/cca/tables.hpp"
#include "emulator/subnet_fabric.hpp"

namespace ccsim::emulator {

TableFollower::TableFollower(const Subnet& subnet, const TableVersions& versions, std::uint16_t used_sls, const Model& model,
                             Engine& engine)
    : subnet_(subnet),
      versions_(versions),
      used_sls_(used_sls),
      model_(model),
      engine_(engine),
      forwarding_{versions.forwarding},
      links_{versions.links},
      service_levels_{versions.service_levels},
      congestion_{versions.congestion} {
  const Fabric& fabric = subnet.fabric();
  carries_.assign(engine.port_names().size(), 1);
  for (std::uint32_t e = 0; e < fabric.endports().size(); ++e) lids_.push_back(LidOf(subnet, e));
  for (const std::uint32_t node : fabric.switches()) {
    tables_.push_back(subnet.device(node).sma.forwarding);
    tops_.push_back(subnet.device(node).sma.forwarding_top);
    auto& passed = forward_.emplace_back(fabric.endports().size(), kNoRoute);
    for (std::uint32_t e = 0; e < passed.size(); ++e) {
      const std::uint8_t port = ForwardOf(subnet, node, e);
      passed[e] = port;
      // The engine's fabric has no entry for it, as its link carries no packets now.
      if (port != kNoRoute && !Carries(subnet, node, port)) engine.SetForward(fabric.switch_ordinal(node), e, port);
    }
  }
  PassLinks();
}

void TableFollower::Follow() {
  FollowKind(links_, versions_.links, [this] { PassLinks(); });
  FollowKind(forwarding_, versions_.forwarding, [this] { PassForwarding(); });
  FollowKind(service_levels_, versions_.service_levels, [this] { PassServiceLevels(); });
  FollowKind(congestion_, versions_.congestion, [this] { PassCongestion(); });
}

template <typename Pass>
void TableFollower::FollowKind(Kind& kind, std::uint64_t version, Pass pass) {
  if (version == kind.passed) return;
  const Clock::time_point begin = Clock::now();
  if (begin < kind.not_before) return;
  kind.passed = version;
  pass();
  const Clock::time_point end = Clock::now();
  kind.not_before = end + 9 * (end - begin);
}

void TableFollower::PassLinks() {
  for (std::uint32_t i = 0; i < carries_.size(); ++i) {
    const Hop& at = engine_.port_names()[i];
    const bool carries = Carries(subnet_, at.node, at.port);
    if (carries == (carries_[i] != 0)) continue;
    carries_[i] = carries;
    engine_.SetLink(at.node, at.port, carries);
  }
}

void TableFollower::PassForwarding() {
  const Fabric& fabric = subnet_.fabric();
  std::vector<std::uint16_t> lids;
  lids.reserve(fabric.endports().size());
  for (std::uint32_t e = 0; e < fabric.endports().size(); ++e) lids.push_back(LidOf(subnet_, e));
  const bool same_lids = lids == lids_;
  lids_ = std::move(lids);
  for (std::uint32_t s = 0; s < fabric.num_switches(); ++s) {
    const std::uint32_t node = fabric.switches()[s];
    const SmaNode& sma = subnet_.device(node).sma;
    if (same_lids && sma.forwarding == tables_[s] && sma.forwarding_top == tops_[s]) continue;
    tables_[s] = sma.forwarding;
    tops_[s] = sma.forwarding_top;
    for (std::uint32_t e = 0; e < forward_[s].size(); ++e) {
      const std::uint8_t port = ForwardOf(subnet_, node, e);
      if (port == forward_[s][e]) continue;
      forward_[s][e] = port;
      engine_.SetForward(s, e, port);
    }
  }
}

void TableFollower::PassServiceLevels() {
  Fabric fabric = subnet_.fabric();
  fabric.ClearForwarding();  // and path SLs
  SetServiceLevels(subnet_, used_sls_, model_, fabric);
  engine_.SetServiceLevels(fabric);
}

void TableFollower::PassCongestion() { engine_.Program(SubnetCcTables(subnet_).tables()); }

}  // namespace ccsim::emulator

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// table_follower.hpp: passes changes of a subnet's tables and links on to a running engine.
//
// Behaviour   the subnet's TableVersions show which tables have changed. The engine gets changes at once, but while they continue it
//             spends no more than a tenth of the time on them: a subnet manager that writes thousands of tables does not stop the
//             workload
// Data        the tables as the engine has them
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "emulator/subnet.hpp"
#include "engine/engine.hpp"
#include "model.hpp"

namespace ccsim::emulator {

class TableFollower {
 public:
  // For an engine that was made with FabricOf(subnet, used_sls, model). Passes on at once what that fabric cannot express. All must
  // outlive it.
  TableFollower(const Subnet& subnet, const TableVersions& versions, std::uint16_t used_sls, const Model& model, Engine& engine);

  void Follow();

 private:
  using Clock = std::chrono::steady_clock;
  // One of the four kinds of tables.
  struct Kind {
    std::uint64_t passed;
    Clock::time_point not_before{};
  };
  template <typename Pass>
  void FollowKind(Kind& kind, std::uint64_t version, Pass pass);
  void PassForwarding();
  void PassLinks();
  void PassServiceLevels();
  void PassCongestion();

  const Subnet& subnet_;
  const TableVersions& versions_;
  const std::uint16_t used_sls_;
  const Model& model_;
  Engine& engine_;
  Kind forwarding_, links_, service_levels_, congestion_;
  std::vector<std::uint16_t> lids_;                 // by endport
  std::vector<std::vector<std::uint8_t>> forward_;  // by switch ordinal, then endport
  std::vector<std::vector<std::uint8_t>> tables_;   // by switch ordinal, as its agent holds it
  std::vector<std::uint16_t> tops_;                 // by switch ordinal: LinearFDBTop
  std::vector<std::uint8_t> carries_;               // by the engine's dense index of a port
};

}  // namespace ccsim::emulator

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What a run of the simulation is made from; the same gives the same run. In one line: "seed=7 hosts=3 switches=1 managers=2 without=loss,crash".
#pragma once

#include <cstdint>
#include <set>
#include <string>

namespace ibcc_test::simulation {

struct Scenario {
  std::uint64_t seed = 1;
  unsigned hosts = 0, switches = 0;  // 0: as the seed says
  unsigned managers = 1;             // OpenSMs that are alive at once, 1 or 2
  bool rare = false;                 // what has not yet happened in the plugin's present state is drawn more often
  std::set<std::string> without;     // kinds of perturbations (perturbations.hpp) that do not happen

  // Throws std::invalid_argument for what is no scenario.
  static Scenario Parse(const std::string& line);
  std::string Line() const;
};

}  // namespace ibcc_test::simulation

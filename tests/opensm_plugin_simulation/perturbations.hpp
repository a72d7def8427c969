// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What happens to the plugin from outside, one row a kind: faults, calls and events, each drawn as often as its weight says.
#pragma once

#include <cstdint>
#include <vector>

namespace ibcc_test::simulation {

class Simulation;
struct Device;

struct Perturbation {
  const char* name;
  unsigned weight;
  void (*run)(Simulation& simulation, Device& device);                // one of the fabric's, drawn at random
  enum class Of : std::uint8_t { Any, One, Two } managers = Of::Any;  // it happens where so many OpenSMs are alive
  bool gives_profile = false;                                         // where devices are to hold what they were found with
  bool loses_mastership = false;                                      // one of World::Losses follows

  bool IsOf(unsigned count) const { return managers == Of::Any || (managers == Of::Two) == (count == 2); }
};

const std::vector<Perturbation>& Perturbations();

}  // namespace ibcc_test::simulation

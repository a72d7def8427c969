// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A run that finds the same as another, with as little as possible in it: fewer kinds of perturbations, fewer devices, fewer steps.
#pragma once

#include <cstdint>
#include <string>

#include "scenario.hpp"

namespace ibcc_test::simulation {

// The finding of a run in a folder of its own; "": none. `steps`: at most; then as many as it took.
std::string FindingOf(const Scenario& scenario, std::uint64_t& steps);

// Takes at most about `seconds` seconds of CPU.
Scenario Smallest(const Scenario& failing, std::uint64_t steps, double seconds);

}  // namespace ibcc_test::simulation

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The profiles of the simulation. Each has a number, which the values that it sets show again: so it is seen on a device whose it holds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profiles/profiles.h"
#include "world.hpp"

namespace ibcc_test::simulation {

// Bases and experiments differ, until an experiment is committed.
constexpr unsigned kBases = 6;        // from 0; the last one switches congestion control off
constexpr unsigned kExperiments = 6;  // behind them
constexpr unsigned kOff = kBases - 1;
constexpr unsigned kNoBase = kBases + kExperiments;  // does not fit a fabric that has host 0
constexpr unsigned kNoExperiment = kNoBase + 1;      // nor does this

std::string ProfileText(unsigned number, const std::vector<Device>& devices);
unsigned DrawBase(World& world);
unsigned DrawExperiment(World& world);

// These find the number of a profile: in its document, in a Set to an adapter or a switch, in what a device holds. -1: none, or it is off.
int NumberOf(const ibcc_revision& revision);
int NumberIn(const std::uint8_t* data, bool is_switch);
int NumberHeld(const Device& device);

bool RunsPpcc(const Device& device);
constexpr std::uint16_t kAlgorithm = 2;
int NumberOfNvidia(const Device& device);  // that it holds by NVIDIA's attributes
bool IsOnByNvidia(const Device& device);
bool NeedsNoHost0(const ibcc_revision& revision);

}  // namespace ibcc_test::simulation

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#pragma once

#include <pybind11/pybind11.h>

#include <optional>
#include <utility>

#include "units.hpp"

namespace ccsim {

void BindTraffic(pybind11::module_& m);

// A time within a run. Throws std::invalid_argument naming the parameter and its value.
Time CheckedSeconds(const char* name, double seconds);

// The part of a run that is judged, in seconds; none: all of it. JudgedTimes throws std::invalid_argument.
using Judged = std::optional<std::pair<double, double>>;
std::pair<Time, Time> JudgedTimes(const Judged& judged_s);

}  // namespace ccsim

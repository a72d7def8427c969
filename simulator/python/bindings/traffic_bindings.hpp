// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#pragma once

#include <pybind11/pybind11.h>

#include "units.hpp"

namespace ccsim {

void BindTraffic(pybind11::module_& m);

// A time within a run. Throws std::invalid_argument naming the parameter and its value.
Time CheckedSeconds(const char* name, double seconds);

}  // namespace ccsim

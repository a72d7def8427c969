// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#pragma once

#include <pybind11/pybind11.h>

namespace ccsim {
void BindModel(pybind11::module_& m);
void BindSimulation(pybind11::module_& m);
}  // namespace ccsim

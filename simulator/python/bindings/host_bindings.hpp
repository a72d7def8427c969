// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// host_bindings.hpp: ccsim.HostModel, ccsim.HostLoad, and what a run says of modelled hosts.
#pragma once

#include <pybind11/pybind11.h>

#include "result_bindings.hpp"

namespace ccsim {

void BindHostModels(pybind11::module_& m);
// By modelled host: its endport and counters. None on a fabric without such hosts.
pybind11::object ModelledHosts(const FinishedRun& run);
// By name, a row a modelled host and a column a sample; None likewise.
pybind11::object HostSeries(const FinishedRun& run);

}  // namespace ccsim

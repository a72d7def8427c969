// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// result_bindings.hpp: ccsim.Result, which Simulation.run and Emulator.run return.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>

#include "engine/engine.hpp"

namespace ccsim {

// A run that has ended.
struct FinishedRun {
  std::shared_ptr<const Fabric> fabric;  // endports and switches are numbered as in it
  RunOptions options;
  std::unique_ptr<Engine> engine;
  bool complete = false;
  double cpu_s = 0;
};

// The Python class Result.
struct PyResult {
  std::shared_ptr<const FinishedRun> run;
};

void BindResult(pybind11::module_& m);

// CPU time of the calling thread.
double ThreadCpuSeconds();

}  // namespace ccsim

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// module.cpp: the native module ccsim._ccsim; each part of it is bound in its own file.
#include <pybind11/pybind11.h>

#include "emulator_bindings.hpp"
#include "fabric_bindings.hpp"
#include "host_bindings.hpp"
#include "policy_bindings.hpp"
#include "simulation_bindings.hpp"

PYBIND11_MODULE(_ccsim, m) {
  ccsim::BindHostModels(m);
  ccsim::BindFabric(m);
  ccsim::BindKeys(m);
  ccsim::BindPolicy(m);
  ccsim::BindWire(m);
  ccsim::BindModel(m);
  ccsim::BindSimulation(m);
  ccsim::BindEmulator(m);
}

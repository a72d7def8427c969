// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#pragma once

#include <pybind11/pybind11.h>

#include "engine/engine.hpp"

namespace ccsim {

// The congestion logs of the devices that have logged or marked anything.
pybind11::dict CongestionLogs(const Fabric& fabric, const Engine& engine);

}  // namespace ccsim

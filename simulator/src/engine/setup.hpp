// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// setup.hpp: what a run is made from.
#pragma once

#include <span>

#include "ccpolicy/tables.h"
#include "engine/run_record.hpp"
#include "fabric.hpp"
#include "flow.hpp"
#include "model.hpp"

namespace ccsim {

class EngineCore;

// All but `tables` outlive the engine's construction, not the engine.
struct Setup {
  const Fabric& fabric;
  const Model& model;
  std::span<const Flow> flows;
  const ccp_tables* tables;  // may be null: CC off everywhere
  const RunOptions& options;
};

}  // namespace ccsim

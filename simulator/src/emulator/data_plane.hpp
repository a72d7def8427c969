// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// data_plane.hpp: traffic under the tables that arrived by MAD.
#pragma once

#include <functional>
#include <span>

#include "emulator/subnet.hpp"
#include "engine/engine.hpp"

namespace ccsim::emulator {

enum class Pace : std::uint8_t {
  Fast,  // as fast as the machine can
  Real,  // a second of the workload takes a second of the clock, or longer if the machine is too slow
};

struct WorkloadOptions {
  std::uint64_t seed = 1;
  Time duration = 0;
  Time sample_interval = 0;
  Pace pace = Pace::Fast;
  bool allow_credit_loops = false;
};

class DataPlane : public Traffic {
 public:
  DataPlane(Subnet& subnet, const Model& model);

  // Runs a workload under the tables of now, and of later when they change. Between events it calls `serve`, which may take MADs,
  // with the time reached; it ends early when that returns false. Throws std::invalid_argument with a sentence on flows that make
  // no sense or cannot get through under the tables.
  RunRecord Run(std::span<const Flow> flows, const WorkloadOptions& options, const std::function<bool(Time)>& serve);

  void Refresh(std::uint32_t node) override;
};

}  // namespace ccsim::emulator

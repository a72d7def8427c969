// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/data_plane.hpp"

#include "emulator/subnet_fabric.hpp"

namespace ccsim::emulator {

struct DataPlane::Running {
  Engine& engine;
};

DataPlane::DataPlane(Subnet& subnet, const Model& model) : subnet_(subnet), model_(model) {}

DataPlane::~DataPlane() = default;

WorkloadRun DataPlane::Run(std::span<const Flow> flows, const WorkloadOptions& options, const Serve& serve) {
  WorkloadRun run;
  run.options.seed = options.seed;
  run.options.duration = options.duration;
  run.options.sample_interval = options.sample_interval;
  const Fabric fabric = FabricOf(subnet_);
  run.engine = std::make_unique<Engine>(fabric, model_, flows, nullptr, run.options);
  run.complete = run.engine->Run([&](Time) { return serve(*run.engine); });
  return run;
}

void DataPlane::Refresh(std::uint32_t) {}

}  // namespace ccsim::emulator

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/data_plane.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include "congestion/check_nvidia.hpp"
#include "emulator/agents/cca/tables.hpp"
#include "emulator/check_workload.hpp"
#include "emulator/subnet_fabric.hpp"
#include "emulator/table_follower.hpp"

namespace ccsim::emulator {
namespace {

using Clock = std::chrono::steady_clock;

// 0.1 to 0.2 ms of CPU: no MAD waits longer, and polling the sockets costs less than 1 %.
constexpr std::uint64_t kEventsBetweenServes = 1 << 11;
constexpr Time kRealTimeStep = 1000 * kFsPerUs;

std::unique_ptr<Engine> MakeEngine(const Subnet& subnet, const Fabric& fabric, const Model& model, std::span<const Flow> flows,
                                   const RunOptions& options) {
  const SubnetCcTables held(subnet);
  CheckNoPpcc(fabric, held.tables());
  const bool none = held.tables().num_switches == 0 && held.tables().num_cas == 0;
  return std::make_unique<Engine>(fabric, model, flows, none ? nullptr : &held.tables(), options);
}

}  // namespace

DataPlane::DataPlane(Subnet& subnet, const Model& model) : subnet_(subnet), model_(model) { subnet.set_traffic(this); }

DataPlane::~DataPlane() { subnet_.set_traffic(nullptr); }

WorkloadRun DataPlane::Run(std::span<const Flow> flows, const WorkloadOptions& options, const Serve& serve) {
  WorkloadRun run;
  run.options.seed = options.seed;
  run.options.duration = options.duration;
  run.options.sample_interval = options.sample_interval;
  run.options.judged_from = options.judged_from;
  run.options.judged_until = options.judged_until;
  run.options.host_loads = options.host_loads;
  const std::uint16_t used_sls = UsedSls(flows);
  {
    const Fabric fabric = FabricOf(subnet_, used_sls, model_);
    CheckReachable(subnet_, fabric, flows);
    run.engine = MakeEngine(subnet_, fabric, model_, flows, run.options);  // checks the flows, so loops are checked after it
    if (!options.allow_credit_loops) CheckCreditLoops(fabric, flows);
  }
  Engine& engine = *run.engine;
  TableFollower follower(subnet_, subnet_.versions(), used_sls, model_, engine);
  counters_ = std::make_unique<TrafficCounters>(subnet_, engine, flows, used_sls);
  const struct Attached {
    DataPlane& plane;
    ~Attached() { plane.counters_.reset(); }
  } attached{*this};

  const Clock::time_point start = Clock::now();
  const bool real = options.pace == Pace::Real;
  const auto keep_going = [&](Time now) {
    if (!serve(engine, 0)) return false;
    while (real) {
      const auto ahead = start + std::chrono::nanoseconds(now / kFsPerNs) - Clock::now();
      if (ahead <= Clock::duration::zero()) break;
      const auto whole_ms = std::chrono::duration_cast<std::chrono::milliseconds>(ahead).count();
      if (whole_ms == 0) std::this_thread::sleep_for(ahead);
      if (whole_ms > 0 && !serve(engine, static_cast<int>(std::min<std::int64_t>(whole_ms, 1000)))) return false;
    }
    follower.Follow();
    return true;
  };
  run.complete = engine.Run(keep_going, {.events = kEventsBetweenServes, .time = real ? kRealTimeStep : kNever});
  if (real && run.complete) std::this_thread::sleep_until(start + std::chrono::nanoseconds(options.duration / kFsPerNs));
  for (std::uint32_t node = 0; node < subnet_.num_devices(); ++node) Refresh(node);
  return run;
}

void DataPlane::Refresh(std::uint32_t node) {
  if (counters_ != nullptr) counters_->Fold(node);
}

}  // namespace ccsim::emulator

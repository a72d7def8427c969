// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// data_plane.hpp: runs traffic under the tables that arrived by MAD.
//
// Behaviour   a workload runs packet by packet (engine/engine.hpp) under what the devices hold: LIDs and forwarding tables, port
//             states, SL-to-VL and VL arbitration, congestion control. Between events it serves MADs; their changes apply to packets
//             that arrive afterwards. The devices' counters and logs show the workload (traffic_counters.hpp)
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "emulator/subnet.hpp"
#include "emulator/traffic_counters.hpp"
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
  Time judged_from = 0;  // as RunOptions
  Time judged_until = kNever;
  std::vector<HostLoad> host_loads;  // likewise
};

// A workload that has ended.
struct WorkloadRun {
  RunOptions options;
  std::unique_ptr<Engine> engine;
  bool complete = false;  // false: it ended early
};

class DataPlane : public Traffic {
 public:
  // Both must outlive it. A subnet has one at a time.
  DataPlane(Subnet& subnet, const Model& model);
  ~DataPlane() override;
  DataPlane(const DataPlane&) = delete;
  DataPlane& operator=(const DataPlane&) = delete;

  // Runs a workload under the devices' tables, and follows their changes. Between events it calls `serve`, which may serve MADs and
  // wait for them for `wait_ms` at most; it ends early when that returns false. Throws std::invalid_argument with a sentence if flows
  // are not valid or have no way under the tables.
  using Serve = std::function<bool(const Engine& engine, int wait_ms)>;
  WorkloadRun Run(std::span<const Flow> flows, const WorkloadOptions& options, const Serve& serve);

  void Refresh(std::uint32_t node) override;

 private:
  Subnet& subnet_;
  const Model& model_;
  std::unique_ptr<TrafficCounters> counters_;  // of the running workload
};

}  // namespace ccsim::emulator

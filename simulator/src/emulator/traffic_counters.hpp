// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// traffic_counters.hpp: adds the traffic of a running workload to the counters and logs of the devices.
//
// Behaviour   the engine counts from its start and is never cleared. The difference since the last reading is added to the agents'
//             counters, which managers clear. Bytes are from LRH to ICRC, as PortXmitData counts them (IBA 16.1.3.5, without the VCRC)
// Data        the engine's counts at the last reading, by port, switch and adapter
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "emulator/subnet.hpp"
#include "engine/engine.hpp"

namespace ccsim::emulator {

class TrafficCounters {
 public:
  // The engine must outlive it. `used_sls`: bit per SL that the flows use; counters by SL are kept only if there is one.
  TrafficCounters(Subnet& subnet, const Engine& engine, std::span<const Flow> flows, std::uint16_t used_sls);

  // Adds the counts and events since the last call to a node's counters and logs.
  void Fold(std::uint32_t node);

 private:
  void FoldPort(std::uint32_t index, PmaPort& pma);
  void FoldSwitchLog(std::uint32_t node, std::uint32_t ordinal);
  void FoldCaLog(std::uint32_t node, std::uint16_t port, std::uint32_t endport);
  std::int64_t AtNs(std::uint32_t timestamp) const;
  std::uint16_t LidOfEndport(std::uint32_t endport) const;

  Subnet& subnet_;
  const Engine& engine_;
  const std::int64_t start_ns_;
  const int only_sl_;                            // -1: there are several
  std::vector<std::uint32_t> first_queue_pair_;  // by flow: numbers of queue pairs, as logs give them
  std::vector<std::uint32_t> first_port_;        // by node, and one more at the end: dense index of its first connected port
  std::vector<PortCounters> seen_;               // by dense index
  std::vector<std::size_t> switch_events_;       // by ordinal
  std::vector<std::size_t> ca_events_;           // by endport
};

}  // namespace ccsim::emulator

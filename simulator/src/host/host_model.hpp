// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// host_model.hpp: how fast a host takes what its adapter receives: PCIe credits, the IOMMU's translations, and memory that the adapter
// shares with cores. docs/research/host-model.md has the sources of each number.
//
// The adapter writes cache lines of 64 bytes. Each holds a PCIe credit from the root complex until memory has accepted it. So the rate is
// at most credits * 64 B / latency (Agarwal et al., HotNets 2022, section 3.1; Vuppalapati et al., SIGCOMM 2024, section 4), where
//
//   latency = base + walk + wait
//   walk    = the time of a page walk, if any of a packet's translations misses the IOTLB. The walks of one packet overlap
//   wait    = what a line waits for memory that is saturated: cores keep their lines in flight, so that by Little's law
//             cores * lines = (their bandwidth / 64 B) * (their unloaded cycle + wait), with the bandwidth that the adapter leaves them
//
// Rates are in GB/s, which is bytes per ns; times in ns.
#pragma once

#include <array>
#include <string>

namespace ccsim {

inline constexpr double kLineBytes = 64;

// The signals and steps of hostCC (Agarwal et al., SIGCOMM 2023; constants of its public code).
struct HostCcSettings {
  bool enabled = false;
  double target_gbps = 80;          // of payload, that the adapter is to get
  double occupancy_lines = 70;      // above it, packets are marked
  double occupancy_weight = 0.125;  // of a new sample
  double bandwidth_weight = 1.0 / 256;
  double least_lines = 10;        // samples of occupancy up to it are ignored
  double most_gbps = 150 / 1.05;  // samples of bandwidth from it on likewise
  double sample_ns = 600;
  double step_down_us = 150;                                 // at least, between two steps down
  std::array<double, 5> level_factors{1, 0.8, 0.6, 0.4, 0};  // of cores' lines, by level of throttling
};

struct HostModel {
  double write_credits_lines = 92;
  double base_latency_ns = 300;
  double pcie_gbps = 110;  // payload that the adapter's PCIe link carries
  // Memory: the adapter's node, and another whose writes cross the link between sockets.
  double memory_gbytes_per_s = 90;
  double cores = 28;                // of a node
  double core_lines = 44.5;         // in flight for a memory-bound core
  double core_gbytes_per_s = 12.5;  // of one, alone
  double ddio_share = 0;            // of writes that need no memory
  double remote_share = 0;          // of writes that go to the other node
  double remote_latency_ns = 70;
  double socket_gbytes_per_s = 20;
  // Translations; none with 0 entries.
  double iotlb_entries = 0;
  double page_bytes = 2097152;
  double walk_step_ns = 103;       // a level of the page table
  double translations = 6;         // a packet
  double region_bytes = 12582912;  // registered by a receiver thread
  double control_pages = 10;       // of a thread, for descriptors and completions
  // What receives.
  double threads = 12;
  double thread_gbps = 0;  // that a thread takes at most; 0: no limit
  // The adapter.
  double receive_buffer_bytes = 0;      // of each VL; 0: model.ca.input_buffer_bytes
  double lossy_buffer_bytes = 1048576;  // of an adapter that drops
  double mark_buffer_bytes = 0;         // fill of the receive buffer above which it marks; 0: never
  HostCcSettings hostcc{};

  // Throws std::invalid_argument with a sentence that has the field and its value.
  void Validate(const std::string& host) const;
};

// What runs on a host beside the traffic, by memory node: the adapter's, the other.
struct MemoryLoad {
  std::array<double, 2> cores{};
  std::array<double, 2> gbytes_per_s{};
  double factor = 1;  // of their lines and bandwidth, as hostCC throttles them
};

// ns that a packet's lines wait for a page walk, in the mean.
double WalkNs(const HostModel& model);
// ns from the root complex to memory, of a line, at a rate of the adapter; infinite where memory cannot carry it.
double WriteLatencyNs(const HostModel& model, const MemoryLoad& load, double gbytes_per_s);
// Lines in flight then, at most the credits.
double OccupancyLines(const HostModel& model, const MemoryLoad& load, double gbytes_per_s);

// How fast a host takes what waits in the receive buffer.
struct DrainRate {
  double gbytes_per_s;
  double latency_ns;
  double occupancy_lines;
  bool by_credits;  // PCIe credits are the limit
};
DrainRate DrainRateOf(const HostModel& model, const MemoryLoad& load);

}  // namespace ccsim

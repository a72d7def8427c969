// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// run_record.hpp: what a run is told, and what it leaves behind.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ccpolicy/tables.h"
#include "engine/deadlock.hpp"
#include "engine/packet_pool.hpp"
#include "engine/round_trip_times.hpp"
#include "host/host_load.hpp"
#include "units.hpp"

namespace ccsim {

// New tables for the devices, at a time of the run.
struct Programming {
  Time time = 0;
  std::shared_ptr<const ccp_tables> tables;
};

struct RunOptions {
  std::uint64_t seed = 1;
  Time duration = 0;
  Time sample_interval = 0;
  bool trace_ccti = false;
  bool trace_occupancy = false;
  std::size_t trace_packets = 0;  // rows kept at most
  // Round trips that end from then until then are in the record's `round_trips`.
  Time judged_from = 0;
  Time judged_until = kNever;
  std::vector<Programming> programmings;
  std::vector<HostLoad> host_loads;  // of hosts that have a model
};

enum class TraceEvent : std::uint8_t { Leaves, Received };

struct TraceRow {
  Time time;
  std::uint32_t port;  // dense index
  std::uint32_t flow;
  std::uint32_t queue_pair;   // among the flow's
  std::uint32_t destination;  // endport
  std::uint32_t sequence;
  std::uint16_t wire_bytes;
  TraceEvent event;
  PacketKind kind;
  bool fecn;
  bool becn;
};

// A host with a model, over the whole run. Times are in fs.
struct ModelledHost {
  std::uint32_t endport = 0;
  double drained_bytes = 0;     // of payload
  double busy = 0;              // something was in the receive buffer
  double without_credits = 0;   // and PCIe credits were what it waited for
  double load_bytes = 0;        // that memory has carried for the host's loads
  double line_time = 0;         // integral of the lines in flight
  double buffer_byte_time = 0;  // and of the bytes in the receive buffer
  double most_occupancy_lines = 0;
  double most_buffered_bytes = 0;
  double would_have_dropped_bytes = 0;  // by an adapter whose buffer has lossy_buffer_bytes and gives no credits
  std::uint64_t marked_packets = 0;     // FECN that the host has set
};

// What it was like in one sample: means, and hostCC's level at the end.
struct HostSeriesRow {
  float occupancy_lines;
  float buffered_bytes;
  float without_credits;  // share of the time
  float level;
};

// What a run leaves behind; series have one row a sample.
struct RunRecord {
  std::vector<std::uint64_t> received_bytes;       // [sample][flow], of that interval
  std::vector<std::uint64_t> host_received_bytes;  // [sample][endport], likewise
  std::vector<std::uint16_t> ccti;                 // [sample][flow], the largest of its queue pairs
  // Flows whose adapters react by DCQCN have these, where CCTIs are traced and the fabric may have such; else not a number. [sample][flow]:
  // the smallest rate of its queue pairs, and the largest alpha; 0 before the first CNP.
  std::vector<float> rate_gbps;
  std::vector<float> alpha;
  std::vector<std::uint32_t> occupancy;  // [sample][port], bytes queued
  std::vector<float> waited_ns;          // [sample][port], with a packet and without credits, in that interval
  // Schemes that isolate flows record their special queues in use, [sample][port], where queues are traced. Any scheme may record
  // totals of its own, by name, a value a sample.
  std::vector<std::uint8_t> special_queues;
  std::map<std::string, std::vector<std::uint64_t>> scheme_series;
  std::vector<ModelledHost> modelled_hosts;  // by ascending endport
  std::vector<HostSeriesRow> host_states;    // [sample][modelled host]
  std::vector<TraceRow> packets;
  RoundTripTimes round_trips;        // of flows with a window of 1, as FlowCounters has their sum
  std::optional<Deadlock> deadlock;  // that the run ended in
  std::size_t num_samples = 0;
  std::uint64_t packet_hops = 0;
  std::uint64_t events = 0;
};

}  // namespace ccsim

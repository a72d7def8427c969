// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// sim_driver.cpp: the loads of bench_sim.py without Python, for profilers and for comparing two states of the engine.
//
//   sim_driver 64|648|1024|11664 uniform|light|hotspots off|gran-2010 MICROSECONDS [REPEAT [SCHEME]]
//
// prints packet-hops, events a packet-hop, the fastest run's packet-hops a CPU second and CPU seconds, and a checksum of all counters: a
// change that is to leave results alone leaves it alone. SCHEME is a name of schemes/, voqsw if left out. benchmarks/README.md says how to build it.
#include <ctime>
#include <memory>
#include <optional>
#include <utility>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "routing/registry.hpp"
#include "testing.hpp"

namespace ccsim {
namespace {

constexpr double kInjectGbps = 13.5;
constexpr double kLightGbps = 4.8;

// XGFT(h; m; w): node i of level l has w[l] parents, which it shares with the m[l] - 1 others that differ from it in digit l only.
Fabric Tree(const std::vector<unsigned>& m, const std::vector<unsigned>& w) {
  Fabric fabric(2048);
  const std::size_t height = m.size();
  const auto radix = [&](std::size_t level, std::size_t digit) { return digit < level ? w[digit] : m[digit]; };
  std::vector<std::vector<std::uint32_t>> nodes(height + 1);
  std::uint64_t guid = 1;
  for (std::size_t level = 0; level <= height; ++level) {
    std::size_t count = 1;
    for (std::size_t digit = 0; digit < height; ++digit) count *= radix(level, digit);
    const unsigned ports = (level > 0 ? m[level - 1] : 0) + (level < height ? w[level] : 0);
    for (std::size_t i = 0; i < count; ++i) {
      const std::string name = (level == 0 ? "H" : "S" + std::to_string(level) + "-") + std::to_string(i);
      nodes[level].push_back(
          fabric.AddNode(name, level == 0 ? NodeKind::Host : NodeKind::Switch, guid++, static_cast<std::uint16_t>(ports)));
      if (level == 0) fabric.SetHostLimits(nodes[0].back(), kInjectGbps, std::nullopt);
    }
  }
  for (std::size_t level = 0; level < height; ++level) {
    std::size_t low = 1;  // number of nodes that the digits below `level` count
    for (std::size_t digit = 0; digit < level; ++digit) low *= w[digit];
    for (std::size_t i = 0; i < nodes[level].size(); ++i) {
      const std::size_t child = i / low % m[level];
      const std::size_t above = i / low / m[level];
      for (unsigned parent = 0; parent < w[level]; ++parent) {
        const std::size_t top = (above * w[level] + parent) * low + i % low;
        const std::size_t up = level == 0 ? 1 + parent : m[level - 1] + 1 + parent;
        fabric.Connect(nodes[level][i], static_cast<std::uint16_t>(up), nodes[level + 1][top],
                       static_cast<std::uint16_t>(1 + child), ParseLinkRate("4xDDR"), FromNs(25));
      }
    }
  }
  RouteBy(fabric, "dmodk");
  return fabric;
}

testing::Tables Gran2010(const Fabric& fabric) {
  testing::UniformTables uniform;
  uniform.threshold = 15;
  uniform.marking_rate = 1;
  uniform.packet_size = 8;
  testing::Tables tables = testing::MakeTables(fabric, uniform);
  for (unsigned ca = 0; ca < tables->num_cas; ++ca) {
    for (int i = 0; i < 128; ++i) {
      // 7 us (i / 106)^2 in units of an eighth of a full packet's time.
      tables->cct_pool[0][i] = {3, static_cast<std::uint16_t>(7e9 * (i / 106.) * (i / 106.) / (1037e6 / 8) + .5)};
    }
  }
  return tables;
}

std::vector<Flow> FlowsOf(const std::string& load, std::uint32_t num_hosts) {
  auto everybody = std::make_shared<Destinations>();
  for (std::uint32_t host = 0; host < num_hosts; ++host) everybody->endports.push_back(host);
  std::vector<Flow> flows;
  for (std::uint32_t host = 0; host < num_hosts; ++host) {
    Flow flow;
    flow.src = host;
    flow.message_bytes = 4096;
    if (load == "light") flow.rate_gbps = kLightGbps;
    const std::uint32_t hotspot = (2 * (host % 8) + 1) * num_hosts / 16;
    if (load == "hotspots" && host % 5 != 0 && hotspot != host) {
      flow.dst = hotspot;
    } else {
      flow.destinations = everybody;
    }
    flows.push_back(std::move(flow));
  }
  return flows;
}

double CpuSeconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

std::uint64_t Checksum(const Engine& engine) {
  std::uint64_t sum = 0;
  const auto add = [&](auto value) { sum = (sum ^ static_cast<std::uint64_t>(value)) * 0x9E3779B97F4A7C15ULL, sum ^= sum >> 32; };
  for (const FlowCounters& c : engine.flow_counters()) {
    add(c.sent_packets), add(c.received_packets), add(c.received_bytes), add(c.fecn_received), add(c.becn_received);
  }
  for (const PortCounters& c : engine.port_counters()) {
    add(c.xmit_bytes), add(c.rcv_packets), add(c.fecn_marked), add(c.xmit_wait), add(c.max_queued_bytes);
  }
  return sum;
}

int Main(int argc, char** argv) {
  if (argc < 5) {
    std::fputs("usage: sim_driver 64|648|1024|11664 uniform|light|hotspots off|gran-2010 MICROSECONDS [REPEAT [SCHEME]]\n",
               stderr);
    return 2;
  }
  const std::string size = argv[1];
  const Fabric fabric = size == "64"     ? Tree({4, 4, 4}, {1, 4, 4})
                        : size == "648"  ? Tree({18, 36}, {1, 18})
                        : size == "1024" ? Tree({4, 4, 4, 4, 4}, {1, 4, 4, 4, 4})
                                         : Tree({18, 18, 36}, {1, 18, 18});
  const testing::Tables tables = Gran2010(fabric);
  const std::vector<Flow> flows = FlowsOf(argv[2], static_cast<std::uint32_t>(fabric.endports().size()));
  RunOptions options;
  options.duration = FromSeconds(std::atof(argv[4]) * 1e-6);
  options.sample_interval = options.duration;
  Model model;
  if (argc > 6) model.scheme.name = argv[6];
  model.Validate(fabric.mtu_bytes());
  double fastest = 0, cpu_s = 0;
  for (int repeat = argc > 5 ? std::atoi(argv[5]) : 1; repeat > 0; --repeat) {
    Engine engine(fabric, model, flows, std::string(argv[3]) == "off" ? nullptr : tables.get(), options);
    const double start = CpuSeconds();
    engine.Run([](Time) { return true; });
    const auto hops = static_cast<double>(engine.record().packet_hops);
    const double took_s = CpuSeconds() - start;
    if (hops / took_s > fastest) fastest = hops / took_s, cpu_s = took_s;
    if (repeat > 1) continue;
    std::printf("%.0f hops, %.3f events a hop, %.3f M hops a CPU second (%.2f s), checksum %016llx\n", hops,
                static_cast<double>(engine.record().events) / hops, fastest / 1e6, cpu_s,
                static_cast<unsigned long long>(Checksum(engine)));
  }
  return 0;
}

}  // namespace
}  // namespace ccsim

int main(int argc, char** argv) {
  try {
    return ccsim::Main(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "sim_driver: %s\n", error.what());
    return 2;
  }
}

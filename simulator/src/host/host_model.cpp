// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "host/host_model.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <stdexcept>

namespace ccsim {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

// Levels of a page table that a walk reads (Intel VT-d: 512 entries a level, 4 levels to a page of 4 KB).
double WalkLevels(double page_bytes) { return std::clamp(4 - std::floor(std::log2(page_bytes / 4096) / 9), 1.0, 4.0); }

// ns that a line waits at a memory node, beyond what it takes unloaded.
double WaitNs(const HostModel& model, const MemoryLoad& load, unsigned node, double adapter) {
  const double left = model.memory_gbytes_per_s - load.factor * load.gbytes_per_s[node] - adapter;
  const double wanted = load.factor * load.cores[node] * model.core_gbytes_per_s;
  if (wanted <= left) return 0;
  if (left <= 0) return kInfinite;
  const double cycle = model.core_lines * kLineBytes / model.core_gbytes_per_s;
  return kLineBytes * load.factor * load.cores[node] * model.core_lines / left - cycle;
}

double Limit(const HostModel& model) {
  double gbps = model.pcie_gbps;
  if (model.thread_gbps > 0) gbps = std::min(gbps, model.threads * model.thread_gbps);
  double limit = gbps / 8;
  if (model.remote_share > 0) limit = std::min(limit, model.socket_gbytes_per_s / model.remote_share);
  return limit;
}

void Require(bool holds, const std::string& host, const char* field, double value, const char* right) {
  if (holds) return;
  char text[32];
  std::snprintf(text, sizeof(text), "%.15g", value);
  throw std::invalid_argument("host model of '" + host + "': " + field + " is " + text + "; it must be " + right);
}

}  // namespace

double WalkNs(const HostModel& model) {
  if (model.iotlb_entries <= 0) return 0;
  const double pages = model.threads * (std::ceil(model.region_bytes / model.page_bytes) + model.control_pages);
  const double hits = std::min(1.0, model.iotlb_entries / pages);
  const double translations =
      model.translations + (model.page_bytes <= 4096 ? 1 : 0);  // a payload of 4 KB lies on two small pages
  return (1 - std::pow(hits, translations)) * WalkLevels(model.page_bytes) * model.walk_step_ns;
}

double WriteLatencyNs(const HostModel& model, const MemoryLoad& load, double gbytes_per_s) {
  double latency = model.base_latency_ns + WalkNs(model);
  const double shares[] = {1 - model.remote_share, model.remote_share};
  for (unsigned node = 0; node < 2; ++node) {
    const double share = shares[node] * (1 - model.ddio_share);
    if (share <= 0) continue;
    latency += share * WaitNs(model, load, node, share * gbytes_per_s);
  }
  return latency + model.remote_share * model.remote_latency_ns;
}

double OccupancyLines(const HostModel& model, const MemoryLoad& load, double gbytes_per_s) {
  if (gbytes_per_s <= 0) return 0;
  return std::min(model.write_credits_lines, gbytes_per_s * WriteLatencyNs(model, load, gbytes_per_s) / kLineBytes);
}

DrainRate DrainRateOf(const HostModel& model, const MemoryLoad& load) {
  const double credits = model.write_credits_lines * kLineBytes;
  const auto fits = [&](double rate) { return rate * WriteLatencyNs(model, load, rate) <= credits; };
  double rate = Limit(model);
  const bool by_credits = !fits(rate);
  if (by_credits) {  // the latency grows with the rate, so there is one rate at which all credits are in use
    double least = 0, most = rate;
    for (int i = 0; i < 60; ++i) {
      const double middle = (least + most) / 2;
      (fits(middle) ? least : most) = middle;
    }
    rate = least;
  }
  return {rate, WriteLatencyNs(model, load, rate), OccupancyLines(model, load, rate), by_credits};
}

void HostModel::Validate(const std::string& host) const {
  const auto above = [&](const char* field, double value) {
    Require(value > 0 && value <= 1e12, host, field, value, "above 0 and at most 1e+12");
  };
  const auto from_0 = [&](const char* field, double value) {
    Require(value >= 0 && value <= 1e12, host, field, value, "0 to 1e+12");
  };
  const auto share = [&](const char* field, double value, bool whole) {
    Require(value >= 0 && (whole ? value <= 1 : value < 1), host, field, value, whole ? "0 to 1" : "0 or more and below 1");
  };
  above("write_credits_lines", write_credits_lines);
  above("base_latency_ns", base_latency_ns);
  above("pcie_gbps", pcie_gbps);
  above("memory_gbytes_per_s", memory_gbytes_per_s);
  above("cores", cores);
  above("core_lines", core_lines);
  above("core_gbytes_per_s", core_gbytes_per_s);
  share("ddio_share", ddio_share, true);
  share("remote_share", remote_share, true);
  from_0("remote_latency_ns", remote_latency_ns);
  above("socket_gbytes_per_s", socket_gbytes_per_s);
  from_0("iotlb_entries", iotlb_entries);
  Require(page_bytes >= 4096 && page_bytes <= 1e12, host, "page_bytes", page_bytes, "4096 or more");
  from_0("walk_step_ns", walk_step_ns);
  from_0("translations", translations);
  above("region_bytes", region_bytes);
  from_0("control_pages", control_pages);
  above("threads", threads);
  from_0("thread_gbps", thread_gbps);
  Require(receive_buffer_bytes >= 0 && receive_buffer_bytes <= 1e9, host, "receive_buffer_bytes", receive_buffer_bytes,
          "0 to 1e+09");
  above("lossy_buffer_bytes", lossy_buffer_bytes);
  from_0("mark_buffer_bytes", mark_buffer_bytes);
  above("hostcc.target_gbps", hostcc.target_gbps);
  above("hostcc.occupancy_lines", hostcc.occupancy_lines);
  Require(hostcc.occupancy_weight > 0 && hostcc.occupancy_weight <= 1, host, "hostcc.occupancy_weight", hostcc.occupancy_weight,
          "above 0 and at most 1");
  Require(hostcc.bandwidth_weight > 0 && hostcc.bandwidth_weight <= 1, host, "hostcc.bandwidth_weight", hostcc.bandwidth_weight,
          "above 0 and at most 1");
  from_0("hostcc.least_lines", hostcc.least_lines);
  above("hostcc.most_gbps", hostcc.most_gbps);
  Require(hostcc.sample_ns >= 100 && hostcc.sample_ns <= 1e9, host, "hostcc.sample_ns", hostcc.sample_ns, "100 to 1e+09");
  from_0("hostcc.step_down_us", hostcc.step_down_us);
  for (const double factor : hostcc.level_factors) share("hostcc.level_factors", factor, true);
}

}  // namespace ccsim

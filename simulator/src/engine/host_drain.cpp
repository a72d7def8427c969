// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "engine/host_drain.hpp"

#include <algorithm>
#include <cmath>

namespace ccsim {
namespace {

// GB/s that the loads get of both nodes' memory, at a rate of the adapter: what a processor's memory bandwidth monitoring counts.
double LoadRate(const HostModel& model, const MemoryLoad& load, double gbytes_per_s) {
  const double shares[] = {1 - model.remote_share, model.remote_share};
  double sum = 0;
  for (unsigned node = 0; node < 2; ++node) {
    const double wanted = load.factor * (load.gbytes_per_s[node] + load.cores[node] * model.core_gbytes_per_s);
    const double left = model.memory_gbytes_per_s - shares[node] * (1 - model.ddio_share) * gbytes_per_s;
    sum += std::clamp(wanted, 0.0, std::max(0.0, left));
  }
  return sum;
}

}  // namespace

void HostDrain::Build(EngineCore& e) {
  index_.assign(e.num_endports_, kNoIndex);
  for (std::uint32_t host = 0; host < e.num_endports_; ++host) {
    if (e.host_models_.empty() || !e.host_models_[host]) continue;
    index_[host] = static_cast<std::uint32_t>(hosts_.size());
    Host& h = hosts_.emplace_back();
    h.model = e.host_models_[host];
    SetRate(h);
    e.record_.modelled_hosts.push_back({.endport = host});
  }
}

void HostDrain::SetRate(Host& h) {
  h.rate = DrainRateOf(*h.model, h.load);
  h.load_busy = LoadRate(*h.model, h.load, h.rate.gbytes_per_s);
  h.load_idle = LoadRate(*h.model, h.load, 0);
}

// What waits is counted up to `time`, before which nothing leaves.
void HostDrain::Advance(EngineCore& e, std::size_t i, Time time) {
  Host& h = hosts_[i];
  ModelledHost& counters = e.record_.modelled_hosts[i];
  for (; h.arrived < h.queue.size() && h.queue[h.arrived].tail_there <= time; ++h.arrived) {
    const Waiting& w = h.queue[h.arrived];
    Integrate(counters, h, w.tail_there);
    h.fill += w.bytes;
    counters.most_buffered_bytes = std::max(counters.most_buffered_bytes, h.fill);
    counters.most_occupancy_lines = std::max(counters.most_occupancy_lines, h.rate.occupancy_lines);
    if (h.lossy + w.bytes > h.model->lossy_buffer_bytes) {
      counters.would_have_dropped_bytes += w.bytes;
    } else {
      h.lossy += w.bytes;
    }
  }
  Integrate(counters, h, time);
}

// The head is drained from the moment on at which its tail is there: the host is busy exactly while there is something in the buffer.
void HostDrain::Integrate(ModelledHost& counters, Host& h, Time time) {
  const auto span = static_cast<double>(time - h.last);
  h.last = time;
  counters.load_bytes += span * 1e-6 * (h.fill > 0 ? h.load_busy : h.load_idle);
  if (span <= 0 || h.fill <= 0) return;
  const double served = BytesPerFs(h) * span;
  h.served += served;
  h.lossy = std::max(0.0, h.lossy - served);
  counters.drained_bytes += served;
  counters.busy += span;
  counters.buffer_byte_time += h.fill * span;
  counters.line_time += h.rate.occupancy_lines * span;
  if (h.rate.by_credits) counters.without_credits += span;
}

void HostDrain::Plan(EngineCore& e, std::size_t i, Time begun) {
  Host& h = hosts_[i];
  h.begun = begun;
  h.done = begun + std::max<Time>(1, std::llround(h.left / BytesPerFs(h)));
  e.calendar_.PushAt(e.now_, h.done, EngineCore::kDrain, e.record_.modelled_hosts[i].endport, 0);
}

void HostDrain::Arrive(EngineCore& e, std::uint32_t host, std::uint32_t packet, Time tail_there) {
  const std::size_t i = index_[host];
  Host& h = hosts_[i];
  const std::uint32_t bytes = e.pool_[packet].payload_bytes();
  h.queue.push_back({packet, bytes, tail_there});
  if (h.queue.size() == 1) {
    h.left = bytes;
    Plan(e, i, tail_there);
  }
  if (!h.model->hostcc.enabled || h.samples) return;
  Advance(e, i, e.now_);
  h.samples = true;
  h.sampled = e.now_;
  h.served = 0;
  e.calendar_.PushAt(e.now_, e.now_ + FromNs(h.model->hostcc.sample_ns), EngineCore::kHostSample, host, 0);
}

std::uint32_t HostDrain::Drained(EngineCore& e, std::uint32_t host) {
  const std::size_t i = index_[host];
  Host& h = hosts_[i];
  if (h.done != e.now_) return kNoPacket;
  Advance(e, i, e.now_);
  const Waiting head = h.queue.front();
  const bool marks = h.cc.marks(h.model->hostcc) || (h.model->mark_buffer_bytes > 0 && h.fill > h.model->mark_buffer_bytes);
  last_wait_ = e.now_ - head.tail_there;
  h.fill -= head.bytes;
  h.queue.pop_front();
  --h.arrived;
  h.done = kNever;
  if (!h.queue.empty()) {
    h.left = h.queue.front().bytes;
    Plan(e, i, std::max(e.now_, h.queue.front().tail_there));
  }
  Packet& k = e.pool_[head.packet];
  if (marks && !k.fecn) {
    k.fecn = true;
    ++e.record_.modelled_hosts[i].marked_packets;
  }
  return head.packet;
}

// The rate after a change of load or level.
void HostDrain::Revise(EngineCore& e, std::size_t i) {
  Host& h = hosts_[i];
  Advance(e, i, e.now_);
  const double before = BytesPerFs(h);
  h.load.factor = h.model->hostcc.enabled ? h.model->hostcc.level_factors[h.cc.level()] : 1;
  SetRate(h);
  if (h.queue.empty() || BytesPerFs(h) == before) return;
  if (e.now_ > h.begun) h.left = std::max(0.0, h.left - before * static_cast<double>(e.now_ - h.begun));
  Plan(e, i, std::max(e.now_, h.begun));
}

void HostDrain::OnLoad(EngineCore& e, std::uint32_t index, bool begins) {
  const HostLoad& load = e.options_.host_loads[index];
  const std::size_t i = index_[load.endport];
  MemoryLoad& sum = hosts_[i].load;
  const double sign = begins ? 1 : -1;
  sum.cores[load.remote] += sign * load.cores;
  sum.gbytes_per_s[load.remote] += sign * load.gbytes_per_s;
  Revise(e, i);
}

void HostDrain::OnHostSample(EngineCore& e, std::uint32_t host) {
  const std::size_t i = index_[host];
  Host& h = hosts_[i];
  Advance(e, i, e.now_);
  if (h.served <= 0 && h.queue.empty()) {  // an idle host's signals stand still
    h.samples = false;
    return;
  }
  const double rate = h.served * 1e6 / static_cast<double>(e.now_ - h.sampled);
  h.sampled = e.now_;
  h.served = 0;
  if (h.cc.Sample(h.model->hostcc, e.now_, OccupancyLines(*h.model, h.load, rate), 8 * rate)) Revise(e, i);
  e.calendar_.PushAt(e.now_, e.now_ + FromNs(h.model->hostcc.sample_ns), EngineCore::kHostSample, host, 0);
}

void HostDrain::Sample(EngineCore& e) {
  const auto span = static_cast<double>(e.options_.sample_interval);
  for (std::size_t i = 0; i < hosts_.size(); ++i) {
    Host& h = hosts_[i];
    Advance(e, i, e.now_);
    const ModelledHost& c = e.record_.modelled_hosts[i];
    e.record_.host_states.push_back({.occupancy_lines = static_cast<float>((c.line_time - h.line_time_then) / span),
                                     .buffered_bytes = static_cast<float>((c.buffer_byte_time - h.fill_time_then) / span),
                                     .without_credits = static_cast<float>((c.without_credits - h.stalled_then) / span),
                                     .level = static_cast<float>(h.cc.level())});
    h.line_time_then = c.line_time;
    h.fill_time_then = c.buffer_byte_time;
    h.stalled_then = c.without_credits;
  }
}

}  // namespace ccsim

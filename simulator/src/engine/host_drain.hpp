// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// host_drain.hpp: the policy `HostSink` of fabrics on which hosts have a model (host/host_model.hpp): what such a host has accepted leaves
// its receive buffer at the rate of the moment. Other hosts of the fabric drain as bus_drain.hpp says.
//
// Events      kDrain, a packet; kHostLoad, a change of load; kHostSample, of hosts with hostCC while packets come
// Behaviour   the rate changes when the load does, or hostCC's level; a packet that is being drained continues at the new rate. The
//             receiver's FECN is set as the packet leaves, before the policy Notification sees it
// Data        a queue for each modelled host, and RunRecord::modelled_hosts
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "engine/bus_drain.hpp"
#include "engine/core.hpp"
#include "host/host_model.hpp"
#include "host/hostcc.hpp"

namespace ccsim {

class HostDrain {
 public:
  static constexpr bool kQueues = true;

  void Build(EngineCore& e);
  bool Holds(std::uint32_t host) const { return index_[host] != kNoIndex; }
  static Time Delivered(HostState& host, const Packet& k, Time tail_there) { return BusDrain::Delivered(host, k, tail_there); }

  // A data packet is on its last wire. REQUIRES: Holds(host).
  void Arrive(EngineCore& e, std::uint32_t host, std::uint32_t packet, Time tail_there);
  // The packet that has left, with its FECN as the host leaves it; kNoPacket: a change of rate has overtaken the event.
  std::uint32_t Drained(EngineCore& e, std::uint32_t host);
  // How long the packet that left last has been in the receive buffer.
  Time last_wait() const { return last_wait_; }
  void OnLoad(EngineCore& e, std::uint32_t load, bool begins);
  void OnHostSample(EngineCore& e, std::uint32_t host);
  // Appends to the series of the run.
  void Sample(EngineCore& e);

 private:
  struct Waiting {
    std::uint32_t packet;
    std::uint32_t bytes;  // of payload
    Time tail_there;
  };
  struct Host {
    std::shared_ptr<const HostModel> model;
    MemoryLoad load;
    HostCc cc;
    DrainRate rate{};
    double load_busy = 0, load_idle = 0;  // GB/s of the loads, while something is in the receive buffer and while nothing is
    std::deque<Waiting> queue;
    std::size_t arrived = 0;  // of these, from the head on, whose tail has come
    double left = 0;          // bytes of the head, at `begun`
    Time begun = 0;
    Time done = kNever;
    Time last = 0;         // up to which the counters are
    double fill = 0;       // bytes in the receive buffer
    double lossy = 0;      // bytes in the buffer of an adapter that drops
    double served = 0;     // bytes since hostCC's last sample
    bool samples = false;  // hostCC's next sample is an event
    Time sampled = 0;
    double line_time_then = 0, fill_time_then = 0, stalled_then = 0;  // at the run's last sample
  };

  static double BytesPerFs(const Host& h) { return h.rate.gbytes_per_s * 1e-6; }
  static void SetRate(Host& h);
  void Advance(EngineCore& e, std::size_t i, Time time);
  void Integrate(ModelledHost& counters, Host& h, Time time);
  void Plan(EngineCore& e, std::size_t i, Time begun);
  void Revise(EngineCore& e, std::size_t i);

  std::vector<std::uint32_t> index_;  // by host: its place in hosts_, or kNoIndex
  std::vector<Host> hosts_;
  Time last_wait_ = 0;
};

}  // namespace ccsim

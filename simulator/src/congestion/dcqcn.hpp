// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dcqcn.hpp: the reaction point of DCQCN (Zhu et al., SIGCOMM 2015), by which adapters with NVIDIA's congestion control set a queue pair's
// rate: a CNP cuts it, time and sent bytes raise it again.
//
// Parameters  a DcqcnSetting of a port and SL: those of CongestionHCARPParameters in units of their own
// State       DcqcnState of a queue pair: current and target rate, alpha, and when each timer expires next
// Behaviour   two machines are documented, and adapters may have either (model.ca.dcqcn_machine):
//             Paper     every CNP cuts; alpha rises with each CNP and decays while none comes; increases come from a timer and from a
//                       byte counter, each with stages of its own (the paper; ns3-rdma)
//             Timers    a cut at most once a period, the first one a period after the first CNP; alpha updated in every period of its own
//                       by whether a CNP has come in it; stages count all increases (NVIDIA's DCQCN parameters; HPCC's simulator has
//                       it without the byte counter)
//
// Timers are not events: a state is brought up to date when it is read, in the order of what has happened since.
#pragma once

#include <algorithm>
#include <cstdint>

#include "congestion/power.hpp"
#include "model.hpp"
#include "units.hpp"

namespace ccsim {

// Rates are in Gb/s.
struct DcqcnSetting {
  DcqcnMachine machine = DcqcnMachine::Timers;
  double line_gbps = 0;
  double max_gbps = 0;  // rpg_max_rate; 0: the link's rate
  double min_gbps = 0.001;
  double first_gbps = 0;  // rate_to_set_on_first_cnp; 0: the rate at that moment
  double ai_gbps = 0.005;
  double hai_gbps = 0.05;
  double g = 5.0 / 1024;                  // (1024 - dce_tcp_g) / 1024
  double initial_alpha = 1;               // at a queue pair's first CNP
  double cut = 0.5;                       // of the rate, at alpha 1: 2^(10 - rpg_gd)
  double least_kept = 0.5;                // rpg_min_dec_fac: a cut leaves this part of the rate at least
  Time alpha_period = kFsPerUs;           // dce_tcp_rtt
  Time cut_period = 4 * kFsPerUs;         // rate_reduce_monitor_period
  Time increase_period = 300 * kFsPerUs;  // rpg_time_reset
  std::uint64_t increase_bytes = 0;       // rpg_byte_reset; 0: bytes do not count
  std::uint32_t threshold = 1;            // rpg_threshold: stages of fast recovery
  bool clamps_target = false;             // each cut sets the target to the rate before it, not just the first after an increase
  bool clamps_after_time = true;          // an increase by the timer counts for that, as one by bytes does

  double top_gbps() const { return max_gbps > 0 ? std::min(max_gbps, line_gbps) : line_gbps; }
  friend bool operator==(const DcqcnSetting&, const DcqcnSetting&) = default;
};

struct DcqcnState {
  double rate = 0;  // Gb/s; 0: no CNP has come since it was last at the top, and nothing below is valid
  double target = 0;
  double alpha = 0;
  Time alpha_at = 0;              // up to when alpha is brought up
  Time increase_at = 0;           // next expiry of the timer; kNever while it does not run
  Time cut_from = 0;              // the next cut no earlier
  std::uint64_t bytes = 0;        // since the byte counter's last expiry
  std::uint32_t time_stages = 0;  // expiries since the last cut; so is the next
  std::uint32_t byte_stages = 0;
  bool has_alpha = false;      // a CNP has come before
  bool cnp_in_period = false;  // of alpha
  bool cut_pending = false;
  bool first_cut_pending = false;  // a CNP has set the rate, and the machine Timers has not cut it yet
  bool target_due = false;         // the next cut sets the target: a rate has increased since the last one, as far as that counts

  bool active() const { return rate > 0; }
};

namespace dcqcn {

inline void AgeAlpha(const DcqcnSetting& s, DcqcnState& q, Time to) {
  if (s.alpha_period <= 0 || to < q.alpha_at + s.alpha_period) return;
  Time periods = (to - q.alpha_at) / s.alpha_period;
  q.alpha_at += periods * s.alpha_period;
  if (q.cnp_in_period) {  // in the first of them
    q.alpha = (1 - s.g) * q.alpha + s.g;
    q.cnp_in_period = false;
    --periods;
  }
  if (periods > 0) q.alpha *= Power(1 - s.g, static_cast<std::uint64_t>(periods));
}

inline Time NextIncrease(const DcqcnSetting& s, Time now) { return s.increase_period > 0 ? now + s.increase_period : kNever; }

inline void Cut(const DcqcnSetting& s, DcqcnState& q, Time now) {
  if (s.machine == DcqcnMachine::Paper || s.clamps_target || q.target_due) q.target = q.rate;
  q.rate = std::max({q.rate * (1 - q.alpha * s.cut), q.rate * s.least_kept, s.min_gbps});
  q.rate = std::min(q.rate, s.top_gbps());
  q.time_stages = q.byte_stages = 0;
  q.bytes = 0;
  q.increase_at = NextIncrease(s, now);
  q.cut_from = now + s.cut_period;
  q.cut_pending = q.first_cut_pending = q.target_due = false;
}

inline void Increase(const DcqcnSetting& s, DcqcnState& q, bool by_time) {
  const std::uint32_t stages_before = q.time_stages + q.byte_stages;
  ++(by_time ? q.time_stages : q.byte_stages);
  if (s.machine == DcqcnMachine::Paper) {
    const std::uint32_t least = std::min(q.time_stages, q.byte_stages);
    if (least >= s.threshold) {
      q.target += s.hai_gbps * (least - s.threshold + 1);
    } else if (std::max(q.time_stages, q.byte_stages) >= s.threshold) {
      q.target += s.ai_gbps;
    }
  } else if (stages_before >= s.threshold) {
    q.target += stages_before == s.threshold ? s.ai_gbps : s.hai_gbps;
  }
  q.target = std::min(q.target, s.top_gbps());
  q.rate = (q.rate + q.target) / 2;
  if (!by_time || s.clamps_after_time) q.target_due = true;
}

// A queue pair whose rate is back at the top is as if no CNP had come, but for its alpha.
inline void EndAtTop(const DcqcnSetting& s, DcqcnState& q) {
  if (!q.cut_pending && q.rate >= 0.9999 * s.top_gbps()) q.rate = 0;
}

inline void Advance(const DcqcnSetting& s, DcqcnState& q, Time now) {
  while (q.active()) {
    const bool cuts = q.cut_pending && q.cut_from <= q.increase_at;
    const Time next = cuts ? q.cut_from : q.increase_at;
    if (next > now) break;
    AgeAlpha(s, q, next);
    if (cuts) {
      Cut(s, q, next);
    } else {
      q.increase_at = NextIncrease(s, next);
      Increase(s, q, true);
      EndAtTop(s, q);
    }
  }
}

}  // namespace dcqcn

// The rate at which the queue pair sends its next packet.
inline double DcqcnRate(const DcqcnSetting& s, DcqcnState& q, Time now) {
  dcqcn::Advance(s, q, now);
  return q.active() ? q.rate : s.top_gbps();
}

inline void OnCnp(const DcqcnSetting& s, DcqcnState& q, Time now) {
  dcqcn::Advance(s, q, now);
  const bool sets_alpha = !q.has_alpha;
  if (sets_alpha) {
    q.alpha = s.initial_alpha;
    q.alpha_at = now;
    q.has_alpha = true;
  } else {
    dcqcn::AgeAlpha(s, q, now);
  }
  if (!q.active()) {
    q.rate = q.target = s.first_gbps > 0 ? std::min(s.first_gbps, s.top_gbps()) : s.top_gbps();
    q.target_due = true;
    q.first_cut_pending = true;
    q.increase_at = kNever;
    q.cut_from = now + s.cut_period;
  }
  if (s.machine == DcqcnMachine::Paper) {
    dcqcn::Cut(s, q, now);
    q.alpha = (1 - s.g) * q.alpha + s.g;
    q.alpha_at = now;  // the timer restarts
    return;
  }
  if (!sets_alpha) q.cnp_in_period = true;
  if (now >= q.cut_from) {
    dcqcn::Cut(s, q, now);
  } else {
    q.cut_pending = true;
  }
}

// The present alpha; 0 before the first CNP.
inline double DcqcnAlpha(const DcqcnSetting& s, DcqcnState& q, Time now) {
  dcqcn::Advance(s, q, now);
  if (q.has_alpha) dcqcn::AgeAlpha(s, q, now);
  return q.alpha;
}

// Brings a state under a new setting: its rates, within the new bounds. Timers that run expire when they would have, and bytes that have
// been sent bring one increase at most.
inline void OnProgrammed(const DcqcnSetting& before, const DcqcnSetting& after, DcqcnState& q, Time now) {
  dcqcn::Advance(before, q, now);
  if (q.has_alpha) dcqcn::AgeAlpha(before, q, now);
  if (!q.active()) return;
  q.rate = std::clamp(q.rate, after.min_gbps, std::max(after.min_gbps, after.top_gbps()));
  q.target = std::clamp(q.target, q.rate, std::max(q.rate, after.top_gbps()));
  if (after.increase_bytes > 0) q.bytes = std::min(q.bytes, after.increase_bytes - 1);
  if (q.increase_at == kNever && !q.first_cut_pending) q.increase_at = dcqcn::NextIncrease(after, now);
}

// The queue pair has sent so many bytes.
inline void OnSentBytes(const DcqcnSetting& s, DcqcnState& q, std::uint32_t bytes, Time now) {
  dcqcn::Advance(s, q, now);
  if (!q.active() || q.first_cut_pending || s.increase_bytes == 0) return;
  q.bytes += bytes;
  while (q.active() && q.bytes >= s.increase_bytes) {
    q.bytes -= s.increase_bytes;
    dcqcn::Increase(s, q, false);
    dcqcn::EndAtTop(s, q);
  }
}

}  // namespace ccsim

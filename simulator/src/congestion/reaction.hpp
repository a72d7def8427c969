// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// reaction.hpp: the reaction of a channel adapter to a BECN (IBA annex A10.2.2): the CCTI rises by CCTI_Increase, falls by one with each
// tick of the CCTI_Timer, and selects the entry of the CCT that delays the next packet.
//
// Ticks are not events: a CCTI is brought up to date when it is read.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "ccpolicy/tables.h"
#include "model.hpp"
#include "units.hpp"

namespace ccsim {

inline constexpr Time kCctiTimerUnit = CCP_TIMER_UNIT_NS * kFsPerNs;

// The setting of a port and SL.
struct ReactionSetting {
  Time period = 0;  // period of the CCTI_Timer; 0: a CCTI returns to CCTI_Min at once
  Time phase = 0;   // the position of the port's timer in its period at time 0
  std::uint16_t increase = 0;
  std::uint16_t min = 0;
  std::uint16_t limit = 0;
  const ccp_cct_entry* table = nullptr;  // limit + 1 entries
  std::uint8_t trigger_threshold = 0;    // a CCTI that rises to it is logged; 0: none is
  std::uint8_t sl = 0;

  friend bool operator==(const ReactionSetting&, const ReactionSetting&) = default;
};

// The CCTI of a queue pair, or of an SL.
struct ReactionState {
  Time since = 0;  // the last tick before `ccti` was set
  std::uint16_t ccti = 0;
};

inline std::uint16_t CurrentCcti(const ReactionSetting& s, const ReactionState& state, Time now) {
  if (state.ccti <= s.min || s.period == 0) return s.min;
  const Time ticks = (now - state.since) / s.period;
  const Time above = state.ccti - s.min;
  return static_cast<std::uint16_t>(state.ccti - std::min(ticks, above));
}

// The last tick of a port's timer; of a flow's timer, which a BECN restarts, the present.
inline Time LastTick(const ReactionSetting& s, CctiTimer timer, Time now) {
  if (s.period == 0) return now;
  return timer == CctiTimer::Flow ? now : now - (now + s.phase) % s.period;
}

inline void OnBecn(const ReactionSetting& s, CctiTimer timer, ReactionState& state, Time now) {
  const unsigned ccti = CurrentCcti(s, state, now) + unsigned{s.increase};
  state.ccti = static_cast<std::uint16_t>(std::min<unsigned>(ccti, s.limit));
  state.since = LastTick(s, timer, now);
}

// A CCTI after its setting has changed: its value, within the new bounds.
inline void OnProgrammed(const ReactionSetting& s, CctiTimer timer, ReactionState& state, std::uint16_t ccti, Time now) {
  state.ccti = std::clamp(ccti, s.min, s.limit);
  state.since = LastTick(s, timer, now);
}

// The time at which the CCTI is back at CCTI_Min if no BECN arrives.
inline Time FallsToMin(const ReactionSetting& s, const ReactionState& state) {
  return state.ccti <= s.min || s.period == 0 ? 0 : state.since + (state.ccti - s.min) * s.period;
}

// Injection rate delay after a packet that took `packet_time` to send: (packet time >> shift) * multiplier.
inline Time InjectionRateDelay(const ReactionSetting& s, std::uint16_t ccti, Time packet_time) {
  const ccp_cct_entry& entry = s.table[std::min(ccti, s.limit)];
  return (packet_time >> entry.shift) * entry.multiplier;
}

}  // namespace ccsim

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// log.hpp: the congestion logs of devices: the fields of the attribute CongestionLog (IBA annex A10.4.3.5).
//
// Behaviour   a switch logs each port VL that enters the congestion state, with the packet that caused it; an adapter logs each CCTI
//             that rises to its SL's Trigger_Threshold. A log keeps its latest entries; counters and maps count since the last
//             reading, as a manager's Get clears them
//
// Entries have indices of endports and queue pairs. The emulator's agents turn them into LIDs and queue pair numbers.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "congestion/reaction.hpp"
#include "units.hpp"

namespace ccsim {

// TimeStamp: units of 1.024 us in 32 bits, which wrap after 73 minutes.
inline std::uint32_t CongestionTimestamp(Time time) { return static_cast<std::uint32_t>(time / kCctiTimerUnit); }

// The latest `kSize` entries.
template <typename Entry, std::size_t kSize>
class LatestEntries {
 public:
  void Add(const Entry& entry) { entries_[added_++ % kSize] = entry; }
  std::size_t added() const { return added_; }  // also those that are no longer kept
  std::vector<Entry> OldestFirst() const {
    std::vector<Entry> result;
    const std::size_t size = added_ < kSize ? added_ : kSize;
    for (std::size_t i = added_ - size; i < added_; ++i) result.push_back(entries_[i % kSize]);
    return result;
  }

 private:
  std::array<Entry, kSize> entries_{};
  std::size_t added_ = 0;
};

struct SwitchLogEntry {
  std::uint32_t source = 0;  // endports: SLID and DLID
  std::uint32_t destination = 0;
  std::uint8_t sl = 0;
  std::uint32_t timestamp = 0;
};

struct SwitchCongestionLog {
  std::uint16_t events = 0;  // LogEventsCounter: since last read; stays at its largest value
  std::bitset<256> marked;   // PortMap: ports that have marked packets since last read
  LatestEntries<SwitchLogEntry, 15> entries;

  void Entered(std::uint32_t source, std::uint32_t destination, std::uint8_t sl, Time now) {
    if (events < UINT16_MAX) ++events;
    entries.Add({source, destination, sl, CongestionTimestamp(now)});
  }
  void WasRead() {
    events = 0;
    marked.reset();
  }
};

struct CaLogEntry {
  std::uint32_t flow = 0;        // the flow that received the BECN
  std::uint32_t queue_pair = 0;  // among the flow's; kWholeSl where the CCTI is the SL's
  std::uint32_t remote = 0;      // endport of the other end: the remote LID
  std::uint8_t sl = 0;
  std::uint32_t timestamp = 0;

  static constexpr std::uint32_t kWholeSl = UINT32_MAX;
};

struct CaCongestionLog {
  std::uint16_t events = 0;  // ThresholdEventCounter: since last read; stays at its largest value
  std::uint16_t sls = 0;     // ThresholdCongestionEventMap: bit per SL that has had an event since last read
  LatestEntries<CaLogEntry, 13> entries;

  void Reached(std::uint32_t flow, std::uint32_t queue_pair, std::uint32_t remote, std::uint8_t sl, Time now) {
    if (events < UINT16_MAX) ++events;
    sls |= static_cast<std::uint16_t>(1u << sl);
    entries.Add({flow, queue_pair, remote, sl, CongestionTimestamp(now)});
  }
  void WasRead() { events = sls = 0; }
};

}  // namespace ccsim

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// pma_counters.hpp: an attribute of class 0x04 that holds counters, as a table of its fields. Each such attribute is a file with one
// table and one registration.
//
// Behaviour   a Get shows the counters of the port that PortSelect names; of a switch, 0xFF is the sum over its external ports. A Set
//             writes those counters that CounterSelect names, which managers use to clear them, and with PortSelect 0xFF does so at
//             all ports. A port that the agent does not have (of a channel adapter, any but the one asked) is an invalid field
#pragma once

#include <cstdint>
#include <span>

#include "emulator/agents/agent.hpp"
#include "emulator/agents/pma_state.hpp"

namespace ccsim::emulator {

// PortXmitData and the like count words of 4 bytes.
inline constexpr std::uint64_t kBytesPerWord = 4;
// PortXmitWait and the like count ticks, whose length is a device's choice: here the time of one word at 8 Gb/s.
inline constexpr std::uint64_t kNsPerTick = 4;

// Which bit of a Set names a field, and in which of the two fields of such bits it stands.
struct PmaSelect {
  std::uint8_t bit;
  bool second = false;  // in CounterSelect2
};
inline constexpr PmaSelect kNeverSet{0xFF};

struct PmaField {
  std::uint16_t offset;  // in bits from the attribute's start, the most significant bit first
  std::uint8_t width;    // 1 to 32, or 64
  PmaSelect select;
  std::uint64_t PmaPort::* counter = nullptr;   // or, if there is none:
  PmaLaneCounters PmaLanes::* lanes = nullptr;  // or nothing: a counter that nothing counts here, always 0
  std::uint8_t lane = 0;
  std::uint64_t unit = 1;  // of the counter, in one of the field
};

struct PmaAttribute {
  std::span<const PmaField> fields;
  // Where CounterSelect2 stands; width 0: there is none.
  std::uint16_t select2_offset = 0;
  std::uint8_t select2_width = 0;
};

MadStatus HandleCounters(Request& request, const PmaAttribute& attribute);

// Fields of lanes 0 to N - 1, one after the other from bit 32. CounterSelect has a bit for each.
template <std::size_t kCount>
constexpr std::array<PmaField, kCount> LaneFields(std::uint8_t width, PmaLaneCounters PmaLanes::* lanes, std::uint64_t unit) {
  std::array<PmaField, kCount> fields{};
  for (std::size_t i = 0; i < kCount; ++i) {
    fields[i] = {.offset = static_cast<std::uint16_t>(32 + i * width),
                 .width = width,
                 .select = {static_cast<std::uint8_t>(i)},
                 .lanes = lanes,
                 .lane = static_cast<std::uint8_t>(i),
                 .unit = unit};
  }
  return fields;
}

}  // namespace ccsim::emulator

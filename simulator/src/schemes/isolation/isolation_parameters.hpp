// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// isolation_parameters.hpp: parameters of flow isolation, and their values in FBICM, CCFIT, HFDI and EcoCC.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "units.hpp"

namespace ccsim {

inline constexpr unsigned kMaxThresholdPackets = 65'536;

enum class NormalQueues : std::uint8_t {
  PerInput,   // one NFQ: FBICM and CCFIT (thesis, Paper V)
  PerOutput,  // a CPQ for each output: HFDI and EcoCC (Paper VI)
};

// Thresholds are in packets of the MTU. A queue exceeds one if it holds more, and falls below one if it holds less.
struct IsolationParameters {
  NormalQueues normal_queues = NormalQueues::PerInput;
  bool throttles = false;               // hosts react to packets that are marked at outputs in the congestion state
  bool stop_at_first_crossing = false;  // false: the packet after the one that caused the Allocate causes the Stop
  unsigned special_queues = 2;          // CFQs or HPQs of an input port, 1 to 16
  unsigned line_destinations = 1;       // that a line holds, 1 to 32
  unsigned detection_packets = 0;       // a normal queue that exceeds this has congestion
  unsigned propagation_packets = 0;     // a queue with a line that exceeds this has the line announced upstream
  unsigned stop_packets = 0;
  unsigned go_packets = 0;
  unsigned high_packets = 0;  // a queue at the root that exceeds this brings the output into the congestion state,
  unsigned low_packets = 0;   // until it falls below this
  double life_time_ns = 0;    // of a CPQ's line while the CPQ is below low_packets

  friend bool operator==(const IsolationParameters&, const IsolationParameters&) = default;
};

struct IsolationScheme {
  std::string_view name;
  IsolationParameters parameters;
};

// The schemes and the papers' values, by name.
std::span<const IsolationScheme> IsolationSchemes();

// The parameters of the scheme of that name. Throws std::invalid_argument for an unknown one.
const IsolationParameters& IsolationDefaults(std::string_view scheme);

// How many destinations a line of HFDI and EcoCC holds in a network of so many hosts: 8 up to 64 hosts, 16 up to 256, 32 in larger
// ones (Paper VI, section 4.1).
unsigned LineDestinations(std::uint64_t hosts);

// Throws std::invalid_argument if a parameter is outside its range or does not fit another.
void Check(const IsolationParameters& parameters);

}  // namespace ccsim

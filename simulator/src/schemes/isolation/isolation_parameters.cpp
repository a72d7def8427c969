// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "schemes/isolation/isolation_parameters.hpp"

#include <cmath>
#include <sstream>
#include <stdexcept>
#include <string>

#include "schemes/isolation/cam_line.hpp"

namespace ccsim {
namespace {

constexpr double kMaxLifeTimeNs = 1e9;

// Paper V, section IV.A, gives Stop, Go, High and Low; the detection threshold and EcoCC's life time are this model's: see
// docs/research/flow-isolation.md. FBICM has CCFIT's thresholds, as Paper V compares the two.
constexpr IsolationParameters kFbicm{.normal_queues = NormalQueues::PerInput,
                                     .stop_at_first_crossing = true,
                                     .special_queues = 2,
                                     .line_destinations = 1,
                                     .detection_packets = 8,
                                     .propagation_packets = 10,
                                     .stop_packets = 10,
                                     .go_packets = 4,
                                     .high_packets = 4,
                                     .low_packets = 2};

// Paper VI, section 4.1: two thresholds, HTh and LTh, for all decisions.
constexpr IsolationParameters TwoThresholds(unsigned hth, unsigned lth) {
  return {.normal_queues = NormalQueues::PerOutput,
          .special_queues = 2,
          .line_destinations = 8,
          .detection_packets = hth,
          .propagation_packets = hth,
          .stop_packets = hth,
          .go_packets = lth,
          .high_packets = hth,
          .low_packets = lth,
          .life_time_ns = 10'000};
}

constexpr IsolationParameters Throttling(IsolationParameters parameters) {
  parameters.throttles = true;
  return parameters;
}

constexpr IsolationScheme kSchemes[] = {
    {"CCFIT", Throttling(kFbicm)}, {"EcoCC", Throttling(TwoThresholds(6, 4))}, {"FBICM", kFbicm}, {"HFDI", TwoThresholds(6, 4)}};

struct Row {
  std::string_view name;
  unsigned IsolationParameters::* value;
  unsigned least, most;
};

constexpr Row kRows[] = {
    {"special_queues", &IsolationParameters::special_queues, 1, kMaxSpecialQueues},
    {"line_destinations", &IsolationParameters::line_destinations, 1, kMaxLineDestinations},
    {"detection_packets", &IsolationParameters::detection_packets, 1, kMaxThresholdPackets},
    {"propagation_packets", &IsolationParameters::propagation_packets, 1, kMaxThresholdPackets},
    {"stop_packets", &IsolationParameters::stop_packets, 1, kMaxThresholdPackets},
    {"go_packets", &IsolationParameters::go_packets, 1, kMaxThresholdPackets},
    {"high_packets", &IsolationParameters::high_packets, 1, kMaxThresholdPackets},
    {"low_packets", &IsolationParameters::low_packets, 1, kMaxThresholdPackets},
};

[[noreturn]] void Fail(const std::ostringstream& text) { throw std::invalid_argument(text.str()); }

void CheckPair(std::string_view name, unsigned value, std::string_view relation, bool holds, std::string_view other,
               unsigned of) {
  if (holds) return;
  std::ostringstream text;
  text << name << " is " << value << "; it must be " << relation << " " << other << ", which is " << of;
  Fail(text);
}

}  // namespace

std::span<const IsolationScheme> IsolationSchemes() { return kSchemes; }

const IsolationParameters& IsolationDefaults(std::string_view scheme) {
  for (const IsolationScheme& s : kSchemes) {
    if (s.name == scheme) return s.parameters;
  }
  std::ostringstream text;
  text << "scheme '" << scheme << "' is unknown; flow isolation has";
  for (const IsolationScheme& s : kSchemes) text << (&s == kSchemes ? " " : ", ") << s.name;
  Fail(text);
}

unsigned LineDestinations(std::uint64_t hosts) { return hosts <= 64 ? 8 : hosts <= 256 ? 16 : 32; }

void Check(const IsolationParameters& p) {
  std::ostringstream text;
  for (const Row& row : kRows) {
    if (p.*row.value >= row.least && p.*row.value <= row.most) continue;
    text << row.name << " is " << p.*row.value << "; it must be from " << row.least << " to " << row.most;
    Fail(text);
  }
  if (!(p.life_time_ns >= 0 && p.life_time_ns <= kMaxLifeTimeNs)) {
    text << "life_time_ns is " << p.life_time_ns << "; it must be from 0 to " << kMaxLifeTimeNs;
    Fail(text);
  }
  // An NFQ's line is for the packet at its head; gathering more destinations needs a queue all of whose packets cross the root.
  if (p.normal_queues == NormalQueues::PerInput && p.line_destinations != 1) {
    text << "line_destinations is " << p.line_destinations << "; it must be 1 where an input port has one normal queue";
    Fail(text);
  }
  // A queue must send Go before it is empty, and Stop only for a line that upstream knows.
  CheckPair("go_packets", p.go_packets, "less than", p.go_packets < p.stop_packets, "stop_packets", p.stop_packets);
  CheckPair("propagation_packets", p.propagation_packets, "at most", p.propagation_packets <= p.stop_packets, "stop_packets",
            p.stop_packets);
  CheckPair("low_packets", p.low_packets, "less than", p.low_packets < p.high_packets, "high_packets", p.high_packets);
  // Otherwise Stop keeps the queue from ever reaching High (Paper V, section III.E).
  CheckPair("high_packets", p.high_packets, "at most", p.high_packets <= p.stop_packets, "stop_packets", p.stop_packets);
}

}  // namespace ccsim

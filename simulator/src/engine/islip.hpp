// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// islip.hpp: the policy `Arbiter` of an input-queued crossbar with speed-up: RoundRobin, whose inputs do not starve, and are free again
// when a packet has crossed, which may be before its tail has left the output.
//
// Behaviour   no input starves, as in iSLIP (McKeown, IEEE/ACM Trans. Networking 7(2), 1999; thesis, Paper V, section III.A). In a switch
//             without slots, an output that becomes free may find an input busy each time, as all packets take equally long. So an
//             output serves in rounds: each input that has a packet for it once. It begins the next round without inputs that are busy,
//             but waits at the end of that for those that it has passed over. From then on the two are in step, and it need not wait
// Parameters  crossbar_gbps of the scheme: the rate at which packets cross; 0: that of the output's link
// Data        by lane the inputs served in this round, and those passed over in the last one; by input when the packet that it gives
//             has crossed
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include "engine/round_robin.hpp"
#include "schemes/registry.hpp"

namespace ccsim {

class Islip : public RoundRobin {
 public:
  bool releases_early() const { return byte_time_ != 0; }

  // For the parameters of a scheme with this arbiter.
  static SchemeParameter CrossbarParameter() {
    return {.name = "crossbar_gbps",
            .least = 0,
            .most = 1e5,
            .preset = 0,
            .unit = "Gb/s",
            .meaning = "Data rate at which a packet crosses from an input to an output; 0: that of the output's link.",
            .consequence =
                "With more than the links' rate (speed-up), an input is free for its next packet before the tail of one has "
                "left."};
  }

  template <typename E>
  void Build(E& e) {
    RoundRobin::Build(e);
    const double gbps = e.SchemeValue("crossbar_gbps");
    if (gbps > 0 && gbps < kLeastGbps) {
      char value[32];
      std::snprintf(value, sizeof value, "%g", gbps);
      throw std::invalid_argument("model.scheme.crossbar_gbps is " + std::string(value) +
                                  "; it must be 0, or at least the slowest rate that is simulated, 0.001 Gb/s");
    }
    byte_time_ = gbps > 0 ? ByteTimeOf(gbps) : 0;
    words_ = 1;
    for (const SwitchState& sw : e.switches_) words_ = std::max(words_, sw.mask_words);
    rounds_.assign(e.lanes_.size() * 2 * words_, 0);
    free_at_.assign(e.ports_.size(), kNever);
  }

  template <typename E>
  [[gnu::always_inline]] int Pick(E& e, std::uint32_t output, LaneState& lane) {
    if constexpr (E::kPlain) {
      const std::uint64_t readable = e.masks_[e.ports_[output].switch_ordinal];
      if ((lane.ready & ~readable) == 0) [[likely]] {
        if (lane.ready == 0) return -1;
        const Round round = RoundOf(e, output, lane);
        std::uint64_t left = lane.ready & ~*round.served;
        if (left == 0) {
          *round.served = *round.passed = 0;
          left = lane.ready;
        }
        return static_cast<int>(e.FirstAfter(left, lane.last_input));
      }
    }
    return PickAmongBusy(e, output, lane);
  }

  template <typename E>
  [[gnu::always_inline]] void Take(E& e, std::uint32_t output, PortState& port, LaneState& lane, unsigned input) {
    RoundRobin::Take(e, output, port, lane, input);
    const Round round = RoundOf(e, output, lane);
    const unsigned word = E::kPlain ? 0 : input / 64;
    round.served[word] |= std::uint64_t{1} << (input % 64);
    round.passed[word] &= ~(std::uint64_t{1} << (input % 64));
  }

  // The input is free when the packet has crossed. With speed-up, one unit of time less: where a packet crosses in the time that it is
  // on the wire, other outputs that wait for the input come before this one.
  template <typename E>
  [[gnu::always_inline]] void Reads(E& e, std::uint32_t output, unsigned input, std::uint32_t wire_bytes, Time wire_time) {
    const Time crossing = byte_time_ == 0 ? wire_time : TimeFor(wire_bytes, byte_time_) - 1;
    free_at_[e.ports_[output].first_port + input] = e.now_ + crossing;
    if (byte_time_ != 0) e.calendar_.PushAfter(e.now_, crossing, EngineCore::kReadFree, output, input);
  }

  // At the very moment at which an input becomes free, the next packet may be counted before the last one is not any more.
  template <typename E>
  bool ReadsTooMuch(const E& e, std::uint32_t port) const {
    return RoundRobin::ReadsTooMuch(e, port) && free_at_[port] < e.now_;
  }

 private:
  using Inputs = std::array<std::uint64_t, 4>;  // bit masks of local ports

  // The masks of a lane have words_ words each.
  struct Round {
    std::uint64_t* served;
    std::uint64_t* passed;
  };

  template <typename E>
  [[gnu::always_inline]] Round RoundOf(const E& e, std::uint32_t output, const LaneState& lane) {
    if constexpr (E::kPlain) return {&rounds_[2 * std::size_t{output}], &rounds_[2 * std::size_t{output} + 1]};
    const auto first = static_cast<std::size_t>(&lane - e.lanes_.data()) * 2 * words_;
    if (first >= rounds_.size()) [[unlikely]]
      rounds_.resize(e.lanes_.size() * 2 * words_);  // VLs have been added
    return {&rounds_[first], &rounds_[first + words_]};
  }

  template <typename E>
  [[gnu::noinline]] int PickAmongBusy(E& e, std::uint32_t output, LaneState& lane) {
    const SwitchState& sw = e.switches_[e.ports_[output].switch_ordinal];
    const unsigned words = E::kPlain ? 1 : sw.mask_words;
    const std::uint64_t* ready = E::kPlain ? &lane.ready : e.ReadyMask(lane);
    const std::uint64_t* readable = &e.masks_[sw.readable];
    const Round round = RoundOf(e, output, lane);
    Inputs left{}, free{};
    bool must_wait = false;
    for (unsigned w = 0; w < words; ++w) {
      left[w] = ready[w] & ~round.served[w];
      free[w] = left[w] & readable[w];
      must_wait |= (left[w] & round.passed[w]) != 0;
    }
    if (const int input = Next(words, free, lane.last_input); input >= 0) return input;
    if (const int input = FreeJustNow(e, words, sw, left); input >= 0) return input;
    if (!must_wait) {
      for (unsigned w = 0; w < words; ++w) {
        round.served[w] = 0;
        round.passed[w] = left[w];
        free[w] = ready[w] & readable[w];
      }
      if (const int input = Next(words, free, lane.last_input); input >= 0) return input;
      for (unsigned w = 0; w < words; ++w) left[w] = ready[w];
    }
    for (unsigned w = 0; w < words; ++w) {
      for (std::uint64_t bits = left[w]; bits != 0; bits &= bits - 1) {
        Wait(e, sw, w * 64 + static_cast<unsigned>(std::countr_zero(bits)), output - sw.first_port);
      }
    }
    return -1;
  }
  // The first of the inputs behind `last`, going round once; -1: there is none.
  static int Next(unsigned words, const Inputs& inputs, unsigned last) {
    const unsigned start = last + 1;
    std::uint64_t behind = start % 64 == 0 ? 0 : ~std::uint64_t{0} << (start % 64);
    unsigned word = last / 64;
    for (unsigned i = 0; i <= words; ++i) {
      const std::uint64_t bits = inputs[word] & behind;
      if (bits != 0) return static_cast<int>(word * 64 + static_cast<unsigned>(std::countr_zero(bits)));
      behind = ~std::uint64_t{0};  // the first word comes again in the end, whole
      word = word + 1 == words ? 0 : word + 1;
    }
    return -1;
  }
  // One of these inputs that becomes free at this very moment, in an event that comes after this one.
  template <typename E>
  int FreeJustNow(const E& e, unsigned words, const SwitchState& sw, const Inputs& inputs) const {
    for (unsigned w = 0; w < words; ++w) {
      for (std::uint64_t bits = inputs[w]; bits != 0; bits &= bits - 1) {
        const unsigned input = w * 64 + static_cast<unsigned>(std::countr_zero(bits));
        if (free_at_[sw.first_port + input] == e.now_) return static_cast<int>(input);
      }
    }
    return -1;
  }

  ByteTime byte_time_ = 0;
  std::uint32_t words_ = 1;            // of a mask of the largest switch's inputs
  std::vector<std::uint64_t> rounds_;  // by lane: masks of the inputs served and of those passed over
  std::vector<Time> free_at_;          // by input port: when the packet that it gives has crossed
};

}  // namespace ccsim

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// round_robin.hpp: the policy `Arbiter`: which input an output serves, and which output an input's free read port serves.
//
// Behaviour   an output that can send takes the first input behind the one that it served last that is ready and has a free read
//             port; an input whose read ports were all busy offers the one that becomes free to the outputs that wait for it, in
//             turn from the one behind the output that it served last. These are the two pointers of iSLIP (McKeown, IEEE/ACM Trans.
//             Networking 7(2), 1999) with one iteration, in a switch without slots: where ports become free one by one, each grant
//             is accepted, and both pointers move with it
// Data        bit masks over a switch's local ports: inputs with a free read port, and for each input the outputs that wait for it
#pragma once

#include <bit>

#include "engine/core.hpp"

namespace ccsim {

class RoundRobin {
 public:
  // False: an input gives its packet for as long as the output sends it.
  static constexpr bool releases_early() { return false; }
  template <typename E>
  void Reads(E&, std::uint32_t, unsigned, std::uint32_t, Time) {}

  template <typename E>
  void Build(E& e) {
    reads_busy_.assign(e.ports_.size(), 0);
  }

  // The input whose turn it is at a lane of `output`, or -1: then the output will be tried again when an input that is ready is free.
  template <typename E>
  [[gnu::always_inline]] int Pick(E& e, std::uint32_t output, LaneState& lane) {
    const std::uint64_t* ready = E::kPlain ? &lane.ready : e.ReadyMask(lane);
    if constexpr (E::kPlain) {
      const std::uint64_t bits = ready[0] & e.masks_[e.ports_[output].switch_ordinal];
      if (bits != 0) return static_cast<int>(e.FirstAfter(bits, lane.last_input));
      WaitForReads(e, output, lane);
      return -1;
    }
    const SwitchState& sw = e.switches_[e.ports_[output].switch_ordinal];
    const std::uint64_t* readable = &e.masks_[sw.readable];
    const unsigned start = lane.last_input + 1u;
    const std::uint64_t behind = start % 64 == 0 ? 0 : ~std::uint64_t{0} << (start % 64);
    unsigned word = lane.last_input / 64;
    std::uint64_t bits = ready[word] & readable[word] & behind;
    for (unsigned i = 1; bits == 0; ++i) {
      if (i > sw.mask_words) {
        WaitForReads(e, output, lane);
        return -1;
      }
      word = word + 1 == sw.mask_words ? 0 : word + 1;
      bits = ready[word] & readable[word];  // the first word comes again in the end, whole
    }
    return static_cast<int>(word * 64 + static_cast<unsigned>(std::countr_zero(bits)));
  }

  // The input gives a packet to the output.
  template <typename E>
  [[gnu::always_inline]] void Take(E& e, std::uint32_t, PortState& port, LaneState& lane, unsigned input) {
    lane.last_input = static_cast<std::uint8_t>(input);
    const bool reads_all = ++reads_busy_[port.first_port + input] == e.model_.switches.read_ports;
    const std::uint32_t word = E::kPlain ? port.switch_ordinal : e.switches_[port.switch_ordinal].readable + input / 64;
    e.masks_[word] &= ~(std::uint64_t{reads_all} << (input % 64));
    port.sent_input = static_cast<std::uint8_t>(input);
  }

  // The input has given its packet to the output.
  template <typename E>
  [[gnu::always_inline]] void Release(E& e, std::uint32_t input_port, std::uint32_t output) {
    if (reads_busy_[input_port]-- == e.model_.switches.read_ports) Offer(e, input_port, output);
  }

  // The input has a packet for the output, which it had not when the output looked last: in the middle of an event of the switch.
  template <typename E>
  void Request(E& e, std::uint32_t input_port, std::uint32_t output) {
    if (reads_busy_[input_port] < e.model_.switches.read_ports) return e.TrySend(output);
    const SwitchState& sw = e.switches_[e.ports_[output].switch_ordinal];
    Wait(e, sw, input_port - sw.first_port, output - sw.first_port);
  }

  template <typename E>
  bool Waits(const E& e, std::uint32_t output) const {
    const SwitchState& sw = e.switches_[e.ports_[output].switch_ordinal];
    const unsigned local = output - sw.first_port;
    for (std::uint32_t input = 0; input < sw.num_ports; ++input) {
      if ((e.masks_[sw.waiters + std::size_t{input} * sw.mask_words + local / 64] >> (local % 64) & 1) != 0) return true;
    }
    return false;
  }

  // True if more packets leave a port's input buffer now than it has read ports. For checks.
  template <typename E>
  bool ReadsTooMuch(const E& e, std::uint32_t port) const {
    return reads_busy_[port] > e.model_.switches.read_ports;
  }

 protected:
  template <typename E>
  static void Wait(E& e, const SwitchState& sw, unsigned input, unsigned output) {
    e.masks_[sw.waiters + std::size_t{input} * sw.mask_words + output / 64] |= std::uint64_t{1} << (output % 64);
  }

  // Every input with a packet for this lane is busy giving others: ask each to call when it is done.
  template <typename E>
  [[gnu::noinline]] void WaitForReads(E& e, std::uint32_t output, const LaneState& lane) {
    const SwitchState& sw = e.switches_[e.ports_[output].switch_ordinal];
    for (unsigned w = 0; w < sw.mask_words; ++w) {
      for (std::uint64_t left = e.ReadyMask(lane)[w]; left != 0; left &= left - 1) {
        Wait(e, sw, w * 64 + static_cast<unsigned>(std::countr_zero(left)), output - sw.first_port);
      }
    }
  }

  // One of the input's read ports, all of which were busy, is free: `output` has taken its packet.
  template <typename E>
  [[gnu::noinline]] void Offer(E& e, std::uint32_t input_port, std::uint32_t output) {
    const SwitchState& sw = e.switches_[e.ports_[output].switch_ordinal];
    const unsigned input = input_port - sw.first_port;
    const unsigned served = output - sw.first_port;
    e.masks_[sw.readable + input / 64] |= std::uint64_t{1} << (input % 64);
    // None of those that wait starves. The output that was served comes last; it is tried next in any case.
    std::uint64_t* waiters = &e.masks_[sw.waiters + std::size_t{input} * sw.mask_words];
    const std::uint64_t behind = served % 64 == 63 ? 0 : ~std::uint64_t{0} << (served % 64 + 1);
    for (std::uint32_t i = 0; i <= sw.mask_words; ++i) {
      const std::uint32_t word = (served / 64 + i) % sw.mask_words;
      const std::uint64_t part = i == 0 ? behind : i == sw.mask_words ? ~behind : ~std::uint64_t{0};
      while ((waiters[word] & part) != 0) {
        const auto bit = static_cast<unsigned>(std::countr_zero(waiters[word] & part));
        waiters[word] &= ~(std::uint64_t{1} << bit);
        if (word * 64 + bit == served) continue;
        e.TrySend(sw.first_port + word * 64 + bit);
        if (reads_busy_[sw.first_port + input] >= e.model_.switches.read_ports) return;
      }
    }
  }

  std::vector<std::uint8_t> reads_busy_;
};

}  // namespace ccsim

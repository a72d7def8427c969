// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// ports.hpp: the policy `Ports` of an engine: what its ports may have. What nearly all fabrics are is compiled on its own.
#pragma once

#include "engine/core.hpp"

namespace ccsim {

// Several VLs, SL-to-VL tables, shared buffers, switches of more than 64 ports, packet traces, links that go down.
struct AnyPorts {
  static constexpr bool kPlain = false;
};

// One VL, switches of at most 64 ports, fill levels of whole outputs, no packet trace, and nothing that changes but CC tables.
struct PlainPorts {
  static constexpr bool kPlain = true;

  static bool Suffice(const EngineCore& e) {
    return e.num_vls_ == 1 && !e.maps_sls_ && !e.shares_ && e.model_.switches.threshold_mode == ThresholdMode::Sum &&
           e.options_.trace_packets == 0 && e.one_word_masks_ && !e.disturbed_ && !e.levels_.discards();
  }
};

// PlainPorts changes the speed alone. A build for tests under sanitizers, which take long to compile, has it only for the schemes that
// ask for it: voqsw, and voqnet, which gives room sooner on it.
#ifdef IBCC_PLAIN_PORTS_WHERE_ASKED_FOR
inline constexpr bool kPlainPortsOfEveryScheme = false;
#else
inline constexpr bool kPlainPortsOfEveryScheme = true;
#endif

}  // namespace ccsim

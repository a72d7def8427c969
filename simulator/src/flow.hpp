// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// flow.hpp: one stream of messages from an endport to another, as a workload states it.
#pragma once

#include <cstdint>

#include "units.hpp"

namespace ccsim {

struct Flow {
  std::uint32_t src = 0;  // endport indices
  std::uint32_t dst = 0;
  Time start = 0;
  Time stop = kNever;
  std::uint32_t message_bytes = 65536;
  std::uint32_t queue_pairs = 1;
  std::uint8_t sl = 0;
  double rate_gbps = 0;  // offered payload rate, over all its queue pairs; 0: all it can get
};

}  // namespace ccsim

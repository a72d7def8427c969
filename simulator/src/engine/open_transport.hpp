// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// open_transport.hpp: the policy `Transport` of an adapter that sends whatever its queue pairs have, credits and delays allowing.
#pragma once

#include "engine/core.hpp"

namespace ccsim {

struct OpenTransport {
  static constexpr bool kHolds = false;
};

}  // namespace ccsim

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A device's congestion-control agent in a few lines: holds what it is set to, and errs in the ways that it is told to. The real ones
// are met in the end-to-end tests; this one is for what only time, loss and odd firmware bring about.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "cc_mad.h"
#include "ccpolicy/wire.h"

namespace ibcc_test {

using Data = std::array<std::uint8_t, CCP_ATTRIBUTE_BYTES>;
using Key = std::pair<std::uint16_t, std::uint32_t>;  // attribute, modifier

struct FakeAgent {
  std::uint8_t control_table_cap = 2;
  bool supports_class = true;
  std::set<std::uint16_t> unsupported;                        // attributes
  std::map<Key, std::uint16_t> refuses;                       // Sets, with this status
  std::function<void(Key, Data&)> clamp = [](Key, Data&) {};  // what becomes of what it is set to
  std::map<Key, Data> held;
  std::uint64_t sets = 0, gets = 0;

  // The status; `data` becomes that of the answer.
  std::uint16_t Answer(std::uint8_t method, std::uint16_t attribute, std::uint32_t modifier, Data& data) {
    (method == IBCC_SET ? sets : gets)++;
    const Key key{attribute, modifier};
    if (!supports_class) return IBCC_STATUS_BAD_VERSION;
    if (unsupported.count(attribute) != 0) return IBCC_STATUS_BAD_ATTRIBUTE;
    if (attribute == CCP_CONGESTION_INFO) {
      data.fill(0);
      data[2] = control_table_cap;
      return 0;
    }
    if (method == IBCC_SET && refuses.count(key) != 0) return refuses[key];
    if (method == IBCC_SET) {
      clamp(key, data);
      held[key] = data;
    }
    data = held[key];
    return 0;
  }
  void Reset() { held.clear(); }
};

}  // namespace ibcc_test

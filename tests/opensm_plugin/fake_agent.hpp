// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A device's congestion-control agent in a few lines: holds what it is set to, and errs in the ways that it is told to. The real ones
// are met in the end-to-end tests; this one is for what only time, loss and odd firmware bring about.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>

#include "ccpolicy/wire.h"
#include "fake_nvidia.hpp"
#include "mad/cc_mad.h"

namespace ibcc_test {

struct FakeAgent {
  std::uint8_t control_table_cap = 2;
  bool supports_class = true;
  bool has_a10 = true;
  FakeNvidia nvidia;
  std::set<std::uint16_t> unsupported;                                             // attributes
  std::map<Key, std::uint16_t> refuses;                                            // Sets, with this status
  std::set<Key> unreadable;                                                        // Gets of NVIDIA's attributes that are refused
  std::function<bool(std::uint16_t)> loses = [](std::uint16_t) { return false; };  // requests with this attribute
  std::function<void(Key, Data&)> clamp = [](Key, Data&) {};                       // what becomes of what it is set to
  std::map<Key, Data> held;
  std::uint64_t cc_key = 0;  // 0: none is asked for
  std::uint64_t violations = 0;
  std::uint64_t sets = 0, gets = 0;
  std::map<std::uint16_t, unsigned> gets_of;  // by attribute

  // Whether a request with this key is answered at all: a Get of the key itself always is, and shows it to who knows it.
  bool Admits(std::uint64_t key, std::uint8_t method, std::uint16_t attribute) {
    if (loses(attribute)) return false;
    if (nvidia.quirk == Quirk::Silent && attribute >= CCP_ENHANCED_CONGESTION_INFO) return false;
    if (cc_key == 0 || key == cc_key || (method == IBCC_GET && attribute == CCP_CONGESTION_KEY_INFO)) return true;
    ++violations;
    return false;
  }
  std::uint16_t AnswerKeyInfo(std::uint64_t key, std::uint8_t method, Data& data) {
    if (!supports_class) return IBCC_STATUS_BAD_VERSION;
    ccp_congestion_key_info info{};
    ccp_error error{};
    if (method == IBCC_SET) {
      ccp_unpack(CCP_CONGESTION_KEY_INFO, data.data(), &info);
      cc_key = info.cc_key;
      key = cc_key;
    }
    info = {.cc_key = key == cc_key ? cc_key : 0,
            .cc_key_protect_bit = cc_key != 0,
            .cc_key_lease_period = 60,
            .cc_key_violations = 0};
    ccp_pack(CCP_CONGESTION_KEY_INFO, &info, data.data(), &error);
    return 0;
  }
  // The status; `data` becomes that of the answer.
  std::uint16_t Answer(std::uint8_t method, std::uint16_t attribute, std::uint32_t modifier, Data& data) {
    (method == IBCC_SET ? sets : gets)++;
    gets_of[attribute] += method == IBCC_GET;
    const Key key{attribute, modifier};
    if (!supports_class) return IBCC_STATUS_BAD_VERSION;
    if (unsupported.count(attribute) != 0) return IBCC_STATUS_BAD_ATTRIBUTE;
    if (attribute >= CCP_ENHANCED_CONGESTION_INFO) {
      if (method == IBCC_SET && refuses.count(key) != 0) return refuses[key];
      if (method == IBCC_GET && unreadable.count(key) != 0) return IBCC_STATUS_BAD_FIELD;
      if (method == IBCC_SET) clamp(key, data);
      return nvidia.Answer(held, method == IBCC_SET, key, data);
    }
    if (!has_a10 && attribute != CCP_CLASS_PORT_INFO) return IBCC_STATUS_BAD_ATTRIBUTE;
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

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cca/congestion_key_info.cpp: CongestionKeyInfo (IBA A10.4.3.4): the key, who may read it, and how often it was wrong.
#include "emulator/agents/cca/attribute.hpp"
#include "emulator/agents/cca/key.hpp"

namespace ccsim::emulator {
namespace {

MadStatus HandleCongestionKeyInfo(Request& request) {
  if (request.modifier() != 0) return kInvalidField;
  CcaKey& key = AgentOf(request).key;
  bool may_see_key = key.key == 0 || !key.protect || CcKeyOf(request) == key.key;
  if (request.is_set()) {
    const auto set = Unpacked<ccp_congestion_key_info>(CCP_CONGESTION_KEY_INFO, request.data);
    key.key = set.cc_key;
    key.protect = set.cc_key_protect_bit != 0;
    key.lease_period_s = set.cc_key_lease_period;
    if (set.cc_key_violations == 0) key.violations = 0;
    may_see_key = true;  // who set it
  }
  PackInto(request.data, CCP_CONGESTION_KEY_INFO,
           ccp_congestion_key_info{.cc_key = may_see_key ? key.key : 0,
                                   .cc_key_protect_bit = static_cast<std::uint8_t>(key.protect),
                                   .cc_key_lease_period = key.lease_period_s,
                                   .cc_key_violations = key.violations});
  return kOk;
}

const CcaRegistration kRegistered(CCP_CONGESTION_KEY_INFO, kGetAndSet, ForDialect<HasCongestionControl, HandleCongestionKeyInfo>);

}  // namespace
}  // namespace ccsim::emulator

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cca/key.cpp: the key check of class 0x21; it registers the class.
#include "emulator/agents/cca/key.hpp"

#include "ccpolicy/wire.h"
#include "emulator/agents/cca/attribute.hpp"
#include "emulator/agents/cca/key_trap.hpp"
#include "emulator/bits.hpp"

namespace ccsim::emulator {

std::uint64_t CcKeyOf(const Request& request) { return Get64(request.mad.bytes() + 24); }

void EndLease(CcaKey& key, std::int64_t now_ns) {
  if (!key.lease_ends_ns || now_ns < *key.lease_ends_ns) return;
  key.protect = false;
  key.lease_ends_ns.reset();
}

namespace {

Admission CheckCcKey(Request& request) {
  if (CcaOf(request).firmware.nvidia.quirk == NvidiaQuirk::Silent) return Admission::Ignored;
  CcaKey& key = AgentOf(request).key;
  const std::int64_t now_ns = request.subnet.now_ns();
  EndLease(key, now_ns);
  if (!request.key_refused && (key.key == 0 || CcKeyOf(request) == key.key)) {
    key.lease_ends_ns.reset();
    return Admission::Admitted;
  }
  if (!request.key_refused && !request.is_set() && request.mad.attribute() == CCP_CONGESTION_KEY_INFO) return Admission::Admitted;
  if (key.violations < UINT16_MAX) ++key.violations;
  if (key.protect && key.lease_period_s != 0 && !key.lease_ends_ns) {
    key.lease_ends_ns = now_ns + std::int64_t{key.lease_period_s} * 1'000'000'000;
  }
  SendKeyViolationTrap(request);
  return Admission::Ignored;
}

const ClassRegistration kRegistered(kCongestionControl, CCP_MGMT_CLASS_VERSION, CheckCcKey);

}  // namespace
}  // namespace ccsim::emulator

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/agents/sma/m_key.hpp"

#include "emulator/agents/agent.hpp"
#include "emulator/subnet.hpp"

namespace ccsim::emulator {
namespace {

constexpr std::uint8_t kSmaClassVersion = 1;
constexpr std::uint8_t kProtectsReading = 2;

Admission CheckMKey(Request& request) {
  return AdmitsMKey(request.subnet, request.at, request.slid, request.mad, request.key_refused) ? Admission::Admitted
                                                                                                : Admission::Ignored;
}

const ClassRegistration kRegistered(kSmpLid, kSmaClassVersion, CheckMKey);

}  // namespace

bool AdmitsMKey(Subnet& subnet, Place at, std::uint16_t slid, const Mad& mad, bool key_refused) {
  const Place endport = subnet.endport(at);
  SmaPort& port = subnet.sma_port(endport);
  // After the lease anybody can read the key, and so become its manager.
  if (port.m_key_lease_end_ns >= 0 && subnet.now_ns() >= port.m_key_lease_end_ns) {
    port.m_key_lease_end_ns = -1;
    port.m_key_protect = 0;
  }
  if (!key_refused && (port.m_key == 0 || MKeyOf(mad) == port.m_key)) {
    port.m_key_lease_end_ns = -1;
    return true;
  }
  if (!key_refused && mad.method() == kGet && port.m_key_protect < kProtectsReading) return true;
  if (port.m_key_violations != UINT16_MAX) ++port.m_key_violations;
  if (port.m_key_lease_end_ns < 0 && port.m_key_lease_s != 0) {
    port.m_key_lease_end_ns = subnet.now_ns() + std::int64_t{port.m_key_lease_s} * 1'000'000'000;
  }
  subnet.traps().BadMKey(subnet, endport, slid, mad);
  return false;
}

}  // namespace ccsim::emulator

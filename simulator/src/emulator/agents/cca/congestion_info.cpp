// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cca/congestion_info.cpp: CongestionInfo (IBA A10.4.3.3): what a device can do.
#include "emulator/agents/cca/attribute.hpp"

namespace ccsim::emulator {
namespace {

MadStatus HandleCongestionInfo(Request& request) {
  if (request.modifier() != 0) return kInvalidField;
  const CcaFirmware& firmware = CcaOf(request).firmware;
  ccp_congestion_info info{};
  if (IsSwitch(request) && firmware.credit_starvation) info.congestion_info = CCP_CONGESTION_INFO_CREDIT_STARVATION;
  if (IsCa(request)) info.control_table_cap = firmware.cct_blocks;
  PackInto(request.data, CCP_CONGESTION_INFO, info);
  return kOk;
}

const CcaRegistration kRegistered(CCP_CONGESTION_INFO, kGetOnly, ForDialect<KnowsA10, HandleCongestionInfo>);

}  // namespace
}  // namespace ccsim::emulator

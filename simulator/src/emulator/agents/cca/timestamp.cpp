// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cca/timestamp.cpp: TimeStamp (IBA A10.4.3.10): a device's free running clock, which shows how old the events of its log are.
#include "emulator/agents/cca/attribute.hpp"

namespace ccsim::emulator {
namespace {

MadStatus HandleTimestamp(Request& request) {
  if (request.modifier() != 0) return kInvalidField;
  PackInto(request.data, CCP_TIMESTAMP, ccp_timestamp{.timestamp = Timestamp(request.subnet.now_ns())});
  return kOk;
}

const CcaRegistration kRegistered(CCP_TIMESTAMP, kGetOnly, ForDialect<KnowsA10, HandleTimestamp>);

}  // namespace
}  // namespace ccsim::emulator

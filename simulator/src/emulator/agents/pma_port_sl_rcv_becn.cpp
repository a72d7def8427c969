// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// pma_port_sl_rcv_becn.cpp: PortSLRcvBECN (IBA annex A10): packets that have come in with BECN, by SL, CNPs among them.
#include "emulator/agents/pma_counters.hpp"

namespace ccsim::emulator {
namespace {

constexpr auto kFields = LaneFields<16>(32, &PmaLanes::sl_rcv_becn, 1);

MadStatus HandlePortSlRcvBecn(Request& request) { return HandleCounters(request, {.fields = kFields}); }

const AttributeRegistration kRegistered(kPerformance, 0x0033, kGetAndSet, kGmpData, HandlePortSlRcvBecn);

}  // namespace
}  // namespace ccsim::emulator

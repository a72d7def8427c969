// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// pma_port_sl_rcv_fecn.cpp: PortSLRcvFECN (IBA annex A10): packets that have come in with FECN, by SL.
#include "emulator/agents/pma_counters.hpp"

namespace ccsim::emulator {
namespace {

constexpr auto kFields = LaneFields<16>(32, &PmaLanes::sl_rcv_fecn, 1);

MadStatus HandlePortSlRcvFecn(Request& request) { return HandleCounters(request, {.fields = kFields}); }

const AttributeRegistration kRegistered(kPerformance, 0x0032, kGetAndSet, kGmpData, HandlePortSlRcvFecn);

}  // namespace
}  // namespace ccsim::emulator

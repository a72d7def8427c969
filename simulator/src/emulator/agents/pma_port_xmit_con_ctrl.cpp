// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// pma_port_xmit_con_ctrl.cpp: PortXmitConCtrl (IBA annex A10): how long a VL of the port has been in the congestion state, in ticks.
#include "emulator/agents/pma_counters.hpp"

namespace ccsim::emulator {
namespace {

constexpr PmaField kFields[] = {
    {.offset = 32, .width = 32, .select = {0}, .counter = &PmaPort::congested_ns, .unit = kNsPerTick},  // PortXmitTimeCong
};

MadStatus HandlePortXmitConCtrl(Request& request) { return HandleCounters(request, {.fields = kFields}); }

const AttributeRegistration kRegistered(kPerformance, 0x0034, kGetAndSet, kGmpData, HandlePortXmitConCtrl);

}  // namespace
}  // namespace ccsim::emulator

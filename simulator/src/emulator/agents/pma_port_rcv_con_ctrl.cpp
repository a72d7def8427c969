// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// pma_port_rcv_con_ctrl.cpp: PortRcvConCtrl (IBA annex A10): packets that have come in with FECN and with BECN.
#include "emulator/agents/pma_counters.hpp"

namespace ccsim::emulator {
namespace {

constexpr PmaField kFields[] = {
    {.offset = 32, .width = 32, .select = {0}, .counter = &PmaPort::rcv_fecn},
    {.offset = 64, .width = 32, .select = {1}, .counter = &PmaPort::rcv_becn},
};

MadStatus HandlePortRcvConCtrl(Request& request) { return HandleCounters(request, {.fields = kFields}); }

const AttributeRegistration kRegistered(kPerformance, 0x0031, kGetAndSet, kGmpData, HandlePortRcvConCtrl);

}  // namespace
}  // namespace ccsim::emulator

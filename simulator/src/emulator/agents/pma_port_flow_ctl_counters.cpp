// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// pma_port_flow_ctl_counters.cpp: PortFlowCtlCounters (optional; IBA vol. 1, 16.1.4): flow control packets. The data plane passes credits
// without them: none are sent or received.
#include "emulator/agents/pma_counters.hpp"

namespace ccsim::emulator {
namespace {

constexpr PmaField kFields[] = {
    {.offset = 32, .width = 32, .select = {0}},  // PortXmitFlowPkts
    {.offset = 64, .width = 32, .select = {1}},  // PortRcvFlowPkts
};

MadStatus HandlePortFlowCtlCounters(Request& request) { return HandleCounters(request, {.fields = kFields}); }

const AttributeRegistration kRegistered(kPerformance, 0x0018, kGetAndSet, kGmpData, HandlePortFlowCtlCounters);

}  // namespace
}  // namespace ccsim::emulator

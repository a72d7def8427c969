// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// pma_port_vl_xmit_flow_ctl_update_errors.cpp: PortVLXmitFlowCtlUpdateErrors (optional; IBA vol. 1, 16.1.4): flow control packets that did
// not come in time. The data plane passes credits without them.
#include "emulator/agents/pma_counters.hpp"

namespace ccsim::emulator {
namespace {

constexpr auto kFields = LaneFields<16>(2, nullptr, 1);

MadStatus HandlePortVlXmitFlowCtlUpdateErrors(Request& request) { return HandleCounters(request, {.fields = kFields}); }

const AttributeRegistration kRegistered(kPerformance, 0x001B, kGetAndSet, kGmpData, HandlePortVlXmitFlowCtlUpdateErrors);

}  // namespace
}  // namespace ccsim::emulator

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// pma_port_vl_xmit_wait.cpp: PortVLXmitWaitCounters (optional; IBA vol. 1, 16.1.4): PortXmitWait by VL.
#include "emulator/agents/pma_counters.hpp"

namespace ccsim::emulator {
namespace {

constexpr auto kFields = LaneFields<16>(16, &PmaLanes::vl_xmit_wait_ns, kNsPerTick);

MadStatus HandlePortVlXmitWait(Request& request) { return HandleCounters(request, {.fields = kFields}); }

const AttributeRegistration kRegistered(kPerformance, 0x001C, kGetAndSet, kGmpData, HandlePortVlXmitWait);

}  // namespace
}  // namespace ccsim::emulator

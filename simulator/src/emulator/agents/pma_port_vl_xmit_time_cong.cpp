// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// pma_port_vl_xmit_time_cong.cpp: PortVLXmitTimeCong (IBA annex A10): how long each VL has been in the congestion state, in ticks.
// Data VLs only.
#include "emulator/agents/pma_counters.hpp"

namespace ccsim::emulator {
namespace {

constexpr auto kFields = LaneFields<15>(32, &PmaLanes::vl_congested_ns, kNsPerTick);

MadStatus HandlePortVlXmitTimeCong(Request& request) { return HandleCounters(request, {.fields = kFields}); }

const AttributeRegistration kRegistered(kPerformance, 0x0035, kGetAndSet, kGmpData, HandlePortVlXmitTimeCong);

}  // namespace
}  // namespace ccsim::emulator

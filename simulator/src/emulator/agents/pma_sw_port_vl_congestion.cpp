// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// pma_sw_port_vl_congestion.cpp: SwPortVLCongestion (optional; IBA vol. 1, 16.1.4): packets that a switch has discarded on a VL because of
// congestion. Its credits keep it from that.
#include "emulator/agents/pma_counters.hpp"

namespace ccsim::emulator {
namespace {

constexpr auto kFields = LaneFields<16>(16, nullptr, 1);

MadStatus HandleSwPortVlCongestion(Request& request) { return HandleCounters(request, {.fields = kFields}); }

const AttributeRegistration kRegistered(kPerformance, 0x0030, kGetAndSet, kGmpData, HandleSwPortVlCongestion);

}  // namespace
}  // namespace ccsim::emulator

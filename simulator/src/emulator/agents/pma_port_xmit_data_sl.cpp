// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// pma_port_xmit_data_sl.cpp: PortXmitDataSL (optional; IBA vol. 1, 16.1.4): PortXmitData by SL.
#include "emulator/agents/pma_counters.hpp"

namespace ccsim::emulator {
namespace {

constexpr auto kFields = LaneFields<16>(32, &PmaLanes::sl_xmit_bytes, kBytesPerWord);

MadStatus HandlePortXmitDataSl(Request& request) { return HandleCounters(request, {.fields = kFields}); }

const AttributeRegistration kRegistered(kPerformance, 0x0036, kGetAndSet, kGmpData, HandlePortXmitDataSl);

}  // namespace
}  // namespace ccsim::emulator

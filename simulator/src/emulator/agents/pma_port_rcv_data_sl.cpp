// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// pma_port_rcv_data_sl.cpp: PortRcvDataSL (optional; IBA vol. 1, 16.1.4): PortRcvData by SL.
#include "emulator/agents/pma_counters.hpp"

namespace ccsim::emulator {
namespace {

constexpr auto kFields = LaneFields<16>(32, &PmaLanes::sl_rcv_bytes, kBytesPerWord);

MadStatus HandlePortRcvDataSl(Request& request) { return HandleCounters(request, {.fields = kFields}); }

const AttributeRegistration kRegistered(kPerformance, 0x0037, kGetAndSet, kGmpData, HandlePortRcvDataSl);

}  // namespace
}  // namespace ccsim::emulator

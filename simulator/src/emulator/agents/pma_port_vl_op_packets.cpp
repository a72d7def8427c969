// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// pma_port_vl_op_packets.cpp: PortVLOpPackets (optional; IBA vol. 1, 16.1.4): packets that have come in, by VL, of the operation code that OpCode
// names. The agent does not tell operation codes apart: it counts all.
#include "emulator/agents/pma_counters.hpp"

namespace ccsim::emulator {
namespace {

constexpr auto kFields = LaneFields<16>(16, &PmaLanes::vl_rcv_packets, 1);

MadStatus HandlePortVlOpPackets(Request& request) { return HandleCounters(request, {.fields = kFields}); }

const AttributeRegistration kRegistered(kPerformance, 0x0019, kGetAndSet, kGmpData, HandlePortVlOpPackets);

}  // namespace
}  // namespace ccsim::emulator

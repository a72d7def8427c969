// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// pma_port_vl_op_data.cpp: PortVLOpData (optional; IBA vol. 1, 16.1.4): what has come in, by VL, of the operation code that OpCode names. The
// agent does not tell operation codes apart: it counts all.
#include "emulator/agents/pma_counters.hpp"

namespace ccsim::emulator {
namespace {

constexpr auto kFields = LaneFields<16>(32, &PmaLanes::vl_rcv_bytes, kBytesPerWord);

MadStatus HandlePortVlOpData(Request& request) { return HandleCounters(request, {.fields = kFields}); }

const AttributeRegistration kRegistered(kPerformance, 0x001A, kGetAndSet, kGmpData, HandlePortVlOpData);

}  // namespace
}  // namespace ccsim::emulator

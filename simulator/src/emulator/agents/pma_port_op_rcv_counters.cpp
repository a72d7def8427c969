// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// pma_port_op_rcv_counters.cpp: PortOpRcvCounters (optional; IBA vol. 1, 16.1.4): what has come in, of the operation code that OpCode names. The
// agent does not tell operation codes apart: it counts all.
#include "emulator/agents/pma_counters.hpp"

namespace ccsim::emulator {
namespace {

constexpr PmaField kFields[] = {
    {.offset = 32, .width = 32, .select = {0}, .counter = &PmaPort::rcv_packets},
    {.offset = 64, .width = 32, .select = {1}, .counter = &PmaPort::rcv_bytes, .unit = kBytesPerWord},
};

MadStatus HandlePortOpRcvCounters(Request& request) { return HandleCounters(request, {.fields = kFields}); }

const AttributeRegistration kRegistered(kPerformance, 0x0017, kGetAndSet, kGmpData, HandlePortOpRcvCounters);

}  // namespace
}  // namespace ccsim::emulator

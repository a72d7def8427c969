// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// pma_port_rcv_error_details.cpp: PortRcvErrorDetails (optional; IBA vol. 1, 16.1.4): PortRcvErrors and PortRcvSwitchRelayErrors by their
// causes.
#include "emulator/agents/pma_counters.hpp"

namespace ccsim::emulator {
namespace {

constexpr PmaField kFields[] = {
    {.offset = 32, .width = 16, .select = {0}},                                            // PortLocalPhysicalErrors
    {.offset = 48, .width = 16, .select = {1}},                                            // PortMalformedPacketErrors
    {.offset = 64, .width = 16, .select = {2}},                                            // PortBufferOverrunErrors
    {.offset = 80, .width = 16, .select = {3}, .counter = &PmaPort::dlid_mapping_errors},  // PortDLIDMappingErrors
    {.offset = 96, .width = 16, .select = {4}, .counter = &PmaPort::vl_mapping_errors},    // PortVLMappingErrors
    {.offset = 112, .width = 16, .select = {5}, .counter = &PmaPort::looping_errors},      // PortLoopingErrors
};

MadStatus HandlePortRcvErrorDetails(Request& request) { return HandleCounters(request, {.fields = kFields}); }

const AttributeRegistration kRegistered(kPerformance, 0x0015, kGetAndSet, kGmpData, HandlePortRcvErrorDetails);

}  // namespace
}  // namespace ccsim::emulator

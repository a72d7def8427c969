// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// pma_port_xmit_discard_details.cpp: PortXmitDiscardDetails (optional; IBA vol. 1, 16.1.4): PortXmitDiscards by their causes.
#include "emulator/agents/pma_counters.hpp"

namespace ccsim::emulator {
namespace {

constexpr PmaField kFields[] = {
    {.offset = 32, .width = 16, .select = {0}, .counter = &PmaPort::inactive_discards},      // PortInactiveDiscards
    {.offset = 48, .width = 16, .select = {1}},                                              // PortNeighborMTUDiscards
    {.offset = 64, .width = 16, .select = {2}},                                              // PortSwLifetimeLimitDiscards
    {.offset = 80, .width = 16, .select = {3}, .counter = &PmaPort::hoq_lifetime_discards},  // PortSwHOQLifetimeLimitDiscards
};

MadStatus HandlePortXmitDiscardDetails(Request& request) { return HandleCounters(request, {.fields = kFields}); }

const AttributeRegistration kRegistered(kPerformance, 0x0016, kGetAndSet, kGmpData, HandlePortXmitDiscardDetails);

}  // namespace
}  // namespace ccsim::emulator

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// pma_port_counters_extended.cpp: PortCountersExtended (optional; IBA vol. 1, 16.1.4): the counters of PortCounters in 64 bits.
#include "emulator/agents/pma_counters.hpp"

namespace ccsim::emulator {
namespace {

// Bit 13 of CounterSelect2 is QP1Dropped, which the ClassPortInfo does not offer.
constexpr PmaField kFields[] = {
    {.offset = 64, .width = 64, .select = {0}, .counter = &PmaPort::xmit_bytes, .unit = kBytesPerWord},
    {.offset = 128, .width = 64, .select = {1}, .counter = &PmaPort::rcv_bytes, .unit = kBytesPerWord},
    {.offset = 192, .width = 64, .select = {2}, .counter = &PmaPort::xmit_packets},
    {.offset = 256, .width = 64, .select = {3}, .counter = &PmaPort::rcv_packets},
    {.offset = 320, .width = 64, .select = {4}, .counter = &PmaPort::unicast_xmit_packets},
    {.offset = 384, .width = 64, .select = {5}, .counter = &PmaPort::unicast_rcv_packets},
    {.offset = 448, .width = 64, .select = {6}, .counter = &PmaPort::multicast_xmit_packets},
    {.offset = 512, .width = 64, .select = {7}, .counter = &PmaPort::multicast_rcv_packets},
    {.offset = 576, .width = 64, .select = {0, true}},                                    // SymbolErrorCounter
    {.offset = 640, .width = 64, .select = {1, true}},                                    // LinkErrorRecoveryCounter
    {.offset = 704, .width = 64, .select = {2, true}, .counter = &PmaPort::link_downed},  // LinkDownedCounter
    {.offset = 768, .width = 64, .select = {3, true}},                                    // PortRcvErrors
    {.offset = 832, .width = 64, .select = {4, true}},                                    // PortRcvRemotePhysicalErrors
    {.offset = 896, .width = 64, .select = {5, true}, .counter = &PmaPort::rcv_switch_relay_errors},  // PortRcvSwitchRelayErrors
    {.offset = 960, .width = 64, .select = {6, true}, .counter = &PmaPort::xmit_discards},            // PortXmitDiscards
    {.offset = 1024, .width = 64, .select = {7, true}},                                               // PortXmitConstraintErrors
    {.offset = 1088, .width = 64, .select = {8, true}},                                               // PortRcvConstraintErrors
    {.offset = 1152, .width = 64, .select = {9, true}},                                               // LocalLinkIntegrityErrors
    {.offset = 1216, .width = 64, .select = {10, true}},                                     // ExcessiveBufferOverrunErrors
    {.offset = 1280, .width = 64, .select = {11, true}, .counter = &PmaPort::vl15_dropped},  // VL15Dropped
    {.offset = 1344, .width = 64, .select = {12, true}, .counter = &PmaPort::xmit_wait_ns, .unit = kNsPerTick},
};

MadStatus HandlePortCountersExtended(Request& request) { return HandleCounters(request, {kFields, 32, 32}); }

const AttributeRegistration kRegistered(kPerformance, 0x001D, kGetAndSet, kGmpData, HandlePortCountersExtended);

}  // namespace
}  // namespace ccsim::emulator

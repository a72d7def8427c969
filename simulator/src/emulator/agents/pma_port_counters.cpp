// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// pma_port_counters.cpp: PortCounters (IBA vol. 1, 16.1.3.5): the attribute that every agent has. Counters stay at their largest
// value. Errors of cables and neighbours do not happen here: their counters are there, and 0.
#include "emulator/agents/pma_counters.hpp"

namespace ccsim::emulator {
namespace {

// PortRcvErrors and what has no counter behind it stays 0.
constexpr PmaField kFields[] = {
    {.offset = 32, .width = 16, .select = {0}},                                                // SymbolErrorCounter
    {.offset = 48, .width = 8, .select = {1}},                                                 // LinkErrorRecoveryCounter
    {.offset = 56, .width = 8, .select = {2}, .counter = &PmaPort::link_downed},               // LinkDownedCounter
    {.offset = 64, .width = 16, .select = {3}},                                                // PortRcvErrors
    {.offset = 80, .width = 16, .select = {4}},                                                // PortRcvRemotePhysicalErrors
    {.offset = 96, .width = 16, .select = {5}, .counter = &PmaPort::rcv_switch_relay_errors},  // PortRcvSwitchRelayErrors
    {.offset = 112, .width = 16, .select = {6}, .counter = &PmaPort::xmit_discards},           // PortXmitDiscards
    {.offset = 128, .width = 8, .select = {7}},                                                // PortXmitConstraintErrors
    {.offset = 136, .width = 8, .select = {8}},                                                // PortRcvConstraintErrors
    {.offset = 152, .width = 4, .select = {9}},                                                // LocalLinkIntegrityErrors
    {.offset = 156, .width = 4, .select = {10}},                                               // ExcessiveBufferOverrunErrors
    {.offset = 176, .width = 16, .select = {11}, .counter = &PmaPort::vl15_dropped},           // VL15Dropped
    {.offset = 192, .width = 32, .select = {12}, .counter = &PmaPort::xmit_bytes, .unit = kBytesPerWord},
    {.offset = 224, .width = 32, .select = {13}, .counter = &PmaPort::rcv_bytes, .unit = kBytesPerWord},
    {.offset = 256, .width = 32, .select = {14}, .counter = &PmaPort::xmit_packets},  // PortXmitPkts
    {.offset = 288, .width = 32, .select = {15}, .counter = &PmaPort::rcv_packets},   // PortRcvPkts
    {.offset = 320, .width = 32, .select = {0, true}, .counter = &PmaPort::xmit_wait_ns, .unit = kNsPerTick},
};

MadStatus HandlePortCounters(Request& request) { return HandleCounters(request, {kFields, 144, 8}); }

const AttributeRegistration kRegistered(kPerformance, 0x0012, kGetAndSet, kGmpData, HandlePortCounters);

}  // namespace
}  // namespace ccsim::emulator

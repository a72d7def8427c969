// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// pma/counters.cpp: the attributes of class 0x04 that hold counters (IBA vol. 1, 16.1.3.5 and 16.1.4; annex A10 for congestion
// control). To add one, add its fields and a row to kAttributes.
//
// Behaviour   a Get returns the counters of the port that PortSelect names; at a switch, 0xFF names the sum over its external ports.
//             A Set writes the counters that CounterSelect names, which managers use to clear them, and with PortSelect 0xFF does so
//             at all external ports. A port that the agent does not have (at a channel adapter, any but its own) is an invalid
//             field. A counter that is larger than its field is returned as the field's largest value
// Model       a field without a counter is always 0: cables have no errors here, credits pass without flow control packets, and they
//             keep switches from discarding packets because of congestion. Operation codes are not distinguished: attributes that
//             count those that OpCode names count all
#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <span>

#include "emulator/agents/pma/state.hpp"
#include "emulator/agents/request.hpp"
#include "emulator/bits.hpp"

namespace ccsim::emulator {
namespace {

// PortXmitData and the like count words of 4 bytes.
constexpr std::uint64_t kBytesPerWord = 4;
// PortXmitWait and the like count ticks. A device chooses their length: here it is the time of one word at 8 Gb/s.
constexpr std::uint64_t kNsPerTick = 4;

// The bit of a Set that names a field, and whether it stands in CounterSelect or in CounterSelect2.
struct Select {
  std::uint8_t bit;
  bool second = false;
};

struct CounterField {
  std::uint16_t offset;  // in bits from the attribute's start, the most significant bit first
  std::uint8_t width;    // 1 to 32, or 64
  Select select;
  std::uint64_t PmaPort::* counter = nullptr;       // at most one of counter and by_sl_vl
  PmaSlVlCounters PmaBySlVl::* by_sl_vl = nullptr;  // element `index` of it
  std::uint8_t index = 0;
  std::uint64_t unit = 1;  // what one in the field stands for, in the counter's unit
};

// Position of CounterSelect2, in bits; width 0: the attribute has none.
struct Select2 {
  std::uint16_t offset = 0;
  std::uint8_t width = 0;
};

struct CounterAttribute {
  const char* name;
  std::uint16_t number;
  std::span<const CounterField> fields;
  Select2 select2{};
};

// Fields of VL or SL 0 to kCount - 1, one after the other from bit 32, each with its bit of CounterSelect.
template <std::uint8_t kWidth, PmaSlVlCounters PmaBySlVl::* kMember, std::uint64_t kUnit = 1, std::size_t kCount = 16>
constexpr std::array<CounterField, kCount> kBySlVl = [] {
  std::array<CounterField, kCount> fields{};
  for (std::size_t i = 0; i < kCount; ++i) {
    fields[i] = {.offset = static_cast<std::uint16_t>(32 + i * kWidth),
                 .width = kWidth,
                 .select = {static_cast<std::uint8_t>(i)},
                 .by_sl_vl = kMember,
                 .index = static_cast<std::uint8_t>(i),
                 .unit = kUnit};
  }
  return fields;
}();

constexpr CounterField kPortCounters[] = {
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
    {.offset = 192, .width = 32, .select = {12}, .counter = &PmaPort::xmit_bytes, .unit = kBytesPerWord},      // PortXmitData
    {.offset = 224, .width = 32, .select = {13}, .counter = &PmaPort::rcv_bytes, .unit = kBytesPerWord},       // PortRcvData
    {.offset = 256, .width = 32, .select = {14}, .counter = &PmaPort::xmit_packets},                           // PortXmitPkts
    {.offset = 288, .width = 32, .select = {15}, .counter = &PmaPort::rcv_packets},                            // PortRcvPkts
    {.offset = 320, .width = 32, .select = {0, true}, .counter = &PmaPort::xmit_wait_ns, .unit = kNsPerTick},  // PortXmitWait
};

constexpr CounterField kPortRcvErrorDetails[] = {
    {.offset = 32, .width = 16, .select = {0}},                                            // PortLocalPhysicalErrors
    {.offset = 48, .width = 16, .select = {1}},                                            // PortMalformedPacketErrors
    {.offset = 64, .width = 16, .select = {2}},                                            // PortBufferOverrunErrors
    {.offset = 80, .width = 16, .select = {3}, .counter = &PmaPort::dlid_mapping_errors},  // PortDLIDMappingErrors
    {.offset = 96, .width = 16, .select = {4}, .counter = &PmaPort::vl_mapping_errors},    // PortVLMappingErrors
    {.offset = 112, .width = 16, .select = {5}, .counter = &PmaPort::looping_errors},      // PortLoopingErrors
};

constexpr CounterField kPortXmitDiscardDetails[] = {
    {.offset = 32, .width = 16, .select = {0}, .counter = &PmaPort::inactive_discards},      // PortInactiveDiscards
    {.offset = 48, .width = 16, .select = {1}},                                              // PortNeighborMTUDiscards
    {.offset = 64, .width = 16, .select = {2}},                                              // PortSwLifetimeLimitDiscards
    {.offset = 80, .width = 16, .select = {3}, .counter = &PmaPort::hoq_lifetime_discards},  // PortSwHOQLifetimeLimitDiscards
};

constexpr CounterField kPortOpRcvCounters[] = {
    {.offset = 32, .width = 32, .select = {0}, .counter = &PmaPort::rcv_packets},                       // PortOpRcvPkts
    {.offset = 64, .width = 32, .select = {1}, .counter = &PmaPort::rcv_bytes, .unit = kBytesPerWord},  // PortOpRcvData
};

constexpr CounterField kPortFlowCtlCounters[] = {
    {.offset = 32, .width = 32, .select = {0}},  // PortXmitFlowPkts
    {.offset = 64, .width = 32, .select = {1}},  // PortRcvFlowPkts
};

// QP1Dropped, bit 13 of CounterSelect2, is left out: ClassPortInfo does not offer it.
constexpr CounterField kPortCountersExtended[] = {
    {.offset = 64, .width = 64, .select = {0}, .counter = &PmaPort::xmit_bytes, .unit = kBytesPerWord},  // PortXmitData
    {.offset = 128, .width = 64, .select = {1}, .counter = &PmaPort::rcv_bytes, .unit = kBytesPerWord},  // PortRcvData
    {.offset = 192, .width = 64, .select = {2}, .counter = &PmaPort::xmit_packets},                      // PortXmitPkts
    {.offset = 256, .width = 64, .select = {3}, .counter = &PmaPort::rcv_packets},                       // PortRcvPkts
    {.offset = 320, .width = 64, .select = {4}, .counter = &PmaPort::unicast_xmit_packets},              // PortUnicastXmitPkts
    {.offset = 384, .width = 64, .select = {5}, .counter = &PmaPort::unicast_rcv_packets},               // PortUnicastRcvPkts
    {.offset = 448, .width = 64, .select = {6}, .counter = &PmaPort::multicast_xmit_packets},            // PortMulticastXmitPkts
    {.offset = 512, .width = 64, .select = {7}, .counter = &PmaPort::multicast_rcv_packets},             // PortMulticastRcvPkts
    {.offset = 576, .width = 64, .select = {0, true}},                                                   // SymbolErrorCounter
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
    {.offset = 1344, .width = 64, .select = {12, true}, .counter = &PmaPort::xmit_wait_ns, .unit = kNsPerTick},  // PortXmitWait
};

constexpr CounterField kPortRcvConCtrl[] = {
    {.offset = 32, .width = 32, .select = {0}, .counter = &PmaPort::rcv_fecn},  // PortPktRcvFECN
    {.offset = 64, .width = 32, .select = {1}, .counter = &PmaPort::rcv_becn},  // PortPktRcvBECN
};

constexpr CounterField kPortXmitConCtrl[] = {
    {.offset = 32, .width = 32, .select = {0}, .counter = &PmaPort::congested_ns, .unit = kNsPerTick},  // PortXmitTimeCong
};

constexpr CounterAttribute kAttributes[] = {
    {"PortCounters", 0x0012, kPortCounters, {144, 8}},  // the attribute that every agent has
    {"PortRcvErrorDetails", 0x0015, kPortRcvErrorDetails},
    {"PortXmitDiscardDetails", 0x0016, kPortXmitDiscardDetails},
    {"PortOpRcvCounters", 0x0017, kPortOpRcvCounters},
    {"PortFlowCtlCounters", 0x0018, kPortFlowCtlCounters},
    {"PortVLOpPackets", 0x0019, kBySlVl<16, &PmaBySlVl::vl_rcv_packets>},
    {"PortVLOpData", 0x001A, kBySlVl<32, &PmaBySlVl::vl_rcv_bytes, kBytesPerWord>},
    {"PortVLXmitFlowCtlUpdateErrors", 0x001B, kBySlVl<2, nullptr>},
    {"PortVLXmitWaitCounters", 0x001C, kBySlVl<16, &PmaBySlVl::vl_xmit_wait_ns, kNsPerTick>},
    {"PortCountersExtended", 0x001D, kPortCountersExtended, {32, 32}},
    {"SwPortVLCongestion", 0x0030, kBySlVl<16, nullptr>},
    {"PortRcvConCtrl", 0x0031, kPortRcvConCtrl},
    {"PortSLRcvFECN", 0x0032, kBySlVl<32, &PmaBySlVl::sl_rcv_fecn>},
    {"PortSLRcvBECN", 0x0033, kBySlVl<32, &PmaBySlVl::sl_rcv_becn>},
    {"PortXmitConCtrl", 0x0034, kPortXmitConCtrl},
    {"PortVLXmitTimeCong", 0x0035, kBySlVl<32, &PmaBySlVl::vl_congested_ns, kNsPerTick, 15>},  // data VLs only
    {"PortXmitDataSL", 0x0036, kBySlVl<32, &PmaBySlVl::sl_xmit_bytes, kBytesPerWord>},
    {"PortRcvDataSL", 0x0037, kBySlVl<32, &PmaBySlVl::sl_rcv_bytes, kBytesPerWord>},
};

constexpr std::uint8_t kAllPorts = 0xFF;

// The ports that PortSelect names; empty: this agent has no such port.
std::span<PmaPort> SelectedPorts(const Request& request) {
  std::vector<PmaPort>& ports = request.subnet.device(request.at.node).pma.ports;
  const std::uint8_t select = request.data[1];
  const std::span all(ports);
  if (!IsSwitch(request)) return select == request.at.port ? all.subspan(select, 1) : all.first(0);
  if (select == kAllPorts) return all.subspan(1);
  return select < ports.size() ? all.subspan(select, 1) : all.first(0);
}

std::uint64_t Count(const CounterField& field, const PmaPort& port) {
  if (field.counter != nullptr) return port.*field.counter;
  return field.by_sl_vl != nullptr && port.by_sl_vl ? ((*port.by_sl_vl).*field.by_sl_vl)[field.index] : 0;
}

void SetCount(const CounterField& field, PmaPort& port, std::uint64_t count) {
  if (field.counter != nullptr) {
    port.*field.counter = count;
  } else if (field.by_sl_vl != nullptr && (count != 0 || port.by_sl_vl)) {
    (port.BySlVl().*field.by_sl_vl)[field.index] = count;
  }
}

std::uint64_t Largest(const CounterField& field) {
  return field.width == 64 ? UINT64_MAX : (std::uint64_t{1} << field.width) - 1;
}

std::uint64_t GetField(const std::uint8_t* data, const CounterField& field) {
  return field.width == 64 ? Get64(data + field.offset / 8) : GetBits(data, field.offset, field.width);
}

void PutField(std::uint8_t* data, const CounterField& field, std::uint64_t value) {
  if (field.width == 64) {
    Put64(data + field.offset / 8, value);
  } else {
    PutBits(data, field.offset, field.width, static_cast<std::uint32_t>(value));
  }
}

void Write(const Request& request, const CounterAttribute& attribute, std::span<PmaPort> ports) {
  const std::uint32_t first = Get16(request.data + 2);
  const std::uint32_t second =
      attribute.select2.width == 0 ? 0 : GetBits(request.data, attribute.select2.offset, attribute.select2.width);
  for (const CounterField& field : attribute.fields) {
    if (((field.select.second ? second : first) >> field.select.bit & 1) == 0) continue;
    for (PmaPort& port : ports) SetCount(field, port, GetField(request.data, field) * field.unit);
  }
}

MadStatus HandleCounters(Request& request) {
  const std::span<PmaPort> ports = SelectedPorts(request);
  if (request.modifier() != 0 || ports.empty()) return kInvalidField;
  const CounterAttribute& attribute =
      *std::find_if(std::begin(kAttributes), std::end(kAttributes),
                    [&](const CounterAttribute& row) { return row.number == request.mad.attribute(); });
  request.subnet.Refresh(request.at.node);
  if (request.is_set()) {
    Write(request, attribute, ports);
  } else {
    std::fill_n(request.data + 2, kGmpData.bytes - 2, std::uint8_t{0});  // all but OpCode and PortSelect
  }
  for (const CounterField& field : attribute.fields) {
    std::uint64_t sum = 0;
    for (const PmaPort& port : ports) sum += Count(field, port);
    PutField(request.data, field, std::min(sum / field.unit, Largest(field)));
  }
  return kOk;
}

const struct Registrations {
  Registrations() {
    for (const CounterAttribute& row : kAttributes) {
      AttributeRegistration(kPerformance, row.name, row.number, kGetAndSet, kGmpData, HandleCounters, GetContent::Kept);
    }
  }
} kRegistered;

}  // namespace
}  // namespace ccsim::emulator

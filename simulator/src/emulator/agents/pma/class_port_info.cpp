// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// pma/class_port_info.cpp: ClassPortInfo of class 0x04 (IBA vol. 1, 13.4.8.1 and 16.1.3.1); it registers the
// class, which has no key.
#include "emulator/agents/request.hpp"

namespace ccsim::emulator {
namespace {

constexpr std::uint8_t kPmaClassVersion = 1;

constexpr std::uint16_t kAllPortSelect = 1u << 8;
constexpr std::uint16_t kExtendedWidth = 1u << 9;  // PortCountersExtended, those of unicast and multicast packets too
constexpr std::uint16_t kXmitWait = 1u << 12;      // PortXmitWait in PortCounters

MadStatus HandlePmaClassPortInfo(Request& request) {
  if (request.modifier() != 0) return kInvalidField;
  ccp_class_port_info info{};
  info.base_version = 1;
  info.class_version = kPmaClassVersion;
  info.capability_mask = kExtendedWidth | kXmitWait;
  if (IsSwitch(request)) info.capability_mask |= kAllPortSelect;
  // PortCountersExtended counts errors too, but CapabilityMask2, bit 1, does not offer it: libumad2sim.so gives programs 224 of a MAD's
  // 256 bytes, and ibqueryerrors would take what stands behind them for VL15Dropped and PortXmitWait.
  info.resp_time_value = kClassRespTimeValue;
  PackInto(request.data, CCP_CLASS_PORT_INFO, info);
  return kOk;
}

const ClassRegistration kRegisteredPmaClass(kPerformance, kPmaClassVersion, nullptr);
const AttributeRegistration kRegistered(kPerformance, "ClassPortInfo", CCP_CLASS_PORT_INFO, kGetOnly, kGmpData,
                                        HandlePmaClassPortInfo);

}  // namespace
}  // namespace ccsim::emulator

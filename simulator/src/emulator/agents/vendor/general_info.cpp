// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// vendor/general_info.cpp: ClassPortInfo and GeneralInfo of Mellanox' vendor class 0x0A; it registers the class, which has no key here.
//
// The layout is that which rdma-core's vendstat reads. Offsets are from the attribute's first byte, which is byte 32 of the MAD.
#include <algorithm>

#include "emulator/agents/request.hpp"

namespace ccsim::emulator {
namespace {

constexpr std::uint8_t kVendorClassVersion = 1;
constexpr DataSpan kGeneralInfoData{32, 224};
constexpr DataSpan kClassPortInfoData{24, 232};  // a vendor class of the first range has no RMPP header before its data
constexpr std::uint16_t kGeneralInfo = 0x0017;
constexpr std::uint16_t kOther = 0x0018;

enum Offset : std::uint16_t {
  kDeviceId = 2,
  kFirmware = 33,  // three bytes, each the low byte of a number
  kPsid = 48,
  kExtendedFirmware = 68,  // three numbers of 32 bits
};
constexpr std::size_t kPsidBytes = 16;

const Hardware& HardwareOf(const Request& request) { return request.subnet.device(request.at.node).hardware; }

MadStatus HandleVendorClassPortInfo(Request& request) {
  if (HardwareOf(request).general_info == GeneralInfoAnswer::Unsupported) return kUnsupportedMethodAttribute;
  ccp_class_port_info info{};
  info.base_version = 1;
  info.class_version = kVendorClassVersion;
  info.resp_time_value = kClassRespTimeValue;
  PackInto(request.data, CCP_CLASS_PORT_INFO, info);
  return kOk;
}

// Uptime, build and date of the firmware stay 0.
MadStatus HandleGeneralInfo(Request& request) {
  const Hardware& hardware = HardwareOf(request);
  if (hardware.general_info == GeneralInfoAnswer::Unsupported) return kUnsupportedMethodAttribute;
  if (request.modifier() != 0) return kInvalidField;
  if (hardware.general_info == GeneralInfoAnswer::Zeros) return kOk;
  if (hardware.general_info == GeneralInfoAnswer::OtherAttribute) Put16(request.mad.bytes() + 16, kOther);
  std::uint8_t* data = request.data;
  Put16(data + kDeviceId, hardware.device_id);
  for (unsigned i = 0; i < 3; ++i) {
    data[kFirmware + i] = static_cast<std::uint8_t>(hardware.firmware[i]);
    Put32(data + kExtendedFirmware + 4 * i, hardware.firmware[i]);
  }
  std::copy_n(hardware.psid.begin(), std::min(hardware.psid.size(), kPsidBytes), data + kPsid);
  return kOk;
}

Admission AdmitUnlessSilent(Request& request) {
  return HardwareOf(request).general_info == GeneralInfoAnswer::Silent ? Admission::Ignored : Admission::Admitted;
}

const ClassRegistration kRegisteredVendorClass(kMellanoxVendor, kVendorClassVersion, AdmitUnlessSilent);
const AttributeRegistration kRegisteredVendorClassPortInfo(kMellanoxVendor, "ClassPortInfo", CCP_CLASS_PORT_INFO, kGetOnly,
                                                           kClassPortInfoData, HandleVendorClassPortInfo);
const AttributeRegistration kRegistered(kMellanoxVendor, "GeneralInfo", kGeneralInfo, kGetOnly, kGeneralInfoData,
                                        HandleGeneralInfo);

}  // namespace
}  // namespace ccsim::emulator

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What must hold of the firmware that devices are said to have.
#include "simulation.hpp"

namespace ibcc_test::simulation {

namespace {

// What must come of a device that was asked and whose answers were not lost.
ibcc_firmware_state Right(const Device& device) {
  if (device.vendor != 0x0002C9) return IBCC_FIRMWARE_OTHER_VENDOR;
  switch (device.tells) {
    case Tells::Well: return IBCC_FIRMWARE_KNOWN;
    case Tells::Refuses: return IBCC_FIRMWARE_REFUSED;
    case Tells::Zeros: return IBCC_FIRMWARE_EMPTY;
    default: return IBCC_FIRMWARE_SILENT;
  }
}

}  // namespace

// It is the device's own, now or once, and at rest its present one. Where it is not known, the reason is the right one.
void Simulation::CheckFirmware(bool at_rest) {
  const ibcc_devices* list = ibcc_manager_devices(manager_);
  for (const Device& device : world_->devices) {
    const ibcc_device* known = ibcc_devices_find(list, device.guid, device.is_switch ? 0 : 1);
    if (known == nullptr) continue;
    const ibcc_device_firmware& said = known->firmware;
    const std::string name = "device " + std::to_string(device.index);
    const bool has_version = ibcc_firmware_is_known(&said.latest);
    if (has_version != (said.state == IBCC_FIRMWARE_KNOWN))
      Fail(name + " has firmware and a reason why it is not known, or neither");
    if (has_version && (said.latest.major != 31 || said.latest.minor != device.model || said.latest.sub_minor > device.firmware))
      Fail(name + " is said to have firmware that it never had: " + std::to_string(said.latest.minor) + "." +
           std::to_string(said.latest.sub_minor));
    if (!at_rest || &device == sick_ || &device == mute_) continue;
    if (!ibcc_firmware_is_same(&said.latest, &said.told)) Fail("the topology lacks the firmware of " + name);
    if (said.state == IBCC_FIRMWARE_SILENT && device.is_unlucky) continue;
    if (said.state != Right(device))
      Fail(name + " is said to have firmware of state " + std::to_string(said.state) + ", not " + std::to_string(Right(device)));
    if (has_version && said.latest.sub_minor != device.firmware)
      Fail(name + " is said to have firmware " + std::to_string(said.latest.sub_minor) + ", not " +
           std::to_string(device.firmware));
  }
}

}  // namespace ibcc_test::simulation

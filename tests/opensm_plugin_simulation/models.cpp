// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What must hold where devices of one model differ, and where the answers of one are in range and mislead all the same.
#include <algorithm>

#include "profile_texts.hpp"
#include "simulation.hpp"

namespace ibcc_test::simulation {

namespace {

constexpr unsigned kSls = 3;  // 0 to 2, by ProfileText
constexpr std::int64_t kSettleNs = 60 * kNsPerS;
constexpr std::uint8_t kEnabled = 0x80;

}  // namespace

// An algorithm is enabled in the slot that the device's own list has it in, and in no other.
void Simulation::CheckAlgorithms(const Device& device, const std::string& name) {
  if (!RunsPpcc(device)) return;
  for (unsigned sl = 0; sl < kSls; ++sl) {
    for (std::uint32_t slot = 0; slot < FakeNvidia::kSlots; ++slot) {
      const auto held = device.agent.held.find({CCP_CONGESTION_HCA_ALGO_CONFIG, sl << 16 | slot});
      const bool is_on = held != device.agent.held.end() && (held->second[0] & kEnabled) != 0;
      const unsigned algorithm = device.agent.nvidia.order[slot];
      if (is_on != (algorithm == kAlgorithm))
        Fail(name + " has algorithm " + std::to_string(algorithm) + (is_on ? " enabled" : " disabled") + " for SL " +
             std::to_string(sl));
    }
  }
}

// A device gets firmware that answers otherwise each time, and always in range: nothing is written to it.
void Simulation::TryWavering() {
  World& world = *world_;
  const ibcc_revision* wanted = ibcc_profiles_wanted(profiles_);
  Device& device = world.devices[world.Below(world.devices.size())];
  if (wanted == nullptr || wanted->profile->nvidia == nullptr || !device.agent.nvidia.is_there) return;
  if (&device == sick_ || &device == mute_) return;
  for (const Device& one : world.devices) device.firmware = std::max(device.firmware, one.firmware);  // a new model
  device.agent.nvidia.quirk = Quirk::Wavers;
  world.Update(device);
  Note("-- device " + std::to_string(device.index) + " wavers");
  world.StartSweep();
  RunFor(kSettleNs);
  const ibcc_device* known = ibcc_devices_find(ibcc_manager_devices(manager_), device.guid, device.is_switch ? 0 : 1);
  if (finding_.empty() && known->nvidia.state != IBCC_NVIDIA_UNTRUSTED)
    Fail("device " + std::to_string(device.index) + " wavers, and is trusted");
  device.agent.nvidia.quirk = Quirk::None;
  Call("verify", "{}");
  RunFor(kSettleNs);
  if (finding_.empty()) CheckRest("after firmware that wavers");
}

}  // namespace ibcc_test::simulation

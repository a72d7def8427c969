// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "profile_texts.hpp"

#include <cstdio>
#include <cstring>

namespace ibcc_test::simulation {

namespace {

constexpr unsigned kTimer = 100;  // CCTI_Timer of number 0
constexpr unsigned kAtTimer = 5, kAtMarkingRate = 75;
const char* const kTooMuch = "ccti_min: 100";  // the CCTI_Limit is 63

std::string Guid(const Device& device) {
  char guid[24];
  std::snprintf(guid, sizeof(guid), "0x%016llx", static_cast<unsigned long long>(device.guid));
  return guid;
}

}  // namespace

// Each host is to hold its own CCTI_Increase, so that a Set that goes to another is seen.
std::string ProfileText(unsigned number, const std::vector<Device>& devices) {
  if (number == kOff) return "ibcc_profile: 1\nname: off\nenable: false\n";
  std::string text = "ibcc_profile: 1\nname: p" + std::to_string(number) +
                     "\nlink: {rate_gbps: 16, mtu_bytes: 2048}\n"
                     "switch: {threshold: 15, marking_rate: " +
                     std::to_string(number + 1) +
                     ", packet_size: 8, victim_mask: ca_ports}\n"
                     "ca: {level: qp, sls: [0], ccti_timer: " +
                     std::to_string(kTimer + number) +
                     ", ccti_increase: 1, ccti_min: 0, trigger_threshold: 2}\n"
                     "cct: {ccti_limit: 63, curve: {kind: power, full_scale_us: 7, at_index: 53, exponent: 2}}\noverrides:\n";
  for (const Device& device : devices)
    if (!device.is_switch)
      text += "- {match: {guid: " + Guid(device) + "}, ca: {ccti_increase: " + std::to_string(device.index + 1) + "}}\n";
  if (number >= kNoBase) text += "- {match: {guid: " + Guid(devices[0]) + "}, ca: {" + kTooMuch + "}}\n";
  return text;
}

unsigned DrawBase(World& world) { return world.Chance(0.1) ? kNoBase : static_cast<unsigned>(world.Below(kBases)); }

unsigned DrawExperiment(World& world) {
  if (world.Chance(0.1)) return world.Chance(0.5) ? kNoExperiment : kOff;
  return kBases + static_cast<unsigned>(world.Below(kExperiments));
}

int NumberOf(const ibcc_revision& revision) {
  return revision.profile->enable ? static_cast<int>(revision.profile->ca.ccti_timer) - static_cast<int>(kTimer) : -1;
}

int NumberIn(const std::uint8_t* data, bool is_switch) {
  if (is_switch) return static_cast<int>(data[kAtMarkingRate]) - 1;
  return data[kAtTimer] < kTimer ? -1 : static_cast<int>(data[kAtTimer] - kTimer);
}

int NumberHeld(const Device& device) {
  const auto found = device.agent.held.find({device.is_switch ? CCP_SWITCH_CONGESTION_SETTING : CCP_CA_CONGESTION_SETTING, 0});
  return found == device.agent.held.end() ? -1 : NumberIn(found->second.data(), device.is_switch);
}

bool NeedsNoHost0(const ibcc_revision& revision) { return std::strstr(revision.text, kTooMuch) != nullptr; }

}  // namespace ibcc_test::simulation

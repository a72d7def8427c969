// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "profile_texts.hpp"

#include <cstdio>
#include <cstring>

namespace ibcc_test::simulation {

namespace {

constexpr unsigned kTimer = 100;   // CCTI_Timer of number 0
constexpr unsigned kAiRate = 100;  // rpg_ai_rate
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
  const bool has_nvidia = number % 2 == 1;
  std::string text = std::string("ibcc_profile: ") + (has_nvidia ? "2" : "1") + "\nname: p" + std::to_string(number) +
                     "\nlink: {rate_gbps: 16, mtu_bytes: 2048}\n"
                     "switch: {threshold: 15, marking_rate: " +
                     std::to_string(number + 1) +
                     ", packet_size: 8, victim_mask: ca_ports}\n"
                     "ca: {level: qp, sls: [0], ccti_timer: " +
                     std::to_string(kTimer + number) +
                     ", ccti_increase: 1, ccti_min: 0, trigger_threshold: 2}\n"
                     "cct: {ccti_limit: 63, curve: {kind: power, full_scale_us: 7, at_index: 53, exponent: 2}}\n";
  if (has_nvidia)
    text += "nvidia:\n  switch: {aqs_time: 4, aqs_weight: " + std::to_string(number % 16) +
            ", thresholds: [{vls: all, unit: percent, profile1_max: 50, profile1_percent: 9}]}\n"
            "  adapter: {type: dcqcn, rp: {rpg_ai_rate: " +
            std::to_string(kAiRate + number) + "}}\n";
  text += "overrides:\n";
  for (const Device& device : devices) {
    if (device.is_switch) continue;
    text += "- {match: {guid: " + Guid(device) + "}, ca: {ccti_increase: " + std::to_string(device.index + 1) + "}";
    // Every second host runs PPCC.
    if (has_nvidia && RunsPpcc(device))
      text += ", nvidia: {adapter: {type: ppcc, ppcc: [{algo_id: " + std::to_string(kAlgorithm) +
              ", major: 1, minor: 0, sls: [0, 1, 2], parameters: {0: " + std::to_string(number) +
              ", 1: 0, 2: 0, 3: 0, 4: 0, 5: 0}}]}}";
    else if (has_nvidia)
      text += ", nvidia: {adapter: {rp: {rpg_hai_rate: " + std::to_string(device.index + 1) + "}}}";
    text += "}\n";
  }
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

bool RunsPpcc(const Device& device) { return !device.is_switch && device.index % 2 == 1; }

int NumberOfNvidia(const Device& device) {
  const auto at = [&](std::uint16_t attribute, std::uint32_t modifier, unsigned byte) -> int {
    const auto found = device.agent.held.find({attribute, modifier});
    return found == device.agent.held.end() ? -1 : found->second[byte];
  };
  if (device.is_switch) return at(CCP_CONGESTION_SWITCH_GENERAL_SETTINGS, 0, 2) & 15;
  if (RunsPpcc(device)) return at(CCP_CONGESTION_HCA_ALGO_CONFIG_PARAMS, device.agent.nvidia.SlotOf(kAlgorithm), 19);
  return at(CCP_CONGESTION_HCA_RP_PARAMETERS, 0, 23) - static_cast<int>(kAiRate);
}

bool IsOnByNvidia(const Device& device) {
  const auto found = device.agent.held.find(
      {device.is_switch ? CCP_CONGESTION_SWITCH_GENERAL_SETTINGS : CCP_CONGESTION_HCA_GENERAL_SETTINGS, 0});
  return found != device.agent.held.end() && (found->second[0] & (device.is_switch ? 1 : 0xC0)) != 0;
}

bool NeedsNoHost0(const ibcc_revision& revision) { return std::strstr(revision.text, kTooMuch) != nullptr; }

}  // namespace ibcc_test::simulation

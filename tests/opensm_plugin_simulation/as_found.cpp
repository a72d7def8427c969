// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What must hold of revision 0: what devices were found with is kept before they are set, and comes back.
#include "devices/as_found.h"

#include <algorithm>

#include "devices/nvidia_items.h"
#include "profile_texts.hpp"
#include "simulation.hpp"

namespace ibcc_test::simulation {

namespace {

bool IsOfAnnexA10(std::uint16_t attribute) {
  return attribute >= CCP_SWITCH_CONGESTION_SETTING && attribute <= CCP_CONGESTION_CONTROL_TABLE;
}

// NULL: none is kept.
const ibcc_found* RowOf(const ibcc_device* device) {
  if (device == nullptr || device->rules == nullptr) return nullptr;
  return ibcc_nvidia_founds_kept(device->rules->founds, device->node_guid, device->port);
}

// False: the device's algorithms are in other slots than it has told, as it has got other firmware that no sweep has seen yet.
bool IsListKnown(const ibcc_device& known, const Device& device) {
  const auto& order = device.agent.nvidia.order;
  for (std::size_t slot = 0; slot < order.size(); ++slot)
    if (known.nvidia.facts.algorithms[slot].algo_id != order[slot]) return false;
  return true;
}

constexpr std::int64_t kAnsweredNs = 25 * kNsPerS;  // all tries of a request

Payload PayloadOf(const ibcc_payload& payload) {
  Payload value{};
  std::copy(payload.bytes, payload.bytes + value.size(), value.begin());
  return value;
}

}  // namespace

// The first Set to a device comes when the disk has what it held, and that is something that it has held.
void Simulation::CheckFirstSet(const Device& device, const std::uint8_t* mad) {
  if (mad[3] != IBCC_SET || !IsOfAnnexA10(ibcc_cc_mad_attribute(mad)) || found_.count(device.index) != 0) return;
  const char* reason = nullptr;
  const ibcc_as_found* kept = ibcc_manager_as_found(manager_, &reason);
  const std::string name = "device " + std::to_string(device.index);
  if (kept == nullptr) {
    Fail(name + " is set, and what it was found with is not kept: " + reason);
    return;
  }
  const ibcc_found* found = ibcc_as_found_find(kept, device.guid, device.is_switch ? 0 : 1);
  if (found == nullptr || !found->frozen || !found->saved) {
    Fail(name + " is set before the disk has what it was found with");
    return;
  }
  auto& held = found_[device.index];
  for (std::uint32_t i = 0; i < found->num_items; ++i) {
    const ibcc_found_item& item = found->items[i];
    const Key key{item.attribute, item.block};
    held[key] = device.EverHeld(key);
    if (item.payload != nullptr && !device.IsWholeHistory(key)) held[key].insert(PayloadOf(*item.payload));
    // What another node has left may be of long ago.
    if (item.payload != nullptr && device.IsWholeHistory(key) && held[key].count(PayloadOf(*item.payload)) == 0)
      Fail(name + " never held what is kept of attribute " + std::to_string(item.attribute) + ", of " +
           std::to_string(held[key].size()) + " values");
  }
}

// The same of NVIDIA's attributes: a device is set when the disk has its row, or what another node has left is in force.
void Simulation::CheckFirstNvidiaSet(const Device& device, const std::uint8_t* mad) {
  if (mad[3] != IBCC_SET || !ibcc_nvidia_is_attribute(ibcc_cc_mad_attribute(mad)) || found_nvidia_.count(device.index) != 0)
    return;
  const ibcc_device* known = ibcc_devices_find(ibcc_manager_devices(manager_), device.guid, device.is_switch ? 0 : 1);
  const ibcc_found* found = RowOf(known);
  if (found == nullptr) return;  // nobody knows what it held, as somebody had it cleared, or a file was lost
  const std::string name = "device " + std::to_string(device.index);
  // The base file has it, and is read again after a crash.
  const bool is_left = elsewhere_.found_nvidia.count(device.index) != 0 ||
                       (other_ != nullptr && (other_->found_nvidia_.count(device.index) != 0 || IsFoundInBaseFile(device)));
  if (!found->saved && !is_left) Fail(name + " is set before the disk has what it was found with of NVIDIA's attributes");
  auto& [held, order] = found_nvidia_[device.index];
  order = device.agent.nvidia.order;
  for (const auto& one : device.agent.held)
    if (ibcc_nvidia_is_attribute(one.first.first) && one.first.first != CCP_CONGESTION_HCA_ALGO_CONFIG_PARAMS)
      held[one.first] = device.EverHeld(one.first);
}

// When the plugin keeps the row of a device no longer, the device holds what it held before its first Set, or did a moment ago.
void Simulation::CheckFoundAgain() {
  for (auto at = found_nvidia_.begin(); at != found_nvidia_.end();) {
    const Device& device = world_->devices[at->first];
    const ibcc_device* known = ibcc_devices_find(ibcc_manager_devices(manager_), device.guid, device.is_switch ? 0 : 1);
    if (known == nullptr || RowOf(known) != nullptr) {
      ++at;
      continue;
    }
    for (const auto& [key, values] : at->second.held) {
      const bool is_elsewhere = device.agent.nvidia.order != at->second.order || !IsListKnown(*known, device);
      if (key.first == CCP_CONGESTION_HCA_ALGO_CONFIG && is_elsewhere) continue;
      const std::set<Payload> now = device.HeldSince(key, world_->now_ns - kAnsweredNs);
      const bool holds = std::any_of(now.begin(), now.end(), [&](const Payload& one) { return values.count(one) != 0; });
      if (!holds && device.IsWholeHistory(key))
        Fail("device " + std::to_string(device.index) + " is said to hold what it was found with, and does not: attribute " +
             std::to_string(key.first) + " at " + std::to_string(key.second));
    }
    at = found_nvidia_.erase(at);
  }
}

// The rows that the dead master has kept are kept by whoever has taken over.
void Simulation::CheckFoundTakenOver() {
  for (const auto& [index, found] : elsewhere_.found_nvidia) {
    const Device& device = world_->devices[index];
    const ibcc_device* known = ibcc_devices_find(ibcc_manager_devices(manager_), device.guid, device.is_switch ? 0 : 1);
    if (known == nullptr) continue;
    if (RowOf(known) == nullptr)
      Fail("device " + std::to_string(index) + " was set by the master that is lost, and nobody knows what it was found with");
    found_nvidia_[index] = found;
  }
}

// Without a base, and without a trial run: who can be reached holds what it held before the first Set, or was never set.
void Simulation::CheckAsFound(const std::string& when) {
  const ibcc_devices* list = ibcc_manager_devices(manager_);
  if (ibcc_manager_on_fabric(manager_) != IBCC_REVISION_AS_FOUND)
    Fail(when + " what devices were found with is not on the fabric");
  for (const Device& device : world_->devices) {
    if (&device == sick_ || &device == mute_) continue;
    const ibcc_device* known = ibcc_devices_find(list, device.guid, device.is_switch ? 0 : 1);
    const std::string name = when + ", as found, device " + std::to_string(device.index);
    if (known == nullptr || !known->present) {
      Fail(name + " is not listed");
      continue;
    }
    const auto state = ibcc_manager_device_state(manager_, known);
    if (state == IBCC_STATE_FOREIGN && IsOnByNvidia(device) && !known->nvidia.written) continue;
    if (state != (device.agent.has_a10 ? IBCC_STATE_APPLIED : IBCC_STATE_UNSUPPORTED))
      Fail(name + " is " + ibcc_device_states[state].name + ", though nothing is wrong with it: " + known->nvidia.withheld);
    const auto held = found_.find(device.index);
    for (std::uint32_t k = 0; k < known->num_items; ++k) {
      const ibcc_item& item = known->items[k];
      if (!device.Holds(item))
        Fail(name + " does not hold attribute " + std::to_string(item.attribute) + ": " + device.Told(item));
      if (item.withheld || !item.was_found || held == found_.end()) continue;
      if (held->second[{item.attribute, item.block}].count(PayloadOf(*item.wanted)) == 0)
        Fail(name + " is to hold what it did not hold before its first Set, attribute " + std::to_string(item.attribute));
    }
  }
}

}  // namespace ibcc_test::simulation

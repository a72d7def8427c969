// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What must hold after each step, and at rest.
#include <jansson.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "changes/change_log.h"
#include "disk.hpp"
#include "opensm_plugin/rpc/support.hpp"
#include "profile_texts.hpp"
#include "simulation.hpp"

namespace ibcc_test::simulation {

namespace {

constexpr std::int64_t kDelayAtMostNs =
    25 * kNsPerS;                       // of what a device said, by the time that it is believed: all tries of a request
constexpr std::uint32_t kChanges = 12;  // lines of the log of changes that are looked at
constexpr std::size_t kTexts = 40;      // of revisions that are remembered: more than the plugin's history

std::uint64_t NumberOf(const ibcc_revision* revision) { return revision == nullptr ? 0 : revision->number; }

}  // namespace

void Simulation::Fail(const std::string& what) {
  if (finding_.empty()) finding_ = scenario_.Line() + ", step " + std::to_string(steps_) + ": " + what;
}

// What is acknowledged is wanted, and lasts; what is refused changes nothing.
void Simulation::CheckAnswer(const std::string& method, const std::string& heard, std::uint64_t before) {
  const Json answer = Parse(heard);
  if (!answer) {
    Fail("no answer to " + method);
    return;
  }
  const std::uint64_t now = NumberOf(ibcc_profiles_wanted(profiles_));
  json_t* revision = json_object_get(json_object_get(answer.get(), "result"), "revision");
  if (json_object_get(answer.get(), "error") != nullptr && now != before)
    Fail(method + " was refused, but what is wanted changed");
  if (!json_is_integer(revision) || method == "profile.renew") return;
  last_revision_ = static_cast<std::uint64_t>(json_integer_value(revision));
  if (now != static_cast<std::uint64_t>(json_integer_value(revision)))
    Fail(method + " was acknowledged with a revision that does not count");
  if (TheDisk().folder_is_due) Fail(method + " was acknowledged before the folder was synchronised");
}

// A device that is said to be applied held what is wanted when it said so.
void Simulation::CheckDevices() {
  const ibcc_devices* list = ibcc_manager_devices(manager_);
  for (std::uint32_t i = 0; i < list->count; ++i) {
    const ibcc_device* device = list->list[i];
    if (ibcc_manager_device_state(manager_, device) != IBCC_STATE_APPLIED) continue;
    const auto found = std::find_if(world_->devices.begin(), world_->devices.end(),
                                    [&](const Device& one) { return one.guid == device->node_guid; });
    if (ibcc_device_seen_ns(device) == 0)
      Fail(found->is_switch ? "a switch is applied as of never" : "a host is applied as of never");
    for (std::uint32_t k = 0; k < device->num_items; ++k) {
      const ibcc_item& item = device->items[k];
      if (!found->HeldIn(item, item.seen_ns - kDelayAtMostNs, item.seen_ns))
        Fail("device " + std::to_string(found->index) + " is said to be applied as of " +
             std::to_string(static_cast<double>(item.seen_ns) / 1e9) + ", but did not hold attribute " +
             std::to_string(item.attribute) + " then: " + found->Told(item));
    }
  }
}

// A number means one document for ever; and what a start has to find is known as long as the disk takes what it is given.
void Simulation::CheckRevisions() {
  const ibcc_revision* base = ibcc_profiles_base(profiles_);
  const bool is_well = !TheDisk().is_full && !TheDisk().is_broken && ibcc_profiles_next_ns(profiles_) == INT64_MAX;
  for (const ibcc_revision* one : {base, ibcc_profiles_experiment(profiles_)}) {
    if (one == nullptr) continue;
    const auto known = texts_.find(one->number);
    if (known == texts_.end()) {
      if (is_well) texts_[one->number] = one->text;
    } else if (known->second != one->text) {
      Fail("revision " + std::to_string(one->number) + " stands for two documents");
    }
  }
  if (texts_.size() > kTexts) texts_.erase(texts_.begin());
  const std::uint64_t number = NumberOf(base);
  if (bases_.size() == 1 && *bases_.begin() == number) return;
  bases_.clear();
  if (is_well) bases_.insert(number);
}

// A start finds what was acknowledged, or the profile file as it has become.
void Simulation::CheckStart() {
  const ibcc_revision* base = ibcc_profiles_base(profiles_);
  if (bases_.empty() || bases_.count(NumberOf(base)) != 0) return;
  if (base != nullptr && base->source == IBCC_SOURCE_FILE && base->number > *bases_.begin()) return;
  std::string right;
  for (const std::uint64_t one : bases_) right += (right.empty() ? "" : " or ") + std::to_string(one);
  Fail("after a crash the base is revision " + std::to_string(NumberOf(base)) + ", but was " + right);
}

// A subscriber that keeps up has the topology of the last sweep, by differences and by events.
void Simulation::CheckLive() {
  if (loop_.stopping) return;
  ibcc_client client{};
  const auto ask = [&](const std::string& params) {
    const std::string line = R"({"jsonrpc": "2.0", "id": 1, "method": "topology", "params": )" + params + "}\n";
    client.greeted = true;
    ibcc_client_receive(&client, &service_, line.data(), line.size());
    Json answer = Parse(std::string(client.output.bytes, ibcc_output_waiting(&client.output)));
    ibcc_output_clear(&client.output);
    return answer;
  };
  const std::string found = live_.Check(manager_, ask, found_nodes_, found_links_);
  ibcc_client_clear(&client);
  if (!found.empty()) Fail(found);
}

// Whoever is said to be applied at rest is not drifted any more for subscribers.
void Simulation::CheckToldDrifts() {
  std::set<std::string> applied;
  const ibcc_devices* list = ibcc_manager_devices(manager_);
  for (std::uint32_t i = 0; i < list->count; ++i) {
    const ibcc_device* device = list->list[i];
    char text[32];
    std::snprintf(text, sizeof(text), "0x%016llx/%u", static_cast<unsigned long long>(device->node_guid), unsigned{device->port});
    if (ibcc_manager_device_state(manager_, device) == IBCC_STATE_APPLIED) applied.insert(text);
  }
  const std::string found = live_.CheckRest(applied);
  if (!found.empty()) Fail(found);
}

void Simulation::CheckStep() {
  RememberWanted();
  CheckTakenOver();
  const std::uint64_t number = ibcc_profiles_wanted_number(profiles_);
  const std::uint64_t on_fabric = ibcc_manager_on_fabric(manager_);
  const char* pending = ibcc_manager_pending(manager_);
  if (number != 0 && on_fabric != number && pending == nullptr)
    Fail("the wanted revision is not on the fabric, and nothing says why");
  if (on_fabric == number && pending != nullptr) Fail(std::string("it is on the fabric, and pending: ") + pending);
  if (ibcc_profiles_deadline_ns(profiles_) < world_->now_ns) Fail("an experiment outlives its time");
  if (ibcc_manager_devices(manager_)->count > world_->devices.size()) Fail("there are more devices than the fabric has");
  const ibcc_revision* base = ibcc_profiles_base(profiles_);
  if (base != nullptr && base->text != file_text_ && ibcc_profiles_complaint(profiles_) == nullptr)
    Fail("the base is not what the profile file says, and nothing tells of it");
  if (!TheDisk().fault.empty()) Fail(TheDisk().fault);
  CheckRevisions();
  CheckTogether();
  CheckPort();
  CheckOnFabric();
  CheckSuspects();
  CheckFoundAgain();
  CheckLive();
  CheckFirmware(false);
  if (steps_ % 16 == 0) CheckDevices();
}

// What was acknowledged while nothing could be sent is brought to the devices by the first sweep after which something can.
void Simulation::CheckSwept() {
  const ibcc_revision* wanted = ibcc_profiles_wanted(profiles_);
  const char* pending = ibcc_manager_pending(manager_);
  if (wanted == nullptr && ibcc_manager_on_fabric(manager_) != IBCC_REVISION_AS_FOUND)
    Fail(std::string("after a sweep what devices were found with is not on the fabric: ") + (pending == nullptr ? "" : pending));
  if (wanted == nullptr) return;
  if (!Fits(wanted)) {
    if (pending == nullptr || std::strstr(pending, "is not applied: ") == nullptr)
      Fail(std::string("what does not fit the fabric is said to be ") + (pending == nullptr ? "on it" : pending));
  } else if (ibcc_manager_on_fabric(manager_) != wanted->number)
    Fail("after a sweep revision " + std::to_string(wanted->number) + " is not on the fabric");
  if (sick_ == nullptr && ibcc_manager_role(manager_) != IBCC_ROLE_MASTER)
    Fail(std::string("after a sweep without errors the role is ") + ibcc_manager_role_text(manager_));
}

// Whoever can be reached holds what is wanted, or is listed with a reason; and is not listed without one.
void Simulation::CheckRest(const char* when) {
  const ibcc_revision* wanted = ibcc_profiles_wanted(profiles_);
  if (wanted == nullptr) {
    CheckAsFound(when);
    return;
  }
  if (ibcc_manager_on_fabric(manager_) != wanted->number)
    Fail(std::string(when) + " revision " + std::to_string(wanted->number) +
         " is not on the fabric: " + (ibcc_manager_pending(manager_) == nullptr ? "" : ibcc_manager_pending(manager_)));
  const ibcc_devices* list = ibcc_manager_devices(manager_);
  for (const Device& device : world_->devices) {
    if (&device == sick_ && &device != mute_) continue;
    const ibcc_device* known = ibcc_devices_find(list, device.guid, device.is_switch ? 0 : 1);
    const std::string name = std::string(when) + " device " + std::to_string(device.index);
    if (&device == mute_) {
      const auto state = known == nullptr ? IBCC_STATE_UNKNOWN : ibcc_manager_device_state(manager_, known);
      if (&device != sick_ && state != IBCC_STATE_TIMING_OUT)
        Fail(name + " is " + ibcc_device_states[state].name + ", though it answers nothing");
      continue;
    }
    if (known == nullptr || !known->present) {
      Fail(name + " is not listed");
      continue;
    }
    const auto state = ibcc_manager_device_state(manager_, known);
    if (state == IBCC_STATE_FOREIGN && IsOnByNvidia(device) && !known->nvidia.written) continue;
    const bool has_nvidia = wanted->profile->nvidia != nullptr, is_left_out = !device.agent.has_a10 && !has_nvidia;
    if (state != (is_left_out ? IBCC_STATE_UNSUPPORTED : IBCC_STATE_APPLIED))
      Fail(name + " is " + ibcc_device_states[state].name + ", though nothing is wrong with it: " + known->nvidia.withheld);
    for (std::uint32_t k = 0; k < known->num_items && !is_left_out; ++k)
      if (!device.Holds(known->items[k]))
        Fail(name + " does not hold attribute " + std::to_string(known->items[k].attribute) + ": " +
             device.Told(known->items[k]));
    const std::uint64_t key = next_key_ != 0 ? next_key_ : key_;
    if (has_keys_ && device.agent.cc_key != key)
      Fail(name + " has CC_Key " + std::to_string(device.agent.cc_key) + ", and not " + std::to_string(key));
    // What is wanted of it is what the profile says.
    if (!wanted->profile->enable || known->num_items == 0 || is_left_out) continue;
    if (has_nvidia && device.agent.nvidia.is_there) {
      CheckAlgorithms(device, name);
      if (NumberOfNvidia(device) != NumberOf(*wanted))
        Fail(name + " holds p" + std::to_string(NumberOfNvidia(device)) + " of NVIDIA's attributes, where p" +
             std::to_string(NumberOf(*wanted)) + " is wanted");
      continue;
    }
    if (device.agent.nvidia.is_there && IsOnByNvidia(device) && known->nvidia.written)
      Fail(name + " is still on by NVIDIA's attributes, which the profile lacks");
    const unsigned value = device.is_switch ? known->items[0].wanted->bytes[75] : known->items[0].wanted->bytes[5];
    const unsigned right = device.is_switch ? wanted->profile->sw.marking_rate : wanted->profile->ca.ccti_timer;
    if (value != right) Fail(name + " is to hold " + std::to_string(value) + ", where the profile says " + std::to_string(right));
  }
}

// The experiment and its end are in the log of changes, whatever the disk did before; and no number stands there twice.
void Simulation::CheckChangeLog(std::uint64_t base) {
  ccp_error error{};
  const Json lines(ibcc_change_log_read(ibcc_profiles_changes(profiles_), 0, kChanges, &error));
  if (!lines) {
    Fail(std::string("the log of changes cannot be read: ") + error.message);
    return;
  }
  std::string told;
  json_int_t last = 0;
  for (std::size_t i = 0; i < json_array_size(lines.get()); ++i) {
    const json_t* line = json_array_get(lines.get(), i);
    const json_int_t number = json_integer_value(json_object_get(line, "number"));
    if (number <= last) Fail("line " + std::to_string(number) + " of the log of changes comes after " + std::to_string(last));
    last = number;
    const std::string what = json_string_value(json_object_get(line, "what"));
    if (what != "job") told = (what == "end" ? told + ", end " : what + " ") + Show(json_object_get(line, "revision"));
  }
  const std::string right = "experiment " + std::to_string(last_revision_) + ", end " + std::to_string(base);
  if (told != right) Fail("the log of changes ends with " + told + ", and not with " + right);
}

}  // namespace ibcc_test::simulation

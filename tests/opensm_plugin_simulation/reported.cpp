// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What the plugin tells of the fabric, of itself, and at its end, must be so.
#include <algorithm>
#include <cstring>

#include "profile_texts.hpp"
#include "simulation.hpp"

namespace ibcc_test::simulation {

namespace {

constexpr std::int64_t kMailNs = 50 * kNsPerMs;  // by then the plugin has read what was put into its box

std::uint64_t NumberOrNone(const ibcc_revision* revision) { return revision == nullptr ? 0 : revision->number; }

}  // namespace

void Simulation::Take(ibcc_log_level level, const std::string& line) {
  const std::string told = (level == IBCC_LOG_ERROR ? "ERR: " : "") + line;
  Note(told);
  if (line.find("unloaded during a trial run") != std::string::npos) last_words_ = told;
}

Simulation::Before::Before(const ibcc_profiles* profiles)
    : base(NumberOrNone(ibcc_profiles_base(profiles))),
      experiment(NumberOrNone(ibcc_profiles_experiment(profiles))),
      deadline_ns(ibcc_profiles_deadline_ns(profiles)) {}

bool Simulation::Fits(const ibcc_revision* revision) const {
  const ibcc_snapshot* snapshot = ibcc_manager_snapshot(manager_);
  if (revision == nullptr || snapshot == nullptr || !NeedsNoHost0(*revision)) return true;
  const ccp_fabric_node* begin = snapshot->nodes;
  const ccp_fabric_node* end = begin + snapshot->view.num_nodes;
  return std::none_of(begin, end, [&](const ccp_fabric_node& node) { return node.guid == world_->devices[0].guid; });
}

void Simulation::RememberWanted() {
  const ibcc_revision* wanted = ibcc_profiles_wanted(profiles_);
  const ibcc_job* job = ibcc_manager_job(manager_);
  const ibcc_role role = ibcc_manager_role(manager_);
  may_look_ |= ibcc_roles[role].others_write || (wanted != nullptr && !wanted->profile->enable);
  const ibcc_devices* list = ibcc_manager_devices(manager_);
  for (std::uint32_t i = 0; i < list->count; ++i) may_look_ |= list->list[i]->nvidia.foreign;
  brings_found_back_ |= wanted == nullptr;
  wanted_nvidia_ |= wanted != nullptr && wanted->profile->nvidia != nullptr;
  if (ibcc_profiles_experiment(profiles_) != nullptr) {
    own_.experiments.insert(NumberOf(*ibcc_profiles_experiment(profiles_)));
    ever_experiments_.insert(NumberOf(*ibcc_profiles_experiment(profiles_)));
  }
  if (ibcc_profiles_base(profiles_) != nullptr) own_.bases.insert(NumberOf(*ibcc_profiles_base(profiles_)));
  if (own_.restored != NumberOrNone(wanted)) own_.restored = 0;
  const bool is_done = job->state == IBCC_JOB_DONE && job->id != own_.job;
  if (is_done) own_.job = job->id;
  if (is_done && wanted != nullptr && job->revision == wanted->number &&
      std::strncmp(job->message, "all devices that support it hold", 32) == 0)
    own_.restored = wanted->number;
}

// What counts changes by time; by failures too, while this OpenSM is MASTER; and by nothing else.
void Simulation::CheckLoop(const Before& before) {
  const Before now(profiles_);
  if (ibcc_roles[ibcc_manager_role(manager_)].is_master) return;
  if (now.base != before.base) Fail("the base was changed by an OpenSM that is not MASTER");
  if (before.experiment != 0 && now.experiment == 0 && before.deadline_ns > world_->now_ns)
    Fail("an experiment was ended before its time by an OpenSM that is not MASTER");
}

// While this host has no port, no device is to blame.
void Simulation::CheckPort() {
  if (has_port_ && !world_->port_ended) {
    own_.timeouts = -1;
    return;
  }
  has_port_ = false;
  const ibcc_devices* list = ibcc_manager_devices(manager_);
  std::int64_t timeouts = 0;
  for (std::uint32_t i = 0; i < list->count; ++i) timeouts += static_cast<std::int64_t>(list->list[i]->timeouts);
  if (own_.timeouts >= 0 && timeouts > own_.timeouts) Fail("a device is said not to answer, though there is no port");
  own_.timeouts = timeouts;
}

// What is said to be on the fabric is what each device was last sent, or there is a reason.
void Simulation::CheckOnFabric() {
  const ibcc_devices* list = ibcc_manager_devices(manager_);
  for (auto& [index, sent] : own_.sent) {
    const Device& device = world_->devices[index];
    const ibcc_device* known = ibcc_devices_find(list, device.guid, device.is_switch ? 0 : 1);
    if (known != nullptr && (known->support != IBCC_SUPPORTED || known->late))
      sent.epoch = -1;  // it was left out, and may be asked again
  }
  const ibcc_revision* wanted = ibcc_profiles_wanted(profiles_);
  if (wanted == nullptr || ibcc_manager_on_fabric(manager_) != wanted->number) return;
  const int right = NumberOf(*wanted);
  const bool may_know = ibcc_manager_role(manager_) == IBCC_ROLE_MASTER && !ibcc_inbox_is_sweeping(inbox_);
  if (is_blind_) Fail("what is wanted is said to be on a fabric that could not be copied");
  if (may_know && !Fits(wanted)) Fail("what does not fit the fabric is said to be on it");
  for (auto& [index, sent] : own_.sent) {
    const Device& device = world_->devices[index];
    const ibcc_device* known = ibcc_devices_find(list, device.guid, device.is_switch ? 0 : 1);
    if (device.agent.nvidia.is_there) continue;  // what it was last sent of annex A10's is not all of it
    if (known == nullptr || !known->present || known->epoch != sent.epoch || sent.number == right) continue;
    if (known->timeouts != sent.timeouts) continue;                       // it did not answer
    if (known->num_items != 0 && known->items[0].refusal != 0) continue;  // or refused it, and holds what it held
    // or kept the profile of before when it was sent that one, and so needed no Set as the former came back
    const ibcc_payload* held = known->num_items != 0 ? known->items[0].held : nullptr;
    if (held != nullptr && NumberIn(held->bytes, device.is_switch) == right) continue;
    const auto state = ibcc_manager_device_state(manager_, known);
    if (state == IBCC_STATE_UNKNOWN)
      Fail("p" + std::to_string(right) + " is said to be on the fabric, but device " + std::to_string(index) +
           " was last sent p" + std::to_string(sent.number) + ", and its state does not say why");
  }
  for (std::uint32_t i = 0; i < list->count; ++i) {
    const ibcc_device* known = list->list[i];
    if (known->num_items == 0 || ibcc_manager_device_state(manager_, known) != IBCC_STATE_APPLIED) continue;
    if (ibcc_device_dialect(known) == IBCC_DIALECT_NVIDIA || ibcc_device_dialect(known) == IBCC_DIALECT_BOTH) continue;
    if (NumberIn(known->items[0].wanted->bytes, known->kind == IBCC_SWITCH) != right)
      Fail("a device is said to be applied, and is to hold another profile than is said to be on the fabric");
  }
}

// Who may have been reset is asked before it is said to be applied again, or soon after.
void Simulation::CheckSuspects() {
  if (ibcc_manager_role(manager_) != IBCC_ROLE_MASTER || !ibcc_manager_is_idle(manager_) || !has_port_ || is_blind_) return;
  if (ibcc_manager_audits(manager_).running || ibcc_inbox_is_sweeping(inbox_) || world_->mail_is_due ||
      ibcc_manager_sweeps(manager_).since_ns != 0 || ibcc_manager_tables(manager_) == nullptr)
    return;
  if (ibcc_manager_next_ns(manager_) <= world_->now_ns) return;  // it is just about to begin something
  for (const Device& device : world_->devices) {
    const ibcc_device* known = ibcc_devices_find(ibcc_manager_devices(manager_), device.guid, device.is_switch ? 0 : 1);
    if (known == nullptr || world_->suspects_ns[device.index] + kMailNs > world_->now_ns) continue;
    if (ibcc_manager_device_state(manager_, known) != IBCC_STATE_APPLIED) continue;
    for (std::uint32_t i = 0; i < known->num_items; ++i)
      if (!known->items[i].unreadable && !known->items[i].withheld && known->items[i].seen_ns < world_->suspects_ns[device.index])
        Fail("device " + std::to_string(device.index) + " may have been reset, was not asked since, and is said to be applied");
  }
}

// Nothing of an experiment stays on a device that the last sweep has found when OpenSM has gone, or the log has said so.
void Simulation::CheckUnloaded() {
  if (last_words_.rfind("ERR: ", 0) == 0 || last_words_.find("which stays on the fabric") != std::string::npos) return;
  for (const Device& device : world_->devices) {
    const ibcc_device* known = ibcc_devices_find(ibcc_manager_devices(manager_), device.guid, device.is_switch ? 0 : 1);
    const int number = IsOnByNvidia(device) ? NumberOfNvidia(device) : NumberHeld(device);
    if (known == nullptr || !known->present) continue;
    const auto sent = own_.sent.find(device.index);
    if (number < 0 || sent == own_.sent.end() || sent->second.numbers.count(number) == 0) continue;
    // The other OpenSM may have set it too.
    if (other_ != nullptr && other_->ever_experiments_.count(number) != 0) continue;
    if (own_.experiments.count(number) != 0 && own_.bases.count(number) == 0)
      Fail("device " + std::to_string(device.index) + " is left with the experiment p" + std::to_string(number) +
           ", and the log says: " + last_words_);
  }
}

}  // namespace ibcc_test::simulation

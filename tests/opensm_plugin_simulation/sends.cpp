// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What must hold of each MAD that is sent.
#include <jansson.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "profile_texts.hpp"
#include "simulation.hpp"

namespace ibcc_test::simulation {

namespace {

constexpr unsigned kCcKeyByte = 24;  // in a MAD

}  // namespace

// No request goes out while OpenSM sweeps, nor when it is not MASTER, nor to a LID that is another's by what the plugin could know.
void Simulation::CheckSend(std::uint16_t lid, const std::uint8_t* mad) {
  const std::uint16_t attribute = ibcc_cc_mad_attribute(mad);
  Note("   sends " + std::string(mad[3] == IBCC_SET ? "Set " : "Get ") + std::to_string(attribute) + " to LID " +
       std::to_string(lid));
  if (ibcc_inbox_is_sweeping(inbox_)) Fail("a MAD was sent in a heavy sweep");
  if (world_->State() != IBCC_SM_MASTER) Fail("a MAD was sent though this OpenSM is not MASTER");
  const auto owner = world_->known_lids.find(lid);
  if (owner == world_->known_lids.end()) {
    Fail("a MAD went to LID " + std::to_string(lid) + ", which nobody has by the last snapshot");
    return;
  }
  RememberWanted();
  CheckRate();
  CheckWait();
  CheckAsksNvidia(attribute, world_->devices[owner->second]);
  const Device& device = world_->devices[owner->second];
  if (ibcc_cc_mad_is_of(mad, &ibcc_vendor_class)) {
    CheckAsksForFirmware(device, mad);
    return;
  }
  CheckIsOfAJob(device, mad);
  CheckFirstSet(device, mad);
  CheckFirstNvidiaSet(device, mad);
  if (mad[3] == IBCC_SET && attribute == CCP_CONGESTION_HCA_RP_PARAMETERS) {
    const bool is_of_profile = mad[IBCC_DATA_OFFSET + 27] == device.index + 1;
    if (!is_of_profile && !brings_found_back_)
      Fail("a Set for H" + std::to_string(mad[IBCC_DATA_OFFSET + 27] - 1) + " went to device " + std::to_string(device.index));
    brings_found_back_ &= !is_of_profile;
  }
  if (mad[3] == IBCC_SET && attribute == CCP_CA_CONGESTION_SETTING) {
    const unsigned increase = mad[IBCC_DATA_OFFSET + 6];
    if (device.is_switch || (increase != 0 && increase != device.index + 1))
      Fail("a Set for H" + std::to_string(increase - 1) + " went to device " + std::to_string(device.index));
  }
  if (!has_keys_ && std::any_of(mad + kCcKeyByte, mad + kCcKeyByte + 8, [](std::uint8_t byte) { return byte != 0; }))
    Fail("a CC_Key was sent though none is configured");
  if (mad[3] == IBCC_SET && attribute == (device.is_switch ? CCP_SWITCH_CONGESTION_SETTING : CCP_CA_CONGESTION_SETTING))
    RememberSet(device, mad + IBCC_DATA_OFFSET);
}

// Whatever is set is in the log of changes in the end, which has a line for each job with Sets.
void Simulation::CheckIsOfAJob(const Device& device, const std::uint8_t* mad) {
  const ibcc_job* job = ibcc_manager_job(manager_);
  const ibcc_device* known = ibcc_devices_find(ibcc_manager_devices(manager_), device.guid, device.is_switch ? 0 : 1);
  if (known != nullptr && known->late) return;  // another try of a Set that the last job did not wait for
  if (mad[3] == IBCC_SET && job->state != IBCC_JOB_RUNNING) Fail("a Set was sent that is of no job");
}

bool Simulation::MayMeet() {
  const std::string file = StateFolder() + "/nvidia.json";
  if (may_meet_ && std::filesystem::exists(file)) {
    json_t* root = json_load_file(file.c_str(), 0, nullptr);
    may_meet_ = json_is_true(json_object_get(root, "meets"));
    json_decref(root);
  }
  return may_meet_;
}

// NVIDIA's attributes are asked for only where a profile has them, once did and may have left something, or others may have.
void Simulation::CheckAsksNvidia(std::uint16_t attribute, const Device& device) {
  const bool has_other_wanted = other_ != nullptr && other_->wanted_nvidia_;  // as the base file says
  if (attribute >= CCP_ENHANCED_CONGESTION_INFO && !wanted_nvidia_ && !has_other_wanted && !may_look_ && !MayMeet())
    Fail("device " + std::to_string(device.index) + " was asked for NVIDIA's attributes, and no profile had any");
}

// Nothing that devices are to hold waits for it, and no other vendor's device is asked.
void Simulation::CheckAsksForFirmware(const Device& device, const std::uint8_t* mad) {
  if (mad[3] != IBCC_GET || ibcc_cc_mad_attribute(mad) != IBCC_GENERAL_INFO)
    Fail("a MAD of the vendor's class is no Get of GeneralInfo");
  const bool is_pass = ibcc_manager_job(manager_)->state == IBCC_JOB_RUNNING && !ibcc_manager_audits(manager_).running;
  const bool has_other_wanted = other_ != nullptr && other_->wanted_nvidia_;
  if (is_pass && !wanted_nvidia_ && !has_other_wanted && !may_look_ && !MayMeet())
    Fail("a device was asked for its firmware while a pass runs");
  if (device.vendor != 0x0002C9) Fail("device " + std::to_string(device.index) + " of another vendor was asked for its firmware");
}

// --max-mads-per-s, in any second.
void Simulation::CheckRate() {
  const std::size_t most = options_.max_mads_per_s;
  if (most == 0) return;
  own_.times.push_back(world_->now_ns);
  if (own_.times.size() <= most) return;
  if (own_.times.front() > world_->now_ns - kNsPerS) Fail("more MADs were sent in a second than may be");
  own_.times.pop_front();
}

// With --when-sweep-failed wait, what has come back to all devices is a base like any other.
void Simulation::CheckWait() {
  const std::uint64_t wanted = ibcc_profiles_wanted_number(profiles_);
  const bool is_restored = wanted != 0 && wanted == own_.restored;
  // What another master has set is put back, also where it had no base.
  if (wanted == 0 && ibcc_manager_handover(manager_).epoch != own_.epoch) return;
  if (loop_.stopping) return;  // all of it is to be put back
  if (options_.when_sweep_failed != IBCC_WAIT || ibcc_manager_role(manager_) != IBCC_ROLE_SWEEP_FAILED) return;
  if (wanted == 0 || is_restored || ibcc_profiles_experiment(profiles_) != nullptr)
    Fail("a MAD was sent after a sweep with errors, and nothing is to be put back");
}

void Simulation::RememberSet(const Device& device, const std::uint8_t* data) {
  const ibcc_device* known = ibcc_devices_find(ibcc_manager_devices(manager_), device.guid, device.is_switch ? 0 : 1);
  Sent& sent = own_.sent[device.index];
  sent.number = NumberIn(data, device.is_switch);
  sent.epoch = known == nullptr ? -1 : known->epoch;
  sent.timeouts = known == nullptr ? 0 : known->timeouts;
  sent.numbers.insert(sent.number);
}

}  // namespace ibcc_test::simulation

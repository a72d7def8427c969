// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// kill -9 of the master in whatever state it is: within one sweep and 30 s each device that answers holds a named profile, and one dialect.
#include <set>
#include <string>

#include "disk.hpp"
#include "profile_texts.hpp"
#include "simulation.hpp"

namespace ibcc_test::simulation {

namespace {

constexpr std::int64_t kHealedS = 30;  // after the sweep
constexpr std::int64_t kSweepS = 20;   // at most: a standby takes over after a second

const char* DialectOf(const ccp_profile& profile) {
  if (!profile.enable) return "off";
  if (profile.nvidia == nullptr) return "A10";
  return profile.sw.present || profile.ca.present ? "both" : "NVIDIA";
}

}  // namespace

// What the process has in hand: the role, what is in force, what has come of that, and whether OpenSM sweeps.
std::string Simulation::StateToKill() const {
  const ibcc_revision* wanted = ibcc_profiles_wanted(profiles_);
  const ibcc_job* job = ibcc_manager_job(manager_);
  std::string state = ibcc_manager_role_text(manager_);
  state += wanted == nullptr ? ", as found" : ibcc_profiles_experiment(profiles_) == nullptr ? ", base " : ", trial ";
  if (wanted != nullptr) state += DialectOf(*wanted->profile);
  if (ibcc_manager_is_idle(manager_))
    state += ", idle";
  else
    state += job != nullptr && job->state == IBCC_JOB_RUNNING ? (job->sets == 0 ? ", asks" : ", sets") : ", waits";
  return state + (world_->is_sweeping ? ", in a sweep" : "");
}

// Its own OpenSM starts again on the same machine, or that of the other node takes over, which knows what the base file says.
bool Simulation::KillInNewState() {
  const std::string state = StateToKill();
  if (killed_->count(state) != 0) return false;
  ++(*killed_)[state];
  Note("-- kill -9: " + state);
  const bool is_lost = HasBaseFile() && !has_keys_ && world_->Chance(0.5);
  // A file that this node refuses is none of its own, and the next one knows nothing of what it has set.
  const std::set<unsigned> own =
      is_lost && ibcc_manager_handover(manager_).problem != nullptr ? std::set<unsigned>() : SetByNvidia();
  TheDisk().is_full = TheDisk().is_broken = false;
  TheDisk().until_stop = -1;
  busy_ns_ = 0;
  is_calm_ = true;
  world_->Quiet();
  mute_ = world_->Chance(0.5) ? &world_->devices[world_->Below(world_->devices.size())] : nullptr;
  if (mute_ != nullptr) mute_->answers = false;
  if (is_lost) {
    LoseNode();
  } else {
    Crash("its OpenSM starts again");
    world_->Begin();
  }
  const std::uint64_t sweeps = world_->sweeps_up;
  RunUntilSwept(sweeps, kSweepS * kNsPerS);
  RunFor(kHealedS * kNsPerS);
  CheckHealed("30 s after kill -9 (" + state + ")", own);
  if (mute_ != nullptr) mute_->answers = true;
  mute_ = nullptr;
  is_calm_ = false;
  return true;
}

// Devices that are noted as set by NVIDIA's attributes.
std::set<unsigned> Simulation::SetByNvidia() const {
  std::set<unsigned> own;
  for (const Device& device : world_->devices) {
    const ibcc_device* known = ibcc_devices_find(ibcc_manager_devices(manager_), device.guid, device.is_switch ? 0 : 1);
    if (known != nullptr && known->nvidia.written) own.insert(device.index);
  }
  return own;
}

void Simulation::CheckHealed(const std::string& when, const std::set<unsigned>& own) {
  if (!finding_.empty()) return;
  CheckSwept();
  const ibcc_revision* wanted = ibcc_profiles_wanted(profiles_);
  if (!finding_.empty() || !Fits(wanted)) return;  // what does not fit is told of, and somebody has to decide
  if (ibcc_profiles_experiment(profiles_) != nullptr) Fail(when + " the trial run of the dead master goes on");
  CheckRest(when.c_str());
  for (const Device& device : world_->devices) {
    const ibcc_device* known = ibcc_devices_find(ibcc_manager_devices(manager_), device.guid, device.is_switch ? 0 : 1);
    if (wanted == nullptr || &device == mute_ || known == nullptr || !IsOnByNvidia(device)) continue;
    const std::string name = when + " device " + std::to_string(device.index);
    if (wanted->profile->nvidia == nullptr && own.count(device.index) != 0)
      Fail(name + " is on by NVIDIA's attributes, which the dead master has set");
    // What is others' is shown as foreign.
    if (device.HasBoth() && known->nvidia.written && NumberHeld(device) >= 0) Fail(name + " obeys both dialects");
  }
}

}  // namespace ibcc_test::simulation

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// How OpenSM's process begins and ends.
#include <malloc.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "opensm_plugin/rpc/support.hpp"
#include "simulation.hpp"

namespace ibcc_test::simulation {

void Simulation::Open() {
  ccp_error error{};
  heap_bytes_ = mallinfo2().uordblks;
  // What a former process has noted of NVIDIA's attributes is not there, if it has noted anything.
  may_look_ |= std::filesystem::exists(StateFolder() + "/state.json") && !std::filesystem::exists(StateFolder() + "/nvidia.json");
  may_meet_ = true;
  const Watched watched;
  profiles_ = ibcc_profiles_open(StateFolder().c_str(), (folder_ + "/profile.yaml").c_str(), nullptr, &log_, &error);
  if (profiles_ == nullptr) {
    Fail(std::string("the state cannot be opened: ") + error.message);
    return;
  }
  if (has_keys_) {
    keys_ = ibcc_keys_open(ibcc_profiles_folder(profiles_), (folder_ + "/cc_keys").c_str(), &log_, &error);
    if (keys_ == nullptr) {
      Fail(std::string("the keys cannot be opened: ") + error.message);
      return;
    }
  }
  ibcc_manager_env env{};
  env.owner = this;
  env.snapshot = [](void* self) {
    Simulation& simulation = *static_cast<Simulation*>(self);
    if (!simulation.loop_.stopping && !simulation.is_led_) simulation.world_->LetPass();
    ibcc_snapshot* snapshot = simulation.world_->Snapshot();
    simulation.is_blind_ = snapshot == nullptr;
    if (snapshot != nullptr && snapshot->sm_state == IBCC_SM_MASTER && !simulation.loop_.stopping) {
      simulation.found_nodes_ = simulation.world_->copied_nodes;
      simulation.found_links_ = simulation.world_->copied_links;
    }
    return snapshot;
  };
  env.sm_state = [](void* self) { return static_cast<Simulation*>(self)->world_->State(); };
  env.open_port = [](void* self, std::uint64_t) -> ibcc_mad_port* {
    Simulation& simulation = *static_cast<Simulation*>(self);
    World& world = *simulation.world_;
    simulation.has_port_ = world.now_ns >= world.port_away_ns && (!world.port_ended || simulation.is_calm_ || world.Chance(0.5));
    if (!simulation.has_port_) return nullptr;
    world.port_ended = false;
    return world.Port();
  };
  env.on_event = [](void* self, const char* event, void* params) {
    static_cast<Simulation*>(self)->live_.TakeEvent(event, static_cast<json_t*>(params));
    json_decref(static_cast<json_t*>(params));
  };
  env.now_ns = [](void* self) { return static_cast<Simulation*>(self)->world_->now_ns; };
  env.is_sweeping = [](void* self) { return ibcc_loop_is_sweeping(&static_cast<Simulation*>(self)->loop_); };
  env.num_sweeps_begun = [](void* self) { return ibcc_inbox_num_sweeps_begun(static_cast<Simulation*>(self)->inbox_); };
  manager_ = ibcc_manager_create(&options_, &env, profiles_, &log_);
  ibcc_manager_set_keys(manager_, keys_);
  loop_ = {.options = &options_, .profiles = profiles_, .inbox = inbox_, .manager = manager_, .log = &log_, .stopping = false};
  own_ = Own{};
  own_.epoch = ibcc_manager_handover(manager_).epoch;
  live_.Restart();
  is_blind_ = has_port_ = false;
  service_ = {.settings = &settings_, .manager = manager_};
  client_ = other_client_ = {};
  Call("hello", "{\"protocol\": 2}");
}

void Simulation::Close() {
  const Watched watched;
  ibcc_client_clear(&client_);
  ibcc_client_clear(&other_client_);
  ibcc_manager_destroy(manager_);
  ibcc_keys_close(keys_);
  ibcc_profiles_close(profiles_);
  manager_ = nullptr;
  keys_ = nullptr;
  profiles_ = nullptr;
  loop_ = {};
}

// OpenSM is gone, and starts again: its fabric is as it left it, and it begins by discovering.
void Simulation::Crash(const char* how) {
  Note(std::string("-- ") + how);
  const ibcc_revision* base = ibcc_profiles_base(profiles_);
  if (TheDisk().has_stopped && !bases_.empty()) {
    const std::uint64_t before = *bases_.begin(), now = base == nullptr ? 0 : base->number;
    bases_.insert(now);
    // In one step it may have changed by the profile file, and once more by the base file.
    for (std::uint64_t between = before; other_ != nullptr && between < now; ++between) bases_.insert(between);
  }
  Close();
  ibcc_inbox_content content;
  ibcc_inbox_take(inbox_, &content);
  TheDisk().Restart();
  if (TheDisk().is_full || TheDisk().is_broken) Note("-- the disk is well, or OpenSM would not start");
  TheDisk().is_full = TheDisk().is_broken = false;
  Open();
  CheckStart();
  world_->BecomeMasterAgain();
}

std::string Simulation::TextInBaseFile() const {
  json_t* root = nullptr;
  ccp_error error{};
  if (options_.base_file == nullptr || ibcc_base_file_read(options_.base_file, keys_, &root, &error) != IBCC_BASE_READ) return "";
  const char* text = json_string_value(json_object_get(json_object_get(root, "base"), "text"));
  std::string found = text == nullptr ? "" : text;
  json_decref(root);
  return found;
}

bool Simulation::IsFoundInBaseFile(const Device& device) const {
  json_t* root = nullptr;
  ccp_error error{};
  if (options_.base_file == nullptr || ibcc_base_file_read(options_.base_file, keys_, &root, &error) != IBCC_BASE_READ)
    return false;
  char guid[24];
  std::snprintf(guid, sizeof(guid), "0x%016llx", static_cast<unsigned long long>(device.guid));
  const Json file(root);
  return Show(json_object_get(file.get(), "nvidia_found")).find(guid) != std::string::npos;
}

// The other node's OpenSM was standby all the time, and finds in a moment that its master is gone.
void Simulation::LoseNode() {
  if (!HasBaseFile() || has_keys_) return;  // who changes keys tells both nodes, which is left out here
  const ibcc_revision* base = ibcc_profiles_base(profiles_);
  const bool is_master = ibcc_roles[ibcc_manager_role(manager_)].sends;
  const std::string in_file = TextInBaseFile();
  Note("-- the host of this OpenSM is lost");
  // Whoever was no master for a moment, or could not write, has left what was so before; a file that it refused is none of its own,
  // even if both have the same base.
  const bool is_refused = ibcc_manager_handover(manager_).problem != nullptr;
  left_text_ = base != nullptr && is_master && !is_refused && in_file == base->text ? in_file : "";
  Close();
  ibcc_inbox_content content;
  ibcc_inbox_take(inbox_, &content);
  TheDisk().Restart();
  TheDisk().is_full = TheDisk().is_broken = false;
  std::swap(elsewhere_.last_revision, last_revision_);
  std::swap(elsewhere_.bases, bases_);
  std::swap(elsewhere_.texts, texts_);
  std::swap(elsewhere_.found_nvidia, found_nvidia_);
  node_ = 1 - node_;
  Open();
  CheckStart();
  world_->Begin();
  world_->StandBy();
  world_->At(world_->now_ns + kNsPerS, [this] { world_->BecomeMasterAgain(); });
}

// What the dead master has left is the base of whoever has taken over.
void Simulation::CheckTakenOver() {
  const ibcc_revision* base = ibcc_profiles_base(profiles_);
  if (left_text_.empty() || base == nullptr || !ibcc_roles[ibcc_manager_role(manager_)].sends) return;
  // Where more than half of the nodes that it names have left, the file may be of another fabric (docs/operate/handover.md).
  const char* problem = ibcc_manager_handover(manager_).problem;
  const bool all_are_there =
      std::all_of(world_->devices.begin(), world_->devices.end(), [](const Device& one) { return one.is_linked; });
  if (!all_are_there && problem != nullptr && std::string(problem).find("is of another fabric") != std::string::npos)
    left_text_.clear();
  else if (base->text != left_text_ || ibcc_profiles_experiment(profiles_) != nullptr)
    Fail("the base of the master that is lost is not in force: '" + std::string(base->profile->name) + "' is");
  else
    CheckFoundTakenOver();
  left_text_.clear();
}

// OpenSM is ended as it should be: its threads first, and then it unloads the plugin, which may have something to put back.
void Simulation::Stop() {
  Note("-- OpenSM is stopped");
  world_->End();
  world_->LearnLids();
  ibcc_inbox_post(inbox_, IBCC_NOTICE_STOP);
  world_->mail_is_due = true;
  last_words_.clear();
  Loop();
  if (!TheDisk().has_stopped) CheckStep();
  ibcc_client_clear(&client_);
  ibcc_client_clear(&other_client_);
  LastAct();
  if (!TheDisk().has_stopped) CheckUnloaded();
  Crash("OpenSM is gone");
  world_->Begin();
}

void Simulation::LastAct() {
  ibcc_restore_on_exit act{};
  {
    const Watched watched;
    if (!ibcc_loop_begin_restore_on_exit(&loop_, &act)) return;
  }
  while (ibcc_loop_is_restoring(&loop_, &act) && finding_.empty() && !TheDisk().has_stopped) {
    const std::int64_t timer_ns = std::min(ibcc_loop_next_ns(&loop_), act.until_ns);
    if (timer_ns <= world_->NextNs()) Lead(timer_ns);
    if (timer_ns <= world_->NextNs())
      world_->now_ns = std::max(world_->now_ns, timer_ns);
    else
      world_->RunNext();
    CountStep(timer_ns <= world_->NextNs());
    Loop();
    if (!TheDisk().has_stopped) CheckStep();
  }
  const Watched watched;
  ibcc_loop_end_restore_on_exit(&loop_, &act);
}

}  // namespace ibcc_test::simulation

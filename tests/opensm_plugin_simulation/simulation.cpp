// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "simulation.hpp"

#include <jansson.h>
#include <malloc.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "disk.hpp"
#include "opensm_plugin/rpc/support.hpp"
#include "perturbations.hpp"
#include "profile_texts.hpp"

namespace ibcc_test::simulation {

namespace {

constexpr std::size_t kTrace = 400;
constexpr unsigned kUnmoved = 2000;    // steps at the same moment
constexpr unsigned kKillsEach = 50;    // steps, where the state is a new one
constexpr unsigned kMostKeys = 12;     // the plugin remembers 16
constexpr std::int64_t kBroughtS = 2;  // by then a profile is on all devices that answer, whatever others do,
constexpr std::int64_t kSlowS = 15;    // or by then, where the rate of MADs is limited

}  // namespace

Simulation::Simulation(const Scenario& scenario, const std::string& folder) : Simulation(scenario, folder, nullptr) {
  if (scenario.managers == 2) MakeOther();
}

Simulation::Simulation(const Scenario& scenario, const std::string& folder, Simulation* other)
    : scenario_(scenario), live_(scenario.seed), folder_(folder), other_(other) {
  ccp_error error{};
  log_.owner = this;
  ExchangeDisk(&disk_);
  ibcc_options_parse(&options_, nullptr, &error);
  inbox_ = ibcc_inbox_create();
  std::mt19937_64 random(scenario.seed);
  const unsigned hosts = 2 + random() % 6, switches = 1 + random() % 2;
  world_ = std::make_unique<World>(scenario.seed, scenario.hosts != 0 ? scenario.hosts : hosts,
                                   scenario.switches != 0 ? scenario.switches : switches, inbox_,
                                   other == nullptr ? nullptr : other->world_.get());
  world_->kernel = random() % 4 != 0;
  const bool is_one_model = random() % 3 == 0;
  if (is_one_model && other == nullptr) world_->BecomeOneModel();
  options_.retries = random() % 8;
  options_.max_errors = 1 + random() % 4;
  options_.audit_interval_s = random() % 4 == 0 ? 0 : 60 + random() % 600;
  options_.when_sweep_failed = random() % 4 == 0 ? IBCC_WAIT : IBCC_ACT;
  options_.max_outstanding = 1 + random() % 16;
  options_.max_mads_per_s = random() % 3 == 0 ? 50 + random() % 200 : 0;
  options_.audit_mads_per_s = random() % 3 == 0 ? 2 + random() % 20 : 500;
  options_.log_interval_s = random() % 3 == 0 ? 10 + random() % 60 : 0;
  options_.restore_on_exit_ms = random() % 4 == 0 ? 0 : 50 + random() % 5000;
  options_.nvidia_write = 1;
  if (scenario.rare) options_.max_errors = 1;
  if (scenario.rare) options_.retries %= 4;  // so that a request fails before devices answer again (Darken)
  std::mt19937_64 more(scenario.seed + 1);   // so that seeds of before stay as they were
  std::filesystem::create_directory(folder + "/handover");
  const bool has_base_file = scenario.without.count("node-lost") == 0 && more() % 4 != 0;
  if (other == nullptr ? has_base_file : other->HasBaseFile())
    options_.base_file = strdup(other == nullptr ? (folder + "/handover/base").c_str() : other->options_.base_file);
  // Who changes keys tells both nodes, which is left out here.
  has_keys_ = random() % 3 == 0 && scenario.without.count("keys") == 0 && scenario.managers == 1;
  unsigned sum = 0;
  for (const Perturbation& kind : Perturbations())
    if (scenario.without.count(kind.name) == 0 && kind.IsOf(scenario.managers)) kinds_.emplace_back(&kind, sum += kind.weight);
  const bool is_site = random() % 2 == 0, is_site_by_nvidia = more() % 2 == 0;
  if (is_site && other == nullptr) world_->BecomeASite();
  if (is_site_by_nvidia && other == nullptr) world_->BecomeASiteByNvidia();
  const bool has_file = random() % 3 != 0;
  if (has_file && !scenario.rare) WriteFile(0);  // else nothing is set until somebody asks
  WriteKeys();
  Open();
  world_->on_send = [this](std::uint16_t lid, const std::uint8_t* mad) { CheckSend(lid, mad); };
  world_->on_edge = [this](const char* edge) {
    Note(std::string("   OpenSM: ") + edge);
    Cover(edge);
  };
  if (scenario.rare) world_->is_news = [this](const char* edge) { return IsNews(edge); };
  world_->Begin();
}

Simulation::~Simulation() {
  made_.reset();
  ExchangeDisk(&disk_);
  Close();
  ExchangeDisk(nullptr);
  ibcc_inbox_destroy(inbox_);
  ibcc_options_destroy(&options_);
}

void Simulation::Note(const std::string& what) {
  if (made_ == nullptr && other_ != nullptr) {
    other_->Note("                                B " + what);
    return;
  }
  trace_.emplace_back(world_->now_ns, what);
  if (trace_.size() > kTrace) trace_.pop_front();
}

std::string Simulation::Trace() const {
  std::string text;
  for (const auto& [ns, line] : trace_) text += std::to_string(static_cast<double>(ns) / 1e9) + " " + line + "\n";
  return text;
}

void Simulation::WriteFile(unsigned profile) {
  const std::string path = folder_ + "/profile.yaml";
  file_text_ = ProfileText(profile, world_->devices);
  std::ofstream(path + ".new") << file_text_;
  std::filesystem::rename(path + ".new", path);
}

// Keys are numbers from 1: who reads a trace sees which is meant.
void Simulation::WriteKeys() {
  const auto line = [](const char* name, unsigned key) {
    char text[40];
    std::snprintf(text, sizeof(text), "%s: 0x%x\n", name, key);
    return std::string(text);
  };
  const std::string path = folder_ + "/cc_keys";
  std::ofstream(path + ".new") << line("current", key_) << (next_key_ == 0 ? "" : line("next", next_key_));
  std::filesystem::permissions(path + ".new", std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  std::filesystem::rename(path + ".new", path);
}

// The two phases of a change, and the devices that were away in the first are still to be found.
void Simulation::ChangeKeys() {
  if (!has_keys_ || key_ + (next_key_ != 0) > kMostKeys) return;
  if (next_key_ == 0) {
    next_key_ = key_ + 1;
  } else {
    key_ = next_key_;
    next_key_ = 0;
  }
  WriteKeys();
  Note("-- the key file changes: " + std::to_string(key_) + ", " + std::to_string(next_key_));
  Call("verify", "{}");
}

void Simulation::ChangeFile() {
  Note("-- the profile file changes");
  left_text_.clear();
  WriteFile(DrawBase(*world_));
  const Watched watched;
  ibcc_loop_check_profile_file(&loop_);
}

void Simulation::Call(const std::string& method, const std::string& params) {
  const ibcc_revision* wanted = ibcc_profiles_wanted(profiles_);
  const std::uint64_t before = wanted == nullptr ? 0 : wanted->number;
  const std::string line = R"({"jsonrpc": "2.0", "id": 1, "method": ")" + method + R"(", "params": )" + params + "}\n";
  {
    const Watched watched;
    ibcc_client_receive(&client_, &service_, line.data(), line.size());
  }
  const std::string heard(client_.output.bytes == nullptr ? "" : client_.output.bytes, ibcc_output_waiting(&client_.output));
  ibcc_output_clear(&client_.output);
  if (TheDisk().has_stopped) return;  // nobody heard it
  Note("-- " + method + " " + params.substr(0, 60) + ": " + heard.substr(0, 160));
  if (client_.gone != nullptr) Fail(std::string("the client was dropped: ") + client_.gone);
  CheckAnswer(method, heard, before);
}

void Simulation::Say(const std::string& bytes) {
  {
    const Watched watched;
    if (!other_client_.over) ibcc_client_receive(&other_client_, &service_, bytes.data(), bytes.size());
  }
  if (other_client_.gone != nullptr || other_client_.over) HangUp();
  ibcc_output_clear(&other_client_.output);
}

void Simulation::HangUp() { ibcc_client_clear(&other_client_); }

void Simulation::Loop() {
  const Before before(profiles_);
  {
    const Watched watched;
    if (world_->mail_is_due) {
      world_->mail_is_due = false;
      ibcc_loop_take_inbox(&loop_);
    }
    ibcc_loop_tick(&loop_);
  }
  CheckLoop(before);
}

void Simulation::BeBusy(std::int64_t ns) {
  Note("-- the plugin's thread waits for its turn");
  busy_ns_ = world_->now_ns + ns;
  world_->At(busy_ns_, [] {});
}

void Simulation::AfterStep() {
  if (TheDisk().has_stopped) Crash("the machine stopped in a write");
  if (const char* fault = manager_ == nullptr ? nullptr : ibcc_manager_fault(manager_); fault != nullptr) Fail(fault);
  CheckStep();
}

void Simulation::Cover(const std::string& event) {
  Simulation& whose = made_ == nullptr && other_ != nullptr ? *other_ : *this;
  if (manager_ != nullptr) whose.covered_.Note(event, ibcc_manager_role(manager_), ibcc_profiles_wanted(profiles_) == nullptr);
}

void Simulation::Perturb() {
  World& world = *world_;
  Device& device = world.devices[world.Below(world.devices.size())];
  if (kinds_.empty()) return;
  if (scenario_.rare && IsToHalt() && world.Chance(0.3)) {
    Darken();
    Call("verify", "{}");
    return;
  }
  if (scenario_.rare && world.Chance(0.05)) Darken();
  if (scenario_.rare && world.Chance(0.5)) {
    if (const Perturbation* kind = DrawRare(); kind != nullptr) Do(*kind, device);
    return;
  }
  const std::uint64_t drawn = world.Below(kinds_.back().second);
  const auto kind = std::find_if(kinds_.begin(), kinds_.end(), [&](const auto& one) { return drawn < one.second; });
  const bool ends_as_found = kind->first->gives_profile && ibcc_profiles_wanted(profiles_) == nullptr;
  if (scenario_.rare && ends_as_found && world.Chance(0.95)) return;
  Do(*kind->first, device);
}

void Simulation::Do(const Perturbation& kind, Device& device) {
  ++perturbed_[kind.name];
  Cover(kind.name);
  kind.run(*this, device);
  const Watched watched;
  ibcc_manager_tick(manager_);
}

// Nobody answers for a while, after which the plugin halts.
void Simulation::Darken() {
  Note("-- no device answers");
  for (Device& device : world_->devices) device.answers = false;
  world_->At(world_->now_ns + 10 * kNsPerS, [this] {
    for (Device& device : world_->devices) device.answers |= &device != mute_ && (other_ == nullptr || &device != other_->mute_);
  });
}

// A state that lasts for a few steps.
bool Simulation::IsShort() const {
  const ibcc_role role = ibcc_manager_role(manager_);
  return role == IBCC_ROLE_HALTED || (role == IBCC_ROLE_DISCOVERING && ibcc_profiles_wanted(profiles_) == nullptr);
}

bool Simulation::IsRarelyMet() const {
  const ibcc_role role = ibcc_manager_role(manager_);
  return role == IBCC_ROLE_HALTED || role == IBCC_ROLE_STARTING || role == IBCC_ROLE_DISCOVERING ||
         (role != IBCC_ROLE_MASTER && ibcc_profiles_wanted(profiles_) == nullptr);
}

bool Simulation::IsNews(const std::string& event) const {
  const Simulation& whose = made_ == nullptr && other_ != nullptr ? *other_ : *this;
  const ibcc_role role = ibcc_manager_role(manager_);
  const bool as_found = ibcc_profiles_wanted(profiles_) == nullptr;
  return !whose.covered_.Has(event, role, as_found) && (whose.known_ == nullptr || !whose.known_->Has(event, role, as_found));
}

// A manager that only reads is halted for seconds, and only if devices that have answered fall silent while it asks them: nobody meets that by chance.
bool Simulation::IsToHalt() const {
  const Simulation& whose = made_ == nullptr && other_ != nullptr ? *other_ : *this;
  return whose.known_ != nullptr && ibcc_profiles_wanted(profiles_) == nullptr &&
         ibcc_manager_role(manager_) == IBCC_ROLE_MASTER && whose.known_->Lacks(IBCC_ROLE_HALTED, true);
}

const Perturbation* Simulation::DrawRare() {
  const bool as_found = ibcc_profiles_wanted(profiles_) == nullptr;
  const std::vector<std::string> losses = World::Losses();
  const bool may_lose = std::any_of(losses.begin(), losses.end(), [this](const std::string& loss) { return IsNews(loss); });
  std::vector<const Perturbation*> missing;
  for (const auto& [kind, sum] : kinds_)
    if ((IsNews(kind->name) || (may_lose && kind->loses_mastership)) &&
        (!as_found || !kind->gives_profile || world_->Chance(IsRarelyMet() ? 0.5 : 0.05)))
      missing.push_back(kind);
  return missing.empty() ? nullptr : missing[world_->Below(missing.size())];
}

std::int64_t Simulation::TimerNs() const { return std::max(ibcc_loop_next_ns(&loop_), busy_ns_); }

template <typename Done>
bool Simulation::RunUntil(std::int64_t until_ns, Done done) {
  const auto next = [&] { return std::min(world_->NextNs(), TimerNs()); };
  while (finding_.empty() && !done() && next() <= until_ns) Run(1);
  return done();
}

void Simulation::RunFor(std::int64_t ns) {
  RunUntil(world_->now_ns + ns, [] { return false; });
}

void Simulation::RunUntilSwept(std::uint64_t sweeps, std::int64_t at_most_ns) {
  World& world = *world_;
  RunUntil(world.now_ns + at_most_ns,
           [&] { return world.sweeps_up > sweeps && !world.is_sweeping && world.sm == World::Sm::kMaster; });
}

// All faults end, and after one good sweep all is as it should be; what nobody told is found by the time of an audit.
void Simulation::Calm() {
  World& world = *world_;
  Note("-- calm");
  is_calm_ = true;
  if (other_ != nullptr) other_->StandAside();
  world.Quiet();
  // Where it is to act all the same, a host that does not take OpenSM's Set(PortInfo) keeps none of the others from what is wanted.
  sick_ =
      options_.when_sweep_failed == IBCC_ACT && world.Chance(0.3) ? &world.devices[world.Below(world.devices.size())] : nullptr;
  if (sick_ != nullptr) sick_->takes_port_info = false;
  mute_ = world.Chance(0.5) ? &world.devices[world.Below(world.devices.size())] : nullptr;
  if (mute_ != nullptr) mute_->answers = false;
  TheDisk().is_full = TheDisk().is_broken = false;
  TheDisk().until_stop = -1;
  busy_ns_ = 0;
  if (world.Chance(0.3)) ApplyAgain();
  world.BecomeMasterAgain();
  const auto swept = [&] { return !world.is_sweeping && world.sm == World::Sm::kMaster; };
  const auto sweep = [&] {
    RunUntil(world.now_ns + 10 * kNsPerS, [&] { return !world.is_sweeping; });
    const std::uint64_t before = world.sweeps_up;
    world.StartSweep();
    RunUntil(world.now_ns + 10 * kNsPerS, [&] { return world.sweeps_up > before && swept(); });
  };
  const auto idle = [&] { return !ibcc_inbox_is_sweeping(inbox_) && ibcc_manager_is_idle(manager_) && !world.mail_is_due; };
  const auto settle = [&] {
    RunUntil(world.now_ns + 2 * kNsPerS, [] { return false; });
    RunUntil(world.now_ns + 60 * kNsPerS, idle);
  };
  sweep();
  sweep();
  settle();
  if (finding_.empty() && ibcc_manager_role(manager_) == IBCC_ROLE_HALTED) {
    sweep();  // requests of before have failed since the one before: this is the first after which all that is sent is answered
    settle();
  }
  if (finding_.empty()) CheckSwept();
  if (finding_.empty()) Mend();
  // Pauses, the error budget's and devices', and audits where there are some. Else somebody has to ask.
  if (options_.audit_interval_s == 0) Call("verify", "{}");
  RunUntil(world.now_ns + 2 * std::int64_t{options_.audit_interval_s} * kNsPerS + 700 * kNsPerS, [] { return false; });
  Call("verify", "{}");
  RunUntil(world.now_ns + 60 * kNsPerS, idle);
  if (finding_.empty()) CheckRest("at rest");
  if (finding_.empty()) CheckToldDrifts();
  if (finding_.empty()) CheckFirmware(true);
  if (finding_.empty()) TryExperiment();
  if (finding_.empty() && world.Chance(0.5)) TryWavering();
  const std::size_t bytes = mallinfo2().uordblks;
  most_heap_bytes_ = std::max(most_heap_bytes_, bytes > heap_bytes_ ? bytes - heap_bytes_ : 0);
  is_calm_ = false;
  if (other_ != nullptr) other_->is_calm_ = false;
  sick_ = mute_ = nullptr;
}

// What devices hold already is applied anew, in a sweep that ends with OpenSM not MASTER: nothing is left to send after it.
void Simulation::ApplyAgain() {
  const ibcc_revision* base = ibcc_profiles_base(profiles_);
  if (base == nullptr || ibcc_profiles_experiment(profiles_) != nullptr || !Fits(base)) return;
  const int number = NumberOf(*base);
  RunUntil(world_->now_ns + 10 * kNsPerS, [&] { return !world_->is_sweeping; });
  if (world_->sm != World::Sm::kMaster) return;
  world_->LoseMastership();
  world_->StartSweep();
  Apply(number < 0 ? kOff : static_cast<unsigned>(number), "");
  RunUntil(world_->now_ns + kNsPerS, [&] { return !world_->is_sweeping; });
}

// Somebody reads what the profile that does not fit is told of, and applies one that does.
void Simulation::Mend() {
  const auto fits = [&] { return Fits(ibcc_profiles_base(profiles_)) && Fits(ibcc_profiles_wanted(profiles_)); };
  for (int i = 0; i < 2 && finding_.empty() && !fits(); ++i) {
    const std::string number = std::to_string(ibcc_profiles_wanted(profiles_)->number);
    if (ibcc_profiles_experiment(profiles_) != nullptr)
      Call("profile.rollback", R"({"revision": )" + number + "}");
    else
      Apply(0, "");
    RunUntil(world_->now_ns + 5 * kNsPerS, [] { return false; });
  }
  if (finding_.empty() && !fits()) Fail("what does not fit the fabric cannot be replaced");
}

void Simulation::Apply(unsigned number, const std::string& more) {
  const Json text(json_string(ProfileText(number, world_->devices).c_str()));
  char* dumped = json_dumps(text.get(), JSON_ENCODE_ANY);
  Call("profile.apply", R"({"profile": )" + std::string(dumped) + more + "}");
  std::free(dumped);
}

// An experiment begins, and soon all that answer have it; its time ends, and soon after nothing of it is on the fabric.
void Simulation::TryExperiment() {
  World& world = *world_;
  const ibcc_revision* base = ibcc_profiles_base(profiles_);
  if (ibcc_profiles_experiment(profiles_) != nullptr) return;
  const std::uint64_t before = last_revision_, returned = base == nullptr ? 0 : base->number;
  const std::int64_t brought_s = options_.max_mads_per_s == 0 ? kBroughtS : kSlowS, ttl_s = brought_s + 1,
                     begin_ns = world.now_ns;
  Apply(kBases + static_cast<unsigned>(world.Below(kExperiments)), R"(, "ttl_s": )" + std::to_string(ttl_s));
  RunUntil(begin_ns + brought_s * kNsPerS, [] { return false; });
  if (finding_.empty() && last_revision_ != before) CheckRest("in an experiment");
  RunUntil(begin_ns + (ttl_s + brought_s) * kNsPerS, [] { return false; });
  if (finding_.empty() && ibcc_profiles_experiment(profiles_) != nullptr) Fail("an experiment outlives its time");
  if (finding_.empty()) CheckRest("after an experiment");
  if (finding_.empty() && last_revision_ != before) CheckChangeLog(returned);
}

// Time goes on.
void Simulation::CountStep(bool is_timer) {
  ++steps_;
  unmoved_ = world_->now_ns == last_ns_ ? unmoved_ + 1 : 0;
  last_ns_ = world_->now_ns;
  if (unmoved_ > kUnmoved) Fail(is_timer ? "a timer is due again and again" : "time stands still");
}

void Simulation::TakeStep(bool is_timer) {
  World& world = *world_;
  if (is_timer) {
    Lead(TimerNs());
    world.now_ns = std::max(world.now_ns, TimerNs());
  } else if (world.HasEvent()) {
    world.RunNext();
  }
  CountStep(is_timer);
  if (world.now_ns < busy_ns_) return;
  Loop();
  AfterStep();
}

bool Simulation::Run(std::uint64_t steps) {
  World& world = *world_;
  for (std::uint64_t i = 0; i < steps && finding_.empty(); ++i) {
    const std::int64_t timer_ns = TimerNs();
    const bool is_timer = timer_ns <= world.NextNs() && timer_ns != INT64_MAX;
    if (!is_timer && !world.HasEvent() && is_calm_) return finding_.empty();
    TakeStep(is_timer);
    if (world.now_ns < busy_ns_ || is_calm_ || !finding_.empty()) continue;
    if (killed_ != nullptr && world.Below(kKillsEach) == 0 && KillInNewState()) continue;
    const std::uint64_t chance = world.Below(2000);
    const unsigned often = !scenario_.rare || !IsRarelyMet() ? 40 : IsShort() ? 1600 : 400;
    if (chance < often) {
      PerturbOne();
    } else if (chance == 40 && world.Chance(0.3)) {
      CalmOne();
    } else if (!world.HasEvent()) {
      Perturb();
      AfterStep();
      world.StartSweep();
      if (world.sm == World::Sm::kStandby) world.BecomeMasterAgain();
      // With two managers an event that is due before would be late, and the other one would see it before it has happened.
      if (other_ == nullptr || !world.HasEvent()) world.now_ns += kNsPerS;
    }
  }
  return finding_.empty();
}

}  // namespace ibcc_test::simulation

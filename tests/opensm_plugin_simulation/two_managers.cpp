// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Two OpenSMs of one fabric that are alive at once, each with its plugin and its disk, and one base file between them. Both are master after a
// partition, and for a while after it has healed; and what must hold of both together.
#include <algorithm>
#include <filesystem>

#include "perturbations.hpp"
#include "simulation.hpp"

namespace ibcc_test::simulation {

namespace {

// Another machine has its turn.
class Turn {
 public:
  explicit Turn(Disk& disk) : before_(ExchangeDisk(&disk)) {}
  ~Turn() { ExchangeDisk(before_); }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  Disk* before_;
};

}  // namespace

void Simulation::MakeOther() {
  Scenario scenario = scenario_;
  scenario.hosts = scenario.switches = 0;
  for (const Device& device : world_->devices) ++(device.is_switch ? scenario.switches : scenario.hosts);
  scenario.seed = ~scenario.seed;  // it draws otherwise
  const std::string folder = folder_ + "/other";
  std::filesystem::create_directory(folder);
  made_.reset(new Simulation(scenario, folder, this));
  ExchangeDisk(&disk_);
  other_ = made_.get();
  made_->scenario_ = scenario_;  // by which it is found again
  for (Simulation* each : {this, other_}) each->world_->before_event = [each](std::int64_t when_ns) { each->Lead(when_ns); };
  other_->world_->StandBy();
}

void Simulation::Lead(std::int64_t until_ns) {
  if (other_ == nullptr || is_led_ || other_->is_led_) return;
  other_->CatchUp(until_ns);
  if (!other_->finding_.empty() && finding_.empty()) finding_ = other_->finding_ + ", at the other OpenSM";
}

void Simulation::CatchUp(std::int64_t until_ns) {
  const Turn turn(disk_);
  is_led_ = true;
  while (finding_.empty()) {
    const std::int64_t timer_ns = TimerNs(), event_ns = world_->NextNs();
    if (std::min(timer_ns, event_ns) > until_ns) break;
    TakeStep(timer_ns <= event_ns);
  }
  world_->now_ns = std::max(world_->now_ns, until_ns);
  is_led_ = false;
}

void Simulation::PerturbOne() {
  Simulation& one = other_ != nullptr && world_->Chance(0.5) ? *other_ : *this;
  if (one.world_->now_ns < one.busy_ns_) return;  // nobody hears a call, and the checks are for whoever has had its turn
  const Turn turn(one.disk_);
  one.Perturb();
  one.AfterStep();
  if (!one.finding_.empty()) finding_ = one.finding_;
}

void Simulation::CalmOne() {
  Simulation& one = other_ != nullptr && world_->Chance(0.5) ? *other_ : *this;
  const Turn turn(one.disk_);
  one.Calm();
  if (!one.finding_.empty()) finding_ = one.finding_;
}

void Simulation::StandAside() {
  Heal();
  world_->Quiet();
  disk_.is_full = disk_.is_broken = false;
  disk_.until_stop = -1;
  busy_ns_ = 0;
  is_calm_ = true;
  if (world_->sm != World::Sm::kStandby) world_->StandBy();
}

void Simulation::Part() {
  Note("-- the fabric falls into parts");
  world_->Heal();
  other_->world_->Heal();
  world_->PartFrom(*other_->world_);
  for (Simulation* each : {this, other_}) {
    each->world_->BecomeMasterAgain();
    each->world_->StartSweep();
  }
}

void Simulation::Heal() {
  if (!world_->unseen.empty()) Note("-- the parts of the fabric are one again");
  for (Simulation* each : {this, other_}) {
    each->world_->Heal();
    each->world_->StartSweep();
  }
}

void Simulation::BecomeBothMaster() {
  Note("-- both OpenSMs become master");
  world_->BecomeMasterAgain();
  other_->world_->BecomeMasterAgain();
}

// Also where both were.
void Simulation::Yield() {
  if (world_->sm != World::Sm::kMaster || !world_->unseen.empty()) return;
  other_->world_->BecomeMasterAgain();
  world_->LoseMastership();
  world_->StartSweep();
}

// The file between them is whole whenever somebody may read it, and says what was the base of one of them.
void Simulation::CheckTogether() {
  if (other_ == nullptr) return;
  const auto is_master = [](const Simulation& one) { return ibcc_roles[ibcc_manager_role(one.manager_)].is_master; };
  const bool both = is_master(*this) && is_master(*other_);
  const std::string parts = world_->unseen.empty() && other_->world_->unseen.empty() ? "" : " in parts";
  ++together_[(both ? "two masters" : is_master(*this) || is_master(*other_) ? "one master" : "no master") + parts];
  const ibcc_revision* base = ibcc_profiles_base(profiles_);
  if (base != nullptr) own_bases_.insert(base->text);
  if (!HasBaseFile()) return;
  const ibcc_base_stamp stamp = ibcc_base_file_stamp(options_.base_file);
  if (ibcc_base_stamp_is_same(&stamp, &seen_stamp_)) return;
  seen_stamp_ = stamp;
  json_t* root = nullptr;
  ccp_error error{};
  const ibcc_base_found found = ibcc_base_file_read(options_.base_file, nullptr, &root, &error);
  json_decref(root);
  if (found == IBCC_BASE_DAMAGED || found == IBCC_BASE_REFUSED)
    Fail(std::string("the base file cannot be read: ") + error.message);
  const std::string text = TextInBaseFile();
  if (found == IBCC_BASE_READ && !text.empty() && own_bases_.count(text) == 0 && other_->own_bases_.count(text) == 0)
    Fail("the base file has a base that neither OpenSM had");
}

}  // namespace ibcc_test::simulation

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "simulation.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "opensm_plugin/rpc/support.hpp"

namespace ibcc_test::simulation {

namespace {

constexpr unsigned kProfiles = 6;
constexpr std::int64_t kDelayAtMostNs =
    25 * kNsPerS;  // of what a device said, by the time that it is believed: all tries of a request
constexpr std::size_t kTrace = 400;
constexpr unsigned kUnmoved = 2000;  // steps at the same moment

}  // namespace

Simulation::Simulation(std::uint64_t seed, const std::string& folder) : seed_(seed), folder_(folder) {
  ccp_error error{};
  log_.owner = this;
  ibcc_options_parse(&options_, nullptr, &error);
  notices_ = ibcc_notices_create();
  std::mt19937_64 random(seed);
  const unsigned hosts = 2 + random() % 6, switches = 1 + random() % 2;
  world_ = std::make_unique<World>(seed, hosts, switches, notices_);
  world_->kernel = random() % 4 != 0;
  options_.retries = random() % 8;
  options_.max_errors = 1 + random() % 4;
  options_.audit_interval_s = random() % 4 == 0 ? 0 : 60 + random() % 600;
  options_.when_sweep_failed = random() % 4 == 0 ? IBCC_WAIT : IBCC_ACT;
  options_.max_outstanding = 1 + random() % 16;
  WriteFile(0);
  Open();
  world_->on_send = [this](std::uint16_t lid, const std::uint8_t* mad) { CheckSend(lid, mad); };
  world_->StartSweep();
}

Simulation::~Simulation() {
  Close();
  ibcc_notices_destroy(notices_);
  ibcc_options_destroy(&options_);
}

void Simulation::Note(const std::string& what) {
  trace_.push_back(std::to_string(static_cast<double>(world_->now_ns) / 1e9) + " " + what);
  if (trace_.size() > kTrace) trace_.pop_front();
}

std::string Simulation::Trace() const {
  std::string text;
  for (const std::string& line : trace_) text += line + "\n";
  return text;
}

void Simulation::Fail(const std::string& what) {
  if (finding_.empty()) finding_ = "seed " + std::to_string(seed_) + ", step " + std::to_string(steps_) + ": " + what;
}

// Each host is to hold its own CCTI_Increase, so that a Set that goes to another is seen.
std::string Simulation::Profile(unsigned number) const {
  if (number == kProfiles - 1) return "ibcc_profile: 1\nname: off\nenable: false\n";
  std::string text = "ibcc_profile: 1\nname: p" + std::to_string(number) +
                     "\nlink: {rate_gbps: 16, mtu_bytes: 2048}\n"
                     "switch: {threshold: 15, marking_rate: " +
                     std::to_string(number + 1) +
                     ", packet_size: 8, victim_mask: ca_ports}\n"
                     "ca: {level: qp, sls: [0], ccti_timer: " +
                     std::to_string(100 + number) +
                     ", ccti_increase: 1, ccti_min: 0, trigger_threshold: 2}\n"
                     "cct: {ccti_limit: 63, curve: {kind: power, full_scale_us: 7, at_index: 53, exponent: 2}}\noverrides:\n";
  for (const Device& device : world_->devices) {
    if (device.is_switch) continue;
    char guid[24];
    std::snprintf(guid, sizeof(guid), "0x%016llx", static_cast<unsigned long long>(device.guid));
    text += std::string("- {match: {guid: ") + guid + "}, ca: {ccti_increase: " + std::to_string(device.index + 1) + "}}\n";
  }
  return text;
}

void Simulation::WriteFile(unsigned profile) {
  const std::string path = folder_ + "/profile.yaml";
  std::ofstream(path + ".new") << Profile(profile);
  std::filesystem::rename(path + ".new", path);
}

void Simulation::Open() {
  ccp_error error{};
  profiles_ = ibcc_profiles_open((folder_ + "/state").c_str(), (folder_ + "/profile.yaml").c_str(), &log_, &error);
  if (profiles_ == nullptr) {
    Fail(std::string("the state cannot be opened: ") + error.message);
    return;
  }
  ibcc_surroundings around{};
  around.owner = this;
  around.snapshot = [](void* self) { return static_cast<Simulation*>(self)->world_->Snapshot(); };
  around.sm_state = [](void* self) { return static_cast<Simulation*>(self)->world_->State(); };
  around.open_port = [](void* self, std::uint64_t) -> ibcc_mad_port* {
    World& world = *static_cast<Simulation*>(self)->world_;
    if (world.port_ended && world.Chance(0.5)) return nullptr;
    world.port_ended = false;
    return world.Port();
  };
  around.on_event = [](void*, const char*, void* params) { json_decref(static_cast<json_t*>(params)); };
  around.now_ns = [](void* self) { return static_cast<Simulation*>(self)->world_->now_ns; };
  around.is_sweeping = [](void* self) { return ibcc_notices_is_sweeping(static_cast<Simulation*>(self)->notices_); };
  manager_ = ibcc_manager_create(&options_, &around, profiles_, &log_);
  service_ = {.settings = &settings_, .manager = manager_};
  client_ = {};
  Call("hello", "{\"protocol\": 1}");
}

void Simulation::Close() {
  ibcc_client_clear(&client_);
  ibcc_manager_destroy(manager_);
  ibcc_profiles_close(profiles_);
  manager_ = nullptr;
  profiles_ = nullptr;
}

// OpenSM is killed, and starts again: its fabric is as it left it, and it begins by discovering.
void Simulation::Crash() {
  Note("-- kill -9");
  Close();
  ibcc_mail mail;
  ibcc_notices_take(notices_, &mail);
  experiment_over_ns_ = INT64_MAX;
  Open();
  world_->BecomeMasterAgain();
}

void Simulation::Call(const std::string& method, const std::string& params) {
  const std::string line = R"({"jsonrpc": "2.0", "id": 1, "method": ")" + method + R"(", "params": )" + params + "}\n";
  ibcc_client_take(&client_, &service_, line.data(), line.size());
  const std::string heard(client_.output.bytes == nullptr ? "" : client_.output.bytes, ibcc_output_waiting(&client_.output));
  ibcc_output_clear(&client_.output);
  if (client_.gone != nullptr) Fail(std::string("the client was dropped: ") + client_.gone);
  Note("-- " + method + " " + params.substr(0, 60) + ": " + heard.substr(0, 160));
  const Json answer = Parse(heard);
  if (!answer) Fail("no answer to " + method);
  // What is acknowledged is wanted, and in force or said not to be.
  json_t* result = json_object_get(answer.get(), "result");
  json_t* revision = json_object_get(result, "revision");
  if (json_is_integer(revision) && method != "profile.renew") {
    const ibcc_revision* wanted = ibcc_profiles_wanted(profiles_);
    if (wanted == nullptr || wanted->number != static_cast<std::uint64_t>(json_integer_value(revision)))
      Fail(method + " was acknowledged with a revision that does not count");
  }
}

void Simulation::Loop() {
  ibcc_mail mail;
  if (world_->mail_is_due) {
    world_->mail_is_due = false;
    ibcc_notices_take(notices_, &mail);
    ibcc_manager_take(manager_, &mail);
  }
  if (ibcc_profiles_deadline_ns(profiles_) <= world_->now_ns) {
    ccp_error error{};
    Note("-- the experiment's time is over");
    (void)ibcc_profiles_end(profiles_, &error);
    (void)ibcc_manager_converge(manager_, "restore");
  }
  ibcc_manager_tick(manager_);
}

void Simulation::CheckSend(std::uint16_t lid, const std::uint8_t* mad) {
  const std::uint16_t attribute = ibcc_cc_mad_attribute(mad);
  Note("   sends " + std::string(mad[3] == IBCC_SET ? "Set " : "Get ") + std::to_string(attribute) + " to LID " +
       std::to_string(lid));
  if (ibcc_notices_is_sweeping(notices_)) Fail("a MAD was sent in a heavy sweep");
  if (world_->State() != IBCC_SM_MASTER) Fail("a MAD was sent though this OpenSM is not MASTER");
  const auto owner = world_->known_lids.find(lid);
  if (owner == world_->known_lids.end()) {
    Fail("a MAD went to LID " + std::to_string(lid) + ", which nobody has by the last snapshot");
    return;
  }
  const Device& device = world_->devices[owner->second];
  if (mad[3] == IBCC_SET && attribute == CCP_CA_CONGESTION_SETTING) {
    const unsigned increase = mad[IBCC_DATA_OFFSET + 6];
    if (device.is_switch || (increase != 0 && increase != device.index + 1))
      Fail("a Set for H" + std::to_string(increase - 1) + " went to device " + std::to_string(device.index));
  }
}

// What is said to be applied was held when the device said so.
void Simulation::CheckDevices() {
  const ibcc_devices* list = ibcc_manager_devices(manager_);
  for (std::uint32_t i = 0; i < list->count; ++i) {
    const ibcc_device* device = list->list[i];
    if (ibcc_manager_device_state(manager_, device) != IBCC_STATE_APPLIED) continue;
    const auto found = std::find_if(world_->devices.begin(), world_->devices.end(),
                                    [&](const Device& one) { return one.guid == device->node_guid; });
    const std::int64_t seen_ns = ibcc_device_seen_ns(device);
    if (seen_ns == 0) Fail(found->is_switch ? "a switch is applied as of never" : "a host is applied as of never");
    for (std::uint32_t k = 0; k < device->num_items; ++k) {
      const ibcc_item& item = device->items[k];
      Payload wanted{};
      std::copy(item.wanted->bytes, item.wanted->bytes + wanted.size(), wanted.begin());
      if (!found->HeldIn({item.attribute, item.block}, wanted, item.seen_ns - kDelayAtMostNs, item.seen_ns))
        Fail("device " + std::to_string(found->index) + " is said to be applied as of " +
             std::to_string(static_cast<double>(item.seen_ns) / 1e9) + ", but did not hold attribute " +
             std::to_string(item.attribute) + " then: " + found->Told({item.attribute, item.block}, wanted));
    }
  }
}

void Simulation::CheckStep() {
  const ibcc_revision* wanted = ibcc_profiles_wanted(profiles_);
  const std::uint64_t number = wanted == nullptr ? 0 : wanted->number;
  const std::uint64_t on_fabric = ibcc_manager_on_fabric(manager_);
  const char* pending = ibcc_manager_pending(manager_);
  if (number != 0 && on_fabric != number && pending == nullptr)
    Fail("the wanted revision is not on the fabric, and nothing says why");
  if (on_fabric == number && pending != nullptr) Fail(std::string("it is on the fabric, and pending: ") + pending);
  // An experiment that is over is no longer wanted after the next step.
  const std::int64_t deadline_ns = ibcc_profiles_deadline_ns(profiles_);
  if (deadline_ns < world_->now_ns) Fail("an experiment outlives its time");
  const std::uint32_t devices = ibcc_manager_devices(manager_)->count;
  if (devices > world_->devices.size()) Fail("there are more devices than the fabric has");
  if (steps_ % 16 == 0) CheckDevices();
}

// Whoever can be reached holds what is wanted, or is listed with a reason; and is not listed without one.
void Simulation::CheckRest(const char* when) {
  const ibcc_revision* wanted = ibcc_profiles_wanted(profiles_);
  if (wanted == nullptr) return;
  if (ibcc_manager_on_fabric(manager_) != wanted->number)
    Fail(std::string(when) + " revision " + std::to_string(wanted->number) +
         " is not on the fabric: " + (ibcc_manager_pending(manager_) == nullptr ? "" : ibcc_manager_pending(manager_)));
  const ibcc_devices* list = ibcc_manager_devices(manager_);
  for (const Device& device : world_->devices) {
    const ibcc_device* known = ibcc_devices_find(list, device.guid, device.is_switch ? 0 : 1);
    const std::string name = "device " + std::to_string(device.index);
    if (known == nullptr || !known->present) {
      Fail(std::string(when) + " " + name + " is not listed");
      continue;
    }
    if (ibcc_manager_device_state(manager_, known) != IBCC_STATE_APPLIED)
      Fail(std::string(when) + " " + name + " is " + ibcc_state_names[ibcc_manager_device_state(manager_, known)] +
           ", though nothing is wrong with it");
    for (std::uint32_t k = 0; k < known->num_items; ++k) {
      Payload payload{};
      std::copy(known->items[k].wanted->bytes, known->items[k].wanted->bytes + payload.size(), payload.begin());
      if (!device.Holds({known->items[k].attribute, known->items[k].block}, payload))
        Fail(std::string(when) + " " + name + " does not hold attribute " + std::to_string(known->items[k].attribute));
    }
    // What is wanted of it is what the profile says.
    if (wanted->profile->enable && known->num_items > 0) {
      const unsigned value = device.is_switch ? known->items[0].wanted->bytes[75] : known->items[0].wanted->bytes[5];
      const unsigned right = device.is_switch ? wanted->profile->sw.marking_rate : wanted->profile->ca.ccti_timer;
      if (value != right)
        Fail(std::string(when) + " of " + name + " " + std::to_string(value) + " is wanted, where the profile says " +
             std::to_string(right));
    }
  }
}

void Simulation::Perturb() {
  World& world = *world_;
  Device& device = world.devices[world.Below(world.devices.size())];
  const std::string name = "device " + std::to_string(device.index);
  const ibcc_revision* wanted = ibcc_profiles_wanted(profiles_);
  const std::uint64_t number = wanted == nullptr ? 1 : wanted->number;
  const std::string revision = R"({"revision": )" + std::to_string(world.Chance(0.9) ? number : number + 1) + "}";
  const auto apply = [&](const std::string& more) {
    const Json text(json_string(Profile(static_cast<unsigned>(world.Below(kProfiles))).c_str()));
    char* dumped = json_dumps(text.get(), JSON_ENCODE_ANY);
    Call("profile.apply", R"({"profile": )" + std::string(dumped) + more + "}");
    std::free(dumped);
  };
  switch (world.Below(34)) {
    case 0: apply(R"(, "ttl_s": )" + std::to_string(world.Below(30))); break;
    case 1: apply(""); break;
    case 2: Call("profile.commit", revision); break;
    case 3: Call("profile.rollback", revision); break;
    case 4: Call("verify", "{}"); break;
    case 5: Call("profile.renew", revision.substr(0, revision.size() - 1) + R"(, "ttl_s": 20})"); break;
    case 6:
      Call("status", "{}");
      Call("devices", "{}");
      break;
    case 7:
      Note("-- the profile file changes");
      WriteFile(static_cast<unsigned>(world.Below(kProfiles)));
      if (ibcc_profiles_file_event(profiles_)) (void)ibcc_manager_converge(manager_, "apply");
      break;
    case 8:
      device.answers = !device.answers;
      Note("-- " + name + (device.answers ? " answers" : " is silent"));
      break;
    case 9:
      device.takes_port_info = !device.takes_port_info;
      Note("-- " + name + (device.takes_port_info ? " takes" : " does not take") + " PortInfo");
      break;
    case 10:
      device.refuses = !device.refuses;
      Note("-- " + name + (device.refuses ? " refuses" : " does not refuse"));
      break;
    case 11:
      device.clamps = !device.clamps;
      Note("-- " + name + (device.clamps ? " clamps" : " does not clamp"));
      break;
    case 12:
      Note("-- " + name + " reboots");
      world.Reset(device);
      device.is_linked = false;
      world.At(world.now_ns + static_cast<std::int64_t>(world.Below(2 * kNsPerS)), [&world, &device] {
        device.is_linked = true;
        world.StartSweep();
      });
      break;
    case 13:
      device.is_linked = !device.is_linked;
      Note("-- " + name + (device.is_linked ? " is linked" : " is not linked"));
      world.StartSweep();
      break;
    case 14:
      Note("-- somebody writes to " + name);
      world.Tamper(device);
      break;
    case 15: world.loss = world.Chance(0.5) ? 0 : 0.3; break;
    case 16: world.slow = world.Chance(0.5) ? 0 : 0.1; break;
    case 17: world.repeat = world.Chance(0.5) ? 0 : 0.1; break;
    case 18:
    case 19: world.SwapLids(); [[fallthrough]];
    case 20:
    case 21:
    case 22:
    case 23: world.StartSweep(); break;
    case 24:
      world.LoseMastership();
      world.StartSweep();
      break;
    case 25:
      world.own_manager_on = !world.own_manager_on;
      world.StartSweep();
      break;
    case 26: world.errors_wanted = !world.errors_wanted; break;
    case 27:
    case 28:
      if (world.sm == World::Sm::kStandby) {
        for (Device& one : world.devices)
          if (world.Chance(0.3)) world.Tamper(one);
        Note("-- the other master has gone");
        world.BecomeMasterAgain();
      } else {
        world.StartSweep();
      }
      break;
    case 29:
      if (world.Chance(0.3)) Crash();
      break;
    case 30:
      if (world.Chance(0.3)) {
        Note("-- the adapter is reset");
        world.port_ended = true;
      }
      break;
    case 31: device.supports = world.Chance(0.8); break;
    default: break;
  }
}

// All faults end, and after one good sweep all is as it should be; what nobody told is found by the time of an audit.
void Simulation::Calm() {
  World& world = *world_;
  Note("-- calm");
  is_calm_ = true;
  world.Quiet();
  const auto run = [&](std::int64_t until_ns, const auto& done) {
    while (finding_.empty() && !done() && std::min(world.NextNs(), ibcc_manager_next_ns(manager_)) <= until_ns) Run(1);
    return done();
  };
  world.BecomeMasterAgain();
  const auto swept = [&] { return world.came_up_well && !world.is_sweeping && world.sm == World::Sm::kMaster; };
  for (int sweeps = 0; sweeps < 2; ++sweeps) {
    run(world.now_ns + 10 * kNsPerS, [&] { return !world.is_sweeping; });
    const std::uint64_t before = world.good_sweeps;
    world.StartSweep();
    run(world.now_ns + 10 * kNsPerS, [&] { return world.good_sweeps > before && swept(); });
  }
  const auto idle = [&] { return !ibcc_notices_is_sweeping(notices_) && ibcc_manager_is_idle(manager_) && !world.mail_is_due; };
  run(world.now_ns + 2 * kNsPerS, [] { return false; });
  run(world.now_ns + 60 * kNsPerS, idle);
  // Pauses, the error budget's and devices', and audits where there are some. Else somebody has to ask.
  if (options_.audit_interval_s == 0) Call("verify", "{}");
  run(world.now_ns + 2 * std::int64_t{options_.audit_interval_s} * kNsPerS + 700 * kNsPerS, [] { return false; });
  Call("verify", "{}");
  run(world.now_ns + 60 * kNsPerS, idle);
  if (finding_.empty()) CheckRest("at rest");
  is_calm_ = false;
}

bool Simulation::Run(std::uint64_t steps) {
  World& world = *world_;
  for (std::uint64_t i = 0; i < steps && finding_.empty(); ++i) {
    const std::int64_t timer_ns = std::min(ibcc_manager_next_ns(manager_), ibcc_profiles_deadline_ns(profiles_));
    const bool is_timer = timer_ns <= world.NextNs();
    if (is_timer && timer_ns != INT64_MAX) {
      world.now_ns = std::max(world.now_ns, timer_ns);
    } else if (world.HasEvent()) {
      world.RunNext();
    } else if (is_calm_) {
      return finding_.empty();
    }
    ++steps_;
    unmoved_ = world.now_ns == last_ns_ ? unmoved_ + 1 : 0;
    last_ns_ = world.now_ns;
    if (unmoved_ > kUnmoved) Fail(is_timer ? "a timer is due again and again" : "time stands still");
    Loop();
    CheckStep();
    if (is_calm_ || !finding_.empty()) continue;
    const std::uint64_t chance = world.Below(2000);
    if (chance < 40) {
      Perturb();
      ibcc_manager_tick(manager_);
      CheckStep();
    } else if (chance == 40 && world.Chance(0.3)) {
      Calm();
    } else if (!world.HasEvent()) {
      world.StartSweep();
      if (world.sm == World::Sm::kStandby) world.BecomeMasterAgain();
      world.now_ns += kNsPerS;
    }
  }
  return finding_.empty();
}

}  // namespace ibcc_test::simulation

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "perturbations.hpp"

#include "disk.hpp"
#include "profile_texts.hpp"
#include "simulation.hpp"

namespace ibcc_test::simulation {

namespace {

std::string Named(const Device& device) { return "device " + std::to_string(device.index); }

// Most devices are well, so that one that is not is among others; `well`: what it is then.
void Toggle(Simulation& simulation, Device& device, bool Device::* what, bool well, const char* on, const char* off) {
  if (device.*what == well && simulation.world().Chance(0.7)) return;
  device.*what = !(device.*what);
  simulation.Note("-- " + Named(device) + " " + (device.*what ? on : off));
}

std::string Revision(Simulation& simulation, const char* more = "") {
  const ibcc_revision* wanted = ibcc_profiles_wanted(simulation.Profiles());
  const std::uint64_t number = wanted == nullptr ? 1 : wanted->number;
  const bool is_right = simulation.world().Chance(0.9);
  return R"({"revision": )" + std::to_string(is_right ? number : number + 1) + more + "}";
}

void Experiment(Simulation& simulation, Device&) {
  World& world = simulation.world();
  const unsigned number = DrawExperiment(world);
  simulation.Apply(number, R"(, "ttl_s": )" + std::to_string(world.Below(30)));
}

// Who holds an experiment puts another in its place.
void Exchange(Simulation& simulation, Device&) {
  const ibcc_revision* wanted = ibcc_profiles_wanted(simulation.Profiles());
  if (wanted == nullptr) return;
  const unsigned number = DrawExperiment(simulation.world());
  simulation.Apply(number, R"(, "ttl_s": 20, "if_revision": )" + std::to_string(wanted->number));
}

void Reboot(Simulation& simulation, Device& device) {
  World& world = simulation.world();
  simulation.Note("-- " + Named(device) + " reboots");
  world.Reset(device);
  device.is_linked = false;
  world.At(world.now_ns + static_cast<std::int64_t>(world.Below(2 * kNsPerS)), [&world, &device] {
    device.is_linked = true;
    world.StartSweep();
  });
}

// Its port goes down and comes up again between two sweeps: the next one finds it there, and uninitialised.
void QuickReset(Simulation& simulation, Device& device) {
  World& world = simulation.world();
  simulation.Note("-- " + Named(device) + " is reset");
  world.Reset(device);
  ++device.resets;
  if (world.Chance(0.7)) world.StartSweep();
}

void Update(Simulation& simulation, Device& device) {
  World& world = simulation.world();
  world.Update(device);
  simulation.Note("-- " + Named(device) + " gets firmware " + std::to_string(device.firmware));
  if (world.Chance(0.7)) world.StartSweep();
}

// A switch that many hang on loses its power for a while.
void Exodus(Simulation& simulation, Device&) {
  World& world = simulation.world();
  simulation.Note("-- many devices leave at once");
  for (Device& one : world.devices) {
    if (!one.is_linked || world.Chance(0.5)) continue;
    one.is_linked = false;
    world.At(world.now_ns + static_cast<std::int64_t>(world.Below(20 * kNsPerS)), [&world, &one] {
      one.is_linked = true;
      world.StartSweep();
    });
  }
  world.StartSweep();
}

void Sometimes(Simulation& simulation, double& what, double often) { what = simulation.world().Chance(0.5) ? 0 : often; }

void FailOver(Simulation& simulation, Device&) {
  World& world = simulation.world();
  if (world.sm != World::Sm::kStandby) {
    world.StartSweep();
    return;
  }
  for (Device& one : world.devices)
    if (world.Chance(0.3)) world.Tamper(one);
  simulation.Note("-- the other master has gone");
  world.BecomeMasterAgain();
}

// A client of another program: half lines, lines that are none, calls before hello, and then it is gone.
void Babble(Simulation& simulation, Device&) {
  static const char* const kSaid[] = {
      "{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"status\"",
      "\n",
      "]]]\n",
      "{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"status\", \"params\": {}}\n",
      "{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"hello\", \"params\": {\"protocol\": 2}}\n",
      "{\"jsonrpc\": \"2.0\", \"id\": 2, \"method\": \"profile.apply\", \"params\": {\"profile\": \"ibcc_profile: 1\", "
      "\"ttl_s\": -1}}\n",
      "{\"jsonrpc\": \"2.0\", \"id\": 3, \"method\": \"profile.commit\", \"params\": {\"revision\": 18446744073709551616}}\n",
      "{\"jsonrpc\": \"2.0\", \"id\": 4, \"method\": \"subscribe\", \"params\": {\"events\": [\"progress\"]}}\n",
      "{\"jsonrpc\": \"2.0\", \"id\": 5, \"method\": \"profile.get\", \"params\": {\"revision\": 0}}\n",
  };
  const std::uint64_t lines = 1 + simulation.world().Below(5);
  for (std::uint64_t i = 0; i < lines; ++i) simulation.Say(kSaid[simulation.world().Below(std::size(kSaid))]);
  if (simulation.world().Chance(0.5)) simulation.HangUp();
}

}  // namespace

const std::vector<Perturbation>& Perturbations() {
  using S = Simulation&;
  using D = Device&;
  static const std::vector<Perturbation> kinds = {
      // Calls.
      {"experiment", 4, Experiment, Perturbation::Of::Any, true},
      {"exchange", 1, Exchange, Perturbation::Of::Any, true},
      {"apply", 4, [](S s, D) { s.Apply(DrawBase(s.world()), ""); }, Perturbation::Of::Any, true},
      {"commit", 4, [](S s, D) { s.Call("profile.commit", Revision(s)); }},
      {"rollback", 4, [](S s, D) { s.Call("profile.rollback", Revision(s)); }},
      {"verify", 4, [](S s, D) { s.Call("verify", "{}"); }},
      {"renew", 4, [](S s, D) { s.Call("profile.renew", Revision(s, R"(, "ttl_s": 20)")); }},
      {"look", 4,
       [](S s, D) {
         s.Call("status", "{}");
         s.Call("devices", "{}");
       }},
      {"babble", 2, Babble},
      {"file", 4, [](S s, D) { s.ChangeFile(); }, Perturbation::Of::Any, true},
      {"keys", 1, [](S s, D) { s.ChangeKeys(); }},
      // Devices.
      {"silence", 4, [](S s, D d) { Toggle(s, d, &Device::answers, true, "answers", "is silent"); }},
      {"waver", 4,
       [](S s, D d) {
         d.answers_every = s.world().Chance(0.5) ? 1 : static_cast<unsigned>(2 + s.world().Below(3));
         s.Note("-- " + Named(d) + " answers each " + std::to_string(d.answers_every) + "th MAD");
       }},
      {"port-info", 4,
       [](S s, D d) { Toggle(s, d, &Device::takes_port_info, true, "takes PortInfo", "does not take PortInfo"); }},
      {"refuse", 4, [](S s, D d) { Toggle(s, d, &Device::refuses, false, "refuses", "does not refuse"); }},
      {"clamp", 4, [](S s, D d) { Toggle(s, d, &Device::clamps, false, "clamps", "does not clamp"); }},
      {"fool", 2,
       [](S s, D d) {
         d.agent.nvidia.quirk = s.world().Chance(0.3)   ? Quirk::Reserved
                                : s.world().Chance(0.3) ? Quirk::Silent
                                : s.world().Chance(0.3) ? Quirk::Wavers
                                                        : Quirk::None;
         s.Note("-- " + Named(d) + " has another firmware of NVIDIA's attributes");
       }},
      {"unsupported", 4, [](S s, D d) { d.supports = s.world().Chance(0.8); }},
      {"reboot", 4, Reboot},
      {"quick-reset", 4, QuickReset},
      {"firmware", 6, Update},
      {"exodus", 1, Exodus},
      {"link", 4,
       [](S s, D d) {
         Toggle(s, d, &Device::is_linked, true, "is linked", "is not linked");
         s.world().StartSweep();
       }},
      {"tamper", 4,
       [](S s, D d) {
         s.Note("-- somebody writes to " + Named(d));
         s.world().Tamper(d);
       }},
      // The way to them.
      {"loss", 4, [](S s, D) { Sometimes(s, s.world().loss, 0.3); }},
      {"slow", 4, [](S s, D) { Sometimes(s, s.world().slow, 0.1); }},
      {"repeat", 4, [](S s, D) { Sometimes(s, s.world().repeat, 0.1); }},
      {"adapter", 1,
       [](S s, D) {
         s.Note("-- the adapter is reset");
         s.world().port_ended = true;
       }},
      {"adapter-away", 2,
       [](S s, D) {
         s.Note("-- the adapter is away for a while");
         s.world().port_ended = true;
         s.world().port_away_ns = s.world().now_ns + static_cast<std::int64_t>(s.world().Below(60 * kNsPerS));
       }},
      // OpenSM.
      {"lids", 8,
       [](S s, D) {
         s.world().SwapLids();
         s.world().StartSweep();
       }},
      {"sweep", 16, [](S s, D) { s.world().StartSweep(); }},
      {"sudden-sweeps", 4, [](S s, D) { Sometimes(s, s.world().sudden, 0.05); }},
      {"busy", 8, [](S s, D) { s.BeBusy(static_cast<std::int64_t>(s.world().Below(2 * kNsPerS))); }},
      {"no-memory", 2,
       [](S s, D) {
         s.world().has_no_memory = s.world().Chance(0.15);
         s.Note(s.world().has_no_memory ? "-- the subnet cannot be copied" : "-- the subnet can be copied");
       }},
      {"mastership", 4,
       [](S s, D) {
         s.world().LoseMastership();
         s.world().StartSweep();
       },
       Perturbation::Of::Any, false, true},
      {"fail-over", 8, FailOver},
      {"own-manager", 4,
       [](S s, D) {
         s.world().opensm_cc_on = s.world().Chance(0.3);
         s.world().StartSweep();
       }},
      {"copy", 4, [](S s, D) { Sometimes(s, s.world().slow_copy, 0.3); }},
      {"errors", 4, [](S s, D) { s.world().errors_wanted = s.world().Chance(0.3); }},
      // The machine.
      {"stop", 4, [](S s, D) { s.Stop(); }},
      {"crash", 1, [](S s, D) { s.Crash("kill -9"); }},
      {"node-lost", 2, [](S s, D) { s.LoseNode(); }, Perturbation::Of::One},
      {"stop-in-a-write", 2, [](S s, D) { TheDisk().until_stop = static_cast<int>(1 + s.world().Below(12)); }},
      {"disk-full", 2,
       [](S s, D) {
         TheDisk().is_full = s.world().Chance(0.3);
         s.Note(TheDisk().is_full ? "-- the disk is full" : "-- the disk has room");
       }},
      {"disk-broken", 2,
       [](S s, D) {
         TheDisk().is_broken = s.world().Chance(0.3);
         s.Note(TheDisk().is_broken ? "-- the disk is broken" : "-- the disk is well");
       }},
      // Two OpenSMs.
      {"partition", 6, [](S s, D) { s.Part(); }, Perturbation::Of::Two},
      {"heal", 4, [](S s, D) { s.Heal(); }, Perturbation::Of::Two},
      {"two-masters", 6, [](S s, D) { s.BecomeBothMaster(); }, Perturbation::Of::Two},
      {"one-yields", 6, [](S s, D) { s.Yield(); }, Perturbation::Of::Two},
  };
  return kinds;
}

}  // namespace ibcc_test::simulation

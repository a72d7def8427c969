// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A fabric and its OpenSM in virtual time, for the simulation of the plugin. Everything that happens is an event with a time; what is drawn comes
// from one seed. OpenSM's events come in the orders that opensm/osm_state_mgr.c of 3.3.24 (do_sweep) and osm_sm_state_mgr.c allow: see OpenSm.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <queue>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "devices/device.h"
#include "devices/snapshot.h"
#include "mad/mad_port.h"
#include "manager/inbox.h"
#include "opensm_plugin/fake_agent.hpp"

namespace ibcc_test::simulation {

constexpr std::int64_t kNsPerS = 1'000'000'000;
constexpr std::int64_t kNsPerMs = 1'000'000;
constexpr unsigned kSwitchPorts = 9;

using Payload = std::array<std::uint8_t, CCP_ATTRIBUTE_BYTES>;

// How a device answers GeneralInfo.
enum class Tells : std::uint8_t { Well, Silent, Refuses, OtherAttribute, Zeros };

// A switch, or the one port of a host. What it holds is kept with the time since when.
struct Device {
  unsigned index = 0;
  std::uint64_t guid = 0;
  bool is_switch = false;
  std::uint16_t lid = 0;
  bool is_linked = true;        // its link is up
  bool answers = true;          // its agent of class 0x21 does,
  unsigned answers_every = 1;   // each nth MAD
  unsigned mads = 0;            // that have arrived
  bool takes_port_info = true;  // of OpenSM; else each sweep ends with errors
  bool refuses = false, clamps = false, supports = true;
  unsigned resets = 0;  // that each OpenSM will see
  FakeAgent agent;
  struct Held {
    std::int64_t since_ns;
    Payload value;  // canonical
  };
  std::map<Key, std::deque<Held>> history;
  std::uint32_t vendor = 0x0002C9;
  Tells tells = Tells::Well;
  std::uint32_t model = 1;        // minor number of its firmware's version
  std::uint32_t firmware = 1;     // sub-minor number, which grows
  bool is_unlucky = false;        // a request for its firmware, or the answer, was lost or late since it was last reset
  std::int64_t disturbed_ns = 0;  // when somebody else than the plugin last changed what it holds

  void Note(std::int64_t now_ns, std::uint16_t attribute);
  // Whether it held what the item wants at some moment of the span; and whether it does now.
  bool HeldIn(const ibcc_item& item, std::int64_t from_ns, std::int64_t to_ns) const;
  bool Holds(const ibcc_item& item) const;
  std::set<Payload> EverHeld(Key key) const;  // as far as it is remembered; what it holds now is among these
  std::set<Payload> HeldSince(Key key, std::int64_t from_ns) const;
  bool IsWholeHistory(Key key) const;             // false: nobody knows any more what it held at first
  std::string Told(const ibcc_item& item) const;  // for people: what it held since when, and the wanted value
  bool HasBoth() const { return agent.has_a10 && agent.nvidia.is_there; }

 private:
  Data PowerOn(Key key) const;
  bool WasHeld(Key key, const Payload& value, std::int64_t from_ns, std::int64_t to_ns) const;
};

class World {
 public:
  // `other`: whose fabric this OpenSM shares; NULL: it has one of its own.
  World(std::uint64_t seed, unsigned hosts, unsigned switches, ibcc_inbox* inbox, World* other = nullptr);

  // Time and chance.
  std::int64_t now_ns = kNsPerS;
  std::uint64_t Below(std::uint64_t bound) { return random_() % bound; }
  bool Chance(double p) { return std::uniform_real_distribution<>()(random_) < p; }
  void At(std::int64_t when_ns, std::function<void()> what);
  bool HasEvent() const { return !events_.empty(); }
  std::int64_t NextNs() const { return events_.empty() ? INT64_MAX : events_.top().when_ns; }
  void RunNext();  // the next event, and the clock goes to its time
  std::function<void(std::int64_t when_ns)> before_event;

  // The network of MADs.
  double loss = 0, repeat = 0, slow = 0;
  ibcc_mad_port* Port() { return &port_.port; }
  bool port_ended = false;
  std::int64_t port_away_ns = 0;  // until then it cannot be opened again
  double sudden = 0;              // how often OpenSM begins a sweep just when a MAD has been sent
  bool kernel =
      true;  // it hands on one outcome of each request; else late and repeated answers come through, as from an emulator
  std::function<void(std::uint16_t lid, const std::uint8_t* mad)> on_send;  // each request, before it is on its way
  std::function<void(const char* edge)> on_edge;
  bool mail_is_due = false;  // something was posted, and its time to be read has come

  // Devices.
  const std::shared_ptr<std::vector<Device>> fabric;
  std::vector<Device>& devices;
  Device& Host(unsigned i) { return devices[i]; }
  bool IsLinked(const Device& device) const;  // to this OpenSM's part of the fabric; a host: its switch too
  std::set<unsigned> unseen;                  // devices in another part than this OpenSM
  std::vector<std::int64_t> suspects_ns;      // by device: when OpenSM has last told something by which it may have been reset
  void Reset(Device& device);                 // reboots: nothing is left of its tables
  void Tamper(Device& device);                // somebody else writes them
  void Update(Device& device);                // it gets other firmware and is reset, which OpenSM will see
  void BecomeASite();                         // devices hold what another manager has set
  void BecomeASiteByNvidia();                 // the same by NVIDIA's attributes
  void BecomeOneModel();                      // all devices have the same firmware, and differ all the same

  // OpenSM. Where a line of do_sweep is named, it is that of linux-rdma/opensm's opensm/osm_state_mgr.c.
  enum class Sm { kDiscovering, kMaster, kStandby };
  Sm sm = Sm::kDiscovering;
  bool is_sweeping = false;   // between HEAVY_SWEEP_START and the end, told or not
  bool opensm_cc_on = false;  // as its configuration says; it takes that in by a sweep
  bool sweep_ok = false;
  bool errors_wanted = false;
  bool has_no_memory = false;  // for a copy of the subnet
  void StartSweep();
  void BecomeMasterAgain();  // a standby that finds nobody else: 1385 f., discovering first
  ibcc_snapshot* Snapshot();
  std::map<std::string, std::string> copied_nodes;  // in the last snapshot: descriptions by GUID, as in JSON
  std::set<std::string> copied_links;               // "0x…/1 0x…/3", the end with the lower GUID first
  double slow_copy = 0;         // how often the plugin's thread has to wait before it copies the subnet, for a sweep or two
  void LetPass();               // that time, with what happens meanwhile
  void LearnLids();             // into known_lids: as a snapshot has them
  void End();                   // of OpenSM's threads: a sweep that is under way stays as it is
  void Begin();                 // OpenSM starts
  void StandBy();               // another one is MASTER, as this one has been told
  void PartFrom(World& other);  // each sees what hangs on its own switch, or half of the hosts where both have one switch
  void Heal() { unseen.clear(); }
  unsigned own_host = 0;  // that this OpenSM runs on
  ibcc_sm_state State() const;
  std::uint64_t sweeps_up = 0;                   // that ended with SUBNET_UP
  std::map<std::uint16_t, unsigned> known_lids;  // as in the last snapshot that was taken: LID to device
  void SwapLids() { swap_wanted_ = true; }
  void LoseMastership() { lose_wanted_ = true; }
  void Quiet();  // all faults end

  static const std::vector<std::string>& AllEdges();  // of the automaton
  static std::vector<std::string> Losses();           // those by which OpenSM is no master any more, or gives a sweep up
  std::function<bool(const char* edge)> is_news;      // it was not taken in the present state; NULL: nobody looks for rare ones
  std::map<std::string, unsigned> edges;              // as often as they were taken

 private:
  struct Event {
    std::int64_t when_ns;
    std::uint64_t serial;
    std::function<void()> what;
    bool operator<(const Event& other) const {
      return when_ns != other.when_ns ? when_ns > other.when_ns : serial > other.serial;
    }
  };
  struct PortOf {
    ibcc_mad_port port{};
    World* world = nullptr;
  };
  struct Known {
    unsigned device;
    std::uint16_t lid;
    bool is_active, was_reset;
  };

  void Build();  // devices
  const Device& Leaf(const Device& host) const;
  bool IsAlone() const;
  bool MayBeReset(const Device& device) const { return device.resets != seen_resets_[device.index]; }
  int Send(std::uint16_t lid, const std::uint8_t* mad, std::uint32_t timeout_ms);
  void Arrive(std::uint16_t lid, std::array<std::uint8_t, IBCC_MAD_BYTES> mad, bool is_first);
  void Deliver(const ibcc_answer& answer, std::int64_t at_ns);
  void AnswerGeneralInfo(Device& device, ibcc_answer answer);
  void NoteUnlucky(std::uint16_t lid, const std::uint8_t* mad);  // it is lost, or late
  void Post(const std::function<void()>& how);
  void Edge(const char* name);
  void BecomeStandby();
  void AssignLids();
  void EndSweep(bool told);
  void SweepStep(int step);
  unsigned DrawLoss();

  std::mt19937_64 random_;
  std::mt19937_64 site_;                              // so that what is drawn for it changes nothing else
  std::map<std::uint32_t, bool> pending_;             // by transaction: requests that the kernel has handed on no outcome of
  std::map<std::uint16_t, std::int64_t> arrives_ns_;  // by LID: when the last request is there
  std::priority_queue<Event> events_;
  std::uint64_t serial_ = 0;
  ibcc_inbox* inbox_;
  PortOf port_;
  std::vector<Known> view_;  // OpenSM's tables
  unsigned hosts_, switches_;
  const World* other_;                 // NULL: the fabric has no other OpenSM
  std::vector<unsigned> seen_resets_;  // by device
  bool swap_wanted_ = false, lose_wanted_ = false;
  bool own_manager_known_ = false;
  std::int64_t standby_since_ns_ = 0;
  bool was_standby_ = false;  // since the last sweep that has ended, and for long enough that the plugin has seen it
  bool has_ended_ = false;
  std::uint64_t sweep_ = 0;
};

}  // namespace ibcc_test::simulation

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// OpenSM of a World: its sweeps, its states, the order of its events, and what a copy of its subnet has.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

#include "world.hpp"

namespace ibcc_test::simulation {

namespace {

std::string GuidText(std::uint64_t guid) {
  char text[19];
  std::snprintf(text, sizeof(text), "0x%016llx", static_cast<unsigned long long>(guid));
  return text;
}

// How a sweep ends before the subnet is up, by SweepStep's cases.
constexpr std::array kLosses = {"the port is down: discovering, told", "a higher SM was found: standby, told",
                                "handed over: standby, not told", "given up without a word"};

constexpr unsigned kHandedOver = 2;  // which only a MASTER does

constexpr std::int64_t kStandbyNs = 5 * kNsPerS;  // a busy thread looks for its role after 3 s at most

}  // namespace

std::vector<std::string> World::Losses() { return {kLosses.begin(), kLosses.end()}; }

const std::vector<std::string>& World::AllEdges() {
  static const std::vector<std::string> all = {
      "a heavy sweep begins",
      "discovered again",
      kLosses[0],
      kLosses[1],
      kLosses[2],
      kLosses[3],
      "a standby discovers",
      "discovery completed: master",
      "LIDs are exchanged",
      "the subnet is up",
      "the subnet is up, with errors",
  };
  return all;
}

void World::Edge(const char* name) {
  if (std::find(AllEdges().begin(), AllEdges().end(), name) == AllEdges().end()) std::abort();  // the list is all of them
  ++edges[name];
  if (on_edge) on_edge(name);
}

ibcc_sm_state World::State() const {
  return sm == Sm::kMaster ? IBCC_SM_MASTER : sm == Sm::kDiscovering ? IBCC_SM_DISCOVERING : IBCC_SM_STANDBY;
}

void World::StartSweep() {
  if (is_sweeping || has_ended_ || sm == Sm::kStandby) return;
  Edge("a heavy sweep begins");  // 1397
  is_sweeping = true;
  Post([&] { ibcc_inbox_post(inbox_, IBCC_NOTICE_SWEEP_BEGINS); });
  const std::uint64_t sweep = ++sweep_;
  At(now_ns + static_cast<std::int64_t>(1 + Below(30)) * kNsPerMs, [this, sweep] {
    if (sweep == sweep_) SweepStep(1);
  });
}

void World::BecomeStandby() {
  sm = Sm::kStandby;
  standby_since_ns_ = now_ns;
}

void World::BecomeMasterAgain() {
  if (has_ended_ || sm != Sm::kStandby) return;
  was_standby_ |= now_ns - standby_since_ns_ > kStandbyNs;
  Edge("a standby discovers");
  sm = Sm::kDiscovering;
  is_sweeping = false;
  StartSweep();
}

void World::End() {
  has_ended_ = true;
  ++sweep_;
}

void World::Begin() {
  has_ended_ = is_sweeping = false;
  sm = Sm::kDiscovering;
  StartSweep();
}

void World::StandBy() {
  BecomeStandby();
  EndSweep(true);
}

void World::EndSweep(bool told) {
  is_sweeping = false;
  ++sweep_;
  if (told) Post([&] { ibcc_inbox_post(inbox_, IBCC_NOTICE_STATE_CHANGE); });
}

// Else the other would write to LIDs of before, which it cannot know.
bool World::IsAlone() const {
  return other_ == nullptr || (other_->sm == Sm::kStandby && now_ns > other_->standby_since_ns_ + kNsPerS);
}

void World::PartFrom(World& other) {
  const unsigned own_leaf = Leaf(devices[own_host]).index, other_leaf = Leaf(devices[other.own_host]).index;
  for (const Device& device : devices) {
    const unsigned leaf = device.is_switch ? device.index : Leaf(device).index;
    if (own_leaf != other_leaf)
      (leaf == own_leaf ? other : *this).unseen.insert(device.index);
    else if (!device.is_switch && device.index != own_host && device.index != other.own_host)
      (Chance(0.5) ? other : *this).unseen.insert(device.index);
  }
  if (own_leaf != other_leaf) return;
  unseen.insert(other.own_host);
  other.unseen.insert(own_host);
}

void World::AssignLids() {
  if (swap_wanted_ && IsAlone()) {
    swap_wanted_ = false;
    Device& a = devices[Below(devices.size())];
    Device& b = devices[Below(devices.size())];
    // OpenSM sets a LID by Set(PortInfo); who does not take that keeps the old one.
    if (a.index != b.index && a.takes_port_info && b.takes_port_info) {
      std::swap(a.lid, b.lid);
      Edge("LIDs are exchanged");
    }
  }
  // The answers to Set(PortInfo) are in OpenSM's tables at once.
  for (Known& known : view_)
    if (devices[known.device].takes_port_info) known.lid = devices[known.device].lid;
}

// Where rare states are looked for, an edge that was not taken in the present one.
unsigned World::DrawLoss() {
  const auto may_be = [this](unsigned place) { return place != kHandedOver || sm == Sm::kMaster; };
  const auto drawn = static_cast<unsigned>(Below(kLosses.size()));
  for (unsigned i = 0; is_news && i < kLosses.size(); ++i) {
    const unsigned place = (drawn + i) % kLosses.size();
    if (may_be(place) && is_news(kLosses[place])) return place;
  }
  return may_be(drawn) ? drawn : kHandedOver - 1;
}

void World::SweepStep(int step) {
  const auto next = [&](int following) {
    const std::uint64_t sweep = sweep_;
    At(now_ns + static_cast<std::int64_t>(1 + Below(30)) * kNsPerMs, [this, sweep, following] {
      if (sweep == sweep_) SweepStep(following);
    });
  };
  switch (step) {
    case 1:  // discovery; osm_port_info_rcv.c, 789: of a port that is found again the former flag is overwritten
      for (Known& known : view_) known.was_reset = MayBeReset(devices[known.device]);
      if (lose_wanted_) {
        lose_wanted_ = false;
        const unsigned drawn = DrawLoss();
        Edge(kLosses[drawn]);
        switch (drawn) {
          case 0:  // 1427 to 1447
            sm = Sm::kDiscovering;
            EndSweep(true);
            return;
          case 1:  // 1464 to 1477
            BecomeStandby();
            EndSweep(true);
            return;
          case 2:  // 1495 to 1507
            BecomeStandby();
            EndSweep(false);
            return;
          default:  // 1411 f., 1456 f., 1510 f., 1590 f.
            EndSweep(false);
            return;
        }
      }
      if (Chance(0.1)) {  // 1480 to 1483
        Edge("discovered again");
        next(1);
        return;
      }
      next(2);
      return;
    case 2:  // LIDs
      if (sm == Sm::kDiscovering) {
        Edge("discovery completed: master");  // 1533 f.
        sm = Sm::kMaster;
      }
      AssignLids();
      next(3);
      return;
    default: {
      bool errors = errors_wanted;
      own_manager_known_ = opensm_cc_on;
      std::vector<Known> seen;
      for (Device& device : devices) {
        if (!IsLinked(device)) continue;
        const auto before =
            std::find_if(view_.begin(), view_.end(), [&](const Known& one) { return one.device == device.index; });
        const bool is_new = before == view_.end();
        const bool is_active = device.takes_port_info || (!is_new && before->is_active);
        errors |= !device.takes_port_info;
        const bool was_reset = is_new || MayBeReset(device);
        const bool is_written = device.is_switch && Chance(0.05);  // its forwarding tables
        seen.push_back({device.index, device.lid, is_active, was_reset});
        seen_resets_[device.index] = device.resets;
        if (was_reset || is_written || was_standby_) suspects_ns[device.index] = now_ns;
        if (is_new) Post([&] { ibcc_inbox_post_port(inbox_, device.guid); });  // 1658, trap 64
        if (is_written) Post([&] { ibcc_inbox_post_switch(inbox_, device.guid); });
      }
      view_ = seen;
      was_standby_ = false;
      if (own_manager_known_)
        for (Device& device : devices) Tamper(device);
      sweep_ok = !errors;
      ++sweeps_up;
      is_sweeping = false;
      ++sweep_;
      Edge(errors ? "the subnet is up, with errors" : "the subnet is up");
      Post([&] { ibcc_inbox_post(inbox_, IBCC_NOTICE_SUBNET_UP); });  // 1703
    }
  }
}

void World::LearnLids() {
  known_lids.clear();
  for (const Known& known : view_)
    if (known.is_active) known_lids[known.lid] = known.device;
}

void World::LetPass() {
  if (slow_copy == 0 || !Chance(slow_copy)) return;
  const std::int64_t end_ns = now_ns + static_cast<std::int64_t>(Below(300)) * kNsPerMs;
  if (on_edge) on_edge("time passes before the subnet is copied");
  if (Chance(0.8)) StartSweep();
  while (NextNs() <= end_ns) RunNext();
}

ibcc_snapshot* World::Snapshot() {
  if (has_no_memory && Chance(0.5)) return nullptr;
  const auto count = static_cast<std::uint32_t>(devices.size());
  ibcc_snapshot* s = ibcc_snapshot_create(count, count * 40, count);
  std::map<unsigned, std::uint32_t> index;
  copied_nodes.clear();
  copied_links.clear();
  for (const Known& known : view_) {  // ascending by GUID: hosts, then switches
    const Device& device = devices[known.device];
    const std::string name = (device.is_switch ? "S" : "H") + std::to_string(device.index);
    index[known.device] = ibcc_snapshot_add_node(s, device.guid, device.is_switch ? CCP_NODE_SWITCH : CCP_NODE_HOST,
                                                 device.is_switch ? kSwitchPorts : 1, name.c_str(), name.size());
    ibcc_snapshot_identify(s, index[known.device], {.vendor_id = device.vendor, .device_id = 0xD2F2});
    copied_nodes[GuidText(device.guid)] = name;
  }
  for (const Known& known : view_) {
    if (known.device >= hosts_) continue;
    const unsigned leaf = Leaf(devices[known.device]).index;
    ibcc_snapshot_connect(s, index[known.device], 1, index[leaf]);
    const unsigned port = 1 + known.device / switches_;
    if (index.count(leaf) != 0)
      copied_links.insert(GuidText(devices[known.device].guid) + "/1 " + GuidText(devices[leaf].guid) + "/" +
                          std::to_string(port));
    ibcc_snapshot_connect(s, index[leaf], port, index[known.device]);
    const auto set = [&](unsigned device, unsigned number, unsigned peer, unsigned peer_port) {
      ibcc_subnet_port one{};
      one.number = static_cast<std::uint8_t>(number);
      one.peer_guid = devices[peer].guid;
      one.peer_port = static_cast<std::uint8_t>(peer_port);
      one.state = known.is_active ? 4 : 2;
      one.mtu = 4;
      one.width = device % 3 == 0 ? 1 : 2;
      one.speed = IBCC_SPEED_QDR;
      one.lid = device < hosts_ ? known.lid : 0;
      ibcc_snapshot_set_port(s, index[device], &one);
    };
    set(known.device, 1, leaf, port);
    set(leaf, port, known.device, 1);
  }
  // A cable between the switches that comes, goes and changes its width from sweep to sweep. Nothing is drawn for it.
  const std::uint32_t first = index.count(hosts_) != 0 ? index[hosts_] : CCP_NO_PEER;
  const std::uint32_t second = switches_ > 1 && index.count(hosts_ + 1) != 0 ? index[hosts_ + 1] : CCP_NO_PEER;
  if (first != CCP_NO_PEER && second != CCP_NO_PEER && sweeps_up % 3 != 0) {
    const std::string guids[] = {GuidText(devices[hosts_].guid), GuidText(devices[hosts_ + 1].guid)};
    copied_links.insert(guids[0] + "/" + std::to_string(kSwitchPorts) + " " + guids[1] + "/" + std::to_string(kSwitchPorts));
    for (const auto& [node, peer] : {std::pair(first, second), std::pair(second, first)}) {
      ibcc_subnet_port one{};
      one.number = one.peer_port = kSwitchPorts;
      one.peer_guid = s->nodes[peer].guid;
      one.state = 4;
      one.width = sweeps_up % 2 == 0 ? 1 : 2;
      ibcc_snapshot_connect(s, node, kSwitchPorts, peer);
      ibcc_snapshot_set_port(s, node, &one);
    }
  }
  for (const Known& known : view_) {
    ibcc_endport endport{};
    endport.node = index[known.device];
    endport.port = devices[known.device].is_switch ? 0 : 1;
    endport.lid = known.lid;
    endport.port_guid = devices[known.device].guid;
    endport.may_be_reset = known.was_reset;
    endport.not_ready = !known.is_active;
    ibcc_snapshot_add_endport(s, &endport);
  }
  LearnLids();
  s->sm_state = State();
  s->sweep_ok = sweep_ok;
  s->opensm_cc_on = own_manager_known_;
  s->sm_port_guid = devices[own_host].guid;
  return s;
}

}  // namespace ibcc_test::simulation

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A fabric of fake agents around a manager, with a clock that only moves when somebody waits.
#pragma once

#include <jansson.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "devices/snapshot.h"
#include "fake_agent.hpp"
#include "mad/mad_port.h"
#include "manager/manager.h"

namespace ibcc_test {

// Leaves with hosts: host h (GUID 0x1000 + h) at leaf h / hosts_per_leaf (GUID 0x9000 + leaf), and a spine (0xA000).
class FakeFabric {
 public:
  struct Node {
    std::uint64_t guid = 0;
    bool is_switch = false, present = true, answers = true, was_reset = false;
    std::uint16_t lid = 0;
    std::uint32_t vendor = 0;    // OUI
    bool tells_firmware = true;  // by GeneralInfo: 31, its number from 1, and
    std::uint8_t firmware = 1;   // this
    bool same_model = false;     // 31.0 instead: all of these have the same firmware
    unsigned answers_every = 1;  // nth request
    std::uint64_t tries = 0;     // requests that it was sent
    FakeAgent agent;
  };

  FakeFabric(unsigned leaves, unsigned hosts_per_leaf) : leaves_(leaves), hosts_per_leaf_(hosts_per_leaf) {
    for (unsigned h = 0; h < leaves * hosts_per_leaf; ++h) AddNode(0x1000 + h, false);
    for (unsigned l = 0; l < leaves; ++l) AddNode(0x9000 + l, true);
    AddNode(0xA000, true);
    port_.fabric = this;
    port_.port.send = [](ibcc_mad_port* port, std::uint16_t lid, std::uint8_t, const std::uint8_t* mad,
                         std::uint32_t timeout_ms) { return reinterpret_cast<Port*>(port)->fabric->Send(lid, mad, timeout_ms); };
    port_.port.close = [](ibcc_mad_port*) {};
    port_.port.has_ended = [](const ibcc_mad_port* port) {
      const FakeFabric& fabric = *reinterpret_cast<const Port*>(port)->fabric;
      return fabric.port_ended || !fabric.has_port;
    };
  }

  // What a node makes of a request: fills the answer's method, status and data. False: the key is wrong, so there is none.
  static bool Serve(Node& node, const std::uint8_t* mad, ibcc_answer& answer) {
    std::uint64_t key = 0;
    for (int i = 24; i < 32; ++i) key = key << 8 | mad[i];
    const std::uint16_t attribute = ibcc_cc_mad_attribute(mad);
    if (!node.agent.Admits(key, mad[3], attribute)) return false;
    Data data;
    std::copy(mad + IBCC_DATA_OFFSET, mad + IBCC_MAD_BYTES, data.begin());
    const std::uint16_t status = attribute == CCP_CONGESTION_KEY_INFO
                                     ? node.agent.AnswerKeyInfo(key, mad[3], data)
                                     : node.agent.Answer(mad[3], attribute, ibcc_cc_mad_modifier(mad), data);
    answer.mad[3] = IBCC_GET_RESP;
    answer.mad[4] = static_cast<std::uint8_t>(status >> 8);
    answer.mad[5] = static_cast<std::uint8_t>(status);
    std::copy(data.begin(), data.end(), answer.mad + IBCC_DATA_OFFSET);
    return true;
  }

  // Answers GeneralInfo of the vendor's class, with its fields where rdma-core's vendstat reads them.
  bool ServeFirmware(const Node& node, ibcc_answer& answer) {
    if (!node.tells_firmware) return false;
    answer.mad[3] = IBCC_GET_RESP;
    answer.mad[103] = 31;
    answer.mad[107] = node.same_model ? 0 : static_cast<std::uint8_t>(&node - nodes_.data() + 1);
    answer.mad[111] = node.firmware;
    return true;
  }

  std::vector<Node>& nodes() { return nodes_; }
  Node& host(unsigned h) { return nodes_[h]; }
  Node& leaf(unsigned l) { return nodes_[leaves_ * hosts_per_leaf_ + l]; }

  ibcc_manager_env ManagerEnv() {
    ibcc_manager_env env{};
    env.owner = this;
    env.snapshot = [](void* self) {
      const auto* fabric = static_cast<FakeFabric*>(self);
      return fabric->has_memory ? fabric->Snapshot() : nullptr;
    };
    env.sm_state = [](void* self) { return static_cast<FakeFabric*>(self)->State(); };
    env.open_port = [](void* self, std::uint64_t) { return static_cast<FakeFabric*>(self)->OpenPort(); };
    env.on_event = [](void* self, const char* event, void* params) { static_cast<FakeFabric*>(self)->TakeEvent(event, params); };
    env.now_ns = [](void* self) { return static_cast<FakeFabric*>(self)->now_ns; };
    env.is_sweeping = [](void* self) { return static_cast<FakeFabric*>(self)->is_sweeping(); };
    env.num_sweeps_begun = [](void* self) { return static_cast<FakeFabric*>(self)->sweeps_begun; };
    return env;
  }

  // What the worker's loop does until `done`, or until nothing will ever happen, or for `at_most_s`.
  bool Run(ibcc_manager* manager, const std::function<bool()>& done, std::int64_t at_most_s = 3600) {
    const std::int64_t end_ns = now_ns + at_most_s * 1'000'000'000;
    for (;;) {
      ibcc_manager_tick(manager);
      if (done()) return true;
      std::int64_t next = ibcc_manager_next_ns(manager);
      if (!in_flight_.empty()) next = std::min(next, in_flight_.front().first);
      if (next > end_ns) return false;
      now_ns = std::max(now_ns, next);
      Deliver(manager);
    }
  }
  bool RunUntilIdle(ibcc_manager* manager, std::int64_t at_most_s = 3600) {
    return Run(manager, [&] { return ibcc_manager_is_idle(manager) && in_flight_.empty(); }, at_most_s);
  }
  void ExchangeLids(unsigned a, unsigned b) { std::swap(nodes_[a].lid, nodes_[b].lid); }
  // A heavy sweep that ends.
  void Sweep(ibcc_manager* manager, std::vector<std::uint64_t> ports = {}, std::vector<std::uint64_t> switches = {}) {
    ibcc_inbox_content begins{};
    begins.notices = IBCC_NOTICE_SWEEP_BEGINS;
    begins.num_sweeps_begun = ++sweeps_begun;
    begins.sweeping = true;
    ibcc_manager_handle_inbox(manager, &begins);
    const std::uint64_t before = mads;
    ibcc_manager_tick(manager);
    mads_in_sweeps += mads - before;
    ibcc_inbox_content up{};
    up.notices = IBCC_NOTICE_SUBNET_UP;
    up.num_sweeps_ended = 1;
    up.num_sweeps_begun = sweeps_begun;
    up.port_guids = ports.data();
    up.num_ports = static_cast<std::uint32_t>(ports.size());
    up.switch_guids = switches.data();
    up.num_switches = static_cast<std::uint32_t>(switches.size());
    ibcc_manager_handle_inbox(manager, &up);
  }

  std::function<bool()> is_sweeping = [] { return false; };  // before the mail that says so
  std::uint32_t sweeps_begun = 0;
  ibcc_sm_state State() const { return master ? IBCC_SM_MASTER : discovering ? IBCC_SM_DISCOVERING : IBCC_SM_STANDBY; }

  bool master = true, discovering = false, sweep_ok = true, opensm_cc_on = false;
  ibcc_other_sms other_sms{};
  bool has_memory = true;               // for a copy of the subnet
  const char* doubt = nullptr;          // why that copy is not to be believed
  bool has_port = true;                 // false: the adapter of this host was reset, and is not back yet
  bool port_ended = false;              // as an adapter's reset leaves it; opening it again helps,
  bool port_stays_ended = false;        // or does not
  std::vector<std::int64_t> opened_ns;  // when it was opened, or could not be
  double loss = 0;
  std::int64_t now_ns = 1'000'000'000;
  std::int64_t latency_ns = 10'000;
  std::uint64_t mads = 0, mads_in_sweeps = 0, firmware_mads = 0;
  std::vector<std::string> log_of_sets;  // "h0 22" for host 0's attribute 22 ..., in the order in which they arrived
  std::function<void()> on_set;          // before each Set that arrives
  std::uint64_t subnet_prefix = 0xFE80000000000000;
  std::map<std::string, int> events;
  std::vector<std::string> told;  // events with a dot in their names: "device.lost {…}", as they came

 private:
  struct Port {
    ibcc_mad_port port{};
    FakeFabric* fabric = nullptr;
  };

  void AddNode(std::uint64_t guid, bool is_switch) {
    Node node;
    node.guid = guid;
    node.is_switch = is_switch;
    node.lid = static_cast<std::uint16_t>(nodes_.size() + 1);
    nodes_.push_back(node);
  }
  ibcc_mad_port* OpenPort() {
    opened_ns.push_back(now_ns);
    if (!has_port) return nullptr;
    port_ended = port_stays_ended;
    return &port_.port;
  }
  int Send(std::uint16_t lid, const std::uint8_t* mad, std::uint32_t timeout_ms) {
    if (port_ended || !has_port) return -EIO;
    ++mads;
    ibcc_answer answer{};
    answer.lid = lid;
    std::copy(mad, mad + IBCC_MAD_BYTES, answer.mad);
    const auto holder = std::find_if(nodes_.begin(), nodes_.end(), [&](const Node& one) { return one.lid == lid; });
    Node* node = holder == nodes_.end() ? nullptr : &*holder;
    const bool lost = std::uniform_real_distribution<>()(random_) < loss;
    const bool is_vendors = ibcc_cc_mad_is_of(mad, &ibcc_vendor_class);
    firmware_mads += is_vendors;
    const bool is_skipped = node != nullptr && ++node->tries % node->answers_every != 0;
    if (node == nullptr || !node->present || !node->answers || lost || is_skipped ||
        !(is_vendors ? ServeFirmware(*node, answer) : Serve(*node, mad, answer))) {
      answer.timed_out = true;
      in_flight_.emplace_back(now_ns + std::int64_t{timeout_ms} * 1'000'000, answer);
    } else {
      if (mad[3] == IBCC_SET && on_set) on_set();
      if (mad[3] == IBCC_SET)
        log_of_sets.push_back((node->is_switch ? "s" : "h") + std::to_string(node - nodes_.data()) + " " +
                              std::to_string(ibcc_cc_mad_attribute(mad)));
      in_flight_.emplace_back(now_ns + latency_ns, answer);
    }
    std::sort(in_flight_.begin(), in_flight_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    return 0;
  }
  void Deliver(ibcc_manager* manager) {
    std::vector<ibcc_answer> due;
    while (!in_flight_.empty() && in_flight_.front().first <= now_ns) {
      due.push_back(in_flight_.front().second);
      in_flight_.pop_front();
    }
    if (due.empty()) return;
    ibcc_inbox_content content{};
    content.answers = due.data();
    content.num_answers = static_cast<std::uint32_t>(due.size());
    ibcc_manager_handle_inbox(manager, &content);
  }
  // A port whose link is up.
  ibcc_subnet_port PortOf(std::size_t i, unsigned port) const {
    ibcc_subnet_port one{};
    one.number = static_cast<std::uint8_t>(port);
    one.guid = nodes_[i].is_switch ? 0 : nodes_[i].guid;
    one.lid = nodes_[i].is_switch ? 0 : nodes_[i].lid;
    one.state = 4;
    one.physical = 5;
    one.mtu = 5;
    one.width = 2;
    one.speed = IBCC_SPEED_NDR;
    return one;
  }
  ibcc_snapshot* Snapshot() const {
    const auto count = static_cast<std::uint32_t>(nodes_.size());
    ibcc_snapshot* s = ibcc_snapshot_create(count, count * 64, count);
    if (s == nullptr) return nullptr;
    std::map<std::size_t, std::uint32_t> index;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const std::size_t hosts = std::size_t{leaves_} * hosts_per_leaf_;
      // A host is there as long as its leaf is.
      if (!nodes_[i].present || (i < hosts && !nodes_[hosts + i / hosts_per_leaf_].present)) continue;
      const std::string name = (nodes_[i].is_switch ? "S" : "H") + std::to_string(i);
      index[i] = ibcc_snapshot_add_node(s, nodes_[i].guid, nodes_[i].is_switch ? CCP_NODE_SWITCH : CCP_NODE_HOST,
                                        nodes_[i].is_switch ? 36 : 1, name.c_str(), name.size());
      ibcc_snapshot_identify(s, index[i], {.vendor_id = nodes_[i].vendor, .device_id = 0xD2F2});
    }
    const std::size_t hosts = std::size_t{leaves_} * hosts_per_leaf_;
    const auto connect = [&](std::size_t a, unsigned pa, std::size_t b, unsigned pb) {
      if (index.count(a) == 0 || index.count(b) == 0) return;
      ibcc_snapshot_connect(s, index[a], pa, index[b]);
      ibcc_snapshot_connect(s, index[b], pb, index[a]);
      const auto set = [&](std::size_t i, unsigned port, std::size_t peer, unsigned peer_port) {
        ibcc_subnet_port one = PortOf(i, port);
        one.peer_guid = nodes_[peer].guid;
        one.peer_port = static_cast<std::uint8_t>(peer_port);
        ibcc_snapshot_set_port(s, index[i], &one);
      };
      set(a, pa, b, pb);
      set(b, pb, a, pa);
    };
    for (unsigned h = 0; h < hosts; ++h) connect(h, 1, hosts + h / hosts_per_leaf_, 1 + h % hosts_per_leaf_);
    for (unsigned l = 0; l < leaves_; ++l) connect(hosts + l, 36, hosts + leaves_, 1 + l);
    for (const auto& [i, node] : index) {
      ibcc_endport endport{};
      endport.node = node;
      endport.port = nodes_[i].is_switch ? 0 : 1;
      endport.lid = nodes_[i].lid;
      endport.port_guid = nodes_[i].guid;
      endport.may_be_reset = nodes_[i].was_reset;
      ibcc_snapshot_add_endport(s, &endport);
      ibcc_subnet_port port0{};
      port0.lid = nodes_[i].lid;
      if (nodes_[i].is_switch) ibcc_snapshot_set_port(s, node, &port0);
    }
    s->other_sms = other_sms;
    s->sm_state = State();
    s->sweep_ok = sweep_ok;
    s->opensm_cc_on = opensm_cc_on;
    s->sm_port_guid = nodes_[0].guid;
    s->doubt = doubt;
    s->subnet_prefix = subnet_prefix;
    return s;
  }
  void TakeEvent(const char* event, void* params) {
    ++events[event];
    if (std::strchr(event, '.') != nullptr) {
      char* text = json_dumps(static_cast<json_t*>(params), JSON_COMPACT | JSON_PRESERVE_ORDER);
      if (text != nullptr) told.push_back(event + (" " + std::string(text)));
      std::free(text);
    }
    json_decref(static_cast<json_t*>(params));
  }

  unsigned leaves_, hosts_per_leaf_;
  std::vector<Node> nodes_;
  std::deque<std::pair<std::int64_t, ibcc_answer>> in_flight_;
  std::mt19937 random_{5};
  Port port_;
};

}  // namespace ibcc_test

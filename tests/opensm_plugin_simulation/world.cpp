// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "world.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "devices/device.h"
#include "disk.hpp"
#include "opensm_plugin/fake_fabric.hpp"

namespace ibcc_test::simulation {

namespace {

// An answer's VLs and SLs are those that were asked about, and nothing that is held.
Payload Canonical(Key key, const Data& data) {
  Payload value{};
  ibcc_canonical(key.first, key.second, data.data(), value.data());
  if (key.first == CCP_CONGESTION_PORT_PROFILE_SETTINGS) value[2] = value[3] = 0;
  if (key.first == CCP_CONGESTION_HCA_ALGO_CONFIG) value[4] = value[5] = 0;
  return value;
}

// Where the fake agent keeps what an item is about: by VL, by SL.
std::vector<Key> KeysOf(const ibcc_item& item) {
  std::vector<Key> keys;
  const std::uint32_t place = item.block & 0xFFFF;
  for (unsigned bit = 0; bit < 16 && item.scope != 0; ++bit)
    if ((item.scope >> bit & 1) != 0) keys.emplace_back(item.attribute, bit << 16 | place);
  if (item.scope == 0) keys.emplace_back(item.attribute, item.block);
  return keys;
}

Payload WantedOf(const ibcc_item& item) {
  Data wanted{};
  std::copy(item.wanted->bytes, item.wanted->bytes + wanted.size(), wanted.begin());
  return Canonical({item.attribute, item.block}, wanted);
}

constexpr std::size_t kMostHistory = 24;
constexpr std::int64_t kDelayNs = 20'000;
constexpr unsigned kAtCcKey = 24;  // in a MAD

}  // namespace

Data Device::PowerOn(Key key) const { return FakeNvidia::PowerOn(key, agent.nvidia.parameters); }

void Device::Note(std::int64_t now_ns, std::uint16_t attribute) {
  for (const auto& [key, data] : agent.held) {
    if (key.first != attribute) continue;
    std::deque<Held>& list = history[key];
    const Payload value = Canonical(key, data);
    if (!list.empty() && list.back().value == value) continue;
    list.push_back({now_ns, value});
    if (list.size() > kMostHistory) list.pop_front();
  }
}

bool Device::WasHeld(Key key, const Payload& value, std::int64_t from_ns, std::int64_t to_ns) const {
  const auto found = history.find(key);
  if (found == history.end()) return value == Canonical(key, PowerOn(key));
  const std::deque<Held>& list = found->second;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::int64_t end_ns = i + 1 < list.size() ? list[i + 1].since_ns : INT64_MAX;
    if (list[i].value == value && list[i].since_ns <= to_ns && end_ns > from_ns) return true;
  }
  // Before what is remembered it held nothing, or what nobody knows any more.
  return list.size() == kMostHistory || (list.front().since_ns > from_ns && value == Canonical(key, PowerOn(key)));
}

bool Device::HeldIn(const ibcc_item& item, std::int64_t from_ns, std::int64_t to_ns) const {
  const std::vector<Key> keys = KeysOf(item);
  return std::all_of(keys.begin(), keys.end(), [&](Key key) { return WasHeld(key, WantedOf(item), from_ns, to_ns); });
}

bool Device::Holds(const ibcc_item& item) const {
  const std::vector<Key> keys = KeysOf(item);
  return std::all_of(keys.begin(), keys.end(), [&](Key key) {
    const auto found = agent.held.find(key);
    return Canonical(key, found == agent.held.end() ? PowerOn(key) : found->second) == WantedOf(item);
  });
}

bool Device::IsWholeHistory(Key key) const {
  const auto found = history.find(key);
  return found == history.end() || found->second.size() < kMostHistory;
}

std::set<Payload> Device::EverHeld(Key key) const {
  std::set<Payload> values;
  const auto found = history.find(key);
  if (found == history.end() || found->second.front().since_ns > 0) values.insert(Canonical(key, PowerOn(key)));
  if (found == history.end()) return values;
  for (const Held& one : found->second) values.insert(one.value);
  return values;
}

std::set<Payload> Device::HeldSince(Key key, std::int64_t from_ns) const {
  std::set<Payload> values;
  const auto found = history.find(key);
  if (found == history.end() || found->second.front().since_ns > from_ns) values.insert(Canonical(key, PowerOn(key)));
  if (found == history.end()) return values;
  const std::deque<Held>& list = found->second;
  for (std::size_t i = 0; i < list.size(); ++i)
    if (i + 1 == list.size() || list[i + 1].since_ns > from_ns) values.insert(list[i].value);
  return values;
}

std::string Device::Told(const ibcc_item& item) const {
  std::string text;
  const auto add = [&](const Payload& bytes) {
    char hex[4];
    for (std::size_t i = 0; i < 28; ++i) {
      std::snprintf(hex, sizeof(hex), "%02x ", bytes[i]);
      text += hex;
    }
  };
  add(WantedOf(item));
  for (const Key& key : KeysOf(item)) {
    const auto all = history.find(key);
    text += "\n at " + std::to_string(key.second) + (all == history.end() ? " nothing is held" : "");
    if (all == history.end()) continue;
    for (const Held& one : all->second) {
      text += "\n  since " + std::to_string(static_cast<double>(one.since_ns) / 1e9) + " ";
      add(one.value);
    }
  }
  return text;
}

World::World(std::uint64_t seed, unsigned hosts, unsigned switches, ibcc_inbox* inbox, World* other)
    : fabric(other == nullptr ? std::make_shared<std::vector<Device>>() : other->fabric),
      devices(*fabric),
      suspects_ns(hosts + switches),
      random_(seed),
      site_(seed + 2),
      inbox_(inbox),
      hosts_(hosts),
      switches_(switches),
      other_(other),
      seen_resets_(hosts + switches) {
  if (other == nullptr) Build();
  if (other != nullptr) {
    other->other_ = this;
    own_host = hosts - 1;
  }
  port_.world = this;
  port_.port.send = [](ibcc_mad_port* port, std::uint16_t lid, std::uint8_t, const std::uint8_t* mad, std::uint32_t timeout_ms) {
    return reinterpret_cast<PortOf*>(port)->world->Send(lid, mad, timeout_ms);
  };
  port_.port.has_ended = [](const ibcc_mad_port* port) { return reinterpret_cast<const PortOf*>(port)->world->port_ended; };
  port_.port.close = [](ibcc_mad_port*) {};
}

void World::Build() {
  for (unsigned i = 0; i < hosts_ + switches_; ++i) {
    Device device;
    device.index = i;
    device.model = i + 1;
    device.is_switch = i >= hosts_;
    device.guid = device.is_switch ? 0x9000 + i : 0x1000 + i;
    device.lid = static_cast<std::uint16_t>(i + 1);
    if (i % 4 == 3) device.vendor = 0x00066A;
    // Annex A10's attributes alone, both kinds, NVIDIA's alone.
    device.agent.has_a10 = i % 4 < 2;
    device.agent.nvidia.is_there = i % 4 != 0;
    device.agent.nvidia.is_switch = device.is_switch;
    device.agent.nvidia.ports = kSwitchPorts;
    device.agent.nvidia.vls = i % 3 == 0 ? 2 : 4;
    device.agent.nvidia.buffer = 1'000'000 * (1 + i % 3);
    if (i % 3 == 1) std::swap(device.agent.nvidia.order[0], device.agent.nvidia.order[1]);
    device.agent.nvidia.by_modifier = i % 2 == 0;
    device.agent.nvidia.ver1 = true;
    devices.push_back(device);
  }
}

void World::At(std::int64_t when_ns, std::function<void()> what) { events_.push({when_ns, ++serial_, std::move(what)}); }

void World::RunNext() {
  if (before_event) before_event(NextNs());
  const Event event = events_.top();
  events_.pop();
  now_ns = std::max(now_ns, event.when_ns);
  event.what();
}

// Threads put mail into the box at once; the plugin's reads it a little later.
void World::Post(const std::function<void()>& how) {
  how();
  At(now_ns + static_cast<std::int64_t>(Below(Chance(0.05) ? 20 * kNsPerMs : 50'000)), [this] { mail_is_due = true; });
}

int World::Send(std::uint16_t lid, const std::uint8_t* mad, std::uint32_t timeout_ms) {
  if (TheDisk().has_stopped) return 0;
  if (on_send) on_send(lid, mad);
  if (port_ended) return -5;
  std::array<std::uint8_t, IBCC_MAD_BYTES> copy{};
  std::copy(mad, mad + IBCC_MAD_BYTES, copy.begin());
  const std::int64_t timeout_at_ns = now_ns + std::int64_t{timeout_ms} * kNsPerMs;
  const std::int64_t delay_ns = kDelayNs + (Chance(slow) ? static_cast<std::int64_t>(Below(300)) * kNsPerMs : 0);
  if (delay_ns > kDelayNs) NoteUnlucky(lid, mad);
  // On their way to one device, none overtakes another.
  std::int64_t& arrives_ns = arrives_ns_[lid];
  arrives_ns = std::max(arrives_ns, now_ns + delay_ns);
  if (Chance(loss))
    NoteUnlucky(lid, mad);
  else
    At(arrives_ns, [this, lid, copy] { Arrive(lid, copy, true); });
  if (Chance(repeat)) At(arrives_ns + kDelayNs, [this, lid, copy] { Arrive(lid, copy, false); });
  ibcc_answer timed_out{};
  timed_out.timed_out = true;
  timed_out.lid = lid;
  std::copy(copy.begin(), copy.end(), timed_out.mad);
  const std::uint32_t tid = ibcc_cc_mad_tid(copy.data());
  pending_[tid] = true;
  At(timeout_at_ns, [this, timed_out, tid] {
    if (pending_.erase(tid) > 0 || !kernel) Post([&] { ibcc_inbox_post_answer(inbox_, &timed_out); });
  });
  if (sudden > 0 && Chance(sudden)) StartSweep();
  return 0;
}

const Device& World::Leaf(const Device& host) const { return devices[hosts_ + host.index % switches_]; }

bool World::IsLinked(const Device& device) const {
  const auto is_up = [this](const Device& one) { return one.is_linked && unseen.count(one.index) == 0; };
  return is_up(device) && (device.is_switch || is_up(Leaf(device)));
}

void World::Arrive(std::uint16_t lid, std::array<std::uint8_t, IBCC_MAD_BYTES> mad, bool is_first) {
  const auto found =
      std::find_if(devices.begin(), devices.end(), [&](const Device& one) { return one.lid == lid && IsLinked(one); });
  if (found == devices.end() || !found->answers || ++found->mads % found->answers_every != 0) {
    NoteUnlucky(lid, mad.data());
    return;
  }
  Device& device = *found;
  const Key key{ibcc_cc_mad_attribute(mad.data()), ibcc_cc_mad_modifier(mad.data())};
  const bool is_set = mad[3] == IBCC_SET;
  if (!is_first && is_set) return;  // a Set that comes twice is the same; a Get may be answered twice
  ibcc_answer answer{};
  answer.lid = lid;
  std::copy(mad.begin(), mad.end(), answer.mad);
  if (ibcc_cc_mad_is_of(mad.data(), &ibcc_vendor_class)) {
    AnswerGeneralInfo(device, answer);
    return;
  }
  Data data;
  std::copy(mad.begin() + IBCC_DATA_OFFSET, mad.end(), data.begin());
  std::uint64_t cc_key = 0;
  for (unsigned i = 0; i < 8; ++i) cc_key = cc_key << 8 | mad[kAtCcKey + i];
  if (!device.agent.Admits(cc_key, mad[3], key.first)) return;
  std::uint16_t status = 0;
  device.agent.supports_class = device.supports;
  if (key.first == CCP_CONGESTION_KEY_INFO) {
    status = device.agent.AnswerKeyInfo(cc_key, mad[3], data);
  } else if (is_set && device.refuses && device.supports) {
    status = 0x1c;
  } else {
    if (is_set && device.clamps && key.first == CCP_CA_CONGESTION_SETTING) data[5] = 60;  // of CCTI_Timer
    status = device.agent.Answer(mad[3], key.first, key.second, data);
    if (is_set && status == 0) device.Note(now_ns, key.first);
  }
  answer.mad[3] = IBCC_GET_RESP;
  answer.mad[4] = static_cast<std::uint8_t>(status >> 8);
  answer.mad[5] = static_cast<std::uint8_t>(status);
  std::copy(data.begin(), data.end(), answer.mad + IBCC_DATA_OFFSET);
  const std::int64_t at_ns = now_ns + kDelayNs + (Chance(slow) ? static_cast<std::int64_t>(Below(300)) * kNsPerMs : 0);
  if (!Chance(loss)) Deliver(answer, at_ns);
}

void World::NoteUnlucky(std::uint16_t lid, const std::uint8_t* mad) {
  if (!ibcc_cc_mad_is_of(mad, &ibcc_vendor_class)) return;
  for (Device& device : devices) device.is_unlucky |= device.lid == lid;
}

// Fields stand where rdma-core's vendstat reads them: numbers that do not fit into bytes follow the short ones.
void World::AnswerGeneralInfo(Device& device, ibcc_answer answer) {
  if (device.tells == Tells::Silent) return;
  answer.mad[3] = IBCC_GET_RESP;
  if (device.tells == Tells::Refuses) answer.mad[5] = 0x0C;
  if (device.tells == Tells::OtherAttribute) answer.mad[17] = 0x18;
  if (device.tells != Tells::Zeros && device.tells != Tells::Refuses) {
    answer.mad[103] = 31;
    answer.mad[107] = static_cast<std::uint8_t>(device.model);
    answer.mad[110] = static_cast<std::uint8_t>(device.firmware >> 8);
    answer.mad[111] = static_cast<std::uint8_t>(device.firmware);
  }
  const std::int64_t late_ns = Chance(slow) ? static_cast<std::int64_t>(Below(300)) * kNsPerMs : 0;
  const bool is_lost = Chance(loss);
  device.is_unlucky |= late_ns > 0 || is_lost;
  if (!is_lost) Deliver(answer, now_ns + kDelayNs + late_ns);
}

void World::Update(Device& device) {
  ++device.firmware;
  device.tells = Chance(0.6) ? Tells::Well : static_cast<Tells>(Below(5));
  device.is_unlucky = false;
  Reset(device);
  ++device.resets;
}

void World::BecomeASite() {
  for (Device& device : devices) {
    if (!device.agent.has_a10) continue;
    ccp_error error{};
    const auto hold = [&](ccp_attribute_id attribute, const auto& value) {
      (void)ccp_pack(attribute, &value, device.agent.held[{static_cast<std::uint16_t>(attribute), 0}].data(), &error);
      device.Note(0, static_cast<std::uint16_t>(attribute));
    };
    if (device.is_switch) {
      ccp_switch_setting setting{};
      setting.control_map = Chance(0.5) ? CCP_CONTROL_MAP_ALL : CCP_CONTROL_MAP_MARKING_RATE;
      setting.threshold = static_cast<std::uint8_t>(Below(16));
      setting.marking_rate = static_cast<std::uint16_t>(150 + Below(50));
      hold(CCP_SWITCH_CONGESTION_SETTING, setting);
      continue;
    }
    ccp_ca_setting setting{};
    setting.control_map = Chance(0.5) ? CCP_ALL_SLS : 1;
    // Each host has its own CCTI_Increase, by which a Set that goes to another is seen, and a timer that no profile has.
    setting.sls[0] = {.ccti_timer = static_cast<std::uint16_t>(1 + Below(90)),
                      .ccti_increase = static_cast<std::uint8_t>(device.index + 1),
                      .trigger_threshold = 0,
                      .ccti_min = 0};
    hold(CCP_CA_CONGESTION_SETTING, setting);
    ccp_cct_block block{};
    block.ccti_limit = static_cast<std::uint16_t>(Below(64));
    block.entries[0].multiplier = static_cast<std::uint16_t>(Below(9));
    hold(CCP_CONGESTION_CONTROL_TABLE, block);
  }
}

// Some are on. Each adapter has its own rpg_hai_rate, as in profiles, and rates that no profile has.
void World::BecomeASiteByNvidia() {
  const auto below = [this](unsigned bound) { return static_cast<unsigned>(site_() % bound); };
  for (Device& device : devices) {
    if (!device.agent.nvidia.is_there) continue;
    const auto hold = [&](ccp_attribute_id attribute, std::uint32_t place, const auto& value) {
      device.agent.held[{static_cast<std::uint16_t>(attribute), place}] = Packed(attribute, value);
      device.Note(0, static_cast<std::uint16_t>(attribute));
    };
    const bool is_on = below(3) == 0;
    if (device.is_switch) {
      hold(CCP_CONGESTION_SWITCH_GENERAL_SETTINGS, 0, [&] {
        ccp_congestion_switch_general_settings general{};
        general.en = is_on;
        general.aqs_weight = 15;
        return general;
      }());
      for (std::uint32_t port = 1; port <= kSwitchPorts; ++port) {
        ccp_congestion_port_profile_settings settings{};
        const unsigned vl = below(2);
        settings.vl_mask = static_cast<std::uint16_t>(1U << vl);
        settings.mode = CCP_THRESHOLD_PERCENTAGE;
        settings.profiles[0].max = 1 + below(40);
        hold(CCP_CONGESTION_PORT_PROFILE_SETTINGS, vl << 16 | port, settings);
      }
      continue;
    }
    ccp_congestion_hca_general_settings general{};
    general.en_notify = general.en_react = is_on;
    hold(CCP_CONGESTION_HCA_GENERAL_SETTINGS, 0, general);
    auto rp = Unpacked<ccp_congestion_hca_rp_parameters>(CCP_CONGESTION_HCA_RP_PARAMETERS,
                                                         FakeNvidia::PowerOn({CCP_CONGESTION_HCA_RP_PARAMETERS, 0}, 0));
    rp.rpg_hai_rate = static_cast<std::uint16_t>(device.index + 1);
    rp.rpg_ai_rate = static_cast<std::uint16_t>(1 + below(40));
    hold(CCP_CONGESTION_HCA_RP_PARAMETERS, 0, rp);
    const unsigned sl = below(16), slot = below(2);
    hold(CCP_CONGESTION_HCA_ALGO_CONFIG, sl << 16 | slot,
         ccp_congestion_hca_algo_config{.algo_en = true, .sl_bitmask = static_cast<std::uint16_t>(1U << sl)});
  }
}

void World::BecomeOneModel() {
  for (Device& device : devices) {
    device.model = 1;
    device.vendor = 0x0002C9;
  }
}

void World::Deliver(const ibcc_answer& answer, std::int64_t at_ns) {
  At(at_ns, [this, answer] {
    if (pending_.erase(ibcc_cc_mad_tid(answer.mad)) == 0 && kernel) return;
    if (!port_ended) Post([&] { ibcc_inbox_post_answer(inbox_, &answer); });
  });
}

void World::Reset(Device& device) {
  for (auto& [key, data] : device.agent.held) data = FakeNvidia::PowerOn(key, device.agent.nvidia.parameters);
  std::set<std::uint16_t> attributes;
  for (const auto& [key, data] : device.agent.held) attributes.insert(key.first);
  for (const std::uint16_t attribute : attributes) device.Note(now_ns, attribute);
  device.agent.cc_key = 0;
  device.disturbed_ns = now_ns;
  // Another list of algorithms was loaded.
  if (Chance(0.3)) std::swap(device.agent.nvidia.order[0], device.agent.nvidia.order[1]);
}

void World::Tamper(Device& device) {
  for (auto& [key, data] : device.agent.held) {
    if (key.first == CCP_CA_CONGESTION_SETTING || key.first == CCP_SWITCH_CONGESTION_SETTING)
      data[5] = static_cast<std::uint8_t>(1 + Below(40));
    else if (key.first == CCP_CONGESTION_HCA_RP_PARAMETERS)
      data[23] = static_cast<std::uint8_t>(1 + Below(40));  // rpg_ai_rate
    else if (key.first == CCP_CONGESTION_PORT_PROFILE_SETTINGS && key.second % kSwitchPorts == 1)
      data[11] = static_cast<std::uint8_t>(1 + Below(40));  // profile1_max
    else
      continue;
    device.Note(now_ns, key.first);
  }
  device.disturbed_ns = now_ns;
}

void World::Quiet() {
  loss = repeat = slow = sudden = slow_copy = 0;
  port_away_ns = 0;
  has_no_memory = errors_wanted = opensm_cc_on = lose_wanted_ = swap_wanted_ = false;
  for (Device& device : devices) {
    device.is_linked = device.answers = device.takes_port_info = device.supports = true;
    device.refuses = device.clamps = false;
    device.answers_every = 1;
    device.agent.nvidia.quirk = Quirk::None;
  }
}

}  // namespace ibcc_test::simulation

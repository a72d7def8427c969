// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/traps.hpp"

#include <algorithm>
#include <cstdint>

#include "emulator/agents/agent.hpp"
#include "emulator/agents/sma/port_info.hpp"
#include "emulator/subnet.hpp"

namespace ccsim::emulator {
namespace {

// An agent does not repeat a trap without limit: a subnet manager that misses all of them finds PortStateChange at its next sweep.
constexpr unsigned kMaxSends = 5;

enum NoticeType : std::uint8_t { kUrgent = 1, kSecurity = 2, kInformational = 4 };

std::uint8_t ProducerOf(const Fabric& fabric, std::uint32_t node) {
  switch (fabric.nodes()[node].kind) {
    case NodeKind::Switch: return 2;
    case NodeKind::Router: return 3;
    default: return 1;
  }
}

}  // namespace

void Traps::LinkState(Subnet& subnet, std::uint32_t switch_node) {
  const Place at{switch_node, 0};
  std::array<std::uint8_t, 54> details{};
  Put16(details.data(), subnet.sma_port(at).lid);
  Raise(subnet, at, kLinkStateTrap, kUrgent, details);
}

void Traps::LocalChange(Subnet& subnet, Place endport, std::uint16_t local_changes) {
  std::array<std::uint8_t, 54> details{};
  Put16(details.data() + 2, subnet.sma_port(endport).lid);
  details[5] = local_changes != 0 ? 1 : 0;  // OtherLocalChanges: the flags below are valid
  Put32(details.data() + 6, CapabilityMask(subnet, endport));
  Put16(details.data() + 10, local_changes);
  Put16(details.data() + 12, CapabilityMask2(subnet, endport));
  Raise(subnet, endport, kLocalChangeTrap, kInformational, details);
}

void Traps::BadMKey(Subnet& subnet, Place endport, std::uint16_t slid, const Mad& offender) {
  std::array<std::uint8_t, 54> details{};
  Put16(details.data() + 2, slid);
  details[6] = offender.method();
  Put16(details.data() + 8, offender.attribute());
  Put32(details.data() + 10, offender.modifier());
  std::copy_n(offender.bytes() + 24, 8, details.data() + 14);
  if (offender.is_directed()) {
    constexpr std::uint8_t kPathRoom = 30;
    Put16(details.data() + 4, offender.dr_slid());
    const std::uint8_t hops = std::min(offender.hop_count(), kPathRoom);
    details[23] = static_cast<std::uint8_t>(0x80 | (offender.hop_count() > kPathRoom ? 0x40 : 0) | hops);
    std::copy_n(offender.return_path() + 1, hops, details.data() + 24);
  }
  Raise(subnet, endport, kBadMKeyTrap, kSecurity, details);
}

void Traps::Raise(Subnet& subnet, Place endport, TrapNumber number, std::uint8_t type,
                  const std::array<std::uint8_t, 54>& details) {
  const SmaPort& port = subnet.sma_port(endport);
  if (port.lid == 0 || port.sm_lid == 0) return;
  const Key key{endport.node, endport.port, number};
  Pending& pending = pending_[key];
  pending.mad.fill(0);
  std::uint8_t* bytes = pending.mad.data();
  bytes[0] = 1;
  bytes[1] = kSmpLid;
  bytes[2] = 1;
  bytes[3] = kTrap;
  Put64(bytes + 8, ++transactions_);
  Put16(bytes + 16, kNotice);
  std::uint8_t* notice = bytes + kSmpData.offset;
  notice[0] = static_cast<std::uint8_t>(0x80 | type);  // generic
  notice[3] = ProducerOf(subnet.fabric(), endport.node);
  Put16(notice + 4, number);
  Put16(notice + 6, port.lid);
  std::copy(details.begin(), details.end(), notice + 10);
  pending.sends_left = kMaxSends;
  if (pending.due_ns <= subnet.now_ns()) SendOut(subnet, key, pending);
}

void Traps::SendOut(Subnet& subnet, const Key& key, Pending& pending) {
  const Place endport{key.node, key.port};
  const SmaPort& port = subnet.sma_port(endport);
  Unsolicited& sent = subnet.outbox().emplace_back();
  sent.from = endport;
  sent.datagram.slid = port.lid;
  sent.datagram.dlid = port.sm_lid;
  sent.datagram.mad = pending.mad;
  --pending.sends_left;
  pending.due_ns = subnet.now_ns() + (std::int64_t{4096} << port.subnet_timeout);
  next_ns_ = std::min(next_ns_, pending.due_ns);
}

void Traps::Repress(Place endport, std::uint64_t transaction_id) {
  for (auto at = pending_.lower_bound({endport.node, endport.port, 0});
       at != pending_.end() && at->first.node == endport.node && at->first.port == endport.port; ++at) {
    // libumad2sim.so may have set bits 32 to 47; the bits above are set in traps that are not a node's.
    if (transaction_id >> 48 == 0 &&
        static_cast<std::uint32_t>(Mad(at->second.mad).transaction_id()) == static_cast<std::uint32_t>(transaction_id)) {
      at->second.sends_left = 0;
    }
  }
}

void Traps::Forget(std::uint32_t node) {
  const auto first = pending_.lower_bound({node, 0, 0});
  auto last = first;
  while (last != pending_.end() && last->first.node == node) ++last;
  pending_.erase(first, last);
}

void Traps::Tick(Subnet& subnet) {
  const std::int64_t now = subnet.now_ns();
  if (now < next_ns_) return;
  next_ns_ = INT64_MAX;
  for (auto at = pending_.begin(); at != pending_.end();) {
    Pending& pending = at->second;
    if (pending.due_ns <= now && pending.sends_left == 0) {
      at = pending_.erase(at);
      continue;
    }
    if (pending.due_ns <= now) SendOut(subnet, at->first, pending);
    next_ns_ = std::min(next_ns_, pending.due_ns);
    ++at;
  }
}

}  // namespace ccsim::emulator

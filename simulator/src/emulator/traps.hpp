// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// traps.hpp: notices that nodes send to their subnet manager, and repeat until it represses them (IBA vol. 1, 13.4.9 and 14.3.7 to
// 14.3.11).
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <map>

#include "emulator/mad.hpp"

namespace ccsim::emulator {

class Subnet;

// A MAD that a node sends without a request.
struct Unsolicited {
  Place from;
  Datagram datagram;
};

enum TrapNumber : std::uint16_t {
  kLinkStateTrap = 128,    // of a switch
  kLocalChangeTrap = 144,  // capability mask, node description, enabled widths and speeds
  kBadMKeyTrap = 256,
};

// Flags of trap 144 for changes that are not in the capability mask.
enum LocalChanges : std::uint16_t {
  kDescriptionChange = 0x01,
  kWidthEnabledChange = 0x02,
  kSpeedEnabledChange = 0x04,
};

class Traps {
 public:
  // Each trap is sent at once, or a SubnetTimeOut after the same trap of the same port if that was sent less long ago. A port without a
  // LID or a subnet manager sends nothing.
  void LinkState(Subnet& subnet, std::uint32_t switch_node);
  void LocalChange(Subnet& subnet, Place endport, std::uint16_t local_changes);
  void BadMKey(Subnet& subnet, Place endport, std::uint16_t slid, const Mad& offender);

  // Stops repeating the trap with this transaction id.
  void Repress(Place endport, std::uint64_t transaction_id);
  // Discards the traps of a node that loses power.
  void Forget(std::uint32_t node);

  // The time at which Tick() is due; INT64_MAX: never.
  std::int64_t NextDeadline_ns() const { return next_ns_; }
  void Tick(Subnet& subnet);

 private:
  struct Key {
    std::uint32_t node;
    std::uint8_t port;
    std::uint16_t number;
    auto operator<=>(const Key&) const = default;
  };
  struct Pending {
    MadBytes mad{};
    unsigned sends_left = 0;  // 0: repressed or abandoned, kept for the rate limit
    std::int64_t due_ns = 0;
  };

  void Raise(Subnet& subnet, Place endport, TrapNumber number, std::uint8_t type, const std::array<std::uint8_t, 54>& details);
  void SendOut(Subnet& subnet, const Key& key, Pending& pending);

  std::map<Key, Pending> pending_;
  std::uint64_t transactions_ = 0;
  std::int64_t next_ns_ = INT64_MAX;  // no later than the first due trap
};

}  // namespace ccsim::emulator

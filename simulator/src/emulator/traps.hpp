// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// traps.hpp: notices that nodes send to their subnet manager of their own accord, again and again until it represses them
// (IBA vol. 1, 13.4.9 and 14.3.7 to 14.3.11).
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <map>

#include "emulator/mad.hpp"

namespace ccsim::emulator {

class Subnet;

// A MAD that a node sends of its own accord.
struct Unsolicited {
  Place from;
  Datagram datagram;
};

enum TrapNumber : std::uint16_t {
  kLinkStateTrap = 128,    // of a switch
  kLocalChangeTrap = 144,  // capability mask, node description, enabled widths and speeds
  kBadMKeyTrap = 256,
};

// Trap 144's flags for what is not in the capability mask.
enum LocalChanges : std::uint16_t {
  kDescriptionChange = 0x01,
  kWidthEnabledChange = 0x02,
  kSpeedEnabledChange = 0x04,
};

class Traps {
 public:
  // Each goes out at once, or, where the same trap of the same port went out less than a SubnetTimeOut ago, after that time. A port
  // without a LID or a subnet manager sends nothing.
  void LinkState(Subnet& subnet, std::uint32_t switch_node);
  void LocalChange(Subnet& subnet, Place endport, std::uint16_t local_changes);
  void BadMKey(Subnet& subnet, Place endport, std::uint16_t slid, const Mad& offender);

  // Ends the repeating of the trap with this transaction.
  void Repress(Place endport, std::uint64_t transaction_id);
  // What a node had to say is forgotten with everything else.
  void Forget(std::uint32_t node);

  // Of Tick(); INT64_MAX: none.
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
    unsigned sends_left = 0;  // 0: repressed or given up, kept for the rate limit
    std::int64_t due_ns = 0;
  };

  void Raise(Subnet& subnet, Place endport, TrapNumber number, std::uint8_t type, const std::array<std::uint8_t, 54>& details);
  void SendOut(Subnet& subnet, const Key& key, Pending& pending);

  std::map<Key, Pending> pending_;
  std::uint64_t transactions_ = 0;
  std::int64_t next_ns_ = INT64_MAX;  // no later than the first that is due
};

}  // namespace ccsim::emulator

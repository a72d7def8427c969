// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// MulticastForwardingTable (IBA vol. 1, 14.2.5.12): for each of 32 LIDs a mask of 16 ports. The modifier's low nine bits are the block
// of LIDs, its high four bits which sixteen ports.
#include <algorithm>

#include "emulator/agents/agent.hpp"
#include "emulator/subnet.hpp"

namespace ccsim::emulator {
namespace {

constexpr std::size_t kLidsPerBlock = 32;
constexpr std::size_t kPortsPerMask = 16;

MadStatus HandleMulticastForwardingTable(Request& request) {
  if (!request.subnet.is_switch(request.at.node)) return kUnsupportedMethodAttribute;
  SmaNode& sma = request.subnet.device(request.at.node).sma;
  const std::size_t positions = (sma.ports.size() + kPortsPerMask - 1) / kPortsPerMask;
  const std::size_t block = request.modifier() & 0x1FF;
  const std::size_t position = request.modifier() >> 28;
  if (block >= kMulticastFdbCap / kLidsPerBlock || position >= positions) return kInvalidField;
  std::vector<std::uint16_t>& masks = sma.multicast;
  const auto at = [&](std::size_t lid) { return (block * kLidsPerBlock + lid) * positions + position; };
  if (request.is_set()) {
    masks.resize(std::max(masks.size(), (block + 1) * kLidsPerBlock * positions));
    for (std::size_t lid = 0; lid < kLidsPerBlock; ++lid) masks[at(lid)] = Get16(request.data + 2 * lid);
  }
  for (std::size_t lid = 0; lid < kLidsPerBlock; ++lid) {
    Put16(request.data + 2 * lid, at(lid) < masks.size() ? masks[at(lid)] : std::uint16_t{0});
  }
  return kOk;
}

const AttributeRegistration kRegistered(kSmpLid, "MulticastForwardingTable", 0x001B, kGetAndSet, kSmpData,
                                        HandleMulticastForwardingTable);

}  // namespace
}  // namespace ccsim::emulator

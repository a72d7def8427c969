// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// lft_blocks.hpp: the forwarding tables of all switches, in blocks of which equal ones are kept once.
//
// As one array, the tables of 1,620 switches for 11,664 hosts are 19 MB, looked up at random for each packet. But routings are
// regular: most blocks of a table are those of many other switches. So a switch has the number of a block for each of its blocks, and
// both the numbers and the blocks fit into a core's cache. A block that one switch alone has is changed in place, another one copied
// first, so there are never more blocks than the tables have. Blocks that become equal again stay apart.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "engine/big_vector.hpp"

namespace ccsim {

class LftBlocks {
 public:
  // Four times IBA's own: that makes numbers and blocks about equally large in fabrics of thousands of hosts.
  static constexpr unsigned kBits = 8;
  static constexpr std::uint32_t kEntries = 1u << kBits;
  using Block = std::array<std::uint8_t, kEntries>;

  LftBlocks() = default;
  // By switch, a row of `num_endports` entries each: row(ordinal) is a span of them, valid until the next call.
  template <typename Row>
  LftBlocks(std::uint32_t num_switches, std::uint32_t num_endports, Row row)
      : blocks_a_switch_((num_endports + kEntries - 1) / kEntries) {
    numbers_.reserve(std::size_t{num_switches} * blocks_a_switch_);
    std::map<Block, std::uint32_t> known;
    for (std::uint32_t s = 0; s < num_switches; ++s) {
      const std::span<const std::uint8_t> entries = row(s);
      for (std::uint32_t first = 0; first < num_endports; first += kEntries) {
        Block block{};
        std::copy_n(entries.begin() + first, std::min(kEntries, num_endports - first), block.begin());
        const auto [place, is_new] = known.try_emplace(block, static_cast<std::uint32_t>(blocks_.size()));
        if (is_new) {
          blocks_.push_back(block);
          users_.push_back(0);
        }
        ++users_[place->second];
        numbers_.push_back(place->second);
      }
    }
  }

  std::uint8_t operator()(std::uint32_t ordinal, std::uint32_t endport) const {
    return blocks_[Number(ordinal, endport)][endport % kEntries];
  }

  void Set(std::uint32_t ordinal, std::uint32_t endport, std::uint8_t entry) {
    std::uint32_t& number = numbers_[Place(ordinal, endport)];
    if (blocks_[number][endport % kEntries] == entry) return;
    if (users_[number] > 1) {
      --users_[number];
      const Block copy = blocks_[number];
      number = static_cast<std::uint32_t>(blocks_.size());
      blocks_.push_back(copy);
      users_.push_back(1);
    }
    blocks_[number][endport % kEntries] = entry;
  }

  // Fetches what says where the entry lies. Nothing is read, so `ordinal` may be any number.
  void Prefetch(std::uint32_t ordinal, std::uint32_t endport) const {
    __builtin_prefetch(numbers_.data() + Place(ordinal, endport));
  }

  std::size_t num_blocks() const { return blocks_.size(); }  // different ones, or changed since

 private:
  std::size_t Place(std::uint32_t ordinal, std::uint32_t endport) const {
    return std::size_t{ordinal} * blocks_a_switch_ + endport / kEntries;
  }
  std::uint32_t Number(std::uint32_t ordinal, std::uint32_t endport) const { return numbers_[Place(ordinal, endport)]; }

  std::uint32_t blocks_a_switch_ = 0;
  BigVector<std::uint32_t> numbers_;  // [switch][block of its table]: of a block
  BigVector<Block> blocks_;
  std::vector<std::uint32_t> users_;  // by number of the block: how many places have it
};

}  // namespace ccsim

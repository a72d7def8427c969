// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "devices/gone.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "opensm_plugin/refused_memory.hpp"

namespace {

class Gone : public testing::Test {
 protected:
  ~Gone() override { ibcc_gone_free(&gone_); }

  int Merge(std::vector<ibcc_gone> added) {
    const ibcc_gone_list list{.count = static_cast<std::uint32_t>(added.size()), .list = added.data()};
    const auto is_there = [](const void* self, const ibcc_gone* one) {
      return static_cast<const Gone*>(self)->there_.count(one->guid) != 0;
    };
    ibcc_gone_list merged{};
    const int result = ibcc_gone_merge(&merged, &gone_, &list, is_there, this, &forgotten_);
    if (result != 0) return result;
    ibcc_gone_free(&gone_);
    gone_ = merged;
    return 0;
  }
  std::string Show() const {
    std::string text;
    for (std::uint32_t i = 0; i < gone_.count; ++i) {
      const ibcc_gone& one = gone_.list[i];
      text += std::to_string(one.guid) + (one.peer_guid != 0 ? "-" + std::to_string(one.peer_guid) : "") + "@" +
              std::to_string(one.epoch) + " ";
    }
    return text;
  }
  static ibcc_gone Node(std::uint64_t guid, std::uint64_t epoch) {
    return {.guid = guid, .peer_guid = 0, .port = 0, .peer_port = 0, .epoch = epoch};
  }
  static ibcc_gone Link(std::uint64_t guid, std::uint64_t peer, std::uint64_t epoch) {
    return {.guid = guid, .peer_guid = peer, .port = 1, .peer_port = 1, .epoch = epoch};
  }

  ibcc_gone_list gone_{};
  std::uint64_t forgotten_ = 1;
  std::set<std::uint64_t> there_;
};

TEST_F(Gone, EachThingIsThereOnceWithItsLastEpoch) {
  ASSERT_EQ(Merge({Node(9, 2), Link(5, 9, 2), Node(7, 2)}), 0);
  EXPECT_EQ(Show(), "5-9@2 7@2 9@2 ");
  ASSERT_EQ(Merge({Link(5, 9, 4), Node(9, 4)}), 0);
  EXPECT_EQ(Show(), "5-9@4 7@2 9@4 ");
  EXPECT_TRUE(ibcc_gone_has_node(&gone_, 7));
  EXPECT_FALSE(ibcc_gone_has_node(&gone_, 5)) << "that is a link";
  EXPECT_EQ(forgotten_, 1u);
}

TEST_F(Gone, WhatIsThereAgainIsDropped) {
  ASSERT_EQ(Merge({Node(1, 2), Node(2, 2)}), 0);
  there_ = {1};
  ASSERT_EQ(Merge({}), 0);
  EXPECT_EQ(Show(), "2@2 ");
  there_ = {2};
  ASSERT_EQ(Merge({}), 0);
  EXPECT_EQ(Show(), "");
  EXPECT_FALSE(ibcc_gone_has_node(&gone_, 2));
}

TEST_F(Gone, TheOldestEpochsAreForgottenWhole) {
  std::vector<ibcc_gone> first, second;
  for (std::uint32_t i = 0; i < IBCC_MAX_GONE; ++i) first.push_back(Node(100 + i, 2 + i % 2));
  ASSERT_EQ(Merge(first), 0);
  EXPECT_EQ(gone_.count, IBCC_MAX_GONE) << "as many as there is room for";
  EXPECT_EQ(forgotten_, 1u);
  ASSERT_EQ(Merge({Node(7, 4)}), 0);
  EXPECT_EQ(gone_.count, IBCC_MAX_GONE / 2 + 1) << "epoch 2 has gone, all of it";
  EXPECT_EQ(forgotten_, 2u);
  for (std::uint32_t i = 0; i <= IBCC_MAX_GONE; ++i) second.push_back(Node(1'000'000 + i, 5));
  ASSERT_EQ(Merge(second), 0);
  EXPECT_EQ(gone_.count, 0u) << "more in one epoch than is kept";
  EXPECT_EQ(forgotten_, 5u);
}

TEST_F(Gone, RefusedMemoryChangesNothing) {
  std::vector<ibcc_gone> many;
  for (std::uint32_t i = 0; i <= IBCC_MAX_GONE; ++i) many.push_back(Node(100 + i, 2 + i % 2));
  ASSERT_EQ(Merge({Node(1, 1)}), 0);
  for (unsigned nth = 1;; ++nth) {
    bool happened = false;
    int result = 0;
    {
      const RefusedMemory refused(nth);
      const ibcc_gone_list list{.count = static_cast<std::uint32_t>(many.size()), .list = many.data()};
      ibcc_gone_list merged{};
      result = ibcc_gone_merge(&merged, &gone_, &list, [](const void*, const ibcc_gone*) { return false; }, nullptr, &forgotten_);
      happened = refused.Happened();
      ibcc_gone_free(&merged);
    }
    if (!happened) break;
    EXPECT_EQ(result, -1);
    EXPECT_EQ(forgotten_, 1u);
    EXPECT_EQ(Show(), "1@1 ");
  }
  EXPECT_EQ(forgotten_, 2u);
}

}  // namespace

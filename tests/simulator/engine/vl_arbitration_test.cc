// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// vl_arbitration_test.cc: sequences that one works out by hand from IBA 7.6.9.2. Packets are of 8 units, or 512 bytes, unless said.
#include "engine/vl_arbitration.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ccsim {
namespace vl_arbitration_test {

// VLs served one after the other while those of `sendable` always have packets.
std::string Serve(VlArbiter& arbiter, unsigned sendable, int times, unsigned units = 8) {
  std::string order;
  for (int i = 0; i < times; ++i) {
    const int vl = arbiter.Pick(sendable);
    if (vl == VlArbiter::kNone) return order + "-";
    order += static_cast<char>('0' + vl);
    arbiter.Sent(sendable, units);
  }
  return order;
}

TEST(VlArbitration, AnEntryServesUntilItsWeightIsUsedUp) {
  const VlArbitrationTables tables{.high = {}, .low = {{0, 16}, {1, 8}, {2, 24}}};
  VlArbiter arbiter(tables);
  EXPECT_EQ(Serve(arbiter, 0b111, 12), "001222001222");
}

// 20 units allow three packets of 8: the third begins with 4 left.
TEST(VlArbitration, APositiveRestIsEnoughToBegin) {
  const VlArbitrationTables tables{.high = {}, .low = {{0, 20}, {1, 1}}};
  VlArbiter arbiter(tables);
  EXPECT_EQ(Serve(arbiter, 0b11, 8), "00010001");
}

TEST(VlArbitration, WeightThatWasNotUsedIsLost) {
  const VlArbitrationTables tables{.high = {}, .low = {{0, 24}, {1, 8}}};
  VlArbiter arbiter(tables);
  EXPECT_EQ(Serve(arbiter, 0b01, 1), "0");
  EXPECT_EQ(Serve(arbiter, 0b10, 1), "1");      // VL 0 has nothing; its 16 units go
  EXPECT_EQ(Serve(arbiter, 0b11, 5), "00010");  // and it starts with 24
}

TEST(VlArbitration, AVlMayHaveSeveralEntriesWhichSpreadItsTurns) {
  const VlArbitrationTables tables{.high = {}, .low = {{0, 8}, {1, 8}, {0, 8}, {2, 8}}};
  VlArbiter arbiter(tables);
  EXPECT_EQ(Serve(arbiter, 0b111, 8), "01020102");
  EXPECT_EQ(Serve(arbiter, 0b001, 3), "000");
}

TEST(VlArbitration, EntriesOfWeight0AndVlsWithoutOneAreNeverServed) {
  const VlArbitrationTables tables{.high = {{3, 0}}, .low = {{0, 8}, {1, 0}}};
  EXPECT_EQ(tables.served_vls(), 0b1);
  VlArbiter arbiter(tables);
  EXPECT_EQ(Serve(arbiter, 0b1111, 3), "000");
  EXPECT_EQ(Serve(arbiter, 0b1110, 1), "-");
}

TEST(VlArbitration, WithoutALimitHighStarvesLow) {
  const VlArbitrationTables tables{.high = {{1, 8}}, .low = {{0, 255}}, .high_limit = kHighLimitNone};
  VlArbiter arbiter(tables);
  EXPECT_EQ(Serve(arbiter, 0b11, 1000), std::string(1000, '1'));
  EXPECT_EQ(Serve(arbiter, 0b01, 2), "00");
}

TEST(VlArbitration, ALimitOf0IsOnePacketOfHigh) {
  const VlArbitrationTables tables{.high = {{1, 255}}, .low = {{0, 8}, {2, 8}}, .high_limit = 0};
  VlArbiter arbiter(tables);
  EXPECT_EQ(Serve(arbiter, 0b111, 8), "10121012");
  EXPECT_EQ(Serve(arbiter, 0b010, 3), "111");
}

// A limit of 1 is 4,096 bytes, 64 units: eight packets of 8, or two of 33 units, the second with 31 left.
TEST(VlArbitration, TheLimitCountsBytesAndOnePacketOfLowPaysForIt) {
  const VlArbitrationTables tables{.high = {{1, 255}}, .low = {{0, 255}}, .high_limit = 1};
  VlArbiter small(tables);
  EXPECT_EQ(Serve(small, 0b11, 18), "111111110111111110");
  VlArbiter large(tables);
  EXPECT_EQ(Serve(large, 0b11, 6, 33), "110110");
}

TEST(VlArbitration, ATurnThatLowDoesNotTakeStartsTheLimitAfresh) {
  const VlArbitrationTables tables{.high = {{1, 255}}, .low = {{0, 255}}, .high_limit = 1};
  VlArbiter arbiter(tables);
  EXPECT_EQ(Serve(arbiter, 0b10, 9), "111111111");  // the ninth begins a new limit, of which seven are left
  EXPECT_EQ(Serve(arbiter, 0b11, 9), "111111101");
}

TEST(VlArbitration, TablesKeepTheirPlaceWhileTheOtherIsServed) {
  const VlArbitrationTables tables{.high = {{2, 16}, {3, 16}}, .low = {{0, 16}, {1, 16}}, .high_limit = 0};
  VlArbiter arbiter(tables);
  EXPECT_EQ(Serve(arbiter, 0b1111, 8), "20203131");
}

TEST(VlArbitration, PickChangesNothing) {
  const VlArbitrationTables tables{.high = {{1, 8}}, .low = {{0, 8}}, .high_limit = 0};
  VlArbiter arbiter(tables);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(arbiter.Pick(0b11), 1);
  arbiter.Sent(0b11, 8);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(arbiter.Pick(0b11), 0);
}

}  // namespace vl_arbitration_test
}  // namespace ccsim

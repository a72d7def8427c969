// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "congestion/held_tables.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "nvidia_tables.hpp"
#include "testing.hpp"

namespace ccsim {
namespace held_tables_test {

TEST(HeldTables, HoldNothingBeforeTheFirstSet) {
  const testing::Bed bed = testing::TwoSwitch();
  const HeldTables held(bed.fabric);
  EXPECT_FALSE(held.ever_set());
  EXPECT_FALSE(held.Controls(bed.h(1), 0));
  EXPECT_FALSE(held.WholeSls(bed.h(1)));
  EXPECT_EQ(held.OfSwitch(1).num_ports, 36u);
  EXPECT_EQ(held.OfSwitch(1).setting.threshold, 0);
}

TEST(HeldTables, KeepWhatASetDoesNotName) {
  const testing::Bed bed = testing::TwoSwitch();
  HeldTables held(bed.fabric);
  testing::UniformTables settings;
  const auto first = testing::MakeTables(bed.fabric, settings);
  for (std::uint32_t i = 0; i < first->num_cas; ++i) first->cas[i].setting.control_map = 0x0001;
  held.Set(*first);
  EXPECT_TRUE(held.Controls(bed.h(1), 0));
  EXPECT_FALSE(held.Controls(bed.h(1), 1));
  EXPECT_EQ(held.CctOf(bed.h(1)).size(), 128u);
  EXPECT_EQ(&held.CctOf(bed.h(1)), &held.CctOf(bed.h(7)));

  settings.threshold = 3;
  settings.marking_rate = 9;
  settings.ccti_timer = 7;
  settings.ccti_limit = 10;
  settings.sl_level = true;
  const auto second = testing::MakeTables(bed.fabric, settings);
  second->switches[0].setting.control_map = 0x10;  // Marking_Rate
  second->switches[1].setting.control_map = 0x04;  // Threshold
  for (std::uint32_t i = 0; i < second->num_cas; ++i) second->cas[i].setting.control_map = 0x0002;
  held.Set(*second);
  EXPECT_EQ(held.OfSwitch(0).setting.threshold, 15);
  EXPECT_EQ(held.OfSwitch(0).setting.marking_rate, 9);
  EXPECT_EQ(held.OfSwitch(1).setting.threshold, 3);
  EXPECT_EQ(held.OfSwitch(1).setting.marking_rate, 0);
  EXPECT_EQ(held.OfSl(bed.h(1), 0).ccti_timer, 150);
  EXPECT_EQ(held.OfSl(bed.h(1), 1).ccti_timer, 7);
  EXPECT_EQ(held.CctOf(bed.h(1)).size(), 11u);
  EXPECT_TRUE(held.WholeSls(bed.h(1)));
}

TEST(HeldTables, KeepAnElementOfEachControlTypeAPort) {
  const testing::Bed bed = testing::TwoSwitch();
  HeldTables held(bed.fabric);
  const auto tables = testing::MakeTables(bed.fabric);
  ccp_switch_port_setting& port = tables->switches[0].ports[2];
  port = {true, 0, 5, 0, 0};
  held.Set(*tables);
  port = {true, 1, 12, 0, 0};
  held.Set(*tables);
  EXPECT_EQ(held.OfSwitch(0).ports[2].threshold, 5);
  EXPECT_EQ(held.OfSwitch(0).starvation_ports[2].threshold, 12);
  port = {false, 0, 0, 0, 0};
  held.Set(*tables);
  EXPECT_FALSE(held.OfSwitch(0).ports[2].valid);
  EXPECT_TRUE(held.OfSwitch(0).starvation_ports[2].valid);
  // Or all at once, as from a device that holds both.
  std::vector<ccp_switch_port_setting> starvation(37);
  starvation[3] = {true, 1, 9, 0, 0};
  tables->switches[0].starvation_ports = starvation.data();
  held.Set(*tables);
  EXPECT_FALSE(held.OfSwitch(0).starvation_ports[2].valid);
  EXPECT_EQ(held.OfSwitch(0).starvation_ports[3].threshold, 9);
}

TEST(HeldTables, RefuseTablesOfAnotherFabric) {
  const testing::Bed bed = testing::TwoSwitch();
  const testing::Bed other = testing::OneSwitch(3);
  const auto tables = testing::MakeTables(other.fabric);
  const HeldTables held(bed.fabric);
  try {
    held.Check(*tables);
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("belong to another fabric"), std::string::npos);
  }
}

// A device takes the attributes of its dialect; one of both acts by NVIDIA's while these are enabled.
TEST(HeldTables, HoldWhatTheirDialectKnows) {
  testing::Bed bed = testing::TwoSwitch();
  const CcDialect dialects[] = {CcDialect::A10, CcDialect::NvidiaDcqcn, CcDialect::NvidiaPpcc, CcDialect::Both, CcDialect::None};
  for (int i = 0; i < 5; ++i) bed.fabric.SetDialect(bed.fabric.endports()[bed.h(i + 1)].node, dialects[i]);
  bed.fabric.SetDialect(1, CcDialect::Both);
  HeldTables held(bed.fabric);
  const ActsBy before[] = {ActsBy::A10, ActsBy::Nothing, ActsBy::Nothing, ActsBy::A10, ActsBy::Nothing};
  for (int i = 0; i < 5; ++i) EXPECT_EQ(held.NotifiesBy(bed.h(i + 1)), before[i]) << i;

  const auto tables = testing::MakeTables(bed.fabric, {.sl_level = true});
  testing::AddNvidia(*tables, {});
  held.Set(*tables);
  EXPECT_FALSE(held.Averages(0));
  EXPECT_TRUE(held.Averages(1));
  EXPECT_EQ(held.NvidiaOf(1).ports[1].profiles[0].profiles[0].percent, 100);
  const ActsBy reacts[] = {ActsBy::A10, ActsBy::Nvidia, ActsBy::Nothing, ActsBy::Nvidia, ActsBy::Nothing};
  const ActsBy notifies[] = {ActsBy::A10, ActsBy::Nvidia, ActsBy::Nvidia, ActsBy::Nvidia, ActsBy::Nothing};
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(held.ReactsBy(bed.h(i + 1)), reacts[i]) << i;
    EXPECT_EQ(held.NotifiesBy(bed.h(i + 1)), notifies[i]) << i;
    EXPECT_EQ(held.WholeSls(bed.h(i + 1)), i == 0) << i;
  }
  EXPECT_EQ(held.RpOf(bed.h(2)).dce_tcp_g, 1019);

  const auto off = testing::MakeTables(bed.fabric);
  testing::AddNvidia(*off, {.sw = {}, .ca = {}});
  held.Set(*off);
  EXPECT_FALSE(held.Averages(1));
  EXPECT_EQ(held.ReactsBy(bed.h(2)), ActsBy::Nothing);
  EXPECT_EQ(held.ReactsBy(bed.h(4)), ActsBy::A10);
}

}  // namespace held_tables_test
}  // namespace ccsim

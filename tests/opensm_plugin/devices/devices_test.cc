// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "devices/devices.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <string>

#include "devices/snapshot_support.hpp"

namespace {

// Hosts with these GUIDs, one port each; LIDs from `first_lid` on.
Snapshot Hosts(const std::set<uint64_t>& guids, uint16_t first_lid = 1) {
  const auto count = static_cast<uint32_t>(guids.size());
  Snapshot s(ibcc_snapshot_create(count, count, count));
  uint32_t node = 0;
  for (const uint64_t guid : guids) {
    const std::string name = "H" + std::to_string(guid);
    EXPECT_EQ(ibcc_snapshot_add_node(s.get(), guid, CCP_NODE_HOST, 1, name.c_str(), name.size()), node);
    const ibcc_endport endport{.node = node,
                               .port = 1,
                               .lid = static_cast<uint16_t>(first_lid + node),
                               .sl = 0,
                               .port_guid = guid + 1,
                               .may_be_reset = false};
    EXPECT_TRUE(ibcc_snapshot_add_endport(s.get(), &endport));
    ++node;
  }
  return s;
}

class Devices : public ::testing::Test {
 protected:
  Devices() { EXPECT_EQ(ibcc_devices_init(&devices_), 0); }
  ~Devices() override { ibcc_devices_destroy(&devices_); }
  void Update(const std::set<uint64_t>& guids, uint16_t first_lid = 1) {
    ASSERT_EQ(ibcc_devices_update(&devices_, Hosts(guids, first_lid).get()), 0);
  }
  ibcc_devices devices_{};
};

TEST_F(Devices, ComeGoAndReturn) {
  Update({10, 20, 30});
  ASSERT_EQ(devices_.count, 3u);
  ibcc_device* device = ibcc_devices_find(&devices_, 20, 1);
  ASSERT_NE(device, nullptr);
  EXPECT_STREQ(device->description, "H20");
  EXPECT_EQ(device->lid, 2);
  EXPECT_EQ(ibcc_devices_find_port(&devices_, 21), device);
  EXPECT_EQ(ibcc_devices_find(&devices_, 20, 2), nullptr);
  device->support = IBCC_SUPPORTED;

  Update({10, 15, 30}, 100);
  EXPECT_EQ(devices_.count, 4u);
  EXPECT_FALSE(device->present);
  EXPECT_EQ(device->support, IBCC_SUPPORTED) << "what it was is still shown";
  EXPECT_EQ(ibcc_devices_find(&devices_, 30, 1)->lid, 102);

  Update({10, 15, 20, 30});
  EXPECT_EQ(ibcc_devices_find(&devices_, 20, 1), device);
  EXPECT_TRUE(device->present);
  EXPECT_EQ(device->support, IBCC_SUPPORT_UNKNOWN) << "it may have been reset while it was away";
}

TEST_F(Devices, ThatAreAwayAreRememberedInBounds) {
  std::set<uint64_t> many;
  for (uint64_t guid = 1; guid <= IBCC_MAX_AWAY + 100; ++guid) many.insert(2 * guid);
  Update(many);
  Update({1});
  EXPECT_EQ(devices_.count, IBCC_MAX_AWAY + 1);
  Update({1, 3});
  EXPECT_EQ(devices_.count, IBCC_MAX_AWAY + 2);
}

TEST_F(Devices, ThatAreNotReadyAreListedAndSentNothing) {
  const auto update = [&](bool not_ready) {
    const Snapshot s = Hosts({10, 20});
    s->endports[1].not_ready = not_ready;
    if (not_ready) s->endports[1].lid = 0;
    ASSERT_EQ(ibcc_devices_update(&devices_, s.get()), 0);
  };
  update(true);
  ASSERT_EQ(devices_.count, 2u);
  ibcc_device* device = ibcc_devices_find(&devices_, 20, 1);
  EXPECT_TRUE(device->not_ready);
  EXPECT_FALSE(device->present);
  update(false);
  EXPECT_FALSE(device->not_ready);
  EXPECT_TRUE(device->present);
  EXPECT_EQ(device->lid, 2);
  device->support = IBCC_SUPPORTED;
  update(true);
  EXPECT_TRUE(device->not_ready);
  EXPECT_FALSE(device->present);
  EXPECT_EQ(device->support, IBCC_SUPPORTED) << "what it was known to be";
  update(false);
  EXPECT_EQ(device->support, IBCC_SUPPORT_UNKNOWN) << "it may have been reset";
  update(true);
  Update({10});
  EXPECT_FALSE(device->not_ready) << "it has gone";
  EXPECT_FALSE(device->present);
}

TEST_F(Devices, ThatAreNotReadyAreNotThoseThatAreAway) {
  std::set<uint64_t> many;
  for (uint64_t guid = 1; guid <= IBCC_MAX_AWAY + 100; ++guid) many.insert(2 * guid);
  const Snapshot s = Hosts(many);
  for (uint32_t i = 0; i < s->num_endports; ++i) s->endports[i].not_ready = true;
  ASSERT_EQ(ibcc_devices_update(&devices_, s.get()), 0);
  ASSERT_EQ(ibcc_devices_update(&devices_, s.get()), 0);
  EXPECT_EQ(devices_.count, many.size());
}

TEST_F(Devices, AreWhatASimpleModelSays) {
  std::mt19937 random(7);
  std::set<uint64_t> seen;
  for (int step = 0; step < 200; ++step) {
    std::set<uint64_t> now;
    for (uint64_t guid = 1; guid <= 40; ++guid) {
      if (random() % 3 == 0) now.insert(guid);
    }
    Update(now);
    seen.insert(now.begin(), now.end());
    ASSERT_EQ(devices_.count, seen.size());
    for (uint32_t i = 0; i < devices_.count; ++i) {
      if (i > 0) ASSERT_LT(devices_.list[i - 1]->node_guid, devices_.list[i]->node_guid);
      ASSERT_EQ(devices_.list[i]->present, now.count(devices_.list[i]->node_guid) == 1);
    }
  }
}

}  // namespace

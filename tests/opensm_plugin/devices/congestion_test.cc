// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "devices/congestion.h"

#include <gtest/gtest.h>

#include <array>

namespace {

template <typename Log>
std::array<uint8_t, CCP_CONGESTION_LOG_BYTES> Packed(ccp_attribute_id id, const Log& log) {
  std::array<uint8_t, CCP_CONGESTION_LOG_BYTES> data{};
  ccp_error error{};
  EXPECT_EQ(ccp_pack(id, &log, data.data(), &error), 0) << error.message;
  return data;
}

TEST(Congestion, LogsOfASwitchAddUp) {
  ibcc_congestion congestion{};
  ccp_congestion_log_switch log{};
  log.log_type = CCP_LOG_TYPE_SWITCH;
  log.log_events_counter = 3;
  ccp_port_mask_set(log.port_map, 1);
  ccp_port_mask_set(log.port_map, 200);
  log.events[0] = {.slid = 5, .dlid = 6, .sl = 2, .timestamp = 1};
  ASSERT_TRUE(ibcc_congestion_add(&congestion, Packed(CCP_CONGESTION_LOG_SWITCH, log).data(), 100));
  log.log_events_counter = 65535;
  log.events[1] = {.slid = 7, .dlid = 8, .sl = 0, .timestamp = 1};
  ASSERT_TRUE(ibcc_congestion_add(&congestion, Packed(CCP_CONGESTION_LOG_SWITCH, log).data(), 200));
  log = {};
  log.log_type = CCP_LOG_TYPE_SWITCH;
  ASSERT_TRUE(ibcc_congestion_add(&congestion, Packed(CCP_CONGESTION_LOG_SWITCH, log).data(), 300));
  EXPECT_EQ(congestion.readings, 3u);
  EXPECT_EQ(congestion.congested, 2u);
  EXPECT_EQ(congestion.events, 65538u);
  EXPECT_EQ(congestion.ports[1], 2u);
  EXPECT_EQ(congestion.ports[2], 0u);
  EXPECT_EQ(congestion.ports[200], 2u);
  EXPECT_EQ(congestion.last_events_s, 200);
  ASSERT_EQ(congestion.num_flows, 2u) << "of the last reading that had any";
  EXPECT_EQ(congestion.flows[0].slid, 5);
  EXPECT_EQ(congestion.flows[1].dlid, 8);
}

TEST(Congestion, LogsOfAnAdapterAddUp) {
  ibcc_congestion congestion{};
  ccp_congestion_log_ca log{};
  log.log_type = CCP_LOG_TYPE_CA;
  log.threshold_event_counter = 2;
  log.threshold_congestion_event_map = 0x8001;
  log.events[0].remote_lid = 9;
  log.events[0].sl = 15;
  ASSERT_TRUE(ibcc_congestion_add(&congestion, Packed(CCP_CONGESTION_LOG_CA, log).data(), 100));
  EXPECT_EQ(congestion.events, 2u);
  EXPECT_EQ(congestion.sls[0], 1u);
  EXPECT_EQ(congestion.sls[15], 1u);
  EXPECT_EQ(congestion.sls[7], 0u);
  ASSERT_EQ(congestion.num_flows, 1u);
  EXPECT_EQ(congestion.flows[0].dlid, 9);
  EXPECT_EQ(congestion.flows[0].sl, 15);
}

TEST(Congestion, WhatIsNoLogIsLeftOut) {
  ibcc_congestion congestion{};
  const std::array<uint8_t, CCP_CONGESTION_LOG_BYTES> data{7};
  EXPECT_FALSE(ibcc_congestion_add(&congestion, data.data(), 1));
  EXPECT_EQ(congestion.readings, 0u);
}

}  // namespace

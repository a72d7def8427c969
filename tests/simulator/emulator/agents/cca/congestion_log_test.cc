// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/agents/asking.hpp"

namespace ccsim::emulator {
namespace cca_congestion_log_test {

using testing::Ask;
using testing::Asked;
using testing::Read;
using testing::SmallSubnet;

constexpr std::uint16_t kId = 0x0013;
constexpr std::int64_t kWrapNs = (std::int64_t{1} << 32) * 1024;

CcaLog& LogOf(SmallSubnet& s, Place at) { return s.subnet.device(at.node).cca.ports[at.port].log; }

TEST(CongestionLog, OfASwitchHasItsLatestEventsOldestFirst) {
  SmallSubnet s;
  CcaLog& log = LogOf(s, SmallSubnet::kAtSwitch);
  for (unsigned i = 0; i < 20; ++i) {
    log.Add(SwitchLogEvent{.slid = static_cast<std::uint16_t>(100 + i),
                           .dlid = static_cast<std::uint16_t>(200 + i),
                           .sl = static_cast<std::uint8_t>(i % 16),
                           .at_ns = 1024 * i});
  }
  log.ports.set(1);
  log.ports.set(36);
  s.now_ns = 1024 * 1000;
  const Asked asked = Ask(s.subnet, SmallSubnet::kAtSwitch, {.attribute = kId});
  ASSERT_EQ(asked.status, kOk);
  const auto read = Read<ccp_congestion_log_switch>(CCP_CONGESTION_LOG_SWITCH, asked);
  EXPECT_EQ(read.log_type, CCP_LOG_TYPE_SWITCH);
  EXPECT_EQ(read.log_events_counter, 20);
  EXPECT_EQ(read.current_timestamp, 1000u);
  for (unsigned port = 0; port < 256; ++port) EXPECT_EQ(ccp_port_mask_test(read.port_map, port), port == 1 || port == 36);
  for (unsigned i = 0; i < 15; ++i) {
    EXPECT_EQ(read.events[i].slid, 105 + i);
    EXPECT_EQ(read.events[i].dlid, 205 + i);
    EXPECT_EQ(read.events[i].sl, (5 + i) % 16);
    EXPECT_EQ(read.events[i].timestamp, 5 + i);
  }
  EXPECT_EQ(asked.mad[32], 1);  // log data begin before those of other attributes
}

TEST(CongestionLog, ReadingClearsTheCountsAndLeavesTheEvents) {
  SmallSubnet s;
  CcaLog& log = LogOf(s, SmallSubnet::kAtSwitch);
  log.Add(SwitchLogEvent{.slid = 3, .dlid = 4, .sl = 0, .at_ns = 0});
  log.ports.set(7);
  Ask(s.subnet, SmallSubnet::kAtSwitch, {.attribute = kId});
  const auto read =
      Read<ccp_congestion_log_switch>(CCP_CONGESTION_LOG_SWITCH, Ask(s.subnet, SmallSubnet::kAtSwitch, {.attribute = kId}));
  EXPECT_EQ(read.log_events_counter, 0);
  EXPECT_FALSE(ccp_port_mask_test(read.port_map, 7));
  EXPECT_EQ(read.events[0].slid, 3);
}

TEST(CongestionLog, EventsThatTheTimestampCannotDateAreLeftOut) {
  SmallSubnet s;
  CcaLog& log = LogOf(s, SmallSubnet::kAtSwitch);
  log.Add(SwitchLogEvent{.slid = 3, .dlid = 4, .sl = 0, .at_ns = 0});
  log.Add(SwitchLogEvent{.slid = 5, .dlid = 6, .sl = 0, .at_ns = 1024});
  s.now_ns = 2 * kWrapNs + 1024;
  const auto read =
      Read<ccp_congestion_log_switch>(CCP_CONGESTION_LOG_SWITCH, Ask(s.subnet, SmallSubnet::kAtSwitch, {.attribute = kId}));
  EXPECT_EQ(read.events[0].slid, 5);
  EXPECT_EQ(read.events[1].slid, 0);
}

TEST(CongestionLog, OfAnAdapterComesInTheFirmwaresLayout) {
  SmallSubnet s;
  CcaLog& log = LogOf(s, SmallSubnet::kAtHost2);
  for (unsigned i = 0; i < 14; ++i) {
    log.Add(CaLogEvent{.local_qp = 0x010200 + i,
                       .remote_qp = 0x060700 + i,
                       .sl = static_cast<std::uint8_t>(i),
                       .service_type = 0,
                       .local_lid = 12,
                       .remote_lid = static_cast<std::uint16_t>(300 + i),
                       .at_ns = 1024 * i});
  }
  const auto get = [&](ccp_attribute_id id) {
    return Read<ccp_congestion_log_ca>(id, Ask(s.subnet, SmallSubnet::kAtHost2, {.attribute = kId}));
  };
  ccp_congestion_log_ca read = get(CCP_CONGESTION_LOG_CA);
  EXPECT_EQ(read.log_type, CCP_LOG_TYPE_CA);
  EXPECT_EQ(read.threshold_event_counter, 14);
  EXPECT_EQ(read.threshold_congestion_event_map, 0x3FFF);
  for (unsigned i = 0; i < 13; ++i) {
    EXPECT_EQ(read.events[i].local_qp, 0x010201 + i);
    EXPECT_EQ(read.events[i].remote_qp, 0x060701 + i);
    EXPECT_EQ(read.events[i].sl, i + 1);
    EXPECT_EQ(read.events[i].remote_lid, 301 + i);
    EXPECT_EQ(read.events[i].timestamp, i + 1);
  }
  s.subnet.device(SmallSubnet::kHost).cca.firmware.log_layout = CaLogLayout::Libibmad;
  read = get(CCP_CONGESTION_LOG_CA_LIBIBMAD);
  EXPECT_EQ(read.threshold_event_counter, 0);
  EXPECT_EQ(read.threshold_congestion_event_map, 0);
  EXPECT_EQ(read.events[12].local_qp, 0x01020Du);
  EXPECT_EQ(read.events[12].local_lid, 12);
  EXPECT_EQ(read.events[12].remote_lid, 313);
}

TEST(CongestionLog, CountsToItsLargestValue) {
  SmallSubnet s;
  CcaLog& log = LogOf(s, SmallSubnet::kAtHost1);
  log.events = 0xFFFE;
  log.Add(CaLogEvent{});
  log.Add(CaLogEvent{});
  EXPECT_EQ(log.events, 0xFFFF);
}

TEST(CongestionLog, IsReadOnlyAndOfSwitchesAndAdapters) {
  SmallSubnet s;
  EXPECT_EQ(Ask(s.subnet, SmallSubnet::kAtRouter, {.attribute = kId}).status, kUnsupportedMethodAttribute);
  EXPECT_EQ(Ask(s.subnet, SmallSubnet::kAtSwitch, {.attribute = kId, .modifier = 1}).status, kInvalidField);
  EXPECT_EQ(Ask(s.subnet, SmallSubnet::kAtSwitch, {.method = kSet, .attribute = kId}).status, kUnsupportedMethodAttribute);
}

}  // namespace cca_congestion_log_test
}  // namespace ccsim::emulator

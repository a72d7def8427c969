// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "mad/cc_mad.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>

#include "ccpolicy/wire.h"
#include "libibmad.hpp"

namespace {

using Mad = std::array<std::uint8_t, IBCC_MAD_BYTES>;

Mad Request(ibcc_method method, std::uint32_t tid, std::uint16_t attribute, std::uint32_t modifier, std::uint64_t key) {
  Mad mad;
  mad.fill(0xEE);
  ibcc_cc_mad_request(mad.data(), &ibcc_cc_class, method, tid, attribute, modifier, key);
  return mad;
}

std::string Text(std::uint16_t status) {
  char buffer[64];
  return ibcc_status_text(status, buffer, sizeof(buffer));
}

TEST(CcMad, HeaderToTheByte) {
  const Mad mad = Request(IBCC_SET, 0x89ABCDEF, CCP_CONGESTION_CONTROL_TABLE, 0x01020304, 0x1122334455667788);
  const std::uint8_t expected[32] = {0x01, 0x21, 0x02, 0x02, 0, 0, 0, 0, 0,    0,    0,    0,    0x89, 0xAB, 0xCD, 0xEF,
                                     0x00, 0x17, 0,    0,    1, 2, 3, 4, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88};
  EXPECT_TRUE(std::equal(std::begin(expected), std::end(expected), mad.begin()));
  EXPECT_TRUE(std::all_of(mad.begin() + 32, mad.end(), [](std::uint8_t byte) { return byte == 0; }));
}

TEST(CcMad, OtherClassesHaveTheSameHeader) {
  Mad mad;
  ibcc_cc_mad_request(mad.data(), &ibcc_vendor_class, IBCC_GET, 0x80000001, 0x17, 0, 0);
  EXPECT_EQ(mad[1], 0x0A);
  EXPECT_EQ(mad[2], 1);
  EXPECT_TRUE(ibcc_cc_mad_is_of(mad.data(), &ibcc_vendor_class));
  EXPECT_FALSE(ibcc_cc_mad_is_of(mad.data(), &ibcc_cc_class));
  EXPECT_EQ(ibcc_cc_mad_data(mad.data()), mad.data() + 32);
  EXPECT_TRUE(std::all_of(mad.begin() + 24, mad.end(), [](std::uint8_t byte) { return byte == 0; }));
}

TEST(CcMad, ReadsBackWhatItWrites) {
  Mad mad = Request(IBCC_GET, 0xFEDCBA98, CCP_CONGESTION_INFO, 0x80000001, 0);
  EXPECT_EQ(ibcc_cc_mad_tid(mad.data()), 0xFEDCBA98u);
  EXPECT_EQ(ibcc_cc_mad_method(mad.data()), IBCC_GET);
  EXPECT_EQ(ibcc_cc_mad_attribute(mad.data()), CCP_CONGESTION_INFO);
  EXPECT_EQ(ibcc_cc_mad_modifier(mad.data()), 0x80000001u);
  EXPECT_EQ(ibcc_cc_mad_status(mad.data()), 0);
  mad[4] = 0x12, mad[5] = 0x34;
  EXPECT_EQ(ibcc_cc_mad_status(mad.data()), 0x1234);
  mad[8] = 0x77;  // the upper half of the transaction ID is the sender's
  EXPECT_EQ(ibcc_cc_mad_tid(mad.data()), 0xFEDCBA98u);
}

// What ibccquery and ibccconfig encode with reads the same header.
TEST(CcMad, AsLibibmadReadsIt) {
  const ibcc::testing::LibIbmad libibmad;
  if (!libibmad.installed()) GTEST_SKIP() << "libibmad5 is not installed";
  const Mad mad = Request(IBCC_SET, 0x89ABCDEF, CCP_SWITCH_CONGESTION_SETTING, 0x7654321, 0x8877665544332211);
  const auto get = [&](const char* name) { return libibmad.Get(mad.data(), libibmad.Field(name)); };
  EXPECT_EQ(get("MadBaseVersion"), 1u);
  EXPECT_EQ(get("MadMgmtClass"), 0x21u);
  EXPECT_EQ(get("MadClassVersion"), 2u);
  EXPECT_EQ(get("MadMethod"), 2u);
  EXPECT_EQ(get("MadIsResponse"), 0u);
  EXPECT_EQ(get("MadStatus"), 0u);
  EXPECT_EQ(get("MadAttr"), 0x14u);
  EXPECT_EQ(get("MadModifier"), 0x7654321u);
  EXPECT_EQ(libibmad.Get64(mad.data(), libibmad.Field("MadTRID")), 0x89ABCDEFu);
  const int key = libibmad.Field("CC_Key");
  EXPECT_EQ(libibmad.Get64(mad.data(), key), 0x8877665544332211u);
}

TEST(CcMad, DataAreWhereTheAttributeHasThem) {
  Mad mad = Request(IBCC_GET, 1, CCP_CONGESTION_INFO, 0, 0);
  EXPECT_EQ(ibcc_cc_mad_data(mad.data()), mad.data() + 64);
  EXPECT_EQ(ccp_find_attribute(CCP_CONGESTION_INFO)->mad_offset, IBCC_DATA_OFFSET);
  mad = Request(IBCC_GET, 1, 0x13, 0, 0);
  EXPECT_EQ(ibcc_cc_mad_data(mad.data()), mad.data() + 32);
  EXPECT_EQ(ccp_find_attribute(CCP_CONGESTION_LOG_CA)->mad_offset, IBCC_LOG_DATA_OFFSET);
}

TEST(CcMad, OnlyItsClassAndVersionsAreOurs) {
  const Mad ours = Request(IBCC_GET, 1, CCP_CONGESTION_INFO, 0, 0);
  EXPECT_TRUE(ibcc_cc_mad_is_of(ours.data(), &ibcc_cc_class));
  for (const int byte : {0, 1, 2}) {
    Mad other = ours;
    other[byte] ^= 4;
    EXPECT_FALSE(ibcc_cc_mad_is_of(other.data(), &ibcc_cc_class)) << byte;
  }
  Mad refused = ours;  // by who knows only version 1, and says so
  refused[2] = 1, refused[5] = IBCC_STATUS_BAD_VERSION;
  EXPECT_TRUE(ibcc_cc_mad_is_of(refused.data(), &ibcc_cc_class));
}

TEST(CcMad, StatusInWords) {
  EXPECT_EQ(Text(0), "no error (0x0000)");
  EXPECT_EQ(Text(0x0001), "busy (0x0001)");
  EXPECT_EQ(Text(0x0002), "redirected (0x0002)");
  EXPECT_EQ(Text(0x0004), "unsupported class version (0x0004)");
  EXPECT_EQ(Text(0x0008), "unsupported method (0x0008)");
  EXPECT_EQ(Text(0x000C), "unsupported attribute (0x000c)");
  EXPECT_EQ(Text(0x0010), "reserved status (0x0010)");
  EXPECT_EQ(Text(0x001C), "invalid value (0x001c)");
  EXPECT_EQ(Text(0xAB00), "class-specific status (0xab00)");
  char small[8];
  EXPECT_STREQ(ibcc_status_text(0x000C, small, sizeof(small)), "unsuppo");
}

TEST(CcMad, WhatNobodyWillEverTakeIsUnsupported) {
  for (const int status : {0x04, 0x08, 0x0C, 0xFF0C}) EXPECT_TRUE(ibcc_status_is_unsupported(status)) << status;
  for (const int status : {0x00, 0x01, 0x02, 0x0D, 0x1C, 0x10, 0xFF00})
    EXPECT_FALSE(ibcc_status_is_unsupported(status)) << status;
}

}  // namespace

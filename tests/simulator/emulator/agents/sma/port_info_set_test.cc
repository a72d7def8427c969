// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include <gtest/gtest.h>

#include <functional>

#include "emulator/management.hpp"
#include "testing.hpp"

namespace ccsim::emulator {
namespace sma_port_info_set_test {

using namespace testing;

constexpr Place kH1{2, 1};
constexpr std::uint32_t kKnowsExtendedSpeeds = 0x80000000;

class SmaPortInfoSet : public ::testing::Test {
 protected:
  // Sets port 1 of H1 as it is but for the change.
  Response SetH1(const std::function<void(std::uint8_t*)>& change, std::uint32_t modifier = 1) {
    Data data = manager_.PortInfo({}, 1);
    change(data.data());
    return manager_.Set({}, kPortInfoId, modifier, data);
  }
  Response SetPhysical(const Path& path, std::uint8_t port, PhysicalState state) {
    Data data = manager_.PortInfo(path, port);
    data[32] |= 1;  // Down, as ibportstate asks
    data[33] = static_cast<std::uint8_t>(static_cast<unsigned>(state) << 4);
    return manager_.Set(path, kPortInfoId, port, data);
  }
  SmaPort& Port(std::uint32_t node, std::uint8_t port) { return subnet_.sma_port({node, port}); }

  const ccsim::testing::Bed bed_ = ccsim::testing::TwoSwitch();
  Subnet subnet_{bed_.fabric};
  Manager manager_{subnet_, kH1};
};

TEST_F(SmaPortInfoSet, KeepsWhatAManagerMayWrite) {
  const Response set = SetH1([](std::uint8_t* d) {
    Put64(d, 0xABCD);                   // M_Key
    Put64(d + 8, 0xFEC0000000000000u);  // GID prefix
    Put16(d + 16, 8);
    Put16(d + 18, 3);
    Put32(d + 20, 0xFFFFFFFF);
    Put16(d + 26, 60);
    d[30] = d[31] = 0xFF;
    d[34] = 0x40 | 2;  // protect, LMC
    d[36] = 0x30 | 5;  // 1,024 bytes, SMSL
    d[37] = 0x07;
    d[38] = 9;
    d[42] = 0x52;
    d[43] = 0x3F;  // VL 0 to 3, all enforcement
    d[50] = 1;
    d[51] = 0x20 | 15;
    d[53] = 0x12;
  });
  ASSERT_TRUE(set.ok());
  const Data now = manager_.Get({}, kPortInfoId, 1, 0xABCD).data;
  EXPECT_EQ(now, set.data);
  const std::uint8_t* d = now.data();
  EXPECT_EQ(Get64(d), 0xABCDu);
  EXPECT_EQ(Get64(d + 8), 0xFEC0000000000000u);
  EXPECT_EQ(Get16(d + 16), 8);
  EXPECT_EQ(Get16(d + 18), 3);
  EXPECT_NE(Get32(d + 20), 0xFFFFFFFFu);
  EXPECT_EQ(Get16(d + 26), 60);
  EXPECT_EQ(d[30], 3);
  EXPECT_EQ(d[31], 2);
  EXPECT_EQ(d[34], 0x42);
  EXPECT_EQ(d[36], 0x35);
  EXPECT_EQ(d[37], 0x47);
  EXPECT_EQ(d[38], 9);
  EXPECT_EQ(d[42], 0x52);
  EXPECT_EQ(d[43], 0x3F);
  EXPECT_EQ(d[50], 32);
  EXPECT_EQ(d[51], 0x2F);
  EXPECT_EQ(d[53], 0x12);
}

TEST_F(SmaPortInfoSet, CountsTablesUpThatTheDataPlaneFollows) {
  TableVersions& versions = subnet_.versions();
  const TableVersions before = versions;
  SetH1([](std::uint8_t* d) { Put16(d + 16, 5); });
  EXPECT_EQ(versions.forwarding, before.forwarding + 1);
  SetH1([](std::uint8_t* d) { d[43] = 0x20; });
  EXPECT_EQ(versions.service_levels, before.service_levels + 1);
  manager_.SetState({}, 1, PortState::Armed);
  EXPECT_EQ(versions.links, before.links + 1);
  SetH1([](std::uint8_t*) {});
  EXPECT_EQ(versions.forwarding, before.forwarding + 1);
  EXPECT_EQ(versions.service_levels, before.service_levels + 1);
  EXPECT_EQ(versions.links, before.links + 1);
}

TEST_F(SmaPortInfoSet, RefusesValuesOutOfRangeAndThenTakesNothing) {
  ASSERT_TRUE(SetH1([](std::uint8_t* d) {
                Put16(d + 16, 4);
                Put16(d + 18, 9);
              }).ok());
  const std::function<void(std::uint8_t*)> wrong[] = {
      [](std::uint8_t* d) { Put16(d + 16, 0xC000); },
      [](std::uint8_t* d) { Put16(d + 16, 0); },
      [](std::uint8_t* d) { Put16(d + 18, 0xFFFF); },
      [](std::uint8_t* d) { Put16(d + 18, 0); },
      [](std::uint8_t* d) { d[34] = 3; },     // LID 4 is no multiple of 8
      [](std::uint8_t* d) { d[29] = 4; },     // 8x
      [](std::uint8_t* d) { d[35] = 0x0C; },  // QDR
      [](std::uint8_t* d) { d[36] = 0x50; },  // 4,096 bytes
      [](std::uint8_t* d) { d[43] = 0x50; },  // VL 0 to 14
      [](std::uint8_t* d) { d[33] = 0x03; },  // LinkDownDefaultState
      [](std::uint8_t* d) { d[33] = 0x50; },  // physical LinkUp cannot be ordered
      [](std::uint8_t* d) { d[32] |= 2; },    // nor Init
      [](std::uint8_t* d) { d[32] |= 4; },    // nor Active before Armed
      [](std::uint8_t* d) { d[32] |= 5; },
  };
  const Data before = manager_.Get({}, kPortInfoId, 1).data;
  for (std::size_t i = 0; i < std::size(wrong); ++i) {
    const Response response = SetH1([&](std::uint8_t* d) {
      d[38] = 99;  // would be fine alone
      wrong[i](d);
    });
    EXPECT_EQ(response.status, kInvalidField) << i;
    EXPECT_EQ(manager_.Get({}, kPortInfoId, 1).data, before) << i;
  }
}

TEST_F(SmaPortInfoSet, ABaseManagementPortHasOneLidAndNoStates) {
  const auto set = [&](const std::function<void(std::uint8_t*)>& change) {
    Data data = manager_.PortInfo({1}, 0);
    change(data.data());
    return manager_.Set({1}, kPortInfoId, 0, data).status;
  };
  EXPECT_EQ(set([](std::uint8_t* d) { Put16(d + 16, 7); }), kOk);
  EXPECT_EQ(Port(0, 0).lid, 7);
  EXPECT_EQ(set([](std::uint8_t* d) { d[34] = 1; }), kInvalidField);
  EXPECT_EQ(set([](std::uint8_t* d) { d[32] |= 1; }), kInvalidField);
  EXPECT_EQ(set([](std::uint8_t* d) { d[33] = 0x30; }), kInvalidField);
}

TEST_F(SmaPortInfoSet, AnAdaptersOtherPortIsNotWritten) {
  Fabric fabric(2048);
  fabric.AddNode("two ports", NodeKind::Host, 5, 2);
  Subnet subnet(fabric);
  Manager manager(subnet, {0, 1});
  EXPECT_TRUE(manager.Get({}, kPortInfoId, 2).ok());
  EXPECT_EQ(manager.Set({}, kPortInfoId, 2, manager.PortInfo({}, 2)).status, kInvalidField);
}

TEST_F(SmaPortInfoSet, GoesFromInitByArmedToActive) {
  EXPECT_EQ(manager_.SetState({}, 1, PortState::Active).status, kInvalidField);
  EXPECT_TRUE(manager_.SetState({}, 1, PortState::Armed).ok());
  EXPECT_EQ(manager_.SetState({}, 1, PortState::Active).status, kInvalidField);  // the switch's end is in Init
  EXPECT_TRUE(manager_.SetState({1}, 1, PortState::Armed).ok());
  const Response active = manager_.SetState({}, 1, PortState::Active);
  ASSERT_TRUE(active.ok());
  EXPECT_EQ(active.data[32] & 0xF, 4);
  EXPECT_TRUE(manager_.SetState({}, 1, PortState::Active).ok());  // said twice
  EXPECT_EQ(manager_.SetState({}, 1, PortState::Armed).status, kInvalidField);
  EXPECT_TRUE(manager_.SetState({1}, 1, PortState::Active).ok());
  EXPECT_EQ(manager_.SetState({1}, 35, PortState::Armed).status, kInvalidField);  // down
}

TEST_F(SmaPortInfoSet, DownTrainsAgainToInitAtBothEnds) {
  BringUp(subnet_, kH1);
  subnet_.device(0).sma.port_state_change = subnet_.device(1).sma.port_state_change = false;
  EXPECT_TRUE(manager_.SetState({1}, 36, PortState::Down).ok());
  EXPECT_EQ(Port(0, 36).state, PortState::Init);
  EXPECT_EQ(Port(1, 36).state, PortState::Init);
  EXPECT_TRUE(subnet_.device(0).sma.port_state_change);  // from Down to Init nobody has ordered it
  EXPECT_TRUE(subnet_.device(1).sma.port_state_change);
}

TEST_F(SmaPortInfoSet, DisabledStaysDownUntilItPolls) {
  BringUp(subnet_, kH1);
  subnet_.device(0).sma.port_state_change = subnet_.device(1).sma.port_state_change = false;
  EXPECT_TRUE(SetPhysical({1}, 36, PhysicalState::Disabled).ok());
  EXPECT_EQ(Port(0, 36).physical_state, PhysicalState::Disabled);
  EXPECT_EQ(Port(0, 36).state, PortState::Down);
  EXPECT_EQ(Port(1, 36).physical_state, PhysicalState::Polling);
  EXPECT_EQ(Port(1, 36).state, PortState::Down);
  EXPECT_FALSE(subnet_.device(0).sma.port_state_change);  // it was told so
  EXPECT_TRUE(subnet_.device(1).sma.port_state_change);
  EXPECT_EQ(manager_.Get({1, 36}, kNodeInfoId).fate, Fate::Lost);
  subnet_.SetLink(0, 36, false);
  subnet_.SetLink(0, 36, true);
  EXPECT_FALSE(subnet_.LinkUp(0, 36));
  EXPECT_TRUE(SetPhysical({1}, 36, PhysicalState::Polling).ok());
  EXPECT_EQ(Port(0, 36).physical_state, PhysicalState::LinkUp);
  EXPECT_EQ(Port(1, 36).state, PortState::Init);
  EXPECT_TRUE(manager_.Get({1, 36}, kNodeInfoId).ok());
}

TEST_F(SmaPortInfoSet, OneThatPollsWakesOneThatSleeps) {
  EXPECT_TRUE(SetPhysical({1}, 36, PhysicalState::Sleep).ok());
  EXPECT_TRUE(subnet_.LinkUp(0, 36));
  subnet_.sma_port({1, 36}).link_down_default = PhysicalState::Sleep;
  EXPECT_TRUE(SetPhysical({1}, 36, PhysicalState::Sleep).ok());
  EXPECT_FALSE(subnet_.LinkUp(0, 36));
  EXPECT_TRUE(SetPhysical({1}, 36, PhysicalState::Polling).ok());
  EXPECT_TRUE(subnet_.LinkUp(0, 36));
}

TEST_F(SmaPortInfoSet, EnabledWidthsAndSpeedsCountWhenTheLinkTrainsAgain) {
  Data data = manager_.PortInfo({1}, 36);
  data[29] = 1;
  data[35] = 0x03;
  ASSERT_TRUE(manager_.Set({1}, kPortInfoId, 36, data).ok());
  EXPECT_EQ(Port(0, 36).width_active, kWidth4x);
  manager_.SetState({1}, 36, PortState::Down);
  EXPECT_EQ(Port(0, 36).width_active, kWidth1x);
  EXPECT_EQ(Port(1, 36).width_active, kWidth1x);
  EXPECT_EQ(Port(1, 36).speed_active, SpeedBit(LinkSpeed::DDR));
  data = manager_.PortInfo({1}, 36);
  data[29] = 0xFF;
  data[35] = 0x0F;
  ASSERT_TRUE(manager_.Set({1}, kPortInfoId, 36, data).ok());
  EXPECT_EQ(Port(0, 36).widths_enabled, 3);
  manager_.SetState({1}, 36, PortState::Down);
  EXPECT_EQ(Port(1, 36).width_active, kWidth4x);
  EXPECT_EQ(Port(1, 36).speed_active, SpeedBit(LinkSpeed::QDR));
}

TEST_F(SmaPortInfoSet, EndsThatHaveNothingInCommonStayDown) {
  Data data = manager_.PortInfo({1, 36}, 36);
  data[35] = 0x01;
  ASSERT_TRUE(manager_.Set({1, 36}, kPortInfoId, 36, data).ok());
  Port(0, 36).speeds_enabled = SpeedBit(LinkSpeed::QDR);
  subnet_.Bounce(0, 36);
  EXPECT_FALSE(subnet_.LinkUp(0, 36));
}

TEST_F(SmaPortInfoSet, ExtendedSpeedsAreLeftAloneByManagersThatDoNotKnowThem) {
  const auto bed = ccsim::testing::OneSwitch(2, "4xHDR");
  Subnet subnet(bed.fabric);
  Manager manager(subnet, {1, 1});
  Data data = manager.PortInfo({1}, 1);
  data[63] = 1;
  EXPECT_EQ(manager.Set({1}, kPortInfoId, 1, data).data[63], 7);
  EXPECT_EQ(manager.Set({1}, kPortInfoId, kKnowsExtendedSpeeds | 1, data).data[63], 1);
  data[63] = 31;
  EXPECT_EQ(manager.Set({1}, kPortInfoId, kKnowsExtendedSpeeds | 1, data).data[63], 7);
  data[63] = 30;
  EXPECT_EQ(manager.Set({1}, kPortInfoId, kKnowsExtendedSpeeds | 1, data).data[63], 0);
  manager.SetState({1}, 1, PortState::Down);
  EXPECT_EQ(manager.Get({1}, kPortInfoId, 1).data[62] >> 4, 0);
  EXPECT_EQ(manager.Get({1}, kPortInfoId, 1).data[35] >> 4, 4);
  data[63] = 8;  // NDR
  EXPECT_EQ(manager.Set({1}, kPortInfoId, kKnowsExtendedSpeeds | 1, data).status, kInvalidField);
}

TEST_F(SmaPortInfoSet, CountersAreClearedNotWritten) {
  Port(2, 1).m_key_violations = 5;
  Port(2, 1).q_key_violations = 6;
  SetH1([](std::uint8_t* d) {
    Put16(d + 44, 9);
    Put16(d + 48, 0);
  });
  EXPECT_EQ(Port(2, 1).m_key_violations, 5);
  EXPECT_EQ(Port(2, 1).q_key_violations, 0);
}

TEST_F(SmaPortInfoSet, ClientReregisterIsEchoedAndNotKept) {
  EXPECT_EQ(SetH1([](std::uint8_t* d) { d[51] |= 0x80; }).data[51] & 0x80, 0x80);
  EXPECT_EQ(manager_.Get({}, kPortInfoId, 1).data[51] & 0x80, 0);
}

}  // namespace sma_port_info_set_test
}  // namespace ccsim::emulator

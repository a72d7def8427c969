// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/control_requests.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <utility>

#include "../testing.hpp"

namespace ccsim::emulator {
namespace control_requests_test {

using ccsim::testing::TwoSwitch;
using ibsim::Control;
using ibsim::ControlType;

std::string RefusalOf(const Fabric& fabric, const std::string& node) {
  try {
    FindPlace(fabric, node);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "found";
}

TEST(FindPlace, ByDescriptionByGuidAndByTheNamesOfIbsim) {
  const Fabric fabric = TwoSwitch().fabric;  // S1 and S2 of GUIDs 1 and 2, then H1 to H7 of GUIDs 101 to 107
  EXPECT_EQ(FindPlace(fabric, "H3"), (Place{4, 1}));
  EXPECT_EQ(FindPlace(fabric, "0x65"), (Place{2, 1}));
  EXPECT_EQ(FindPlace(fabric, "0x0000000000000065"), (Place{2, 1}));
  EXPECT_EQ(FindPlace(fabric, "0000000000000065"), (Place{2, 1}));
  EXPECT_EQ(FindPlace(fabric, "H-0000000000000065"), (Place{2, 1}));
  EXPECT_EQ(FindPlace(fabric, "S-0000000000000002"), (Place{1, 0})) << "a switch by its management port";
  EXPECT_EQ(FindPlace(fabric, ""), (Place{2, 1})) << "anywhere: the first host";
}

TEST(FindPlace, TheFirstPortWithACable) {
  Fabric fabric;
  const std::uint32_t sw = fabric.AddNode("S", NodeKind::Switch, 1, 2);
  const std::uint32_t host = fabric.AddNode("H", NodeKind::Host, 2, 2);
  fabric.AddNode("lonely", NodeKind::Host, 5, 2);
  fabric.Connect(host, 2, sw, 1, ParseLinkRate("4xEDR"), FromNs(10));
  EXPECT_EQ(FindPlace(fabric, "H"), (Place{host, 2}));
  EXPECT_EQ(FindPlace(fabric, "lonely"), (Place{2, 1}));
}

TEST(FindPlace, WhatIsUnknownOrAmbiguousIsRefusedByName) {
  Fabric fabric;
  fabric.AddNode("twin", NodeKind::Host, 1, 1);
  fabric.AddNode("twin", NodeKind::Host, 2, 1);
  EXPECT_NE(RefusalOf(fabric, "twin").find("'twin' is the description of several nodes"), std::string::npos);
  EXPECT_NE(RefusalOf(fabric, "nobody").find("no node 'nobody'"), std::string::npos);
  EXPECT_NE(RefusalOf(fabric, "0x").find("no node"), std::string::npos);
  EXPECT_NE(RefusalOf(fabric, "0x12345678901234567").find("no node"), std::string::npos);
  EXPECT_NE(RefusalOf(Fabric(), "").find("has no nodes"), std::string::npos);
}

// libumad2sim.so cuts SIM_HOST to what fits.
TEST(FindPlace, ADescriptionOfWhich31CharactersAreGiven) {
  const std::string start = "a-host-whose-name-is-rather-lon";
  ASSERT_EQ(start.size(), 31u);
  Fabric fabric;
  fabric.AddNode(start + "g-1", NodeKind::Host, 1, 1);
  EXPECT_EQ(FindPlace(fabric, start).node, 0u);
  EXPECT_NE(RefusalOf(fabric, start.substr(0, 30)), "found");
  fabric.AddNode(start + "g-2", NodeKind::Host, 2, 1);
  EXPECT_NE(RefusalOf(fabric, start).find("several"), std::string::npos);
}

struct Asked {
  explicit Asked(ccsim::testing::Bed of = TwoSwitch()) : bed(std::move(of)) {}

  ccsim::testing::Bed bed;
  Subnet subnet{bed.fabric};

  Control Ask(const char* node, ControlType type, std::uint8_t first_byte = 0) {
    Control control;
    control.type = type;
    control.data[0] = first_byte;
    AnswerControl(subnet, FindPlace(bed.fabric, node), control);
    return control;
  }
};

TEST(AnswerControl, NodeInfoAndWhatFollowsFromIt) {
  Asked asked;
  const Control info = asked.Ask("H2", ControlType::GetNodeInfo);
  ASSERT_EQ(info.type, ControlType::GetNodeInfo);
  EXPECT_EQ(info.data[2], 1) << "a channel adapter";
  EXPECT_EQ(Get64(&info.data[12]), 102u);
  EXPECT_EQ(info.data[36], 1) << "LocalPortNum";

  const Control guid = asked.Ask("H2", ControlType::GetGuid);
  ASSERT_EQ(guid.type, ControlType::GetGuid);
  EXPECT_EQ(Get64(guid.data.data()), 102u);

  const Control vendor = asked.Ask("H2", ControlType::GetVendor);
  ASSERT_EQ(vendor.type, ControlType::GetVendor);
  ibsim::Vendor values;
  std::memcpy(&values, vendor.data.data(), sizeof(values));
  EXPECT_EQ(values.vendor_id, std::uint32_t{info.data[37]} << 16 | Get16(&info.data[38]));
  EXPECT_EQ(values.part_id, Get16(&info.data[30]));
  EXPECT_EQ(values.hardware_version, Get32(&info.data[32]));

  // libumad2sim.so takes the sum of the two for the port's GUID, and OpenSM looks for that port.
  EXPECT_EQ(Get64(&info.data[20]), Get64(&info.data[12]) + info.data[36]);
}

TEST(AnswerControl, TheSumIsThePortsGuidAlsoWhereTheFabricGivesIt) {
  ccsim::testing::Bed bed = TwoSwitch();
  const Place host = FindPlace(bed.fabric, "H2");
  bed.fabric.SetPortGuid(host.node, host.port, 0xABCD);
  const Control info = Asked(std::move(bed)).Ask("H2", ControlType::GetNodeInfo);
  ASSERT_EQ(info.type, ControlType::GetNodeInfo);
  EXPECT_EQ(Get64(&info.data[20]), 0xABCDu);
  EXPECT_EQ(Get64(&info.data[12]) + info.data[36], 0xABCDu);
}

TEST(AnswerControl, PortInfoOfTheOwnPortAndOfOthersOfASwitch) {
  Asked asked;
  asked.subnet.sma_port({3, 1}).lid = 77;
  const Control own = asked.Ask("H2", ControlType::GetPortInfo);
  ASSERT_EQ(own.type, ControlType::GetPortInfo);
  EXPECT_EQ(Get16(&own.data[16]), 77u);
  const Control port = asked.Ask("H2", ControlType::GetPort);
  EXPECT_EQ(port.data[0] | port.data[1] << 8, 77) << "in the machine's order";
  EXPECT_EQ(port.data[2], own.data[32] & 0x0F);

  const Control gid = asked.Ask("H2", ControlType::GetGid);
  ASSERT_EQ(gid.type, ControlType::GetGid);
  EXPECT_EQ(Get64(&gid.data[0]), 0xFE80000000000000u);
  EXPECT_EQ(Get64(&gid.data[8]), 103u);

  constexpr unsigned kPortState = 32;
  EXPECT_EQ(asked.Ask("S1", ControlType::GetPortInfo, 1).data[kPortState] & 0x0F, 2) << "Init: a host is there";
  EXPECT_EQ(asked.Ask("S1", ControlType::GetPortInfo, 20).data[kPortState] & 0x0F, 1) << "Down: nothing is";
  EXPECT_EQ(asked.Ask("S1", ControlType::GetPortInfo, 200).type, ControlType::GetPortInfo) << "no such port: its own";
}

TEST(AnswerControl, PkeysAsTheyTravel) {
  Asked asked;
  const Control keys = asked.Ask("H1", ControlType::GetPkeys);
  ASSERT_EQ(keys.type, ControlType::GetPkeys);
  EXPECT_EQ(Get16(&keys.data[0]), 0xFFFF);
  EXPECT_EQ(Get16(&keys.data[2]), 0);
}

TEST(AnswerControl, TheDriverHasTheKeyAndMeetsNoFaults) {
  Asked asked;
  SmaPort& port = asked.subnet.sma_port({2, 1});
  port.m_key = 0x1234;
  port.m_key_protect = 3;
  FaultSpec drop;
  drop.kind = "drop";
  asked.subnet.faults().Add(asked.subnet, drop);
  EXPECT_EQ(asked.Ask("H1", ControlType::GetNodeInfo).type, ControlType::GetNodeInfo);
  EXPECT_EQ(port.m_key_violations, 0);
}

TEST(AnswerControl, RefusesWhatItDoesNotKnowAndADeviceThatIsOff) {
  Asked asked;
  EXPECT_EQ(asked.Ask("H1", static_cast<ControlType>(99)).type, ControlType::Error);
  asked.subnet.SetPresent(2, false);
  EXPECT_EQ(asked.Ask("H1", ControlType::GetNodeInfo).type, ControlType::Error);
}

}  // namespace control_requests_test
}  // namespace ccsim::emulator

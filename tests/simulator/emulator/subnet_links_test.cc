// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include <gtest/gtest.h>

#include "../testing.hpp"
#include "emulator/subnet.hpp"
#include "management.hpp"

namespace ccsim::emulator {
namespace subnet_links_test {

using namespace testing;

constexpr Place kH1{2, 1};

TEST(SubnetLinks, ComeUpInInitWhenEverythingIsSwitchedOn) {
  const auto bed = ccsim::testing::TwoSwitch();
  const Subnet subnet(bed.fabric);
  for (std::uint32_t n = 0; n < subnet.num_devices(); ++n) {
    for (std::uint16_t p = 1; p <= bed.fabric.nodes()[n].num_ports(); ++p) {
      const bool cabled = bed.fabric.nodes()[n].ports[p].connected();
      EXPECT_EQ(subnet.LinkUp(n, p), cabled);
      EXPECT_EQ(subnet.device(n).sma.ports[p].state, cabled ? PortState::Init : PortState::Down);
    }
  }
}

TEST(SubnetLinks, ACableThatIsPulledTakesBothEndsDown) {
  const auto bed = ccsim::testing::TwoSwitch();
  Subnet subnet(bed.fabric);
  BringUp(subnet, kH1);
  const std::uint64_t before = subnet.versions().links;
  subnet.SetLink(0, 36, false);
  EXPECT_EQ(subnet.sma_port({0, 36}).state, PortState::Down);
  EXPECT_EQ(subnet.sma_port({1, 36}).state, PortState::Down);
  EXPECT_EQ(subnet.sma_port({1, 36}).physical_state, PhysicalState::Polling);
  EXPECT_EQ(subnet.versions().links, before + 1);
  EXPECT_EQ(subnet.device(0).pma.ports[36].link_downed, 1u);
  EXPECT_EQ(subnet.device(1).pma.ports[36].link_downed, 1u);
  subnet.SetLink(0, 36, false);
  EXPECT_EQ(subnet.versions().links, before + 1);
  subnet.SetLink(1, 36, true);  // named by its other end
  EXPECT_TRUE(subnet.LinkUp(0, 36));
  EXPECT_EQ(subnet.sma_port({0, 36}).state, PortState::Init);
}

TEST(SubnetLinks, ANodeThatIsGoneAnswersNobody) {
  const auto bed = ccsim::testing::TwoSwitch();
  Subnet subnet(bed.fabric);
  Manager manager(subnet, kH1);
  subnet.SetPresent(1, false);
  EXPECT_FALSE(subnet.LinkUp(0, 36));
  EXPECT_FALSE(subnet.LinkUp(5, 1));
  EXPECT_EQ(manager.Get({1, 36}, kNodeInfoId).fate, Fate::Lost);
  EXPECT_EQ(Manager(subnet, {1, 0}).Get({}, kNodeInfoId).fate, Fate::Lost);
  subnet.SetPresent(1, true);
  EXPECT_TRUE(manager.Get({1, 36}, kNodeInfoId).ok());
}

TEST(SubnetLinks, ARebootForgetsEverything) {
  const auto bed = ccsim::testing::TwoSwitch();
  Subnet subnet(bed.fabric);
  BringUp(subnet, kH1);
  subnet.sma_port({1, 0}).m_key = 5;
  subnet.device(1).pma.ports[36].xmit_packets = 7;
  const TableVersions before = subnet.versions();
  subnet.Reboot(1);
  EXPECT_EQ(subnet.sma_port({1, 0}).lid, 0);
  EXPECT_EQ(subnet.sma_port({1, 0}).m_key, 0u);
  EXPECT_TRUE(subnet.device(1).sma.forwarding.empty());
  EXPECT_EQ(subnet.device(1).pma.ports[36].xmit_packets, 0u);
  EXPECT_EQ(subnet.sma_port({0, 36}).state, PortState::Init);
  EXPECT_GT(subnet.versions().forwarding, before.forwarding);
  EXPECT_GT(subnet.versions().congestion, before.congestion);
  EXPECT_GT(subnet.versions().links, before.links);
}

TEST(SubnetLinks, ASubnetManagerOutlivesARebootOfItsNode) {
  const auto bed = ccsim::testing::TwoSwitch();
  Subnet subnet(bed.fabric);
  subnet.SetIsSm(kH1, true);
  subnet.Reboot(kH1.node);
  EXPECT_TRUE(subnet.sma_port(kH1).is_sm);
}

}  // namespace subnet_links_test
}  // namespace ccsim::emulator

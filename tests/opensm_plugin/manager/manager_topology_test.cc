// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "manager_support.hpp"
#include "opensm_plugin/refused_memory.hpp"

namespace ibcc_test {
namespace {

// Four leaves with six hosts each.
class ManagerTopology : public OpenManagerBed {
 protected:
  // Events with a dot in their names since the last call, without their epochs and times, which are checked.
  std::vector<std::string> Told() {
    std::vector<std::string> told;
    for (std::string one : fabric_.told) {
      const std::size_t at = one.find(",\"epoch\":");
      EXPECT_EQ(one.compare(at, 9 + std::to_string(Epoch()).size(), ",\"epoch\":" + std::to_string(Epoch())), 0) << one;
      EXPECT_NE(one.find(",\"at_s\":"), std::string::npos) << one;
      told.push_back(one.substr(0, at) + "}");
    }
    fabric_.told.clear();
    return told;
  }
  std::uint64_t Epoch() { return ibcc_manager_topology(manager_)->epoch; }
  using List = std::vector<std::string>;
};

TEST_F(ManagerTopology, ALostNodeAndItsReturnAreReported) {
  BringUp();
  fabric_.told.clear();
  fabric_.host(1).present = false;
  fabric_.Sweep(manager_);
  const std::string links = R"("links":[{"port":1,"peer_guid":"0x0000000000009000","peer_port":2,"peer_description":"S24"}])";
  const std::string host = R"("guid":"0x0000000000001001","kind":"ca","description":"H1","lid":2,)" + links;
  EXPECT_EQ(Told(), List{"device.lost {" + host + "}"});
  GoodSweep();
  EXPECT_EQ(Told(), List{});
  fabric_.host(1).present = true;
  GoodSweep();
  EXPECT_EQ(Told(), (List{"device.back {" + host + ",\"known\":true}"}));
}

TEST_F(ManagerTopology, ASwitchIsLostWithItsHosts) {
  BringUp();
  fabric_.told.clear();
  fabric_.leaf(2).present = false;
  fabric_.Sweep(manager_);
  const List told = Told();
  ASSERT_EQ(told.size(), 7u) << "its links are told with the nodes";
  for (const std::string& one : told) EXPECT_EQ(one.rfind("device.lost ", 0), 0u) << one;
}

TEST_F(ManagerTopology, DriftAndRepairAreReportedOnceADevice) {
  BringUp();
  fabric_.told.clear();
  auto& held = fabric_.host(3).agent.held;
  for (auto& [key, data] : held) data[5] ^= 0x11;
  ibcc_manager_verify(manager_);
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  const std::string host = R"("guid":"0x0000000000001003","port":1,"kind":"ca","description":"H3","lid":4)";
  EXPECT_EQ(Told(), (List{"device.drifted {" + host +
                              R"(,"attribute":"CACongestionSetting","differences":[{"attribute":"CACongestionSetting","block":0,)"
                              R"("scope":null,"field":"CCTI_Timer","index":0,"wanted":150,"held":135}],"reset":false})",
                          "device.repaired {" + host + "}"}));
  EXPECT_GT(fabric_.events["drifted"], 1) << "for each of its tables";
}

TEST_F(ManagerTopology, AResetIsReportedAsDrift) {
  BringUp();
  fabric_.told.clear();
  fabric_.leaf(0).agent.held.clear();
  fabric_.Sweep(manager_, {}, {0x9000});
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  Wait(60);
  const List told = Told();
  ASSERT_EQ(told.size(), 2u);
  EXPECT_NE(told[0].find("\"reset\":true"), std::string::npos) << told[0];
  EXPECT_EQ(told[1].rfind("device.repaired ", 0), 0u) << told[1];
}

TEST_F(ManagerTopology, ADeviceThatDriftedAndLeftIsNotRepaired) {
  BringUp();
  auto& held = fabric_.host(3).agent.held;
  for (auto& [key, data] : held) data[5] ^= 0x11;
  fabric_.told.clear();
  ibcc_manager_verify(manager_);
  fabric_.Run(manager_, [&] { return !fabric_.told.empty(); });
  fabric_.host(3).present = false;
  GoodSweep();
  fabric_.host(3).present = true;
  GoodSweep();
  List kinds;
  for (const std::string& one : fabric_.told) kinds.push_back(one.substr(0, one.find(' ')));
  EXPECT_EQ(kinds, (List{"device.drifted", "device.lost", "device.back"}));
}

TEST_F(ManagerTopology, RolesAndOtherSubnetManagersAreReported) {
  fabric_.Sweep(manager_);
  ASSERT_EQ(fabric_.told.size(), 1u);
  EXPECT_NE(fabric_.told[0].find(R"({"role":"master","former_role":"starting","message":"master: )"), std::string::npos)
      << fabric_.told[0];
  fabric_.told.clear();
  fabric_.other_sms = {.count = 1, .list = {{.guid = 0x77, .priority = 3, .state = 2}}};
  GoodSweep();
  EXPECT_EQ(Told(), (List{R"(sm.changed {"role":"master","former_role":"master","message":)"
                          R"("OpenSM has found other subnet managers than before",)"
                          R"("subnet_managers":[{"guid":"0x0000000000000077","priority":3,"state":"standby"}]})"}));
  GoodSweep();
  EXPECT_EQ(Told(), List{});
  fabric_.master = false;
  ibcc_manager_tick(manager_);
  List told = Told();
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].rfind(R"(sm.changed {"role":"standby","former_role":"master",)", 0), 0u) << told[0];
}

TEST_F(ManagerTopology, ItIsKnownWhereOpenSmsOwnManagerIsOn) {
  fabric_.opensm_cc_on = true;
  fabric_.Sweep(manager_);
  EXPECT_GT(Epoch(), 0u);
  fabric_.told.clear();
  fabric_.host(5).present = false;
  fabric_.Sweep(manager_);
  ASSERT_EQ(Told().size(), 1u);
}

TEST_F(ManagerTopology, WithoutMemoryForACopyTheNextSweepHasIt) {
  BringUp();
  fabric_.told.clear();
  fabric_.has_memory = false;
  fabric_.host(5).present = false;
  fabric_.Sweep(manager_);
  EXPECT_EQ(Told().size(), 0u);
  fabric_.has_memory = true;
  GoodSweep();
  EXPECT_EQ(Told().size(), 1u);
}

// Nothing is sent to them, as OpenSM's own manager is on.
class ManagerTopologyOfFew : public ManagerBed {
 protected:
  ManagerTopologyOfFew() : ManagerBed(1, 3) { fabric_.opensm_cc_on = true; }
};

TEST_F(ManagerTopologyOfFew, RefusedMemoryLosesAnEventButNoEpoch) {
  Open();
  fabric_.Sweep(manager_);
  unsigned whole = 0;
  for (unsigned nth = 1; nth < 1000; ++nth) {
    fabric_.host(1).present = nth % 2 == 0;
    fabric_.told.clear();
    bool happened = false;
    {
      const RefusedMemory refused(nth);
      fabric_.Sweep(manager_);
      happened = refused.Happened();
    }
    for (const std::string& one : fabric_.told) EXPECT_NE(one.find("\"at_s\":"), std::string::npos) << "not whole: " << one;
    whole += fabric_.told.size() == 1;
    fabric_.Sweep(manager_);
    const ibcc_topology* topology = ibcc_manager_topology(manager_);
    EXPECT_EQ(topology->snapshot->view.num_nodes, nth % 2 == 0 ? 5u : 4u) << nth;
    if (!happened) break;
  }
  EXPECT_GT(whole, 1u);
}

// A leaf with more hosts than one sweep has events. Nothing is sent to them, as OpenSM's own manager is on.
class ManagerTopologyOfMany : public ManagerBed {
 protected:
  static constexpr unsigned kHosts = 20'001;
  ManagerTopologyOfMany() : ManagerBed(1, kHosts) { fabric_.opensm_cc_on = true; }
};

TEST_F(ManagerTopologyOfMany, TheLastEventSaysHowManyWereLeftOut) {
  Open();
  fabric_.Sweep(manager_);
  fabric_.told.clear();
  fabric_.leaf(0).present = false;
  fabric_.Sweep(manager_);
  ASSERT_EQ(fabric_.told.size(), 20'000u);
  EXPECT_EQ(fabric_.told[19'998].find("omitted"), std::string::npos);
  EXPECT_NE(fabric_.told[19'999].find(R"("omitted":2,)"), std::string::npos) << fabric_.told[19'999];
  EXPECT_NE(log_.text.find("topology: 20002 changes, 20000 reported as events\n"), std::string::npos) << log_.text;
}

}  // namespace
}  // namespace ibcc_test

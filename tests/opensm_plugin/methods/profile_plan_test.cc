// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "methods/support.hpp"

namespace ibcc_test {
namespace {

using ProfilePlan = Methods;

TEST_F(ProfilePlan, CountsAndSendsNothing) {
  EXPECT_EQ(Refusal("profile.plan", WithProfile(ProfileText(2))),
            "-32000: the fabric is not known yet: no sweep of this OpenSM has ended well");
  BringUp();
  const std::uint64_t before = fabric_.mads;
  const Json plan = Call("profile.plan", WithProfile(ProfileText(2)));
  EXPECT_EQ(ShowAt(plan, "devices"), "3");
  EXPECT_EQ(ShowAt(plan, "switches"), "3");
  EXPECT_EQ(ShowAt(plan, "cas"), "0");
  EXPECT_EQ(ShowAt(plan, "sets"), "3");
  EXPECT_EQ(ShowAt(plan, "unknown"), "0");
  EXPECT_EQ(ShowAt(plan, "warnings"), "[]");
  ASSERT_EQ(json_array_size(At(plan, "changes")), 3u);
  EXPECT_EQ(
      Show(json_array_get(At(plan, "changes"), 0)),
      "{'attributes':['SwitchCongestionSetting'],'description':'S4','differences':[{'attribute':'SwitchCongestionSetting',"
      "'block':0,'field':'Marking_Rate','held':1,'index':null,'scope':null,'wanted':2}],'guid':'0x0000000000009000','known':true,"
      "'port':0,'sets':1}");
  const Json nothing = Call("profile.plan", WithProfile(ProfileText(1)));
  EXPECT_EQ(ShowAt(nothing, "sets"), "0");
  EXPECT_EQ(ShowAt(nothing, "changes"), "[]");
  const Json warned =
      Call("profile.plan", WithProfile(ProfileText(1) + "overrides: [{match: {node: nobody}, ca: {ccti_timer: 1}}]\n"));
  EXPECT_EQ(json_array_size(At(warned, "warnings")), 1u);
  EXPECT_TRUE(fabric_.RunUntilIdle(manager_));
  EXPECT_EQ(fabric_.mads, before);
  SurvivesRefusedMemory("profile.plan", WithProfile(ProfileText(2)));
}

// A trial run hides what a promotion of its profile changes: its devices hold that profile already.
TEST_F(ProfilePlan, BeginsWithTheBaseDuringATrialRun) {
  BringUp();
  const std::string trial = WithProfile(ProfileText(2, "trial"), ", 'from': 'base'");
  const std::string before = Show(Call("profile.plan", trial).get());
  EXPECT_EQ(ShowAt(Call("profile.plan", trial), "sets"), "3");
  Call("profile.apply", WithProfile(ProfileText(2, "trial"), ", 'ttl_s': 60"));
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  EXPECT_EQ(ShowAt(Call("profile.plan", WithProfile(ProfileText(2, "trial"))), "sets"), "0");
  EXPECT_EQ(Show(Call("profile.plan", trial).get()), before);
  EXPECT_EQ(ShowAt(Call("profile.plan", WithProfile(ProfileText(1), ", 'from': 'base'")), "sets"), "0");
  EXPECT_EQ(ShowAt(Call("profile.plan", WithProfile(ProfileText(1), ", 'from': 'held'")), "sets"), "3");
  SurvivesRefusedMemory("profile.plan", trial);
}

}  // namespace
}  // namespace ibcc_test

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
  EXPECT_EQ(Show(Call("profile.plan", WithProfile(ProfileText(2))).get()),
            "{'cas':0,'devices':3,'sets':3,'switches':3,'unknown':0,'warnings':[]}");
  EXPECT_EQ(ShowAt(Call("profile.plan", WithProfile(ProfileText(1))), "sets"), "0");
  const Json warned =
      Call("profile.plan", WithProfile(ProfileText(1) + "overrides: [{match: {node: nobody}, ca: {ccti_timer: 1}}]\n"));
  EXPECT_EQ(json_array_size(At(warned, "warnings")), 1u);
  EXPECT_TRUE(fabric_.RunUntilIdle(manager_));
  EXPECT_EQ(fabric_.mads, before);
  SurvivesRefusedMemory("profile.plan", WithProfile(ProfileText(2)));
}

}  // namespace
}  // namespace ibcc_test

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "methods/support.hpp"

namespace ibcc_test {
namespace {

using ProfileRenew = Methods;

TEST_F(ProfileRenew, TheExperimentGetsItsTimeAnew) {
  BringUp();
  EXPECT_EQ(Refusal("profile.renew", "{'revision': 2, 'ttl_s': 60}").find("-32004: there is no trial run"), 0u);
  Call("profile.apply", WithProfile(ProfileText(2), ", 'ttl_s': 60"));
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  const Json before = Call("status");
  EXPECT_EQ(Show(Call("profile.renew", "{'revision': 2, 'ttl_s': 600}").get()), "{'revision':2,'ttl_s':600}");
  const Json after = Call("status");
  EXPECT_GT(json_number_value(json_object_get(At(after, "experiment"), "remaining_s")), 500);
  EXPECT_EQ(ShowAt(after, "job"), ShowAt(before, "job")) << "the devices have nothing to do with it";
  EXPECT_EQ(Show(Call("profile.renew", "{'revision': 2, 'ttl_s': 0}").get()), "{'revision':2,'ttl_s':0}");
  EXPECT_EQ(Show(json_object_get(At(Call("status"), "experiment"), "remaining_s")), "null");
}

TEST_F(ProfileRenew, OnlyTheExperimentThatWasMeant) {
  BringUp();
  Call("profile.apply", WithProfile(ProfileText(2), ", 'ttl_s': 60"));
  EXPECT_EQ(Refusal("profile.renew", "{'revision': 3, 'ttl_s': 600}"), "-32003: the trial run is revision 2, not 3");
  EXPECT_EQ(Refusal("profile.renew", "{'ttl_s': 600}").find("-32602: "), 0u);
  EXPECT_EQ(Refusal("profile.renew", "{'revision': 2}").find("-32602: "), 0u);
  EXPECT_EQ(Refusal("profile.renew", "{'revision': 2, 'ttl_s': 2592001}"),
            "-32602: ttl_s must be a whole number from 0 to 2592000");
}

TEST_F(ProfileRenew, MemoryRefusedIsSurvived) {
  BringUp();
  Call("profile.apply", WithProfile(ProfileText(2), ", 'ttl_s': 60"));
  SurvivesRefusedMemory("profile.renew", "{'revision': 2, 'ttl_s': 600}");
}

}  // namespace
}  // namespace ibcc_test

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// profile_apply_test.cc has the test that a rollback ends an experiment.
#include "methods/support.hpp"

namespace ibcc_test {
namespace {

using ProfileRollback = Methods;

TEST_F(ProfileRollback, WithoutAnExperimentItIsTheFormerBase) {
  BringUp();
  Call("profile.apply", WithProfile(ProfileText(2, "new")));
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  EXPECT_EQ(ShowAt(Call("profile.rollback", "{'revision': 2}"), "ended_experiment"), "false");
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  EXPECT_EQ(Show(json_object_get(At(Call("status"), "base"), "name")), "'base'");
  EXPECT_EQ(fabric_.leaf(0).agent.held[(std::pair<std::uint16_t, std::uint16_t>{CCP_SWITCH_CONGESTION_SETTING, 0})][75], 1u);
  // Before the first base there is what devices were found with, and before that nothing.
  EXPECT_EQ(ShowAt(Call("profile.rollback", "{'revision': 3}"), "revision"), "0");
  EXPECT_EQ(Refusal("profile.rollback", "{'revision': 3}").find("-32004: "), 0u);
}

TEST_F(ProfileRollback, NamesTheRevisionThatItUndoes) {
  BringUp();
  Call("profile.apply", WithProfile(ProfileText(2, "new")));
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  EXPECT_EQ(Refusal("profile.rollback").find("-32602: "), 0u);
  EXPECT_EQ(Refusal("profile.rollback", "{'revision': 1}"),
            "-32003: revision is 1, but the base is revision 2, profile 'new': somebody else changed it first");
  Call("profile.apply", WithProfile(ProfileText(3, "trial"), ", 'ttl_s': 60"));
  EXPECT_EQ(Refusal("profile.rollback", "{'revision': 2}"),
            "-32003: revision is 2, but the trial run is revision 3, profile 'trial': somebody else changed it first");
  EXPECT_EQ(ShowAt(Call("status"), "wanted"), "3");
}

}  // namespace
}  // namespace ibcc_test

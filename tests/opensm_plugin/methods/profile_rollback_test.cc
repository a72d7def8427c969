// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// That it ends an experiment is in profile_apply_test.cc.
#include "methods/support.hpp"

namespace ibcc_test {
namespace {

using ProfileRollback = Methods;

TEST_F(ProfileRollback, WithoutAnExperimentItIsTheFormerBase) {
  BringUp();
  EXPECT_EQ(Refusal("profile.rollback").find("-32004: "), 0u);
  Call("profile.apply", WithProfile(ProfileText(2, "new")));
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  EXPECT_EQ(ShowAt(Call("profile.rollback"), "ended_experiment"), "false");
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  EXPECT_EQ(Show(json_object_get(At(Call("status"), "base"), "name")), "'base'");
  EXPECT_EQ(fabric_.leaf(0).agent.held[(std::pair<std::uint16_t, std::uint16_t>{CCP_SWITCH_CONGESTION_SETTING, 0})][75], 1u);
}

}  // namespace
}  // namespace ibcc_test

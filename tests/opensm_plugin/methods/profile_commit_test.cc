// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "methods/support.hpp"

namespace ibcc_test {
namespace {

using ProfileCommit = Methods;

TEST_F(ProfileCommit, TheExperimentBecomesTheBase) {
  BringUp();
  EXPECT_EQ(Refusal("profile.commit", "{'revision': 1}").find("-32004: "), 0u);
  Call("profile.apply", WithProfile(ProfileText(2, "trial"), ", 'ttl_s': 60"));
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  EXPECT_EQ(Refusal("profile.commit", "{'revision': 1}"),
            "-32003: revision is 1, but the trial run is revision 2, profile 'trial': somebody else changed it first");
  EXPECT_EQ(ShowAt(Call("profile.commit", "{'revision': 2}"), "revision"), "2");
  const Json status = Call("status");
  EXPECT_EQ(Show(json_object_get(At(status, "base"), "name")), "'trial'");
  EXPECT_EQ(Show(json_object_get(At(status, "base"), "source")), "'commit'");
  EXPECT_EQ(ShowAt(status, "experiment"), "null");
}

}  // namespace
}  // namespace ibcc_test

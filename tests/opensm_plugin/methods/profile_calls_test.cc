// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What the methods profile.… refuse alike.
#include "methods/support.hpp"

namespace ibcc_test {
namespace {

using ProfileCalls = Methods;

TEST_F(ProfileCalls, RefuseDocumentsThatAreNoProfile) {
  for (const char* const method : {"profile.apply", "profile.plan"}) {
    BringUp();
    EXPECT_EQ(Refusal(method), "-32602: profile is missing");
    EXPECT_EQ(Refusal(method, "{'profile': 7}"), "-32602: profile must be the text of a document, or an object");
    EXPECT_EQ(Refusal(method, "{'profile': 'ibcc_profile: 1\\nname: x\\nnonsense: 1'}").find("-32602: profile, line 3: "), 0u)
        << Refusal(method, "{'profile': 'ibcc_profile: 1\\nname: x\\nnonsense: 1'}");
    EXPECT_EQ(Refusal(method, "{'profile': {'ibcc_profile': 1, 'name': 'x', 'nonsense': 1}}").find("-32602: profile, line 4: "),
              0u);
  }
}

TEST_F(ProfileCalls, TakeAJsonObjectToo) {
  BringUp();
  const Json plan = Call("profile.plan", "{'profile': {'ibcc_profile': 1, 'name': 'off', 'enable': false}}");
  EXPECT_EQ(ShowAt(plan, "devices"), "7");
}

TEST_F(ProfileCalls, AStandbyRefersToTheMaster) {
  fabric_.master = false;
  fabric_.Sweep(manager_);
  const std::string standby = "-32000: this OpenSM is standby; ask the plugin of the one that is master";
  EXPECT_EQ(Refusal("profile.apply", WithProfile(ProfileText(2))), standby);
  EXPECT_EQ(Refusal("profile.commit"), standby);
  EXPECT_EQ(Refusal("profile.rollback"), standby);
  EXPECT_EQ(Refusal("verify"), standby);
}

TEST_F(ProfileCalls, NothingIsDoneBesideOpenSmsOwnManager) {
  fabric_.opensm_cc_on = true;
  fabric_.Sweep(manager_);
  EXPECT_EQ(Refusal("profile.apply", WithProfile(ProfileText(2))),
            "-32000: OpenSM's own congestion control is on; set congestion_control FALSE (or mlnx_congestion_control 0, if it is "
            "NVIDIA's) in opensm.conf, and send OpenSM a SIGHUP");
}

}  // namespace
}  // namespace ibcc_test

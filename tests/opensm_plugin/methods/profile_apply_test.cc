// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "methods/support.hpp"

namespace ibcc_test {
namespace {

class ProfileApply : public Methods {
 protected:
  unsigned MarkingRate() { return fabric_.leaf(0).agent.held[{CCP_SWITCH_CONGESTION_SETTING, 0}][75]; }
};

TEST_F(ProfileApply, AnExperimentIsBroughtToTheDevicesAndEndsByRollback) {
  BringUp();
  EXPECT_EQ(Show(Call("profile.apply", WithProfile(ProfileText(2), ", 'ttl_s': 60, 'if_revision': 1")).get()),
            "{'job':2,'revision':2}");
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  EXPECT_EQ(MarkingRate(), 2u);
  EXPECT_EQ(Refusal("profile.apply", WithProfile(ProfileText(3), ", 'ttl_s': 60")).find("-32000: "), 0u);
  EXPECT_EQ(Refusal("profile.apply", WithProfile(ProfileText(3))).find("-32000: "), 0u);
  EXPECT_EQ(Show(Call("profile.rollback", "{'revision': 2}").get()), "{'ended_experiment':true,'job':3,'revision':1}");
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  EXPECT_EQ(MarkingRate(), 1u);
}

TEST_F(ProfileApply, ItsOwnerIsToldToOthersAndMayReplaceIt) {
  BringUp();
  Call("profile.apply", WithProfile(ProfileText(2), ", 'ttl_s': 60, 'owner': 'a campaign on host h'"));
  EXPECT_EQ(
      Refusal("profile.apply", WithProfile(ProfileText(3), ", 'ttl_s': 60")),
      "-32000: a trial run is in force, revision 2, profile 't', owned by a campaign on host h: commit it or roll it back first");
  EXPECT_EQ(Show(json_object_get(At(Call("status"), "experiment"), "owner")), "'a campaign on host h'");
  EXPECT_EQ(Show(Call("profile.apply", WithProfile(ProfileText(3), ", 'ttl_s': 60, 'if_revision': 2")).get()),
            "{'job':3,'revision':3}");
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  EXPECT_EQ(MarkingRate(), 3u);
  EXPECT_EQ(Show(json_object_get(At(Call("status"), "experiment"), "owner")), "null");
  Call("profile.rollback", "{'revision': 3}");
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  EXPECT_EQ(MarkingRate(), 1u);
}

TEST_F(ProfileApply, AnOwnerIsOfAnExperimentAndHasAShortName) {
  BringUp();
  EXPECT_EQ(Refusal("profile.apply", WithProfile(ProfileText(2), ", 'owner': 'me'")),
            "-32602: owner needs ttl_s: only a trial run has an owner");
  EXPECT_EQ(Refusal("profile.apply", WithProfile(ProfileText(2), ", 'ttl_s': 60, 'owner': '" + std::string(121, 'x') + "'")),
            "-32602: owner has 121 bytes, but must have at most 120");
  Call("profile.apply", WithProfile(ProfileText(2), ", 'ttl_s': 60, 'owner': '" + std::string(120, 'x') + "'"));
}

TEST_F(ProfileApply, WithoutATimeItIsTheNewBase) {
  BringUp();
  Call("profile.apply", WithProfile(ProfileText(2, "new")));
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  EXPECT_EQ(MarkingRate(), 2u);
  EXPECT_EQ(Show(json_object_get(At(Call("status"), "base"), "name")), "'new'");
  EXPECT_EQ(ShowAt(Call("status"), "experiment"), "null");
}

TEST_F(ProfileApply, AnAlgorithmWithoutANameInAFileIsRefusedAndNothingIsSet) {
  BringUp();
  const std::string text =
      "ibcc_profile: 2\nname: t\nswitch: {threshold: 9, marking_rate: 7}\nca: {ccti_timer: 1, ccti_increase: 1}\n"
      "cct: {entries: [{shift: 0, multiplier: 0}]}\nnvidia: {adapter: {type: ppcc, ppcc: [{algorithm: ZTR}]}}\n";
  const std::string refusal = "-32602: algorithm 'ZTR' is not in the file of --ppcc-algorithms, nor are there names without it";
  EXPECT_EQ(Refusal("profile.plan", WithProfile(text)), refusal);
  EXPECT_EQ(Refusal("profile.apply", WithProfile(text)), refusal);
  EXPECT_EQ(Refusal("profile.apply", WithProfile(text, ", 'ttl_s': 60")), refusal);
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  EXPECT_EQ(MarkingRate(), 1u);
  EXPECT_EQ(ShowAt(Call("status"), "experiment"), "null");
}

TEST_F(ProfileApply, OnlyOnTheRevisionThatWasSeen) {
  BringUp();
  EXPECT_EQ(Refusal("profile.apply", WithProfile(ProfileText(2), ", 'if_revision': 7")).find("-32003: "), 0u);
  EXPECT_EQ(Refusal("profile.apply", WithProfile(ProfileText(2), ", 'if_revision': 0")),
            "-32602: if_revision must be a whole number from 1 to 9223372036854775807");
  EXPECT_EQ(Refusal("profile.apply", WithProfile(ProfileText(2), ", 'ttl_s': 2592001")),
            "-32602: ttl_s must be a whole number from 0 to 2592000");
  EXPECT_EQ(MarkingRate(), 1u);
}

// Whichever allocation fails: who is told of a failure finds that nothing has changed.
TEST_F(ProfileApply, MemoryRefusedChangesNothing) {
  BringUp();
  const std::string line = Quoted("{'jsonrpc': '2.0', 'id': 1, 'method': 'profile.apply', 'params': ") +
                           Quoted(WithProfile(ProfileText(2), ", 'ttl_s': 60")) + "}\n";
  unsigned refused = 0, dropped = 0;
  for (unsigned nth = 1;; ++nth) {
    bool happened = false;
    {
      const RefusedMemory refused_memory(nth);
      ibcc_client_receive(&client_, &service_, line.data(), line.size());
      happened = refused_memory.Happened();
    }
    const bool changed = ibcc_profiles_experiment(profiles_) != nullptr;
    if (client_.gone != nullptr) {
      ++dropped;
      ibcc_client_clear(&client_);
      Call("hello", "{'protocol': 2}");
    } else {
      const std::string heard(client_.output.bytes, ibcc_output_waiting(&client_.output));
      ibcc_output_clear(&client_.output);
      ASSERT_EQ(changed, json_object_get(Parse(heard).get(), "result") != nullptr) << nth << ": " << heard;
      refused += !changed;
    }
    if (changed) Call("profile.rollback", "{'revision': " + std::to_string(ibcc_profiles_experiment(profiles_)->number) + "}");
    ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
    ASSERT_EQ(MarkingRate(), 1u) << nth;
    if (!happened) break;
    ASSERT_LT(nth, 100000u);
  }
  EXPECT_GT(refused, 20u);
  EXPECT_GT(dropped, 3u);
}

TEST_F(ProfileApply, BeforeTheFirstSweepItWaits) {
  EXPECT_EQ(ShowAt(Call("profile.apply", WithProfile(ProfileText(2))), "job"), "null");
  BringUp();
  EXPECT_EQ(MarkingRate(), 2u);
}

}  // namespace
}  // namespace ibcc_test

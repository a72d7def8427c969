// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "methods/support.hpp"

namespace ibcc_test {
namespace {

using ProfileGet = Methods;

TEST_F(ProfileGet, ReturnsDocumentsAsTheyWereGiven) {
  BringUp();
  Call("profile.apply", WithProfile(ProfileText(2, "second")));
  Call("profile.apply", WithProfile(ProfileText(3, "trial"), ", 'ttl_s': 60"));
  const auto document = [this](const std::string& params) {
    const Json result = Call("profile.get", params);
    return std::string(json_string_value(At(result, "document")));
  };
  EXPECT_EQ(document("{}"), ProfileText(3, "trial"));
  EXPECT_EQ(document("{'which': 'experiment'}"), ProfileText(3, "trial"));
  EXPECT_EQ(document("{'which': 'base'}"), ProfileText(2, "second"));
  EXPECT_EQ(document("{'revision': 1}"), ProfileText(1, "base"));
  EXPECT_EQ(document("{'revision': 3}"), ProfileText(3, "trial"));
  const Json wanted = Call("profile.get");
  ASSERT_EQ(json_array_size(At(wanted, "history")), 1u);
  EXPECT_EQ(Show(json_object_get(json_array_get(At(wanted, "history"), 0), "name")), "'base'");
  EXPECT_EQ(Refusal("profile.get", "{'revision': 9}"), "-32004: revision 9 is not kept");
  EXPECT_EQ(Refusal("profile.get", "{'which': 'former'}"),
            "-32602: which is 'former', but must be one of wanted, base, experiment");
  SurvivesRefusedMemory("profile.get");
}

TEST_F(ProfileGet, SaysThatThereIsNone) {
  EXPECT_EQ(Refusal("profile.get", "{'which': 'experiment'}"), "-32004: there is no experiment profile");
}

}  // namespace
}  // namespace ibcc_test

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "methods/support.hpp"

namespace ibcc_test {
namespace {

class Changes : public Methods {
 protected:
  // "file 1 acknowledged by itself; experiment 2 acknowledged by 1000/4711"
  std::string Words(const std::string& params = "{}") {
    std::string words;
    const Json result = Call("changes", params);
    const json_t* lines = At(result, "changes");
    for (std::size_t i = 0; i < json_array_size(lines); ++i) {
      const json_t* line = json_array_get(lines, i);
      const auto text = [&](const char* key) { return std::string(json_string_value(json_object_get(line, key))); };
      const auto number = [&](const char* key) { return Show(json_object_get(line, key)); };
      words += (words.empty() ? "" : "; ") + text("what") + " " + number("revision") + " " + text("result") + " by " +
               (json_is_null(json_object_get(line, "uid")) ? "itself" : number("uid") + "/" + number("pid"));
    }
    return words;
  }
};

TEST_F(Changes, EachIsThereWithWhoMadeIt) {
  client_.peer = {.pid = 4711, .uid = 1000, .in_group = true};
  BringUp();
  Call("profile.apply", WithProfile(ProfileText(2), ", 'ttl_s': 60, 'owner': 'me'"));
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  Call("profile.renew", "{'revision': 2, 'ttl_s': 600}");
  Refusal("profile.commit", "{'revision': 7}");
  Call("profile.commit", "{'revision': 2}");
  Call("profile.rollback", "{'revision': 2}");
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  Call("status");
  Call("verify");
  EXPECT_EQ(Words(),
            "file 1 acknowledged by itself; job 1 done by itself; experiment 2 acknowledged by 1000/4711; job 2 done by itself; "
            "renew 2 acknowledged by 1000/4711; profile.commit null refused by 1000/4711; commit 2 acknowledged by 1000/4711; "
            "rollback 3 acknowledged by 1000/4711; job 3 done by itself");
  EXPECT_EQ(Words("{'limit': 1}"), "job 3 done by itself");
  EXPECT_EQ(Words("{'limit': 1, 'before': 3}"), "job 1 done by itself");
  const Json result = Call("changes", "{'limit': 1, 'before': 4}");
  EXPECT_EQ(ShowAt(Json(json_incref(json_array_get(At(result, "changes"), 0))), "owner"), "'me'");
}

TEST_F(Changes, ReportsOfAdaptersAreChangesToo) {
  BringUp();
  client_.peer = {.pid = 4711, .uid = 1000, .in_group = true};
  EXPECT_EQ(Refusal("throttles.set", "{'guid': '0x1', 'throttles': 'yes', 'by': 'me'}").find("-32005"), 0u);
  EXPECT_EQ(Words("{'limit': 1}"), "throttles.set null refused by 1000/4711");
}

TEST_F(Changes, ParametersAreChecked) {
  EXPECT_EQ(Refusal("changes", "{'limit': 0}"), "-32602: limit must be a whole number from 1 to 1000");
  EXPECT_EQ(Refusal("changes", "{'limit': 1001}"), "-32602: limit must be a whole number from 1 to 1000");
  EXPECT_EQ(Refusal("changes", "{'before': 0}").find("-32602: before"), 0u);
}

TEST_F(Changes, MemoryRefusedIsSurvived) {
  BringUp();
  SurvivesRefusedMemory("changes");
}

TEST_F(Changes, AFileThatCannotBeReadIsSaid) {
  BringUp();
  std::filesystem::remove(folder_ + "/state/changes.log");
  std::filesystem::create_directory(folder_ + "/state/changes.log");
  EXPECT_EQ(Refusal("changes").find("-32005: changes.log in the state folder '" + folder_ + "/state' must be a regular file"),
            0u);
}

}  // namespace
}  // namespace ibcc_test

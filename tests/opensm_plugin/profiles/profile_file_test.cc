// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The profile file's watch, through the profiles that it changes.
#include "profiles/profile_file.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <ostream>
#include <string>

#include "profiles_support.hpp"

namespace {

namespace fs = plugin_test::fs;
using plugin_test::Document;
using plugin_test::ProfilesTest;
using plugin_test::Replace;
using plugin_test::Write;

class ProfileFileTest : public ProfilesTest {
 protected:
  // Events of what was done before are there at once; whether they say that the base is another.
  bool Event() {
    pollfd poll_fd{.fd = ibcc_profiles_watch_fd(profiles_.get()), .events = POLLIN, .revents = 0};
    if (poll(&poll_fd, 1, 0) != 1) return false;
    return ibcc_profiles_file_event(profiles_.get());
  }
  std::string Complaint() {
    const char* complaint = ibcc_profiles_complaint(profiles_.get());
    return complaint ? complaint : "(none)";
  }
};

TEST_F(ProfileFileTest, IsReadWhenItIsWrittenInPlace) {
  Write(file_, Document("one"));
  Open();
  EXPECT_FALSE(Event());
  Write(file_, Document("two"));
  EXPECT_TRUE(Event());
  EXPECT_EQ(Wanted(), "2 two file");
  EXPECT_FALSE(Event());
  Write(file_, Document("two"));
  EXPECT_FALSE(Event());  // the same again
  EXPECT_EQ(Wanted(), "2 two file");
  EXPECT_EQ(History(), std::vector<std::string>{"1 one file"});
}

TEST_F(ProfileFileTest, IsNotReadBeforeItIsClosed) {
  Open();  // there is none yet
  EXPECT_EQ(Wanted(), "(none)");
  std::ofstream out(file_);
  // Half a document may be a valid one.
  out << Document("half") << std::flush;
  Write(temp_ / "neighbour", "x");
  EXPECT_FALSE(Event());
  out << "link: {rate_gbps: 16, mtu_bytes: 2048}\n";
  out.close();
  EXPECT_TRUE(Event());
  EXPECT_EQ(Wanted(), "1 half file");
  EXPECT_EQ(ibcc_profiles_wanted(profiles_.get())->profile->mtu_bytes, 2048U);
}

TEST_F(ProfileFileTest, IsReadWhenAnotherTakesItsPlace) {
  Write(file_, Document("one"));
  Open();
  Replace(file_, Document("two"));
  EXPECT_TRUE(Event());
  EXPECT_EQ(Wanted(), "2 two file");
  fs::remove(file_);
  EXPECT_FALSE(Event());
  EXPECT_NE(Complaint().find("No such file"), std::string::npos);
  EXPECT_EQ(Wanted(), "2 two file");
  Write(temp_ / "new", Document("three"));
  fs::create_hard_link(temp_ / "new", file_);
  EXPECT_TRUE(Event());
  EXPECT_EQ(Wanted(), "3 three file");
  EXPECT_EQ(Complaint(), "(none)");
}

TEST_F(ProfileFileTest, ThatIsWrongChangesTheComplaintAlone) {
  Write(file_, Document("one"));
  Open();
  EXPECT_EQ(Begin("try", 5), "OK");
  Write(file_, "ibcc_profile: 9\n");
  EXPECT_FALSE(Event());
  EXPECT_NE(Complaint().find("', line 1, column 15: "), std::string::npos) << Complaint();
  EXPECT_EQ(log_.errors.size(), 1U);
  Write(file_, "ibcc_profile: 9\n");
  EXPECT_FALSE(Event());
  EXPECT_EQ(log_.errors.size(), 1U);  // said once
  Write(file_, Document("one"));
  EXPECT_FALSE(Event());
  EXPECT_EQ(Complaint(), "(none)");
  // A change of the base leaves the experiment before it.
  Write(file_, Document("two"));
  EXPECT_TRUE(Event());
  EXPECT_EQ(Wanted(), "2 try apply");
  EXPECT_EQ(Base(), "3 two file");
  EXPECT_EQ(End(), "OK");
  EXPECT_EQ(Wanted(), "3 two file");
}

TEST_F(ProfileFileTest, IsFollowedThroughASwapOfLinkedFolders) {
  // profile.yaml -> ..data/profile.yaml, and ..data -> a folder that is replaced by renaming another link over it.
  for (const char* name : {"one", "two"}) {
    fs::create_directory(temp_ / (std::string("..") + name));
    Write(temp_ / (std::string("..") + name + "/profile.yaml"), Document(name));
  }
  fs::create_directory_symlink("..one", temp_ / "..data");
  fs::create_symlink("..data/profile.yaml", file_);
  Open();
  EXPECT_EQ(Wanted(), "1 one file");
  fs::create_directory_symlink("..two", temp_ / "..data_tmp");
  fs::rename(temp_ / "..data_tmp", temp_ / "..data");
  EXPECT_TRUE(Event());
  EXPECT_EQ(Wanted(), "2 two file");
  // What the link leads to now is watched where it lies.
  Write(temp_ / "..two/profile.yaml", Document("three"));
  EXPECT_TRUE(Event());
  EXPECT_EQ(Wanted(), "3 three file");
  Write(temp_ / "..one/profile.yaml", Document("four"));
  EXPECT_FALSE(Event());
}

TEST_F(ProfileFileTest, IsFollowedThroughALinkAboveIt) {
  for (const char* name : {"one", "two"}) {
    fs::create_directory(temp_ / name);
    Write(temp_ / (std::string(name) + "/profile.yaml"), Document(name));
  }
  fs::create_directory_symlink("one", temp_ / "current");
  file_ = (temp_ / "current/profile.yaml").string();
  Open();
  EXPECT_EQ(Wanted(), "1 one file");
  fs::create_directory_symlink("two", temp_ / "next");
  fs::rename(temp_ / "next", temp_ / "current");
  EXPECT_TRUE(Event());
  EXPECT_EQ(Wanted(), "2 two file");
  Write(file_, Document("three"));
  EXPECT_TRUE(Event());
  EXPECT_EQ(Wanted(), "3 three file");
}

TEST_F(ProfileFileTest, IsFollowedIntoAFolderThatComesLater) {
  file_ = (temp_ / "a/b/profile.yaml").string();
  Open();
  EXPECT_NE(Complaint().find("No such file"), std::string::npos);
  fs::create_directory(temp_ / "a");
  EXPECT_FALSE(Event());
  fs::create_directory(temp_ / "a/b");
  EXPECT_FALSE(Event());
  Write(file_, Document("one"));
  EXPECT_TRUE(Event());
  EXPECT_EQ(Wanted(), "1 one file");
  // And when the folder goes and comes again.
  fs::remove_all(temp_ / "a");
  EXPECT_FALSE(Event());
  EXPECT_EQ(Wanted(), "1 one file");
  fs::create_directories(temp_ / "a/b");
  Write(file_, Document("two"));
  EXPECT_TRUE(Event());  // all at once: what is there when the folder is seen counts
  EXPECT_EQ(Wanted(), "2 two file");
}

TEST_F(ProfileFileTest, NeedsAnAbsolutePath) {
  ccp_error error{};
  EXPECT_EQ(ibcc_profile_file_open("profile.yaml", &error), nullptr);
  EXPECT_STREQ(error.message, "the profile file is 'profile.yaml', but must be an absolute path of at most 4095 bytes");
  EXPECT_EQ(ibcc_profile_file_open(("/" + std::string(4095, 'x')).c_str(), &error), nullptr);
}

}  // namespace

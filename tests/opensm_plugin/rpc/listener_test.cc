// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "rpc/listener.h"

#include <fcntl.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "changes/peer.h"
#include "temporary_folder.hpp"

namespace {

namespace fs = std::filesystem;

class RpcListener : public testing::Test {
 protected:
  RpcListener() {
    folder_ = ibcc_test::MakeTemporaryFolder();
    path_ = folder_ / "run/s.sock";
  }
  ~RpcListener() override {
    umask(umask_);
    fs::remove_all(folder_);
  }
  std::string Refusal(const std::string& path, const char* group = nullptr) {
    ccp_error error{};
    ibcc_listener listener{};
    if (ibcc_listener_open(&listener, path.c_str(), group, &error) == 0) {
      ibcc_listener_close(&listener, path.c_str());
      return "(none)";
    }
    return error.message;
  }
  static mode_t Mode(const fs::path& path) {
    struct stat there{};
    EXPECT_EQ(lstat(path.c_str(), &there), 0) << path;
    return there.st_mode & 07777;
  }
  static int Connect(const fs::path& path) {
    sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
    std::strncpy(address.sun_path, path.c_str(), sizeof(address.sun_path) - 1);
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
    const int failed = connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address));
    const int fault = failed != 0 ? errno : 0;
    close(fd);
    return fault;
  }

  mode_t umask_ = umask(022);
  fs::path folder_, path_;
};

TEST_F(RpcListener, TheSocketIsThereWhileItIsOpen) {
  for (const mode_t mask : {0u, 022u, 077u, 0777u}) {
    ibcc_listener listener{};
    ccp_error error{};
    umask(mask);
    ASSERT_EQ(ibcc_listener_open(&listener, path_.c_str(), nullptr, &error), 0) << error.message;
    umask(022);
    EXPECT_EQ(Mode(path_), 0660u);
    EXPECT_EQ(Mode(path_.parent_path()), 0755u);
    EXPECT_EQ(Connect(path_), 0);
    EXPECT_NE(fcntl(listener.fd, F_GETFD) & FD_CLOEXEC, 0);
    ibcc_listener_close(&listener, path_.c_str());
    EXPECT_FALSE(fs::exists(path_));
    fs::remove(path_.parent_path());
  }
}

TEST_F(RpcListener, AFolderThatIsThereKeepsItsMode) {
  fs::create_directory(path_.parent_path());
  chmod(path_.parent_path().c_str(), 0700);
  EXPECT_EQ(Refusal(path_), "(none)");
  EXPECT_EQ(Mode(path_.parent_path()), 0700u);
}

TEST_F(RpcListener, OnlyTheLastFolderIsMade) {
  EXPECT_EQ(Refusal(folder_ / "a/b/s.sock"),
            "cannot make the folder " + (folder_ / "a/b").string() + " of the control socket: No such file or directory");
}

TEST_F(RpcListener, TheSocketOfADeadProcessGivesWay) {
  ibcc_listener dead{}, listener{};
  ccp_error error{};
  ASSERT_EQ(ibcc_listener_open(&dead, path_.c_str(), nullptr, &error), 0);
  close(dead.fd);  // as a kill does: the file stays
  ASSERT_EQ(Connect(path_), ECONNREFUSED);
  ASSERT_EQ(ibcc_listener_open(&listener, path_.c_str(), nullptr, &error), 0) << error.message;
  EXPECT_EQ(Connect(path_), 0);
  ibcc_listener_close(&listener, path_.c_str());
}

TEST_F(RpcListener, ALiveOneIsAnError) {
  ibcc_listener listener{};
  ccp_error error{};
  ASSERT_EQ(ibcc_listener_open(&listener, path_.c_str(), nullptr, &error), 0);
  const std::string in_use = "another process listens at " + path_.string() + "; choose another path for the control socket";
  EXPECT_EQ(Refusal(path_), in_use);
  while (Connect(path_) == 0) continue;  // until its queue is full
  EXPECT_EQ(Refusal(path_), in_use);
  ibcc_listener_close(&listener, path_.c_str());
}

TEST_F(RpcListener, OtherFilesAreLeftAlone) {
  fs::create_directory(path_.parent_path());
  std::ofstream(path_) << "precious";
  EXPECT_EQ(Refusal(path_), path_.string() + " is not a socket; remove it, or choose another path for the control socket");
  EXPECT_EQ(fs::file_size(path_), 8u);
  fs::remove(path_);
  fs::create_symlink("/nowhere", path_);
  EXPECT_NE(Refusal(path_), "(none)");
  EXPECT_TRUE(fs::is_symlink(path_));
}

TEST_F(RpcListener, AnothersSocketIsNotRemoved) {
  ibcc_listener first{}, second{};
  ccp_error error{};
  ASSERT_EQ(ibcc_listener_open(&first, path_.c_str(), nullptr, &error), 0);
  fs::remove(path_);
  ASSERT_EQ(ibcc_listener_open(&second, path_.c_str(), nullptr, &error), 0);
  ibcc_listener_close(&first, path_.c_str());
  EXPECT_EQ(Connect(path_), 0);
  ibcc_listener_close(&second, path_.c_str());
}

TEST_F(RpcListener, PathsHaveALimit) {
  EXPECT_EQ(Refusal(""), "the control socket's path '' has 0 bytes, but must have 1 to 107");
  EXPECT_EQ(Refusal("/tmp/" + std::string(103, 'x')),
            "the control socket's path '/tmp/" + std::string(103, 'x') + "' has 108 bytes, but must have 1 to 107");
}

TEST_F(RpcListener, TheGroupMustExist) {
  EXPECT_EQ(Refusal(path_, "no-such\ngroup"),
            "there is no group 'no-such\\x0Agroup', which --group names; create it with groupadd");
  EXPECT_FALSE(fs::exists(path_.parent_path())) << "nothing was made";
}

TEST_F(RpcListener, TheSocketIsTheGroups) {
  group* entry = getgrnam("nogroup");
  if (geteuid() != 0 || entry == nullptr)
    GTEST_SKIP() << "only root can give a file to a group, and there must be one to give it to";
  ibcc_listener listener{};
  ccp_error error{};
  ASSERT_EQ(ibcc_listener_open(&listener, path_.c_str(), "nogroup", &error), 0) << error.message;
  struct stat there{};
  ASSERT_EQ(lstat(path_.c_str(), &there), 0);
  EXPECT_EQ(there.st_gid, entry->gr_gid);
  EXPECT_EQ(listener.group, entry->gr_gid);
  EXPECT_EQ(Mode(path_), 0660u);
  ibcc_listener_close(&listener, path_.c_str());
}

}  // namespace

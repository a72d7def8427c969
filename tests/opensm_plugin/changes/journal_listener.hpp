// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// journal_listener.hpp: in the place of journald.
#pragma once

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <utility>

namespace plugin_test {

class JournalListener {
 public:
  explicit JournalListener(std::string path) : fd_(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)), path_(std::move(path)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    EXPECT_LT(path_.size(), sizeof(address.sun_path));
    std::memcpy(address.sun_path, path_.c_str(), path_.size() + 1);
    EXPECT_EQ(bind(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  }
  ~JournalListener() { close(fd_); }
  JournalListener(const JournalListener&) = delete;
  JournalListener& operator=(const JournalListener&) = delete;

  const std::string& Path() const { return path_; }
  // One datagram; "": none is there.
  std::string Heard() const {
    std::string bytes(1 << 16, '\0');
    const ssize_t length = recv(fd_, bytes.data(), bytes.size(), MSG_DONTWAIT);
    bytes.resize(length > 0 ? static_cast<std::size_t>(length) : 0);
    return bytes;
  }

 private:
  int fd_;
  std::string path_;
};

}  // namespace plugin_test

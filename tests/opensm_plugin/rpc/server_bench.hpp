// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// server_bench.hpp: a server and clients of it that take turns on one thread, so that nothing waits. test.echo is in method_test.cc.
#pragma once

#include <gtest/gtest.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "rpc/server.h"
#include "rpc/support.hpp"
#include "temporary_folder.hpp"

namespace ibcc_test {

namespace fs = std::filesystem;

using LogBase = struct ibcc_log;  // there is a function of that name too
struct Log : LogBase {
  Log() : LogBase{} {
    write = [](LogBase* log, ibcc_log_level, const char* line) { static_cast<Log*>(log)->lines.emplace_back(line); };
  }
  std::vector<std::string> lines;
};

inline const std::string kHello = Quoted("{'jsonrpc': '2.0', 'id': 0, 'method': 'hello', 'params': {'protocol': 2}}\n");
inline const std::string kEcho = Quoted("{'jsonrpc': '2.0', 'id': 1, 'method': 'test.echo'}\n");
inline const std::string kEchoed = Quoted("{'jsonrpc':'2.0','id':1,'result':{}}\n");

class ServerBench : public testing::Test {
 protected:
  ServerBench() {
    folder_ = MakeTemporaryFolder();
    path_ = folder_ / "s.sock";
    settings_ = {.path = path_.c_str(),
                 .group = nullptr,
                 .version = "1",
                 .opensm_version = "OpenSM 3.3.23",
                 .throttle_reports = nullptr,
                 .subnet = nullptr};
    ccp_error error{};
    server_ = ibcc_server_open(&settings_, nullptr, epoll_, &log_, &error);
    EXPECT_NE(server_, nullptr) << error.message;
  }
  ~ServerBench() override {
    ibcc_server_close(server_);
    close(epoll_);
    fs::remove_all(folder_);
  }

  // Lets the server do all that it has to do now; how many times it was woken.
  int Turn() {
    epoll_event events[4];
    for (int woken = 0;; ++woken) {
      const int count = epoll_wait(epoll_, events, 4, 0);
      if (count == 0) return woken;
      for (int i = 0; i < count; ++i) EXPECT_TRUE(ibcc_server_handle(server_, events[i].data.ptr, events[i].events, now_ns_));
      EXPECT_LT(woken, 10000) << "it spins";
      if (woken >= 10000) return woken;
    }
  }

  std::int64_t now_ns_ = 1'000'000'000;
  int epoll_ = epoll_create1(EPOLL_CLOEXEC);
  fs::path folder_, path_;
  Log log_;
  ibcc_server_settings settings_{};
  ibcc_server* server_ = nullptr;
};

// A client that never blocks.
class Peer {
 public:
  explicit Peer(const fs::path& path, bool greets = true) {
    sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
    std::strncpy(address.sun_path, path.c_str(), sizeof(address.sun_path) - 1);
    EXPECT_EQ(connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
    if (greets) Send(kHello);
  }
  ~Peer() { Close(); }
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  void Send(const std::string& bytes) const {
    EXPECT_EQ(send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
  }
  // All that is there; `ended` is set when the server has closed.
  std::string Read() {
    std::string heard;
    char bytes[65536];
    for (ssize_t length; (length = recv(fd_, bytes, sizeof(bytes), 0)) != -1;) {
      heard.append(bytes, static_cast<std::size_t>(length));
      if (length == 0) {
        ended = true;
        break;
      }
    }
    if (!ended && errno != EAGAIN) ended = true;
    return heard;
  }
  void EndOfRequests() const { shutdown(fd_, SHUT_WR); }
  void Close() {
    if (fd_ >= 0) close(fd_);
    fd_ = -1;
  }
  bool ended = false;

 private:
  int fd_ = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
};

}  // namespace ibcc_test

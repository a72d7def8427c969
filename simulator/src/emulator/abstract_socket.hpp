// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// abstract_socket.hpp: datagram sockets in Linux's abstract name space: they end with their owner and leave no files behind.
#pragma once

#include <sys/socket.h>
#include <sys/un.h>

#include <cstddef>
#include <string_view>
#include <utility>

namespace ccsim::emulator {

class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~FileDescriptor();

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

struct AbstractAddress {
  sockaddr_un address{};
  socklen_t length = 0;
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&address); }
  friend bool operator==(const AbstractAddress& a, const AbstractAddress& b);
};

// ibsim's names end with a zero byte that counts. REQUIRES: at most kMaxAbstractName characters.
inline constexpr std::size_t kMaxAbstractName = sizeof(sockaddr_un::sun_path) - 2;
AbstractAddress MakeAbstractAddress(std::string_view name);

// The socket does not block, and programs that are started do not inherit it. Throws std::system_error with what failed.
FileDescriptor BindDatagramSocket(std::string_view name);

// Returns 0 or an errno: ECONNREFUSED if no socket has the name, or none has it any more.
int ConnectTo(const FileDescriptor& socket, const AbstractAddress& peer);

}  // namespace ccsim::emulator

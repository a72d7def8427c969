// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/abstract_socket.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <string>
#include <system_error>

namespace ccsim::emulator {

FileDescriptor::~FileDescriptor() {
  if (fd_ >= 0) close(fd_);
}

bool operator==(const AbstractAddress& a, const AbstractAddress& b) {
  return a.length == b.length && std::memcmp(&a.address, &b.address, a.length) == 0;
}

AbstractAddress MakeAbstractAddress(std::string_view name) {
  AbstractAddress result;
  result.address.sun_family = AF_UNIX;
  name.copy(result.address.sun_path + 1, kMaxAbstractName);
  result.length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size() + 1);
  return result;
}

FileDescriptor BindDatagramSocket(std::string_view name) {
  FileDescriptor socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket) throw std::system_error(errno, std::generic_category(), "cannot open a datagram socket");
  const AbstractAddress address = MakeAbstractAddress(name);
  if (bind(socket.get(), address.get(), address.length) < 0) {
    throw std::system_error(errno, std::generic_category(), "cannot bind the socket name '@" + std::string(name) + "'");
  }
  return socket;
}

int ConnectTo(const FileDescriptor& socket, const AbstractAddress& peer) {
  return connect(socket.get(), peer.get(), peer.length) < 0 ? errno : 0;
}

}  // namespace ccsim::emulator

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/client.hpp"

#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <utility>

namespace ccsim::emulator {
namespace {

constexpr std::size_t kBatch = 64;
constexpr std::size_t kKeptCapacity = 1024;

}  // namespace

Client::Client(ClientRef ref, std::uint32_t pid, Place at, FileDescriptor socket, AbstractAddress peer, AbstractAddress control)
    : ref_(ref), pid_(pid), at_(at), socket_(std::move(socket)), peer_(peer), control_(control) {}

bool Client::Enqueue(const ibsim::Packet& packet) {
  if (unsent_.size() - first_ >= kMaxUnsent) return false;
  if (first_ >= kMaxUnsent) {
    unsent_.erase(unsent_.begin(), unsent_.begin() + static_cast<std::ptrdiff_t>(first_));
    first_ = 0;
  }
  unsent_.push_back(packet);
  return true;
}

// Returns the number of packets that the system accepted, or -1 and errno.
int Client::SendSome() {
  constexpr int kFlags = MSG_DONTWAIT | MSG_NOSIGNAL;
  const std::size_t count = std::min(kBatch, unsent_.size() - first_);
  if (count == 1) return send(socket_.get(), &unsent_[first_], sizeof(ibsim::Packet), kFlags) < 0 ? -1 : 1;
  std::array<mmsghdr, kBatch> messages;
  std::array<iovec, kBatch> parts;
  for (std::size_t i = 0; i < count; ++i) {
    parts[i] = {&unsent_[first_ + i], sizeof(ibsim::Packet)};
    messages[i] = {};
    messages[i].msg_hdr.msg_iov = &parts[i];
    messages[i].msg_hdr.msg_iovlen = 1;
  }
  return sendmmsg(socket_.get(), messages.data(), static_cast<unsigned>(count), kFlags);
}

Client::Sent Client::Flush() {
  while (has_unsent()) {
    const int sent = SendSome();
    if (sent > 0) {
      first_ += static_cast<std::size_t>(sent);
    } else if (errno == ECONNREFUSED || errno == ENOTCONN || errno == EPIPE) {
      return Sent::Dead;
    } else if (errno != EINTR) {
      return Sent::NoRoom;  // EAGAIN, or the system is out of memory
    }
  }
  first_ = 0;
  unsent_.clear();
  if (unsent_.capacity() > kKeptCapacity) unsent_.shrink_to_fit();
  return Sent::All;
}

}  // namespace ccsim::emulator

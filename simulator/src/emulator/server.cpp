// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/server.hpp"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "emulator/control_requests.hpp"

namespace ccsim::emulator {
namespace {

using ibsim::Control;
using ibsim::ControlType;
using ibsim::Packet;

constexpr int kMaxEvents = 64;
constexpr int kControlsAtOnce = 32;
constexpr std::int64_t kCensusInterval_ns = 1'000'000'000;
constexpr std::size_t kMaxName = 80;  // leaves room for ":ctl" and a process' number

// The source of an event: a client's socket or process, by the client's id and the low bits of its serial, or one of these.
constexpr std::uint64_t kControlSocket = UINT64_MAX;
constexpr std::uint64_t kWakeUp = UINT64_MAX - 1;
constexpr std::uint64_t kSerialBits = (std::uint64_t{1} << 46) - 1;

std::uint64_t Tag(ClientRef ref, bool process) {
  return (ref.serial & kSerialBits) << 17 | std::uint64_t{process} << 16 | ref.id;
}

std::int64_t Now_ns() {
  const auto now = std::chrono::steady_clock::now();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now.time_since_epoch()).count();
}

FileDescriptor Checked(int fd, const char* what) {
  if (fd < 0) throw std::system_error(errno, std::generic_category(), what);
  return FileDescriptor(fd);
}

std::string SocketNameOf(const std::string& name) {
  if (!name.empty() && name.size() <= kMaxName && name.find('\0') == std::string::npos) return name + ":ctl";
  throw std::invalid_argument("socket name '" + name + "' is not possible; it must have 1 to " + std::to_string(kMaxName) +
                              " characters");
}

std::string TextOf(const ibsim::ClientInfo& info) { return {info.node, strnlen(info.node, sizeof(info.node))}; }

}  // namespace

Server::PacketBuffer::PacketBuffer() {
  for (std::size_t i = 0; i < kPacketsAtOnce; ++i) {
    parts[i] = {&packets[i], sizeof(Packet)};
    messages[i].msg_hdr.msg_iov = &parts[i];
    messages[i].msg_hdr.msg_iovlen = 1;
  }
}

Server::Server(Subnet& subnet, ServerOptions options)
    : subnet_(subnet),
      options_(std::move(options)),
      kernel_(subnet, clients_, options_.timeout_ms, options_.client_timeout_ms),
      poll_(Checked(epoll_create1(EPOLL_CLOEXEC), "cannot wait for events")),
      wake_(Checked(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC), "cannot make an event")),
      control_(BindDatagramSocket(SocketNameOf(options_.name))),
      buffer_(std::make_unique<PacketBuffer>()) {
  // Control messages then carry the client's process id in this process' name space, which may differ from the client's.
  const int on = 1;
  setsockopt(control_.get(), SOL_SOCKET, SO_PASSCRED, &on, sizeof(on));
  if (!options_.warn) options_.warn = [](const std::string& text) { std::fprintf(stderr, "ccsimd: %s\n", text.c_str()); };
  Watch(control_.get(), kControlSocket, EPOLLIN, EPOLL_CTL_ADD);
  Watch(wake_.get(), kWakeUp, EPOLLIN, EPOLL_CTL_ADD);
}

Server::~Server() = default;

void Server::Watch(int fd, std::uint64_t what, std::uint32_t events, int operation) {
  epoll_event event{};
  event.events = events;
  event.data.u64 = what;
  if (epoll_ctl(poll_.get(), operation, fd, &event) < 0) {
    throw std::system_error(errno, std::generic_category(), "cannot watch a socket");
  }
}

void Server::Wake() {
  const std::uint64_t one = 1;
  // It fails only if the counter is full, and then the thread wakes anyway.
  [[maybe_unused]] const ssize_t written = write(wake_.get(), &one, sizeof(one));
}

std::vector<ClientSummary> Server::clients() {
  std::vector<ClientSummary> list;
  clients_.ForEach([&](const Client& client) { list.push_back({client.ref().id, client.pid(), client.at(), client.is_sm}); });
  return list;
}

int Server::WaitTime(int wait_ms) const {
  if (wait_ms == 0 || !subnet_.outbox().empty()) return 0;
  std::int64_t wait_ns = INT64_MAX;
  const std::int64_t deadline_ns = std::min(kernel_.next_deadline_ns(), next_census_ns_);
  if (deadline_ns != INT64_MAX) wait_ns = deadline_ns - Now_ns();
  if (subnet_.NextDeadline_ns() != INT64_MAX) wait_ns = std::min(wait_ns, subnet_.NextDeadline_ns() - subnet_.now_ns());
  if (wait_ns == INT64_MAX) return wait_ms;
  // Rounded up, as the last fraction of a millisecond would be spent polling.
  const std::int64_t due_ms = std::clamp<std::int64_t>((wait_ns + kNsPerMs - 1) / kNsPerMs, 0, 60'000);
  return wait_ms < 0 ? static_cast<int>(due_ms) : std::min(wait_ms, static_cast<int>(due_ms));
}

void Server::Serve(int wait_ms) {
  std::array<epoll_event, kMaxEvents> events;
  const int count = epoll_wait(poll_.get(), events.data(), kMaxEvents, WaitTime(wait_ms));
  for (int i = 0; i < count; ++i) OnEvent(events[i].data.u64, events[i].events);

  const std::int64_t now_ns = Now_ns();
  if (now_ns >= next_census_ns_) RemoveDead();
  kernel_.RunTimers(now_ns);
  if (subnet_.NextDeadline_ns() != INT64_MAX && subnet_.NextDeadline_ns() <= subnet_.now_ns()) subnet_.Tick();
  kernel_.CarryOutbox();
  FlushAll();
  if (num_paused_ > 0) ResumePaused();
}

void Server::OnEvent(std::uint64_t what, std::uint32_t events) {
  if (what == kControlSocket) return ReadControl();
  if (what == kWakeUp) {
    std::uint64_t times = 0;
    [[maybe_unused]] const ssize_t got = read(wake_.get(), &times, sizeof(times));
    return;
  }
  // An event of a client that has ended meanwhile is ignored, also if another client has its id now.
  Client* client = clients_.Find(static_cast<std::uint32_t>(what & 0xFFFF));
  if (client == nullptr || (what & ~(std::uint64_t{1} << 16)) != Tag(client->ref(), false)) return;
  if ((what >> 16 & 1) != 0) {
    // The process has ended; a child may still hold its sockets, as with a daemon.
    client->process = FileDescriptor();
    if (!client->Alive()) Remove(*client);
    return;
  }
  if ((events & EPOLLOUT) != 0) {
    const ClientRef ref = client->ref();
    Flush(*client);
    client = clients_.Find(ref);
  }
  if (client != nullptr && (events & (EPOLLIN | EPOLLERR | EPOLLHUP)) != 0) ReadPackets(*client);
}

void Server::ReadControl() {
  for (int i = 0; i < kControlsAtOnce; ++i) {
    Control control;
    AbstractAddress from;
    iovec part{&control, sizeof(control)};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(ucred))> credentials{};
    msghdr message{};
    message.msg_name = &from.address;
    message.msg_namelen = sizeof(from.address);
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = credentials.data();
    message.msg_controllen = credentials.size();
    const ssize_t got = recvmsg(control_.get(), &message, MSG_DONTWAIT);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return;
    if (got != sizeof(control) || (message.msg_flags & MSG_TRUNC) != 0 || control.magic != ibsim::kMagic) continue;
    from.length = message.msg_namelen;
    int pid = 0;
    const cmsghdr* header = CMSG_FIRSTHDR(&message);
    if (header != nullptr && header->cmsg_type == SCM_CREDENTIALS) {
      ucred sender{};
      std::memcpy(&sender, CMSG_DATA(header), sizeof(sender));
      pid = sender.pid;
    }
    OnControl(control, from, pid);
    // A client has one request in flight at a time; if it has more, it may lose answers.
    sendto(control_.get(), &control, sizeof(control), MSG_DONTWAIT | MSG_NOSIGNAL, from.get(), from.length);
  }
}

void Server::OnControl(Control& control, const AbstractAddress& from, int pid) {
  if (control.type == ControlType::Connect) return Connect(control, from, pid);
  Client* client = clients_.Find(control.client);
  if (client == nullptr || !(client->control() == from)) {
    control.type = ControlType::Error;
  } else if (control.type == ControlType::Disconnect) {
    Remove(*client);
  } else if (control.type == ControlType::SetIsSm) {
    int wanted = 0;
    std::memcpy(&wanted, control.data.data(), sizeof(wanted));
    kernel_.SetIsSm(*client, wanted != 0);
  } else {
    AnswerControl(subnet_, client->at(), control);
  }
}

void Server::Connect(Control& control, const AbstractAddress& from, int pid) {
  ibsim::ClientInfo info;
  std::memcpy(&info, control.data.data(), sizeof(info));
  control.type = ControlType::Error;
  // Socket names contain the process id: an earlier client with this id has ended, or connects again.
  if (Client* earlier = clients_.FindPid(info.id)) Remove(*earlier);
  try {
    const std::string asked = TextOf(info);
    const Place at = FindPlace(subnet_.fabric(), asked);
    const std::uint32_t id = clients_.FreeId();
    if (id >= ibsim::kMaxClients)
      throw std::runtime_error("there are " + std::to_string(ibsim::kMaxClients) + " clients, as many as possible");
    if (info.is_sm != 0 && clients_.Sm(at) != nullptr) throw std::runtime_error("its port has an SM already");
    FileDescriptor socket = BindDatagramSocket(options_.name + ":out" + std::to_string(id));
    const AbstractAddress peer = MakeAbstractAddress(options_.name + ":in" + std::to_string(info.id));
    if (const int error = ConnectTo(socket, peer)) {
      throw std::system_error(error, std::generic_category(), "cannot connect to its socket");
    }
    auto created = std::make_unique<Client>(clients_.NextRef(id), info.id, at, std::move(socket), peer, from);
    Client& client = clients_.Add(std::move(created));
    Watch(client.socket().get(), Tag(client.ref(), false), EPOLLIN, EPOLL_CTL_ADD);
    if (pid > 0) client.process = FileDescriptor(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
    if (client.process) Watch(client.process.get(), Tag(client.ref(), true), EPOLLIN, EPOLL_CTL_ADD);
    if (info.is_sm != 0) kernel_.SetIsSm(client, true);
    if (next_census_ns_ == INT64_MAX) next_census_ns_ = Now_ns() + kCensusInterval_ns;
    info.id = id;
    if (asked.empty()) subnet_.fabric().nodes()[at.node].name.copy(info.node, sizeof(info.node) - 1);
    std::memcpy(control.data.data(), &info, sizeof(info));
    control.type = ControlType::Connect;
  } catch (const std::exception& error) {
    options_.warn("refused the client with process id " + std::to_string(info.id) + ": " + error.what());
  }
}

void Server::ReadPackets(Client& client) {
  const int count = recvmmsg(client.socket().get(), buffer_->messages.data(), kPacketsAtOnce, MSG_DONTWAIT, nullptr);
  const std::int64_t now_ns = Now_ns();
  const ClientRef ref = client.ref();
  for (int i = 0; i < count; ++i) {
    const mmsghdr& message = buffer_->messages[static_cast<std::size_t>(i)];
    const bool whole = message.msg_len == sizeof(Packet) && (message.msg_hdr.msg_flags & MSG_TRUNC) == 0;
    if (whole) kernel_.Send(client, buffer_->packets[static_cast<std::size_t>(i)], now_ns);
    // The client continues with this answer while its next request is served: OpenSM has four requests in flight and awaits each.
    if (i + 1 == count || !client.has_unsent() || client.wants_room) continue;
    Flush(client);
    if (clients_.Find(ref) == nullptr) return;
  }
  if (client.pending >= Kernel::kMaxPending) SetPaused(client, true);
}

void Server::FlushAll() {
  clients_.TakeSentTo(to_flush_);
  for (const ClientRef ref : to_flush_) {
    Client* client = clients_.Find(ref);
    if (client == nullptr) continue;
    client->listed = false;
    if (!client->wants_room) Flush(*client);
  }
}

void Server::Flush(Client& client) {
  const Client::Sent sent = client.Flush();
  if (sent == Client::Sent::Dead) return Remove(client);
  const bool wants_room = sent == Client::Sent::NoRoom;
  if (wants_room == client.wants_room) return;
  client.wants_room = wants_room;
  UpdateWatch(client);
}

void Server::SetPaused(Client& client, bool paused) {
  if (client.paused == paused) return;
  client.paused = paused;
  num_paused_ += paused ? 1 : -1;
  UpdateWatch(client);
}

void Server::UpdateWatch(const Client& client) {
  const std::uint32_t events = (client.paused ? 0u : EPOLLIN) | (client.wants_room ? EPOLLOUT : 0u);
  Watch(client.socket().get(), Tag(client.ref(), false), events, EPOLL_CTL_MOD);
}

void Server::ResumePaused() {
  clients_.ForEach([this](Client& client) {
    if (client.paused && client.pending < Kernel::kMaxPending / 2) SetPaused(client, false);
  });
}

void Server::RemoveDead() {
  clients_.ForEach([this](Client& client) {
    if (!client.Alive()) Remove(client);
  });
  next_census_ns_ = clients_.size() > 0 ? Now_ns() + kCensusInterval_ns : INT64_MAX;
}

void Server::Remove(Client& client) {
  if (client.paused) --num_paused_;
  kernel_.Remove(client, Now_ns());
}

}  // namespace ccsim::emulator

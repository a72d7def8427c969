// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// test_client.hpp: a program as libumad2sim.so makes one: its sockets, what it asks, what it sends.
#pragma once

#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <initializer_list>
#include <optional>
#include <stdexcept>
#include <string>

#include "emulator/abstract_socket.hpp"
#include "emulator/ibsim_protocol.hpp"

namespace ccsim::emulator::testing {

// Returns a name that no other test has: tests run at once, and twice.
inline std::string UniqueName() {
  static std::atomic<int> count = 0;
  return "ccsim-test-" + std::to_string(getpid()) + "-" + std::to_string(++count);
}

// A process' number that no other client of this program has.
inline std::uint32_t UniquePid() {
  static std::atomic<std::uint32_t> count = 0;
  return static_cast<std::uint32_t>(getpid()) * 1000 + ++count;
}

// Long enough for a machine that is busy; nothing waits for it when all is well.
inline constexpr int kPatience_ms = 20'000;

inline bool WaitReadable(int fd, int wait_ms) {
  pollfd waiting{fd, POLLIN, 0};
  return poll(&waiting, 1, wait_ms) == 1;
}

class TestClient {
 public:
  explicit TestClient(std::string server, const std::string& node = "", bool is_sm = false, std::uint32_t pid = UniquePid())
      : server_(std::move(server)),
        pid_(pid),
        control_(BindDatagramSocket(server_ + ":ctl" + std::to_string(pid_))),
        packets_(BindDatagramSocket(server_ + ":in" + std::to_string(pid_))) {
    Reach(control_, server_ + ":ctl");
    Connect(node, is_sm);
  }

  // The answer to another Connect, for tests of what is refused.
  bool Connect(const std::string& node, bool is_sm = false) {
    ibsim::ClientInfo info{};
    info.id = pid_;
    info.is_sm = is_sm;
    node.copy(info.node, sizeof(info.node) - 1);
    ibsim::Control control;
    control.type = ibsim::ControlType::Connect;
    std::memcpy(control.data.data(), &info, sizeof(info));
    const ibsim::Control answer = Exchange(control);
    connected_ = answer.type == ibsim::ControlType::Connect;
    if (!connected_) return false;
    std::memcpy(&info, answer.data.data(), sizeof(info));
    id_ = info.id;
    node_ = info.node;
    Reach(packets_, server_ + ":out" + std::to_string(id_));
    return true;
  }

  bool connected() const { return connected_; }
  std::uint32_t id() const { return id_; }
  std::uint32_t pid() const { return pid_; }
  const std::string& node() const { return node_; }
  int packets() const { return packets_.get(); }
  int control() const { return control_.get(); }

  ibsim::Control Ask(ibsim::ControlType type, std::uint8_t first_byte = 0) {
    ibsim::Control control;
    control.client = id_;
    control.type = type;
    control.data[0] = first_byte;
    return Exchange(control);
  }

  ibsim::Control Exchange(const ibsim::Control& control) {
    if (send(control_.get(), &control, sizeof(control), 0) != sizeof(control)) throw std::runtime_error("control: cannot send");
    if (!WaitReadable(control_.get(), kPatience_ms)) throw std::runtime_error("control: no answer");
    ibsim::Control answer;
    if (recv(control_.get(), &answer, sizeof(answer), 0) != sizeof(answer)) throw std::runtime_error("control: cut short");
    return answer;
  }

  // Waits for room, as libumad2sim.so does.
  void Send(const ibsim::Packet& packet) {
    while (send(packets_.get(), &packet, sizeof(packet), 0) != sizeof(packet)) {
      pollfd waiting{packets_.get(), POLLOUT, 0};
      if (errno != EAGAIN || poll(&waiting, 1, kPatience_ms) != 1) throw std::runtime_error("packets: cannot send");
    }
  }

  std::optional<ibsim::Packet> Receive(int wait_ms = kPatience_ms) {
    if (!WaitReadable(packets_.get(), wait_ms)) return {};
    ibsim::Packet packet;
    if (recv(packets_.get(), &packet, sizeof(packet), 0) != sizeof(packet)) throw std::runtime_error("packets: cut short");
    return packet;
  }

 private:
  static void Reach(const FileDescriptor& socket, const std::string& name) {
    if (ConnectTo(socket, MakeAbstractAddress(name)) != 0) throw std::runtime_error("cannot reach " + name);
  }

  std::string server_;
  std::uint32_t pid_;
  FileDescriptor control_;
  FileDescriptor packets_;
  bool connected_ = false;
  std::uint32_t id_ = 0;
  std::string node_;
};

// MADs as they leave libumad2sim.so.
inline ibsim::Packet MakePacket(std::uint8_t mgmt_class, std::uint8_t class_version, std::uint8_t method, std::uint16_t attribute,
                                std::uint32_t modifier, std::uint64_t transaction_id) {
  ibsim::Packet packet;
  std::uint8_t* mad = packet.mad.data();
  mad[0] = 1;
  mad[1] = mgmt_class;
  mad[2] = class_version;
  mad[3] = method;
  Put64(mad + 8, transaction_id);
  Put16(mad + 16, attribute);
  Put32(mad + 20, modifier);
  return packet;
}

inline ibsim::Packet Directed(std::uint8_t method, std::uint16_t attribute, std::initializer_list<std::uint8_t> hops,
                              std::uint64_t transaction_id, std::uint32_t modifier = 0) {
  ibsim::Packet packet = MakePacket(kSmpDirected, 1, method, attribute, modifier, transaction_id);
  packet.slid = packet.dlid = htons(kPermissiveLid);
  packet.mad[7] = static_cast<std::uint8_t>(hops.size());
  Put16(packet.mad.data() + 32, kPermissiveLid);
  Put16(packet.mad.data() + 34, kPermissiveLid);
  std::uint8_t* hop = packet.mad.data() + 128;
  for (const std::uint8_t port : hops) *++hop = port;
  return packet;
}

inline ibsim::Packet ByLid(std::uint8_t mgmt_class, std::uint8_t class_version, std::uint8_t method, std::uint16_t attribute,
                           std::uint16_t dlid, std::uint64_t transaction_id, std::uint32_t qp = 1) {
  ibsim::Packet packet = MakePacket(mgmt_class, class_version, method, attribute, 0, transaction_id);
  packet.dlid = htons(dlid);
  packet.sqp = packet.dqp = htonl(qp);
  return packet;
}

inline std::uint64_t TransactionId(const ibsim::Packet& packet) { return Get64(packet.mad.data() + 8); }
inline bool IsTimedOut(const ibsim::Packet& packet) { return ntohl(packet.status) == ibsim::kTimedOut; }

}  // namespace ccsim::emulator::testing

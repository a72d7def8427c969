// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// ibsim_protocol.hpp: the messages between ibsim and the programs that run under its client library, libumad2sim.so.
//
// Two kinds, each a datagram of fixed size between sockets in Linux's abstract name space:
//
//   control   requests from a client's NAME:ctl<pid> to the server's NAME:ctl, and their answers; in host byte order
//   packets   MADs between a client's NAME:in<pid> and the server's NAME:out<id>; numbers in network byte order
//
// <id> is the client's id, which the answer to Connect contains. The layouts are those of ibsim's include/ibsim.h, which are the same
// since ibsim 0.5; the names of fields are ours.
#pragma once

#include <arpa/inet.h>
#include <endian.h>

#include <array>
#include <cstdint>
#include <cstring>

#include "emulator/mad.hpp"

namespace ccsim::emulator::ibsim {

inline constexpr std::uint32_t kMagic = 0xDEADBEEF;
inline constexpr std::size_t kControlDataBytes = 64;
inline constexpr std::uint32_t kMaxClients = 0xFFFF;  // a client's id must fit 16 bits: see Kernel

enum class ControlType : std::uint32_t {
  Error,  // in answers
  Connect,
  Disconnect,
  GetPort,
  GetVendor,
  GetGid,
  GetGuid,
  GetNodeInfo,
  GetPortInfo,
  SetIsSm,
  GetPkeys,
};

struct Control {
  std::uint32_t magic = kMagic;
  std::uint32_t client = 0;
  ControlType type = ControlType::Error;
  std::uint32_t length = 0;
  std::array<std::uint8_t, kControlDataBytes> data{};
};
static_assert(sizeof(Control) == 80);

// Data of Connect.
struct ClientInfo {
  std::uint32_t id;     // asked: the process' number; answered: the client's
  std::uint32_t qp;     // asked: 0
  std::uint32_t is_sm;  // asked: serve as the port's SM from the start
  char node[32];        // asked: where to be attached, empty for anywhere; answered: where that is
};
static_assert(sizeof(ClientInfo) == 44);

// Data of the answer to GetVendor.
struct Vendor {
  std::uint32_t vendor_id;
  std::uint32_t part_id;
  std::uint32_t hardware_version;
  std::uint32_t padding;
  std::uint64_t firmware_version;
};
static_assert(sizeof(Vendor) == 24);

// Data of the answer to GetPort.
struct PortSummary {
  std::uint16_t lid;
  std::uint8_t state;
  std::uint8_t padding;
};
static_assert(sizeof(PortSummary) == 4);

// LIDs are 16 bits in network byte order, in a host's 32.
struct Packet {
  std::uint32_t dlid = 0;
  std::uint32_t slid = 0;  // from a client 0: the LID of its port
  std::uint32_t dqp = 0;
  std::uint32_t sqp = 0;
  std::uint32_t status = 0;  // to a client: an errno, for its request that returns without an answer
  std::uint32_t padding = 0;
  std::uint64_t length = htobe64(kMadBytes);  // of the MAD
  MadBytes mad{};
};
static_assert(sizeof(Packet) == 288);

// ETIMEDOUT of Linux on most machines: clients compare it with their own.
inline constexpr std::uint32_t kTimedOut = 110;

inline Datagram ToDatagram(const Packet& packet) {
  Datagram datagram;
  datagram.slid = ntohs(static_cast<std::uint16_t>(packet.slid));
  datagram.dlid = ntohs(static_cast<std::uint16_t>(packet.dlid));
  datagram.sqp = ntohl(packet.sqp);
  datagram.dqp = ntohl(packet.dqp);
  datagram.mad = packet.mad;
  return datagram;
}

inline Packet ToPacket(const Datagram& datagram) {
  Packet packet;
  packet.slid = htons(datagram.slid);
  packet.dlid = htons(datagram.dlid);
  packet.sqp = htonl(datagram.sqp);
  packet.dqp = htonl(datagram.dqp);
  packet.mad = datagram.mad;
  return packet;
}

// A kernel returns an unanswered request as it was sent, from the address that it was sent to.
inline Packet ToTimedOut(const Packet& request) {
  Packet packet = request;
  packet.slid = request.dlid;
  packet.sqp = request.dqp;
  packet.status = htonl(kTimedOut);
  return packet;
}

}  // namespace ccsim::emulator::ibsim

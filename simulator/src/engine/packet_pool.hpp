// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// packet_pool.hpp: packets in flight, known by index and linked by index, so that queues cost nothing and nothing is allocated
// while the number in flight does not grow.
#pragma once

#include <cstdint>

#include "ccpolicy/tables.h"
#include "engine/big_vector.hpp"
#include "engine/either.hpp"

namespace ccsim {

enum class PacketKind : std::uint8_t { Data, Ack, Cnp };

inline constexpr std::uint32_t kNoPacket = UINT32_MAX;

inline constexpr std::uint32_t kHeaderBytes = CCP_PACKET_OVERHEAD_BYTES;  // around a payload
inline constexpr std::uint32_t kAckBytes = kHeaderBytes + 4;              // an AETH
inline constexpr std::uint32_t kCnpBytes = kHeaderBytes + 16;             // sixteen reserved bytes

// Credit is counted in blocks of 64 bytes from LRH to ICRC (IBA 7.9; the VCRC is the link's own).
inline std::uint16_t CreditBlocks(std::uint32_t wire_bytes) { return static_cast<std::uint16_t>((wire_bytes - 2 + 63) / 64); }

struct Packet {
  std::uint32_t next;         // in whatever queue it is; on a wire, what the policy Queueing notes for its arrival
  std::uint32_t flow;         // whose data, or whose acknowledgement
  std::uint32_t queue_pair;   // that sent it, or whose packet it answers; of a flow with many destinations, its drawing one
  std::uint32_t destination;  // endport
  std::uint32_t sequence;     // of the queue pair's data packets; in an ACK or CNP, see answering_endport()
  std::uint32_t from;         // the port that sent it into the link that it is on, or to the buffer that it is in
  std::uint16_t wire_bytes;   // LRH to VCRC
  std::uint8_t sl;
  std::uint8_t vl;      // on the link that it is on, or of the buffer that it is in
  std::uint8_t input;   // the last switch's that it has come to or is on its way to, as a local index
  std::uint8_t output;  // of that switch likewise; for a Queueing whose queues hold packets to several outputs
  PacketKind kind;
  bool fecn : 1;
  bool becn : 1;
  bool ack_request : 1;  // the receiver answers with an ACK
  bool ends_message : 1;
  bool permits : 1;  // its delivery lets other flows begin a message
  bool drawn : 1;    // its flow has many destinations

  // The endport that an ACK or CNP comes from.
  std::uint32_t answering_endport() const { return sequence; }
  void set_answering_endport(std::uint32_t endport) { sequence = endport; }

  std::uint32_t blocks() const { return CreditBlocks(wire_bytes); }
  std::uint32_t payload_bytes() const { return wire_bytes - kHeaderBytes; }  // of a data packet
};
static_assert(sizeof(Packet) <= 32, "two packets a cache line");

class PacketPool {
 public:
  std::uint32_t Allocate() {
    ++live_;
    if (free_ == kNoPacket) {
      packets_.emplace_back();
      return static_cast<std::uint32_t>(packets_.size() - 1);
    }
    const std::uint32_t index = free_;
    free_ = packets_[index].next;
    return index;
  }
  void Free(std::uint32_t index) {
    --live_;
    packets_[index].next = free_;
    free_ = index;
  }
  Packet& operator[](std::uint32_t index) { return packets_[index]; }
  const Packet& operator[](std::uint32_t index) const { return packets_[index]; }
  std::uint64_t live() const { return live_; }

 private:
  BigVector<Packet> packets_;
  std::uint32_t free_ = kNoPacket;
  std::uint64_t live_ = 0;
};

// A first-in first-out queue of packets.
struct PacketQueue {
  std::uint32_t head = kNoPacket;
  std::uint32_t tail = 0;  // valid while there is a head

  bool empty() const { return head == kNoPacket; }
  // Whether it was empty cannot be foreseen, so there is no branch on it.
  void Push(PacketPool& pool, std::uint32_t packet) {
    pool[packet].next = kNoPacket;
    std::uint32_t* const link = empty() ? &head : &pool[tail].next;
    *link = packet;
    tail = packet;
  }
  std::uint32_t Pop(PacketPool& pool) {
    const std::uint32_t packet = head;
    head = pool[packet].next;
    return packet;
  }
};

// The same, known by its last packet alone, which links to the first: half the size, for where there are many and most hold one
// packet or none.
struct PacketRing {
  std::uint32_t last = kNoPacket;

  bool empty() const { return last == kNoPacket; }
  // REQUIRES: not empty.
  std::uint32_t Head(const PacketPool& pool) const { return pool[last].next; }
  void Push(PacketPool& pool, std::uint32_t packet) {
    pool[packet].next = packet;
    const std::uint32_t behind = Either(empty(), packet, last);
    const std::uint32_t head = pool[behind].next;
    pool[behind].next = packet;
    pool[packet].next = head;
    last = packet;
  }
  // REQUIRES: not empty.
  std::uint32_t Pop(PacketPool& pool) {
    const std::uint32_t packet = pool[last].next;
    pool[last].next = pool[packet].next;
    last = Either(packet == last, kNoPacket, last);
    return packet;
  }
  // visit(packet) for each, first to last.
  template <typename Visit>
  void ForEach(const PacketPool& pool, Visit visit) const {
    if (empty()) return;
    std::uint32_t packet = last;
    do {
      packet = pool[packet].next;
      visit(pool[packet]);
    } while (packet != last);
  }
};

}  // namespace ccsim

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// state.hpp: everything that changes while a run goes on, as flat arrays that refer to each other by index.
//
// What one event touches lies together: a record of the fields used on every packet is at most one cache line, and what is only
// read at the end (counters) lies in arrays of its own. Ports are numbered densely over the connected ports of all nodes, a node's
// own ports next to each other, so that `port = first_port of the node + local index`.
#pragma once

#include <cstdint>
#include <vector>

#include "congestion/detection.hpp"
#include "congestion/reaction.hpp"
#include "engine/packet_pool.hpp"
#include "units.hpp"

namespace ccsim {

// Serialisation time per byte in 1/65536 fs, so that no rate is rounded by more than one part in 10^8.
using ByteTime = std::uint64_t;

// Below this, the time of one packet would not fit: a packet of 4,096 bytes then takes 33 ms.
inline constexpr double kLeastGbps = 0.001;

inline ByteTime ByteTimeOf(double gbps) { return static_cast<ByteTime>(8e6 / gbps * 65536.0 + 0.5); }
inline Time TimeFor(std::uint32_t bytes, ByteTime per_byte) { return static_cast<Time>((bytes * per_byte + 32768) >> 16); }

inline constexpr std::uint32_t kNoIndex = UINT32_MAX;

// A connected port, as its node sends through it.
struct PortState {
  ByteTime byte_time;
  Time propagation;
  Time wait_since;           // since when it has been idle with packets queued, for want of credits; kNever: it is not
  std::uint32_t peer;        // the port at the other end
  std::uint32_t first_port;  // of its node
  std::uint32_t host;        // index into hosts, or kNoIndex at a switch
  std::uint32_t sender;      // ordinal of its switch, kNoIndex at a host
  std::uint16_t queued_vls;  // bit per VL with anything in its VOQs
  std::uint8_t sent_input;   // at a switch: the input that the packet on the wire comes from, as a local index
  std::uint8_t next_vl;      // where the round robin over VLs goes on
  bool busy;                 // a packet is on the wire
};

// Credit blocks on their way back to a lane. They are not events: a lane takes them in when it looks at its credits, and only one
// that cannot go on without them asks to be woken.
struct CreditReturn {
  Time time;  // when they arrive
  std::uint32_t next;
  std::uint32_t blocks;
};

// One VL of an output port: its credits, and at a switch its VOQs together.
struct LaneState {
  Time wake;                   // the earliest kCredit event that is on its way, or kNever
  std::int32_t credits;        // blocks that the far end has promised, as far as they have been taken in
  std::uint32_t first_return;  // of its credit returns, by time
  std::uint32_t last_return;   // valid while there is a first
  std::uint32_t queued_bytes;  // over all inputs
  std::uint32_t voq;           // first of the lane's VOQs, one for each local input
  std::uint32_t ready;         // first word of the bit mask of inputs with a packet in their VOQ
  Detection detection;
  std::uint16_t queued_inputs;  // bits set in that mask
  std::uint16_t inputs_over;    // VOQs over the threshold, where each VOQ is judged on its own
  std::uint8_t last_input;      // the round robin goes on behind it
  bool congested;               // Port VL congestion state
  bool wants_credits;           // a packet waits for them
};

struct SwitchState {
  std::uint32_t first_port;
  std::uint32_t num_ports;   // connected ones
  std::uint32_t mask_words;  // 64-bit words of a mask over them
  std::uint32_t readable;    // first word of the mask of inputs with a free read port
  std::uint32_t waiters;     // first of num_ports masks: for each input, outputs that wait for a read port of it
};

// A queue of indices that are linked through their owners.
struct IndexQueue {
  std::uint32_t head = kNoIndex;
  std::uint32_t tail = kNoIndex;
};

enum class ThrottleStatus : std::uint8_t { Idle, Queued, Delayed };

// What one CCTI governs: a queue pair, or all of a port's queue pairs of one SL.
struct ThrottleState {
  ReactionState reaction;
  std::uint32_t setting;   // index into settings, or kNoIndex
  std::uint32_t next;      // in its host's ready queue
  IndexQueue queue_pairs;  // that have something to send
  ThrottleStatus status;
};

struct QueuePairState {
  std::uint32_t flow;
  std::uint32_t throttle;
  std::uint32_t next;               // in its throttle's queue
  std::uint32_t message_left;       // bytes of the message being sent
  std::uint32_t sequence;           // of the next data packet
  std::uint32_t expected_sequence;  // at the receiver
  std::uint32_t unacknowledged;     // at the receiver: packets since the last ACK
  bool becn_pending;                // at the receiver: the next ACK carries a BECN
  std::uint8_t vl;
  Time due;          // when the next packet is offered, for a flow with a rate
  ByteTime pacing;   // its spacing per byte of payload; 0: none
  Time cnp_allowed;  // at the receiver: the next CNP no earlier
};

// A channel adapter's port: injection on one side, the receive buffer on the other.
struct HostState {
  std::uint32_t port;
  ByteTime inject_byte_time;  // of the bus, per byte of payload; 0: no limit
  ByteTime receive_byte_time;
  Time inject_free;  // the bus is busy until then
  Time receive_free;
  bool wake_pending;  // an event at inject_free is on its way
  std::uint8_t next_vl;
  std::uint16_t ready_vls;    // bit per VL whose ready queue is not empty
  std::uint16_t control_vls;  // the same for the queue of ACKs and CNPs, which goes first
};

struct PortCounters {
  std::uint64_t xmit_bytes = 0;
  std::uint64_t xmit_packets = 0;
  std::uint64_t rcv_bytes = 0;
  std::uint64_t rcv_packets = 0;
  std::uint64_t fecn_marked = 0;
  Time xmit_wait = 0;
  std::uint32_t max_queued_bytes = 0;
};

struct FlowCounters {
  std::uint64_t sent_packets = 0;
  std::uint64_t received_packets = 0;
  std::uint64_t received_bytes = 0;
  std::uint64_t fecn_received = 0;
  std::uint64_t becn_received = 0;
};

}  // namespace ccsim

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// state.hpp: everything that changes while a run goes on, as flat arrays that refer to each other by index.
//
// What one event touches lies together: a record of the fields used on every packet is at most one cache line, and what is only
// read at the end (counters) lies in arrays of its own. Ports are numbered densely over the connected ports of all nodes, a node's
// own ports next to each other, so that `port = first_port of the node + local index`.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "congestion/detection.hpp"
#include "congestion/reaction.hpp"
#include "engine/index_queue.hpp"
#include "engine/packet_pool.hpp"
#include "engine/pair_table.hpp"
#include "flow.hpp"
#include "rng.hpp"
#include "units.hpp"

namespace ccsim {

// Serialisation time per byte in 1/65536 fs, so that no rate is rounded by more than one part in 10^8.
using ByteTime = std::uint64_t;

// Below this, the time of one packet would not fit: a packet of 4,096 bytes then takes 33 ms.
inline constexpr double kLeastGbps = 0.001;

inline ByteTime ByteTimeOf(double gbps) { return static_cast<ByteTime>(8e6 / gbps * 65536.0 + 0.5); }
inline double GbpsOf(ByteTime per_byte) { return 8e6 * 65536.0 / static_cast<double>(per_byte); }
inline Time TimeFor(std::uint32_t bytes, ByteTime per_byte) { return static_cast<Time>((bytes * per_byte + 32768) >> 16); }
// The same for a whole message, whose product may need more than 64 bits.
inline Time TimeForMessage(std::uint32_t bytes, ByteTime per_byte) {
  return static_cast<Time>((static_cast<unsigned __int128>(bytes) * per_byte + 32768) >> 16);
}

// A connected port, as its node sends through it.
struct alignas(64) PortState {
  ByteTime byte_time;
  Time arrive_delay;         // of a head from here to its next VOQ: propagation and routing latency
  std::uint64_t xmit_bytes;  // of PortCounters; so is the next
  std::uint64_t xmit_packets;
  std::uint32_t peer;            // the port at the other end
  std::uint32_t first_port;      // of its node
  std::uint32_t host;            // index into hosts, or kNoIndex at a switch
  std::uint32_t switch_ordinal;  // ordinal of its switch, kNoIndex at a host
  std::uint32_t far_first_port;  // of the node at the other end
  std::uint32_t far_node;        // the switch's ordinal or the host
  std::uint16_t queued_vls;      // bit per VL with anything in its VOQs; not kept on PlainPorts (ports.hpp)
  std::uint8_t sent_input;       // at a switch: the input that the packet on the wire comes from, as a local index
  std::uint8_t next_vl;          // where the round robin over VLs goes on
  bool to_host : 1;              // the node at the other end is one
  bool waits : 1;                // it is idle with packets queued, for want of credits
  bool steady : 1;    // no output of the node at the other end is faster: a packet may go on as soon as its head is there
  bool impaired : 1;  // its link is down: nothing may leave, and what still arrives is lost
  std::array<std::uint8_t, 2> sent_track;  // of the calendar, for the time on the wire of a packet of the MTU; of a CNP
  std::uint8_t arrive_track;               // for the delay from here to the next VOQ, if steady
};
static_assert(sizeof(PortState) == 64, "one cache line");

// What a lane has to know of the link that its credits come back on.
struct LinkKind {
  Time propagation;
  Time two_packets;  // of the MTU, on that wire

  friend bool operator==(const LinkKind&, const LinkKind&) = default;
};

// Credit blocks on their way back to a lane. They are not events: a lane takes them in when it looks at its credits, and only one
// that cannot go on without them asks to be woken.
struct CreditReturn {
  Time time;  // when they arrive
  std::uint32_t next;
  std::uint32_t blocks;
};

// One VL of an output port: its credits, and at a switch its VOQs together.
struct alignas(64) LaneState {
  std::int32_t credits;        // blocks that the far end has promised, as far as they have been taken in
  std::uint32_t first_return;  // of its credit returns but the last, by time
  std::uint32_t last_listed;   // valid while there is a first
  std::uint32_t queued_bytes;  // over all inputs
  std::uint64_t ready;         // bit mask of inputs with a packet in their VOQ; beyond 64 ports, the first word of it in masks_
  Time last_time;              // of the credit return that comes last
  std::uint32_t last_blocks;   // of it; 0: there is none
  std::uint32_t first_crosspoint;  // of the lane's, one for each local input
  Detection detection;
  std::uint32_t max_queued_bytes;  // of PortCounters, in a port's first lane: over all of them
  std::uint16_t link_kind;         // of the way that its credits come back
  std::uint8_t queued_inputs;      // bits set in the mask; not counted on PlainPorts (ports.hpp)
  std::uint8_t inputs_over;        // VOQs over the threshold, where each VOQ is judged on its own
  std::uint8_t last_input;         // the round robin goes on behind it
  bool congested;                  // Port VL congestion state
  bool wants_credits;              // a packet waits for them
  bool busy;                       // in the first lane of a switch's port: a packet of any is on the wire
};

static_assert(sizeof(LaneState) == 64, "one cache line");

struct SwitchState {
  std::uint32_t first_port;
  std::uint32_t num_ports;   // connected ones
  std::uint32_t mask_words;  // 64-bit words of a mask over them
  std::uint32_t readable;    // first word of the mask of inputs with a free read port
  std::uint32_t waiters;     // first of num_ports masks: for each input, outputs that wait for a read port of it
};

enum class ThrottleStatus : std::uint8_t { Idle, Queued, Delayed };

// What one CCTI governs: a queue pair, or all of a port's queue pairs of one SL.
struct ThrottleState {
  ReactionState reaction{};
  std::uint32_t setting = kNoIndex;  // index into settings, or kNoIndex
  std::uint32_t next = kNoIndex;     // in its host's ready queue
  std::uint32_t context = kNoIndex;  // the queue pair made for a single destination that it is for, or kNoIndex
  IndexQueue queue_pairs{};          // that have something to send
  ThrottleStatus status = ThrottleStatus::Idle;
};

inline constexpr std::uint32_t kEndless = UINT32_MAX;

// One queue pair. A flow with many destinations has one that draws them and stands for all its queue pairs that nothing holds back,
// and one more for each destination whose queue pair CC delays or has lately slowed down, made when it is needed.
struct alignas(64) QueuePairState {
  std::uint32_t flow;
  std::uint32_t throttle;
  std::uint32_t next;               // in its throttle's queue
  std::uint32_t destination;        // endport
  std::uint32_t message_left;       // bytes of the message that has been begun; 0: none has
  std::uint32_t pending;            // messages that may be begun; kEndless: any number
  std::uint32_t sequence;           // of the next data packet
  std::uint32_t expected_sequence;  // at the receiver
  std::uint32_t unrequested;        // packets since the last that asked for an ACK
  std::uint8_t vl;
  bool queued : 1;      // in its throttle's queue
  bool draws : 1;       // its destination anew for each message
  bool whole : 1;       // a message is offered as a whole, not packet by packet
  bool is_context : 1;  // made for a single destination of a flow with many
  bool calls : 1;       // the flow waits for it to have no message pending
  bool becn_pending;    // at the receiver: the next ACK carries a BECN
  Time due;             // when the next packet (of whole messages: the next message) is offered, for a flow with a rate
  ByteTime pacing;      // spacing of offers per byte of payload; 0: none
  Time cnp_allowed;     // at the receiver: the next CNP no earlier
};
static_assert(sizeof(QueuePairState) == 64, "one cache line");

// A data packet that is being sent, as a reaction sees it.
struct SentPacket {
  std::uint32_t queue_pair;
  std::uint32_t wire_bytes;
  Time wire_time;
};

// A flow, as far as it is not told by its queue pairs.
struct alignas(64) FlowState {
  // Of every message of every flow.
  Time stop;
  Time reacts_until;                 // until then the CCTI of any of its queue pairs is above CCTI_Min
  const Destinations* destinations;  // or nullptr
  Rng rng;                           // for its destinations and bursts
  std::uint32_t src;
  std::uint32_t message_bytes;
  std::uint32_t self;      // the source's place among the destinations, or kNoIndex
  std::uint32_t setting;   // of its queue pairs where each is throttled on its own, or kNoIndex
  std::uint32_t contexts;  // queue pairs made for single destinations
  std::uint32_t first_queue_pair;
  std::uint32_t num_queue_pairs;
  std::uint8_t sl;
  std::uint8_t vl;
  bool random_bursts : 1;
  bool closed : 1;
  bool permits : 1;   // has grants
  bool unbroken : 1;  // no bursts, and no trace of messages
  // Of some flows.
  Time start;
  Time begun;                                  // when its last message was, if it is closed; kNever: none yet
  const std::vector<TracedMessage>* messages;  // or nullptr
  std::uint32_t next_message;
  std::uint32_t cursor;         // the place drawn last, of Cyclic
  Time on, off;                 // 0: always on
  Time burst_begin, burst_end;  // of the present burst, or of the next
  Time move_event;              // when it looks next where its destination has moved to
  std::vector<std::uint32_t> grants;
  Time think;
  std::uint32_t window;
  std::uint16_t needs;    // deliveries for one permit
  std::uint16_t arrived;  // of those, for the next one
};
static_assert(sizeof(FlowState) == 192, "three cache lines");

// Of a queue pair of a flow with many destinations, at its source: kept while CC slows it down. Either the reaction, or the index of a
// queue pair that was made for it, because it is held back or has messages waiting, and whose throttle has the reaction then.
struct ReactionRecord : PairRecord {
  static constexpr std::uint16_t kHeld = UINT16_MAX;  // no CCT has so many entries

  std::int64_t since_or_queue_pair = 0;

  ReactionState reaction() const { return {since_or_queue_pair, static_cast<std::uint16_t>(tag)}; }
  std::uint32_t queue_pair() const { return tag == kHeld ? static_cast<std::uint32_t>(since_or_queue_pair) : kNoIndex; }
  void Set(const ReactionState& reaction) {
    since_or_queue_pair = reaction.since;
    tag = reaction.ccti;
  }
  void Hold(std::uint32_t queue_pair) {
    since_or_queue_pair = queue_pair;
    tag = kHeld;
  }
};

// The same at its receiver.
struct ReceiverRecord : PairRecord {
  Time cnp_allowed = 0;  // the next CNP no earlier

  bool becn_pending() const { return tag != 0; }
};

// Counts the turns of a queue pair made at the start, on hosts where turns are not equal. All queue pairs of a flow that draws its
// destinations are counted by one of these, and so are all flows of a generator.
struct TurnState {
  Time served = 0;    // the bytes that it has sent, times `cost`
  ByteTime cost = 0;  // the inverse of its weight, for a byte
};

// Flows of one host whose messages are generated together.
struct GeneratorState {
  GeneratorState(const Generator* generator, const Rng& draws, Time start) : of(generator), rng(draws), due(start) {}

  const Generator* of;
  std::vector<std::uint32_t> flows;
  std::vector<std::uint64_t> up_to;  // running sum of the flows' rates, in bit/s
  Rng rng;
  std::vector<std::size_t> candidates;  // scratch
  ByteTime pacing = 0;                  // spacing of the messages of all its flows together, for a byte
  // The rest is used by Strict alone.
  Time due;                              // when it may draw the next message
  std::uint32_t drawn = kNoIndex;        // the flow whose queue is full, for whose message it waits
  std::uint32_t destination = kNoIndex;  // the one whose queue is full, of a flow that draws its destinations
  bool alarmed = false;                  // a kGenerate event is on its way

  std::uint64_t Weight(std::size_t i) const { return up_to[i] - (i == 0 ? 0 : up_to[i - 1]); }
};

// A channel adapter's port: injection on one side, the receive buffer on the other.
struct alignas(64) HostState {
  std::uint32_t port : 28;
  std::uint32_t next_vl : 4;
  std::uint16_t ready_vls;    // bit per VL whose ready queue is not empty
  std::uint16_t control_vls;  // the same for the queue of ACKs and CNPs, which goes first
  ByteTime inject_byte_time;  // of the bus, per byte of payload; 0: no limit
  ByteTime receive_byte_time;
  Time link_free;    // the link is busy until then
  Time inject_free;  // the bus likewise
  Time receive_free;
  Time wake;                     // the earliest event that makes it try again, or kNever
  std::uint64_t received_bytes;  // payload delivered
};
static_assert(sizeof(HostState) == 64, "one cache line");

struct alignas(64) PortCounters {
  std::uint64_t xmit_bytes = 0;
  std::uint64_t xmit_packets = 0;
  std::uint64_t rcv_bytes = 0;
  std::uint64_t rcv_packets = 0;
  std::uint64_t fecn_marked = 0;
  Time xmit_wait = 0;
  std::uint64_t credits_held = 0;   // packets whose credits an input held back: credit starvation
  std::uint64_t discards = 0;       // packets lost that had to leave here: the link was down, or nothing served their VL
  std::uint64_t fecn_received = 0;  // data packets that came to an adapter with FECN; so is the next, with BECN
  std::uint64_t becn_received = 0;
  std::uint64_t relay_errors = 0;  // packets lost that came in here: no way on to their destination
  std::uint32_t max_queued_bytes = 0;
  // Sent, but not yet received when the run ended, or lost on the wire.
  std::uint32_t cut_bytes = 0;
  std::uint32_t cut_packets = 0;
};

struct FlowCounters {
  std::uint64_t sent_packets = 0;
  std::uint64_t received_packets = 0;
  std::uint64_t received_bytes = 0;
  std::uint64_t fecn_received = 0;
  std::uint64_t becn_received = 0;
  std::uint64_t received_messages = 0;  // whose last packet has come
  std::uint64_t lost_packets = 0;
  // Of a closed flow with a window of 1: from the beginning of a message to the permit that it brought about.
  std::uint64_t round_trips = 0;
  Time round_trip_sum = 0;
  Time round_trip_max = 0;
};

}  // namespace ccsim

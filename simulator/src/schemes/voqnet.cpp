// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// voqnet.cpp: a queue for each destination at each input, with room of its own. No packet waits for one to another destination, at the
// price of as many queues a port as the fabric has hosts: the most that any scheme can reach.
//
// Behaviour   a packet asks for an output to a switch when it has room in the queue of its destination there; queues wait for room in turn.
//             Packets to a host have its credits. ACKs and CNPs take room, but do not wait for it
// Messages    room of a queue that has become free, to the port that sends into it; none while the queue is so empty that it makes no
//             difference when that port learns of it
// Data        a queue for each pair of input port and destination that has ever held a packet
#include <algorithm>
#include <bit>
#include <cstdio>
#include <utility>

#include "engine/bus_drain.hpp"
#include "engine/cct_reaction.hpp"
#include "engine/cnp_or_ack.hpp"
#include "engine/crosspoint_lists.hpp"
#include "engine/engine_of.hpp"
#include "engine/islip.hpp"
#include "engine/port_vl_detection.hpp"
#include "engine/ports.hpp"
#include "schemes/destination_queues.hpp"
#include "schemes/pair_index.hpp"
#include "schemes/registry.hpp"

namespace ccsim {
namespace {

constexpr unsigned kBlockBits = 7;  // of a message, for the blocks of a packet: 65 at the largest MTU
constexpr std::uint64_t kMostQueues = std::uint64_t{1} << (32 - kBlockBits);

// The most memory that a vector touches while elements are added to it one by one up to `count`: it doubles, and has all of them twice
// while it moves.
template <typename T>
constexpr std::uint64_t MostBytesWhileGrowing(std::uint64_t count) {
  return std::bit_ceil(count) * sizeof(T);
}

class QueuePerDestination : public CrosspointLists {
 public:
  static constexpr bool kCountsRoom = true;

  // Memory of this machine that so many queues need.
  static std::uint64_t MostBytes(std::uint64_t queues) {
    return MostBytesWhileGrowing<Queue>(queues) + MostBytesWhileGrowing<Room>(queues) + PairIndex::MostBytes(queues);
  }

  template <typename E>
  void Build(E& e) {
    BuildLists(e, 0);
    first_of_port_.assign(e.ports_.size(), kNoIndex);
    queue_blocks_ = static_cast<std::uint32_t>(e.SchemeValue("queue_packets")) * e.mtu_blocks_;
    std::uint32_t most_ports = 0;
    for (const SwitchState& sw : e.switches_) most_ports = std::max(most_ports, sw.num_ports);
    const std::uint32_t near_full = (most_ports + kSentMeanwhile) * e.mtu_blocks_;
    little_taken_ = static_cast<std::int32_t>(queue_blocks_) - static_cast<std::int32_t>(near_full);
  }

  template <typename E>
  [[gnu::always_inline]] void Push(E& e, LaneState&, std::uint32_t output, unsigned, unsigned input, std::uint32_t packet) {
    const std::uint32_t first_port = e.ports_[output].first_port;
    Packet& k = e.pool_[packet];
    k.output = static_cast<std::uint8_t>(output - first_port);
    const std::uint32_t queue = k.next;
    const bool is_first = queues_[queue].ring.empty();
    queues_[queue].ring.Push(e.pool_, packet);
    if (is_first) Ask(e, queue, first_port, input, output);
  }
  template <typename E>
  [[gnu::always_inline]] std::uint32_t Pop(E& e, LaneState& lane, std::uint32_t output, unsigned, unsigned input) {
    const std::uint32_t queue = First(lane, input);
    const std::uint32_t packet = queues_[queue].ring.Pop(e.pool_);
    Unlist(e, queue, output, input);
    popped_ = {e.ports_[output].first_port + input, e.pool_[packet].destination, queue, rooms_[queue].next_queue};
    if (!queues_[queue].ring.empty()) Ask(e, queue, e.ports_[output].first_port, input, output);
    return packet;
  }
  // A queue that asks for the crosspoint to a switch has its room there already.
  template <typename E>
  [[gnu::always_inline]] bool MaySend(E& e, LaneState& lane, std::uint32_t output, unsigned vl, unsigned input) {
    return !e.ports_[output].to_host || e.HasCredits(output, vl, e.pool_[Head(e, lane, output, input)].blocks());
  }
  // While a packet is on the wire to a switch, which links it to no other, its `next` is the queue that it goes to there.
  template <typename E>
  [[gnu::always_inline]] void Take(E& e, std::uint32_t port, LaneState& lane, Packet& k) {
    if (e.ports_[port].to_host) {
      lane.credits -= static_cast<std::int32_t>(k.blocks());
    } else if (e.ports_[port].host != kNoIndex) {
      k.next = FarQueue(e, port, k);
      rooms_[k.next].taken += k.blocks();
    } else {
      k.next = popped_.far;
    }
  }
  template <typename E>
  [[gnu::always_inline]] void GiveBack(E& e, std::uint32_t from, const Packet& k, unsigned vl, Time at) {
    if (e.ports_[from].to_host) return e.GiveCreditNow(from, vl, k.blocks(), at);
    const std::uint32_t input = e.ports_[from].peer;
    const bool is_popped = popped_.input == input && popped_.destination == k.destination;
    const std::uint32_t queue = is_popped ? popped_.queue : QueueOf(e, input, k.destination);
    if (E::kPlain && is_popped && MayGiveNow(e, from, queue, at)) [[likely]] {
      rooms_[queue].taken -= k.blocks();
      return;
    }
    e.SendMessage(input, queue << kBlockBits | k.blocks(), at);
  }
  template <typename E>
  void OnMessage(E& e, std::uint32_t port, std::uint32_t argument) {
    const std::uint32_t far = argument >> kBlockBits;
    rooms_[far].taken -= argument & ((1u << kBlockBits) - 1);
    if (e.ports_[port].host != kNoIndex) {
      const IndexQueue parked = std::exchange(rooms_[far].parked, {});
      for (std::uint32_t qp = parked.head; qp != kNoIndex;) {
        const std::uint32_t next = e.queue_pairs_[qp].next;
        e.Unpark(qp);
        qp = next;
      }
      return;
    }
    while (rooms_[far].waiting.head != kNoIndex) {
      const std::uint32_t queue = rooms_[far].waiting.head;
      const Packet& k = e.pool_[queues_[queue].ring.Head(e.pool_)];
      if (!HasRoom(e, far, k)) break;
      PopFront(rooms_[far].waiting, queues_);
      rooms_[queue].waits_for = kNoIndex;
      rooms_[far].taken += k.blocks();
      List(e, queue, e.ports_[port].first_port + k.output, k.input, kNoIndex);
    }
    Flush(e);
  }

  // The packet may be an old one: then this lies beyond the queues.
  template <typename E>
  [[gnu::always_inline]] void FetchForArrival(const E& e, std::uint32_t output, const Packet& k) const {
    FetchList(e.Lane(output, 0), k.input);
    __builtin_prefetch(queues_.data() + k.next);
    __builtin_prefetch(rooms_.data() + k.next);
  }
  // The room that it asks for if it goes on at once.
  [[gnu::always_inline]] void FetchBehindArrival(const Packet& k) const {
    if (k.next >= rooms_.size()) return;
    const std::uint32_t far = rooms_[k.next].next_queue;
    if (far != kNoIndex) __builtin_prefetch(rooms_.data() + far);
  }
  template <typename E>
  [[gnu::always_inline]] void FetchForSent(const E& e, std::uint32_t output) const {
    __builtin_prefetch(rooms_.data() + FetchLikelyQueue(e, output));
  }

  // --- For the adapters ---

  template <typename E>
  bool LacksRoom(E& e, std::uint32_t port, std::uint32_t destination, std::uint32_t blocks) {
    return rooms_[QueueOf(e, e.ports_[port].peer, destination)].taken + blocks > queue_blocks_;
  }
  template <typename E>
  void Park(E& e, std::uint32_t port, std::uint32_t queue_pair) {
    const std::uint32_t far = QueueOf(e, e.ports_[port].peer, e.queue_pairs_[queue_pair].destination);
    PushBack(rooms_[far].parked, e.queue_pairs_, queue_pair);
  }

  // --- Seldom ---

  template <typename E>
  void Lose(E& e, std::uint32_t output, unsigned) {
    const PortState& port = e.ports_[output];
    for (unsigned input = 0; input < e.switches_[port.switch_ordinal].num_ports; ++input) {
      for (std::uint32_t queue = first_of_port_[port.first_port + input]; queue != kNoIndex; queue = rooms_[queue].next_of_port) {
        if (queues_[queue].ring.empty()) continue;
        const Packet& first = e.pool_[queues_[queue].ring.Head(e.pool_)];
        const bool loses_first = port.first_port + first.output == output;
        if (loses_first && rooms_[queue].waits_for != kNoIndex) {
          StopWaiting(queue);
        } else if (loses_first) {
          if (!port.to_host) rooms_[FarQueue(e, output, first)].taken -= first.blocks();
          Unlist(e, queue, output, input);
        }
        LoseFrom(e, queue, output, [](const Packet&) {});
        if (loses_first && !queues_[queue].ring.empty()) Ask(e, queue, port.first_port, input, kNoIndex);
      }
    }
    Flush(e);
  }
  template <typename E, typename Visit>
  void ForEach(const E& e, std::uint32_t input, const Visit& visit) const {
    for (std::uint32_t queue = first_of_port_[input]; queue != kNoIndex; queue = rooms_[queue].next_of_port) {
      ForEachIn(e, queue, e.ports_[input].first_port, visit);
    }
  }
  template <typename E>
  void Check(const E& e, std::uint32_t port, unsigned) const {
    const std::string name = "port " + std::to_string(port);
    for (std::uint32_t queue = first_of_port_[port]; queue != kNoIndex; queue = rooms_[queue].next_of_port) {
      CheckListed(e, queue, e.ports_[port].first_port);
      std::uint32_t blocks = 0;
      queues_[queue].ring.ForEach(e.pool_, [&](const Packet& k) { blocks += k.blocks(); });
      if (blocks > rooms_[queue].taken) throw std::logic_error(name + ": a queue holds more than the room that was taken of it");
      const bool asks = queues_[queue].listed_at != kNoIndex || rooms_[queue].waits_for != kNoIndex;
      if (asks == queues_[queue].ring.empty())
        throw std::logic_error(name + ": a queue asks without a packet, or does not with one");
    }
  }
  // Queues that have ever held a packet.
  template <typename E>
  void Sample(E& e) {
    e.record_.scheme_series["destination_queues"].push_back(queues_.size());
  }
  bool HasAllRoom() const {
    return std::all_of(rooms_.begin(), rooms_.end(), [](const Room& room) { return room.taken == 0; });
  }

 private:
  // Holds the room of a queue as the other end of its link knows it, and who waits for that room.
  struct Room {
    std::uint32_t taken = 0;  // blocks
    std::uint32_t waits_for = kNoIndex;
    std::uint32_t next_of_port = kNoIndex;
    IndexQueue waiting;                   // queues of the switch there
    IndexQueue parked;                    // queue pairs of the host there
    std::uint32_t next_queue = kNoIndex;  // where its packets go by next_output, if it has been looked up
    std::uint8_t next_output = 0;
  };
  struct Popped {
    std::uint32_t input = kNoIndex;
    std::uint32_t destination = kNoIndex;
    std::uint32_t queue = kNoIndex;
    std::uint32_t far = kNoIndex;  // where it goes, if that is a switch
  };

  template <typename E>
  std::uint32_t QueueOf(E& e, std::uint32_t input, std::uint32_t destination) {
    const std::uint32_t found = index_.FindOrAdd(input, destination, static_cast<std::uint32_t>(queues_.size()));
    if (found != queues_.size()) return found;
    if (found == kMostQueues) {
      throw std::invalid_argument("scheme voqnet needs more than " + std::to_string(kMostQueues) +
                                  " queues in this run, which is the most that it has; simulate fewer hosts, or less time");
    }
    queues_.emplace_back();
    Room& room = rooms_.emplace_back();
    room.next_of_port = std::exchange(first_of_port_[input], found);
    static_cast<void>(e);
    return found;
  }
  // True if nobody can tell whether the room of the packet that leaves now is free at once or only when the message would arrive: until
  // then, at most the time of two full packets, the queue cannot become full. The switch that sends into it can take room meanwhile
  // for a packet at each of its inputs, besides those that it sends: at most five packets' worth, even if all are CNPs. And at most three
  // packets have given room too soon and would not be there yet, since each takes as long on its own wire as its message would take on
  // the way, or longer. Nobody waits for a queue that holds so little: messages have woken those who did while it was full.
  template <typename E>
  [[gnu::always_inline]] bool MayGiveNow(E& e, std::uint32_t from, std::uint32_t queue, Time at) {
    const LinkKind& link = e.link_kinds_[e.Lane(from, 0).link_kind];
    const Time delay = at - e.now_ + link.propagation;
    e.calendar_.TrackFor(delay);  // as the message would: the order of equal events depends on which tracks were made first
    const bool is_open = static_cast<std::int32_t>(rooms_[queue].taken) <= little_taken_;
    return is_open && !e.starves_ && delay <= link.two_packets && link.propagation <= at - e.now_;
  }
  template <typename E>
  std::uint32_t FarQueue(E& e, std::uint32_t port, const Packet& k) {
    return QueueOf(e, e.ports_[port].peer, k.destination);
  }
  template <typename E>
  bool HasRoom(const E&, std::uint32_t far, const Packet& k) const {
    return k.kind != PacketKind::Data || rooms_[far].taken + k.blocks() <= queue_blocks_;
  }
  void WaitFor(std::uint32_t queue, std::uint32_t far) {
    rooms_[queue].waits_for = far;
    PushBack(rooms_[far].waiting, queues_, queue);
  }
  void StopWaiting(std::uint32_t queue) {
    IndexQueue others;
    IndexQueue& waiting = rooms_[rooms_[queue].waits_for].waiting;
    while (waiting.head != kNoIndex) {
      const std::uint32_t other = PopFront(waiting, queues_);
      if (other != queue) PushBack(others, queues_, other);
    }
    waiting = others;
    rooms_[queue].waits_for = kNoIndex;
  }
  // The queue takes room for its first packet and asks for its crosspoint, or waits for room behind those that have waited before: without
  // that order, whoever comes after an unrelated input in the arbiter's turns would take all of it. REQUIRES: it holds a packet and does neither yet.
  template <typename E>
  void Ask(E& e, std::uint32_t queue, std::uint32_t first_port, unsigned input, std::uint32_t tried_anyway) {
    const Packet& k = e.pool_[queues_[queue].ring.Head(e.pool_)];
    const std::uint32_t output = first_port + k.output;
    if (!e.ports_[output].to_host) {
      if (rooms_[queue].next_queue == kNoIndex || rooms_[queue].next_output != k.output) {
        const std::uint32_t next = FarQueue(e, output, k);
        rooms_[queue].next_queue = next;
        rooms_[queue].next_output = k.output;
      }
      const std::uint32_t far = rooms_[queue].next_queue;
      if (k.kind == PacketKind::Data && (rooms_[far].waiting.head != kNoIndex || !HasRoom(e, far, k))) return WaitFor(queue, far);
      rooms_[far].taken += k.blocks();
    }
    List(e, queue, output, input, tried_anyway);
  }

  static constexpr std::uint32_t kSentMeanwhile = 5 + 3;  // packets: MayGiveNow

  std::uint32_t queue_blocks_ = 0;
  std::int32_t little_taken_ = 0;
  Popped popped_;  // last: whose room is given back next
  PairIndex index_;
  BigVector<Room> rooms_;                     // by queue
  std::vector<std::uint32_t> first_of_port_;  // by input port
};

// A host sends to a destination while the queue for it at the first switch has room.
struct RoomOfFirstSwitch {
  static constexpr bool kHolds = true;

  template <typename E>
  static bool Holds(E& e, std::uint32_t host, const QueuePairState& qp) {
    const std::uint32_t port = e.hosts_[host].port;
    if (e.ports_[port].to_host) return false;
    return e.queueing_.LacksRoom(e, port, qp.destination, CreditBlocks(std::min(qp.message_left, e.mtu_bytes_) + kHeaderBytes));
  }
  template <typename E>
  static void Park(E& e, std::uint32_t queue_pair) {
    const std::uint32_t host = e.flows_[e.queue_pairs_[queue_pair].flow].src;
    e.queueing_.Park(e, e.hosts_[host].port, queue_pair);
  }
};

struct Voqnet {
  using Ports = AnyPorts;
  using Queueing = QueuePerDestination;
  using Arbiter = Islip;
  using Detection = PortVlDetection;
  using Notification = CnpOrAck;
  using Reaction = CctReaction;
  using HostSink = BusDrain;
  using Transport = RoomOfFirstSwitch;
};

PortMemory QueuesOfAllHosts(const Fabric& fabric, const Model& model, unsigned) {
  const std::uint64_t packets =
      static_cast<std::uint64_t>(WithPresets(FindScheme(model.scheme.name), model.scheme.values).at("queue_packets"));
  const std::uint64_t packet_bytes = std::uint64_t{64} * CreditBlocks(fabric.mtu_bytes() + kHeaderBytes);
  return {.buffer_bytes = fabric.endports().size() * packets * packet_bytes};
}

// With commas between thousands.
std::string Grouped(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, ",");
  return text;
}

std::string InBytes(std::uint64_t bytes) {
  const char* const units[] = {"KiB", "MiB", "GiB"};
  double number = static_cast<double>(bytes) / 1024;
  unsigned unit = 0;
  for (; number >= 1024 && unit < 2; ++unit) number /= 1024;
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %s", number, units[unit]);
  return text;
}

std::optional<SchemeNote> NoteOfQueues(const Setup& setup) {
  const std::uint64_t queues = CountDestinationQueues(setup.fabric, setup.flows);
  const std::uint64_t bytes = QueuePerDestination::MostBytes(std::min(queues, kMostQueues));
  std::string sentence =
      "scheme voqnet may need up to " + Grouped(queues) +
      " queues in this run, one for each pair of input port and destination that packets can come by, and up to " +
      InBytes(bytes) + " of this machine's memory for them";
  if (queues > kMostQueues) sentence += "; it has " + Grouped(kMostQueues) + " at most, and a run that needs more ends there";
  return SchemeNote{sentence, bytes};
}

const SchemeRegistration kRegistered(
    {.name = "voqnet",
     .summary = "A queue for each destination at each input, with room of its own; no packet waits for those to other hosts.",
     .source = "thesis, Papers V and VI",
     .parameters = {{.name = "queue_packets",
                     .least = 1,
                     .most = 65536,
                     .preset = 64,
                     .whole = true,
                     .unit = "packets of the MTU",
                     .meaning = "Room of each queue; `model.switch.input_buffer_bytes` is not used.",
                     .consequence = "With less than a round trip's worth, a single flow cannot fill a link."},
                    Islip::CrossbarParameter()},
     .make = MakePlainOrAny<Voqnet, true>,
     .one_vl = true,
     .port_memory = QueuesOfAllHosts,
     .note = NoteOfQueues});

}  // namespace
}  // namespace ccsim

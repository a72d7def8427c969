// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// swift.cpp: adapters that react by delay (congestion/swift.hpp). Each data packet is answered by an RTT packet, an ACK that carries how long
// it has waited in the receiving host, on the data's SL or one of its own. Switches are those of voqsw; marks are counted, and nobody
// reacts to them.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "congestion/swift.hpp"
#include "engine/cnp_or_ack.hpp"
#include "engine/engine_of.hpp"
#include "engine/host_drain.hpp"
#include "engine/port_vl_detection.hpp"
#include "engine/ports.hpp"
#include "engine/round_robin.hpp"
#include "engine/voq_queues.hpp"
#include "schemes/registry.hpp"

namespace ccsim {
namespace {

constexpr unsigned kSlOfData = kNumSls;

// The send windows of queue pairs. A flow that draws its destinations has none.
class WindowTransport {
 public:
  static constexpr bool kHolds = true;

  struct Sent {
    std::uint32_t sequence;
    Time time;
  };
  struct Answer {
    std::uint32_t sequence;
    Time in_host;
  };
  struct QueuePair {
    SwiftState state;
    std::deque<Sent> sent;       // whose ACKs have not come
    std::deque<Answer> answers;  // on their way back
    bool parked = false;
    bool timed = false;  // a time-out is an event
  };

  template <typename E>
  bool Holds(E& e, std::uint32_t, const QueuePairState& state) {
    if (state.draws || state.is_context) return false;
    const QueuePair& qp = Of(e, Index(e, state));
    return static_cast<double>(qp.sent.size()) >= std::max(1.0, qp.state.window(Setting(e)));
  }
  // An ACK may be lost where links or routes change: then a time-out ends the wait.
  template <typename E>
  void Park(E& e, std::uint32_t queue_pair) {
    QueuePair& qp = Of(e, queue_pair);
    qp.parked = true;
    if (qp.timed) return;
    qp.timed = true;
    const std::uint32_t port = e.hosts_[e.flows_[e.queue_pairs_[queue_pair].flow].src].port;
    e.calendar_.PushAt(e.now_, e.now_ + kTimeOut, EngineCore::kMessage, port, queue_pair);
  }
  template <typename E>
  void OnTimeOut(E& e, std::uint32_t queue_pair) {
    QueuePair& qp = Of(e, queue_pair);
    qp.timed = false;
    if (!qp.parked) return;
    if (!qp.sent.empty() && e.now_ - qp.sent.front().time < kTimeOut) {  // its ACKs come
      Park(e, queue_pair);
      return;
    }
    qp.sent.clear();
    Release(e, queue_pair);
  }
  template <typename E>
  void Release(E& e, std::uint32_t queue_pair) {
    QueuePair& qp = Of(e, queue_pair);
    if (!qp.parked) return;
    qp.parked = false;
    e.Unpark(queue_pair);
  }

  template <typename E>
  const SwiftSetting& Setting(const E& e) {
    if (setting_.fabric_target == 0) {
      setting_.fabric_target = FromNs(1000 * e.SchemeValue("fabric_target_us"));
      setting_.host_target = FromNs(1000 * e.SchemeValue("host_target_us"));
      setting_.additive = e.SchemeValue("additive_packets");
      setting_.beta = e.SchemeValue("beta");
      setting_.most_decrease = e.SchemeValue("most_decrease");
      setting_.first_window = e.SchemeValue("first_window_packets");
      rtt_sl_ = static_cast<unsigned>(e.SchemeValue("rtt_sl"));
    }
    return setting_;
  }
  template <typename E>
  unsigned RttSl(const E& e) {
    Setting(e);
    return rtt_sl_;
  }
  template <typename E>
  QueuePair& Of(const E& e, std::uint32_t queue_pair) {
    if (queue_pair >= queue_pairs_.size()) queue_pairs_.resize(std::max<std::size_t>(e.queue_pairs_.size(), queue_pair + 1));
    return queue_pairs_[queue_pair];
  }

 private:
  static constexpr Time kTimeOut = 16'000 * kFsPerUs;

  template <typename E>
  static std::uint32_t Index(const E& e, const QueuePairState& state) {
    return static_cast<std::uint32_t>(&state - &e.queue_pairs_[0]);
  }

  SwiftSetting setting_;
  unsigned rtt_sl_ = kSlOfData;
  std::vector<QueuePair> queue_pairs_;
};

// Queues of voqsw; a message to a port of one's own is a queue pair's time-out.
class QueuesAndTimeOuts : public VoqQueues {
 public:
  template <typename E>
  void OnMessage(E& e, std::uint32_t, std::uint32_t queue_pair) {
    e.transport_.OnTimeOut(e, queue_pair);
  }
};

// An ACK to a flow that draws its destinations carries nothing.
struct DelayNotification {
  template <typename E>
  static void OnFecn(E& e, std::uint32_t host, const Packet& k, Time tail_there) {
    CnpOrAck::CountFecn(e, host, k, tail_there);
  }
  // Notes what the ACK that is being made will say.
  template <typename E>
  static bool TakeBecn(E& e, const Packet& k) {
    if (k.drawn) return false;
    const Time in_host = e.sink_.Holds(k.destination) ? e.sink_.last_wait() : 0;
    e.transport_.Of(e, k.queue_pair).answers.push_back({k.sequence, in_host});
    return true;
  }
  template <typename E>
  static unsigned AckSl(E& e) {
    return e.transport_.RttSl(e);
  }
};

struct DelayReaction {
  static constexpr bool kByRoundTrip = true;

  template <typename E>
  static void OnBecn(E& e, const Packet& k) {
    auto& qp = e.transport_.Of(e, k.queue_pair);
    if (qp.answers.empty()) return;
    // ACKs come in order. Where some are lost, the latest that was made says how the host is.
    const auto answer = e.disturbed_ ? qp.answers.back() : qp.answers.front();
    if (e.disturbed_) {
      qp.answers.clear();
    } else {
      qp.answers.pop_front();
    }
    double acked = 0;
    Time since = kNever;
    for (; !qp.sent.empty() && qp.sent.front().sequence <= answer.sequence; ++acked) {
      since = qp.sent.front().time;
      qp.sent.pop_front();
    }
    if (since == kNever) return;  // a time-out has given it up
    const SwiftSetting& setting = e.transport_.Setting(e);
    const Time packet_time = TimeFor(e.full_bytes_, e.ports_[e.hosts_[e.flows_[k.flow].src].port].byte_time);
    const double most = std::max(1.0, static_cast<double>(setting.targets()) / static_cast<double>(packet_time));
    const Time whole = e.now_ - since;
    qp.state.OnRoundTrip(setting, whole, std::min(answer.in_host, whole), acked, most, e.now_);
    e.transport_.Release(e, k.queue_pair);
  }

  template <typename E>
  static void AfterPacket(E& e, std::uint32_t throttle, const SentPacket& sent) {
    const QueuePairState& state = e.queue_pairs_[sent.queue_pair];
    if (state.draws || state.is_context) return;
    auto& qp = e.transport_.Of(e, sent.queue_pair);
    qp.sent.push_back({state.sequence - 1, e.now_});
    const double window = qp.state.window(e.transport_.Setting(e));
    if (window >= 1) return;
    const auto pause = static_cast<Time>(static_cast<double>(qp.state.round_trip) / window);
    if (pause > sent.wire_time) e.HoldBack(throttle, sent.wire_time, pause - sent.wire_time);
  }

  template <typename E>
  static void AfterDrawnPacket(E&, const SentPacket&) {}
};

struct Swift {
  using Ports = AnyPorts;
  using Queueing = QueuesAndTimeOuts;
  using Arbiter = RoundRobin;
  using Detection = PortVlDetection;
  using Notification = DelayNotification;
  using Reaction = DelayReaction;
  using HostSink = HostDrain;
  using Transport = WindowTransport;
};

const SchemeRegistration kRegistered(
    {.name = "swift",
     .summary = "Adapters that react by delay, in the fabric and in the receiving host; the switch of voqsw.",
     .source = "Kumar et al., SIGCOMM 2020",
     .parameters = {{.name = "fabric_target_us",
                     .least = 1,
                     .most = 1e5,
                     .preset = 25,
                     .unit = "us",
                     .meaning = "Delay outside of the receiving host above which a window falls.",
                     .consequence = "More lets queues in switches stand."},
                    {.name = "host_target_us",
                     .least = 1,
                     .most = 1e5,
                     .preset = 100,
                     .unit = "us",
                     .meaning = "Delay in the receiving host above which a window falls.",
                     .consequence = "Above what its receive buffer can hold, senders never react to the host."},
                    {.name = "additive_packets",
                     .least = 0.001,
                     .most = 1000,
                     .preset = 1,
                     .unit = "packets",
                     .meaning = "Growth of a window in a round trip below the target.",
                     .consequence = "More finds free bandwidth sooner, and overshoots further."},
                    {.name = "beta",
                     .least = 0.01,
                     .most = 1,
                     .preset = 0.8,
                     .meaning = "Part of the excess delay by which a window falls.",
                     .consequence = "More empties queues sooner."},
                    {.name = "most_decrease",
                     .least = 0.01,
                     .most = 0.99,
                     .preset = 0.5,
                     .meaning = "Greatest part of a window that one fall takes.",
                     .consequence = "More reacts to sudden delay sooner."},
                    {.name = "first_window_packets",
                     .least = 1,
                     .most = 1e5,
                     .preset = 1,
                     .unit = "packets",
                     .meaning = "Window of a queue pair before its first round trip has ended.",
                     .consequence = "More sends more before the first delay is known."},
                    {.name = "rtt_sl",
                     .least = 0,
                     .most = kSlOfData,
                     .preset = kSlOfData,
                     .whole = true,
                     .meaning = "SL of RTT packets, which ACKs are; 16 is that of the data.",
                     .consequence = "An SL with a VL of its own keeps them out of the data's queues."}},
     .make = MakeEngineOf<Swift>,
     .host_models = true});

}  // namespace
}  // namespace ccsim

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cam_line.hpp: CAM lines of flow isolation, their states, and the messages that neighbours exchange about them.
//
// An input port has a line for each special queue (CFQ, HPQ) and, where each output has a normal queue (CPQ), a line for each of
// those. An output port has a line for each line that the input port at the other end of its link has announced, under the same number.
//
// An input line is Free, or in use in one of three states that say what the upstream neighbour knows:
//
//   state      event           next       message   when
//   Free       Take            Quiet                detection, or a packet whose destination an output line holds
//   Quiet      ReachAllocate   Announced  Allocate  the queue exceeds the propagation threshold
//   Announced  ReachStop       Stopped    Stop      the queue exceeds the Stop threshold
//   Stopped    FallToGo        Announced  Go        the queue falls below the Go threshold
//   Announced  Change          Announced  Update    the line gets one more destination, or another root
//   Stopped    Change          Stopped    Update
//   Quiet      Change          Quiet
//   Quiet      Empty           Free                 the queue is empty, and the line downstream lets it send
//   Announced  Empty           Free       Release
//   Quiet      Forget          Quiet                the link is down or has come up, or the upstream neighbour has started over
//   Announced  Forget          Quiet
//   Stopped    Forget          Quiet
//
// An output line follows the messages:
//
//   state      event           next
//   Free       Allocate        Go
//   Go         Update          Go         its destinations and its root are those of the message
//   Stop       Update          Stop
//   Go         Stop            Stop
//   Stop       Go              Go
//   Go         Release         Free
//   Go         Clear, Cleared  Free
//   Stop       Clear, Cleared  Free
//
// No other pair occurs while messages arrive in order and none is lost. After a loss, an output line can be behind: it ignores a
// message that does not fit, except Allocate, which begins the line anew, and Release, Clear and Cleared, which end it.
//
// Messages about lines travel against the packets only, and in order. So an Allocate for a line that has just been released cannot
// overtake its Release, a line's number can be used again at once, and no message needs a reply.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

namespace ccsim {

inline constexpr unsigned kMaxSpecialQueues = 16;     // of an input port
inline constexpr unsigned kMaxLineDestinations = 32;  // of a line: Paper VI section 4.1 has 8, 16 or 32

enum class InputLineState : std::uint8_t { Free, Quiet, Announced, Stopped };
enum class InputLineEvent : std::uint8_t { Take, ReachAllocate, ReachStop, FallToGo, Change, Empty, Forget };
enum class OutputLineState : std::uint8_t { Free, Go, Stop };
inline constexpr unsigned kInputLineStates = 4, kInputLineEvents = 7, kOutputLineStates = 3;

// Allocate, Update, Stop, Go and Release are about one line of the input port that sends them. Clear says that the sender has started
// over on this link: it holds no lines of the receiver, and the receiver must hold none of the sender. Cleared replies to Clear.
enum class MessageKind : std::uint8_t { None, Allocate, Update, Stop, Go, Release, Clear, Cleared };
inline constexpr unsigned kMessageKinds = 8;

struct InputLineStep {
  bool possible = false;
  InputLineState next = InputLineState::Free;
  MessageKind message = MessageKind::None;
};

// The next state and the message, by state and event; `possible` is false for what cannot happen.
inline constexpr auto kInputLineSteps = [] {
  std::array<std::array<InputLineStep, kInputLineEvents>, kInputLineStates> steps{};
  const auto set = [&](InputLineState from, InputLineEvent event, InputLineState next, MessageKind message = MessageKind::None) {
    steps[static_cast<unsigned>(from)][static_cast<unsigned>(event)] = {true, next, message};
  };
  using enum InputLineState;
  using enum InputLineEvent;
  set(Free, Take, Quiet);
  set(Quiet, ReachAllocate, Announced, MessageKind::Allocate);
  set(Announced, ReachStop, Stopped, MessageKind::Stop);
  set(Stopped, FallToGo, Announced, MessageKind::Go);
  set(Quiet, Change, Quiet);
  set(Announced, Change, Announced, MessageKind::Update);
  set(Stopped, Change, Stopped, MessageKind::Update);
  set(Quiet, Empty, Free);
  set(Announced, Empty, Free, MessageKind::Release);
  set(Quiet, Forget, Quiet);
  set(Announced, Forget, Quiet);
  set(Stopped, Forget, Quiet);
  return steps;
}();

struct OutputLineStep {
  bool expected = false;  // false: only after messages were lost
  OutputLineState next = OutputLineState::Free;
};

// The next state, by state and message.
inline constexpr auto kOutputLineSteps = [] {
  std::array<std::array<OutputLineStep, kMessageKinds>, kOutputLineStates> steps{};
  const auto at = [&](OutputLineState from, MessageKind message) -> OutputLineStep& {
    return steps[static_cast<unsigned>(from)][static_cast<unsigned>(message)];
  };
  using enum OutputLineState;
  for (const OutputLineState from : {Free, Go, Stop}) {
    for (const MessageKind kind : {MessageKind::None, MessageKind::Update, MessageKind::Stop, MessageKind::Go}) {
      at(from, kind).next = from;
    }
    at(from, MessageKind::Allocate).next = Go;
    at(from, MessageKind::Clear) = {true, Free};
    at(from, MessageKind::Cleared) = {true, Free};
  }
  at(Free, MessageKind::Allocate) = {true, Go};
  at(Go, MessageKind::Update) = {true, Go};
  at(Stop, MessageKind::Update) = {true, Stop};
  at(Go, MessageKind::Stop) = {true, Stop};
  at(Stop, MessageKind::Go) = {true, Go};
  at(Go, MessageKind::Release) = {true, Free};
  return steps;
}();

// The output port at which a congestion tree begins.
struct CongestionRoot {
  std::uint32_t device = 0;  // as its FlowIsolation is numbered
  std::uint16_t output = 0;  // port number, from 0
  friend bool operator==(const CongestionRoot&, const CongestionRoot&) = default;
};

struct IsolationMessage {
  MessageKind kind = MessageKind::None;
  std::uint8_t hops = 0;              // from the sender's input port to the root: 1 if it is an output of the sender
  std::uint8_t num_destinations = 0;  // of Allocate and Update, as are hops, root and destinations
  std::uint16_t port = 0;             // of the sender, by which the message leaves
  std::uint16_t line = 0;             // of the sender's input port
  CongestionRoot root;
  std::array<std::uint32_t, kMaxLineDestinations> destinations{};

  std::span<const std::uint32_t> list() const { return {destinations.data(), num_destinations}; }
};

inline bool Holds(std::span<const std::uint32_t> destinations, std::uint32_t destination) {
  return std::find(destinations.begin(), destinations.end(), destination) != destinations.end();
}

}  // namespace ccsim

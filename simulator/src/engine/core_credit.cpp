// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core_credit.cpp: credits on their way back, and lanes that wait for them.
//
// Behaviour   a return is no event: a lane takes in what has come when it looks at its credits, and asks to be woken only if it cannot
//             go on. The return that comes last lies in the lane itself, which is all that most lanes need; those before it in a list
// Data        LaneState, CreditReturn
#include <utility>

#include "engine/core.hpp"

namespace ccsim {

void EngineCore::AddReturn(LaneState& lane, Time time, unsigned blocks) {
  if (lane.last_blocks == 0) {
    lane.last_time = time;
    lane.last_blocks = blocks;
    return;
  }
  std::uint32_t index = free_credit_return_;
  if (index == kNoIndex) {
    index = static_cast<std::uint32_t>(credit_returns_.size());
    credit_returns_.emplace_back();
  } else {
    free_credit_return_ = credit_returns_[index].next;
  }
  CreditReturn listed{time, kNoIndex, blocks};
  if (time >= lane.last_time) {
    listed = CreditReturn{std::exchange(lane.last_time, time), kNoIndex, std::exchange(lane.last_blocks, blocks)};
  }
  credit_returns_[index] = listed;
  if (lane.first_return == kNoIndex) {
    lane.first_return = lane.last_listed = index;
  } else if (listed.time >= credit_returns_[lane.last_listed].time) {
    credit_returns_[lane.last_listed].next = index;
    lane.last_listed = index;
  } else {
    // Outputs of different rates let go of the buffer in another order than they took packets from it.
    std::uint32_t* link = &lane.first_return;
    while (credit_returns_[*link].time <= listed.time) link = &credit_returns_[*link].next;
    credit_returns_[index].next = *link;
    *link = index;
  }
}

void EngineCore::GiveCredit(std::uint32_t from, unsigned vl, unsigned blocks, Time at) { GiveCreditNow(from, vl, blocks, at); }

void EngineCore::WakeForCredits(std::uint32_t port, unsigned vl, Time time) {
  Time& wake = wakes_[std::size_t{port} * num_vls_ + vl];
  if (time >= wake) return;
  wake = time;
  calendar_.PushAt(now_, time, kCredit, port, vl);
}

void EngineCore::TakeListedCredits(LaneState& lane, Time now) {
  while (lane.first_return != kNoIndex && credit_returns_[lane.first_return].time <= now) {
    const std::uint32_t index = lane.first_return;
    CreditReturn& back = credit_returns_[index];
    lane.credits += static_cast<std::int32_t>(back.blocks);
    lane.first_return = back.next;
    back.next = free_credit_return_;
    free_credit_return_ = index;
  }
}

bool EngineCore::HasCredits(std::uint32_t port_index, unsigned vl, unsigned blocks) {
  LaneState& lane = Lane(port_index, vl);
  if (lane.credits >= plenty_of_credits_) return true;
  if (shares_) return HasSharedCredits(port_index, vl, static_cast<std::int32_t>(blocks));
  TakeCredits(lane, now_);
  if (lane.credits >= static_cast<std::int32_t>(blocks)) return true;
  BeginWaiting(port_index);
  lane.wants_credits = true;
  WakeForCredits(port_index, vl, NextReturn(lane));
  return false;
}

}  // namespace ccsim

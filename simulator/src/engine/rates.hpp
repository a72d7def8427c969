// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// rates.hpp: the rates that DCQCN has set (congestion/dcqcn.hpp), of queue pairs with one destination and of those that a flow with many
// destinations stands for.
//
// A queue pair keeps its state for the rest of the run once it has received a CNP: alpha is remembered while the rate is the link's.
#pragma once

#include <cstdint>
#include <vector>

#include "congestion/dcqcn.hpp"
#include "engine/big_vector.hpp"
#include "engine/pair_table.hpp"

namespace ccsim {

// Where the state of a flow's queue pair to one of many destinations is.
struct RateRecord : PairRecord {
  std::size_t index = 0;  // among those of pairs
};

class Rates {
 public:
  void Build(std::size_t num_endports, std::size_t num_queue_pairs) {
    settings_.assign(num_endports, {});
    of_queue_pairs_.assign(num_queue_pairs, {});
    next_cnp_.assign(num_endports, 0);
  }
  // True if some device of the fabric, be it a switch, has another dialect than annex A10: the states are there then, although perhaps no
  // adapter ever reacts by rates.
  bool any() const { return !settings_.empty(); }

  // The setting of an adapter that reacts by rates; its line_gbps is 0 for one that does not.
  const DcqcnSetting& setting(std::uint32_t endport) const { return settings_[endport]; }
  DcqcnSetting& setting(std::uint32_t endport) { return settings_[endport]; }

  // REQUIRES: the queue pair was made at the start, and has one destination.
  DcqcnState& OfQueuePair(std::uint32_t queue_pair) { return of_queue_pairs_[queue_pair]; }
  // nullptr if no CNP has come from there.
  DcqcnState* FindOfPair(std::uint32_t flow, std::uint32_t destination) {
    const RateRecord* record = pairs_.Find(flow, destination);
    return record == nullptr ? nullptr : &of_pairs_[record->index];
  }
  DcqcnState& MakeOfPair(std::uint32_t flow, std::uint32_t destination) {
    if (DcqcnState* known = FindOfPair(flow, destination)) return *known;
    const auto is_idle = [](std::uint32_t, const RateRecord&) { return false; };
    pairs_.Make(flow, destination, is_idle).index = of_pairs_.size();
    return of_pairs_.emplace_back();
  }

  // Where all queue pairs of a receiving port share the timer of CNPs: the next one no earlier.
  Time& next_cnp(std::uint32_t endport) { return next_cnp_[endport]; }

  // visit(flow, state) for each that may have received a CNP. flow_of(queue_pair) is the queue pair's flow.
  template <typename FlowOf, typename Visit>
  void ForEach(FlowOf flow_of, Visit visit) {
    for (std::uint32_t qp = 0; qp < of_queue_pairs_.size(); ++qp) visit(flow_of(qp), of_queue_pairs_[qp]);
    pairs_.ForEach([&](std::uint32_t flow, std::uint32_t, const RateRecord& record) { visit(flow, of_pairs_[record.index]); });
  }

 private:
  std::vector<DcqcnSetting> settings_;    // by endport
  std::vector<Time> next_cnp_;            // likewise
  BigVector<DcqcnState> of_queue_pairs_;  // by queue pair
  PairTable<RateRecord> pairs_;
  std::vector<DcqcnState> of_pairs_;
};

}  // namespace ccsim

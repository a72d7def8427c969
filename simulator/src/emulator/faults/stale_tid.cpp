// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// stale_tid.cpp: an answer carries the id of another transaction.
#include <unordered_map>

#include "emulator/faults/fault.hpp"

namespace ccsim::emulator {
namespace {

// The id before, in the half that the sender counts up; the other half names one of the sender's agents.
std::uint64_t OneBefore(std::uint64_t id) { return (id & 0xFFFFFFFF00000000U) | ((id - 1) & 0xFFFFFFFFU); }

class StaleTid : public Fault {
 public:
  explicit StaleTid(bool previous) : previous_(previous) {}

  void Seen(const Mad& request, Place at) override {
    const std::uint64_t id = request.transaction_id();
    const auto [found, first] = transactions_.try_emplace(at.node, Transactions{OneBefore(id), id});
    // A retry has the same id: it belongs to the same transaction.
    if (!first && found->second.current != id) found->second = {found->second.current, id};
  }

  void After(Struck& answer, Answered& /*answered*/) override {
    const Transactions& known = transactions_.at(answer.at.node);
    answer.mad.set_transaction_id(previous_ ? known.previous : OneBefore(known.current));
  }

 private:
  struct Transactions {
    std::uint64_t previous;
    std::uint64_t current;
  };
  bool previous_;
  std::unordered_map<std::uint32_t, Transactions> transactions_;  // by node
};

std::unique_ptr<Fault> MakeStaleTid(const ParameterReader& parameters) {
  return std::make_unique<StaleTid>(parameters.Choice("tid", {"previous", "one-less"}) == "previous");
}

const FaultRegistration kRegistered(
    {"stale-tid",
     "The answer carries the id of another transaction, so the request also times out at its sender.",
     {{"tid",
       "previous (default): the id of the transaction before, among those at this device that the fault matched; one-less: its "
       "own id less 1"}},
     MakeStaleTid});

}  // namespace
}  // namespace ccsim::emulator

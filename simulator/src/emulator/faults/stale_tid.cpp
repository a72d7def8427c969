// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// stale_tid.cpp: an answer that belongs to another transaction.
#include <unordered_map>

#include "emulator/faults/fault.hpp"

namespace ccsim::emulator {
namespace {

// One before in the half that the sender counts up; the other half says which of its agents it was.
std::uint64_t OneBefore(std::uint64_t id) { return (id & 0xFFFFFFFF00000000U) | ((id - 1) & 0xFFFFFFFFU); }

class StaleTid : public Fault {
 public:
  explicit StaleTid(bool previous) : previous_(previous) {}

  void Seen(const Mad& request, Place at) override {
    const std::uint64_t id = request.transaction_id();
    const auto [found, first] = transactions_.try_emplace(at.node, Transactions{OneBefore(id), id});
    // A sender that tries again does so under the same id: it is still that transaction.
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

std::unique_ptr<Fault> Make(const ParameterReader& parameters) {
  return std::make_unique<StaleTid>(parameters.Choice("tid", {"previous", "one-less"}) == "previous");
}

const FaultRegistration kRegistration(
    {"stale-tid",
     "The answer carries another transaction's id, and so its sender has none to this one: it is told of a time-out besides.",
     {{"tid",
       "previous: of the transaction before that the fault matched at the device (so by default); one-less: its own, less 1"}},
     Make});

}  // namespace
}  // namespace ccsim::emulator

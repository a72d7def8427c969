// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// drop.cpp: drops a MAD on its way to the agent or back.
#include "emulator/faults/fault.hpp"

namespace ccsim::emulator {
namespace {

class Drop : public Fault {
 public:
  explicit Drop(bool request) : request_(request) {}
  Outcome Before(Struck& /*request*/) override { return request_ ? Outcome::Lost : Outcome::Onward; }
  void After(Struck& /*answer*/, Answered& answered) override { answered.answer = Answer::Silence; }

 private:
  bool request_;
};

std::unique_ptr<Fault> MakeDrop(const ParameterReader& parameters) {
  return std::make_unique<Drop>(parameters.Choice("lost", {"request", "answer"}) == "request");
}

const FaultRegistration kRegistered(
    {"drop",
     "The MAD is lost, and the request times out at its sender.",
     {{"lost", "request (default): the device does not receive it; answer: the device has carried it out"}},
     MakeDrop});

}  // namespace
}  // namespace ccsim::emulator

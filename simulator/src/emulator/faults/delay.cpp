// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// delay.cpp: delays answers.
#include "emulator/faults/fault.hpp"

namespace ccsim::emulator {
namespace {

constexpr std::int64_t kLongest = 600'000;

class Delay : public Fault {
 public:
  explicit Delay(std::uint32_t delay_ms) : delay_ms_(delay_ms) {}
  void After(Struck& /*answer*/, Answered& answered) override { answered.delay_ms += delay_ms_; }

 private:
  std::uint32_t delay_ms_;
};

std::unique_ptr<Fault> MakeDelay(const ParameterReader& parameters) {
  return std::make_unique<Delay>(static_cast<std::uint32_t>(parameters.Number("delay_ms", 1, kLongest)));
}

const FaultRegistration kRegistered(
    {"delay",
     "The device carries out the request at once and delays its answer.",
     {{"delay_ms", "delay in milliseconds, 1 to 600000; an answer later than the sender's time-out is discarded"}},
     MakeDelay});

}  // namespace
}  // namespace ccsim::emulator

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// delay.cpp: an answer that takes its time.
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

std::unique_ptr<Fault> Make(const ParameterReader& parameters) {
  return std::make_unique<Delay>(static_cast<std::uint32_t>(parameters.Number("delay_ms", 1, kLongest)));
}

const FaultRegistration kRegistration(
    {"delay", "The device does as it is told at once, and answers late.", {{"delay_ms", "milliseconds, at most 600000"}}, Make});

}  // namespace
}  // namespace ccsim::emulator

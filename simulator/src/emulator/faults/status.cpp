// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// status.cpp: requests that come back undone with a status: one of choice, or one of the two that devices really give.
#include "emulator/faults/fault.hpp"

namespace ccsim::emulator {
namespace {

class Status : public Fault {
 public:
  explicit Status(std::uint16_t status) : status_(status) {}
  Outcome Before(Struck& request) override {
    request.mad.set_method(kGetResp);
    request.mad.set_status(status_);
    return Outcome::Answered;
  }

 private:
  std::uint16_t status_;
};

// Bit 15 of a directed-route SMP's is its direction.
std::unique_ptr<Fault> MakeStatus(const ParameterReader& parameters) {
  return std::make_unique<Status>(static_cast<std::uint16_t>(parameters.Number("status", 1, 0x7FFF)));
}
std::unique_ptr<Fault> MakeBusy(const ParameterReader& /*parameters*/) { return std::make_unique<Status>(kBusy); }
std::unique_ptr<Fault> MakeUnsupported(const ParameterReader& /*parameters*/) {
  return std::make_unique<Status>(kUnsupportedMethodAttribute);
}

const FaultRegistration kStatus({"status",
                                 "The request comes back undone, with this status.",
                                 {{"status", "as it stands in the header, 1 to 0x7FFF; 0x001C, say, is an invalid field"}},
                                 MakeStatus});
const FaultRegistration kBusyRegistration({"busy", "The request comes back undone, with status 0x0001: busy.", {}, MakeBusy});
const FaultRegistration kUnsupported(
    {"unsupported",
     "The request comes back undone, with status 0x000C: no such attribute, or not by this method.",
     {},
     MakeUnsupported});

}  // namespace
}  // namespace ccsim::emulator

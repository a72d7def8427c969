// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// status.cpp: the device refuses a request with a status: any one, or one of the two that real devices use.
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

// In a directed-route SMP, bit 15 of the status is its direction.
std::unique_ptr<Fault> MakeStatus(const ParameterReader& parameters) {
  return std::make_unique<Status>(static_cast<std::uint16_t>(parameters.Number("status", 1, 0x7FFF)));
}
std::unique_ptr<Fault> MakeBusy(const ParameterReader& /*parameters*/) { return std::make_unique<Status>(kBusy); }
std::unique_ptr<Fault> MakeUnsupported(const ParameterReader& /*parameters*/) {
  return std::make_unique<Status>(kUnsupportedMethodAttribute);
}

const FaultRegistration kRegisteredStatus({"status",
                                           "The device refuses the request with a status.",
                                           {{"status", "Status of the MAD header, 1 to 0x7FFF; 0x001C is an invalid field"}},
                                           MakeStatus});
const FaultRegistration kRegisteredBusy({"busy", "The device refuses the request with status 0x0001, busy.", {}, MakeBusy});
const FaultRegistration kRegisteredUnsupported(
    {"unsupported", "The device refuses the request with status 0x000C, unsupported method or attribute.", {}, MakeUnsupported});

}  // namespace
}  // namespace ccsim::emulator

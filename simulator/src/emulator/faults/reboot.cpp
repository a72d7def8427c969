// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// reboot.cpp: a device that goes through a power cycle when it gets a request, and has forgotten its tables.
#include "emulator/faults/fault.hpp"
#include "emulator/subnet.hpp"

namespace ccsim::emulator {
namespace {

class Reboot : public Fault {
 public:
  Outcome Before(Struck& request) override {
    request.subnet.Reboot(request.at.node);
    return Outcome::Lost;
  }
};

std::unique_ptr<Fault> Make(const ParameterReader& /*parameters*/) { return std::make_unique<Reboot>(); }

const FaultRegistration kRegistration(
    {"reboot",
     "The device is switched off and on: the request is lost, and so are its tables, keys and counters. "
     "Once, unless a count is given.",
     {},
     Make,
     1});

}  // namespace
}  // namespace ccsim::emulator

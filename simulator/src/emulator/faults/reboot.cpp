// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// reboot.cpp: a request makes the device go through a power cycle, in which it loses its tables.
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

std::unique_ptr<Fault> MakeReboot(const ParameterReader& /*parameters*/) { return std::make_unique<Reboot>(); }

const FaultRegistration kRegistered(
    {"reboot",
     "The device goes through a power cycle and loses the request, its tables, keys and counters; "
     "this happens once unless a count is given.",
     {},
     MakeReboot,
     1});

}  // namespace
}  // namespace ccsim::emulator

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// refuse_key.cpp: the device takes a key for a wrong one.
#include "emulator/faults/fault.hpp"

namespace ccsim::emulator {
namespace {

// Classes whose requests carry a key that agents check.
bool HasKey(std::uint8_t mgmt_class) {
  return mgmt_class == kSmpLid || mgmt_class == kSmpDirected || mgmt_class == kCongestionControl;
}

class RefuseKey : public Fault {
 public:
  bool Concerns(const Mad& request) const override { return HasKey(request.mgmt_class()); }
  Outcome Before(Struck& request) override {
    request.key_refused = true;
    return Outcome::Onward;
  }
};

std::unique_ptr<Fault> MakeRefuseKey(const ParameterReader& parameters) {
  const auto& mgmt_class = parameters.spec().mgmt_class;
  if (mgmt_class && !HasKey(*mgmt_class)) {
    parameters.Refuse("class " + std::to_string(*mgmt_class) + " has no key that agents check; 1 (SMA) and 33 (CCA) have one");
  }
  return std::make_unique<RefuseKey>();
}

const FaultRegistration kRegistered(
    {"refuse-key",
     "The device takes the request's M_Key or CC_Key for a wrong one: it does not answer, and counts a violation.",
     {},
     MakeRefuseKey});

}  // namespace
}  // namespace ccsim::emulator

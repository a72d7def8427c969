// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// ignore_tables.cpp: a device stores congestion control tables and returns them, but does not act on them.
#include "ccpolicy/wire.h"
#include "emulator/faults/fault.hpp"

namespace ccsim::emulator {
namespace {

class IgnoreTables : public Fault {
 public:
  // A Set of a table counts as a strike.
  bool Concerns(const Mad& request) const override {
    return request.mgmt_class() == kCongestionControl && request.method() == kSet &&
           request.attribute() >= CCP_SWITCH_CONGESTION_SETTING && request.attribute() <= CCP_CONGESTION_CONTROL_TABLE;
  }
  bool ignores_tables() const override { return true; }
};

std::unique_ptr<Fault> MakeIgnoreTables(const ParameterReader& parameters) {
  const FaultSpec& spec = parameters.spec();
  if (spec.mgmt_class && *spec.mgmt_class != kCongestionControl) parameters.Refuse("is for class 33 (CCA) only");
  if (spec.attribute || spec.methods != kGetAndSet)
    parameters.Refuse("is for all tables of a device; leave out attribute and method");
  if (spec.count || spec.probability < 1) parameters.Refuse("is a state of the device; leave out count and probability");
  return std::make_unique<IgnoreTables>();
}

const FaultRegistration kRegistered(
    {"ignore-tables",
     "The device stores and returns congestion control tables, but its traffic runs as if congestion control were off.",
     {},
     MakeIgnoreTables});

}  // namespace
}  // namespace ccsim::emulator

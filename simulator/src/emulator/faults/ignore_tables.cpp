// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// ignore_tables.cpp: a device that takes congestion control tables, gives them back when asked, and does nothing of what they say.
#include "ccpolicy/wire.h"
#include "emulator/faults/fault.hpp"

namespace ccsim::emulator {
namespace {

class IgnoreTables : public Fault {
 public:
  // What counts as a strike: a Set of a table.
  bool Concerns(const Mad& request) const override {
    return request.mgmt_class() == kCongestionControl && request.method() == kSet &&
           request.attribute() >= CCP_SWITCH_CONGESTION_SETTING && request.attribute() <= CCP_CONGESTION_CONTROL_TABLE;
  }
  bool ignores_tables() const override { return true; }
};

std::unique_ptr<Fault> Make(const ParameterReader& parameters) {
  const FaultSpec& spec = parameters.spec();
  if (spec.mgmt_class && *spec.mgmt_class != kCongestionControl) parameters.Refuse("is of class 33 (CCA) only");
  if (spec.attribute || spec.methods != kGetAndSet)
    parameters.Refuse("is of all tables of a device; leave attribute and method out");
  if (spec.count || spec.probability < 1) parameters.Refuse("is a state of the device; leave count and probability out");
  return std::make_unique<IgnoreTables>();
}

const FaultRegistration kRegistration(
    {"ignore-tables",
     "The device stores congestion control tables and reads them back, but its traffic runs as if congestion control were off.",
     {},
     Make});

}  // namespace
}  // namespace ccsim::emulator

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// ccfit.cpp: CCFIT: FBICM, whose switches also mark packets at the root of a tree, so that hosts throttle.
#include "schemes/isolation/isolation_schemes.hpp"

namespace ccsim {
namespace {

const SchemeRegistration kRegistered({.name = "ccfit",
                                      .summary = "FBICM with throttling: outputs at the root of a tree mark packets.",
                                      .source = "thesis, Paper V",
                                      .without = "1q",
                                      .parameters = IsolationSchemeParameters(IsolationDefaults("CCFIT")),
                                      .check = CheckIsolation,
                                      .make = MakeIsolation,
                                      .needs_congestion_control = true,
                                      .one_vl = true,
                                      .port_memory = IsolationPortMemory});

}  // namespace
}  // namespace ccsim

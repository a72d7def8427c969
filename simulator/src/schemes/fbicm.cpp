// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// fbicm.cpp: FBICM: one normal queue at each input, and special queues (CFQs) for the packets of congestion trees.
#include "schemes/isolation/isolation_schemes.hpp"

namespace ccsim {
namespace {

const SchemeRegistration kRegistered(
    {.name = "fbicm",
     .summary = "One normal queue at each input; packets of congestion trees are moved to special queues.",
     .source = "Escudero-Sahuquillo et al.; thesis, Paper V",
     .without = "1q",
     .parameters = IsolationSchemeParameters(IsolationDefaults("FBICM")),
     .check = CheckIsolation,
     .make = MakeIsolation,
     .one_vl = true,
     .port_memory = IsolationPortMemory});

}  // namespace
}  // namespace ccsim

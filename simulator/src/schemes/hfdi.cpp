// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// hfdi.cpp: HFDI: a normal queue (CPQ) for each output at each input, and special queues (HPQs) for packets of trees that begin farther on.
#include "schemes/isolation/isolation_schemes.hpp"

namespace ccsim {
namespace {

const SchemeRegistration kRegistered(
    {.name = "hfdi",
     .summary = "A queue for each output at each input; packets of trees that begin farther on are moved to special queues.",
     .source = "thesis, Paper VI",
     .without = "voqsw",
     .parameters = IsolationSchemeParameters(IsolationDefaults("HFDI")),
     .check = CheckIsolation,
     .make = MakeIsolation,
     .one_vl = true,
     .port_memory = IsolationPortMemory});

}  // namespace
}  // namespace ccsim

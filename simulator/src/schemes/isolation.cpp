// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// isolation.cpp: four schemes that move packets of congestion trees to special queues; they differ in the normal queues of an input and in
// whether switches also mark packets at the root of a tree, so that hosts throttle. IsolationDefaults has what follows from that.
#include "schemes/isolation/isolation_schemes.hpp"

namespace ccsim {
namespace {

struct Row {
  const char* name;
  const char* acronym;
  const char* summary;
  const char* source;
  const char* without;
  bool throttles;
};

SchemeRegistration Registered(const Row& row) {
  return SchemeRegistration({.name = row.name,
                             .summary = row.summary,
                             .source = row.source,
                             .without = row.without,
                             .parameters = IsolationSchemeParameters(IsolationDefaults(row.acronym)),
                             .check = CheckIsolation,
                             .make = MakeIsolation,
                             .needs_congestion_control = row.throttles,
                             .one_vl = true,
                             .port_memory = IsolationPortMemory});
}

const SchemeRegistration kRegistered[] = {
    Registered({"fbicm", "FBICM", "One normal queue at each input; packets of congestion trees are moved to special queues.",
                "Escudero-Sahuquillo et al.; thesis, Paper V", "1q", false}),
    Registered(
        {"ccfit", "CCFIT", "FBICM with throttling: outputs at the root of a tree mark packets.", "thesis, Paper V", "1q", true}),
    Registered({"hfdi", "HFDI",
                "A queue for each output at each input; packets of trees that begin farther on are moved to special queues.",
                "thesis, Paper VI", "voqsw", false}),
    Registered({"ecocc", "EcoCC", "HFDI with throttling: outputs at the root of a tree mark packets.", "thesis, Paper VI",
                "voqsw", true}),
};

}  // namespace
}  // namespace ccsim

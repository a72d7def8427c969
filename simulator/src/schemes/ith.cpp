// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// ith.cpp: injection throttling, the papers' name for InfiniBand's congestion control. The switch is that of voqsw; a run
// without congestion control is refused, so that a comparison of schemes never takes one for the other.
#include "schemes/registry.hpp"
#include "schemes/voqsw.hpp"

namespace ccsim {
namespace {

const SchemeRegistration kRegistered(
    {.name = "ith",
     .summary = "Injection throttling: the switch of voqsw, with congestion control of IBA annex A10.",
     .source = "IBA annex A10; thesis, Paper V",
     .without = "voqsw",
     .parameters = VoqswParameters(),
     .make = MakeVoqsw,
     .needs_congestion_control = true,
     .any_dialect = true,
     .host_models = true});

}  // namespace
}  // namespace ccsim

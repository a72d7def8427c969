// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// voqsw.hpp: the engine of the schemes whose switch is that of voqsw.
#pragma once

#include <memory>

#include <vector>

#include "engine/setup.hpp"
#include "schemes/registry.hpp"

namespace ccsim {

std::unique_ptr<EngineCore> MakeVoqsw(const Setup& setup);
// On fabrics on which some host has a model.
std::unique_ptr<EngineCore> MakeVoqswWithHostModels(const Setup& setup);
std::vector<SchemeParameter> VoqswParameters();

}  // namespace ccsim

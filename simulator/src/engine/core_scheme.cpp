// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core_scheme.cpp: what schemes ask of the model, and what they refuse.
#include <stdexcept>
#include <string>

#include "engine/core.hpp"
#include "schemes/registry.hpp"

namespace ccsim {

double EngineCore::SchemeValue(const char* parameter) const {
  return WithPresets(FindScheme(model_.scheme.name), model_.scheme.values).at(parameter);
}

void EngineCore::RefuseVls(unsigned vls) const { ccsim::RefuseVls(model_.scheme.name, vls); }

void EngineCore::RequireOneVl() const {
  if (num_vls_ > 1) RefuseVls(num_vls_);
  if (shares_) RefuseSharedBuffers(model_.scheme.name);
  if (!maps_sls_ && !levels_.discards()) return;
  throw std::invalid_argument(
      "model.scheme.name is '" + model_.scheme.name +
      "', which knows no SL-to-VL tables and no path SLs, and the fabric has them; these schemes know them: " + SchemesWithVls());
}

}  // namespace ccsim

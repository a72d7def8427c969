// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// fabric_view.hpp: presents a Fabric to ccpolicy, and resolves profiles against it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ccpolicy/fabric_view.h"
#include "ccpolicy/profile.h"
#include "ccpolicy/tables.h"
#include "fabric.hpp"

namespace ccsim {

// Refers to the fabric's names: the fabric must live, and must not change, while the view is in use.
class FabricView {
 public:
  explicit FabricView(const Fabric& fabric);
  const ccp_fabric_view& view() const { return view_; }

 private:
  std::vector<std::vector<std::uint32_t>> peers_;
  std::vector<ccp_fabric_node> nodes_;
  ccp_fabric_view view_{};
};

// The tables that each device of the fabric must hold under a profile; node indices are the fabric's. Throws std::invalid_argument with
// the sentence of ccp_resolve(), or std::bad_alloc.
std::shared_ptr<const ccp_tables> ResolveProfile(const ccp_profile& profile, const Fabric& fabric);

}  // namespace ccsim

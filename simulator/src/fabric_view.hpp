// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// fabric_view.hpp: a Fabric as ccpolicy wants to see it.
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

// Borrows the fabric's names and owns the rest: keep the fabric alive and unchanged for as long as the view is in use.
class FabricView {
 public:
  explicit FabricView(const Fabric& fabric);
  const ccp_fabric_view& view() const { return view_; }

 private:
  std::vector<std::vector<std::uint32_t>> peers_;
  std::vector<ccp_fabric_node> nodes_;
  ccp_fabric_view view_{};
};

// What each device of the fabric is to hold under a profile; node indices are the fabric's. Throws std::invalid_argument with the
// sentence of ccp_resolve(), or std::bad_alloc.
std::shared_ptr<const ccp_tables> ResolveProfile(const ccp_profile& profile, const Fabric& fabric);

}  // namespace ccsim

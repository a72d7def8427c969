// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// policy_bindings.hpp: what ccsim.policy is made of.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>

#include "ccpolicy/tables.h"

namespace ccsim {

// The Python class Tables: immutable, shared by all who hold it. A binding that takes one takes a const PyTables&.
struct PyTables {
  std::shared_ptr<const ccp_tables> tables;
};

void BindPolicy(pybind11::module_& m);

}  // namespace ccsim

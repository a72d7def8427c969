// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// policy_bindings.hpp: the native part of ccsim.policy.
#pragma once

#include <pybind11/pybind11.h>

#include <map>
#include <memory>

#include "ccpolicy/tables.h"

namespace ccsim {

// The Python class Tables: immutable, shared by all who hold it. A binding that takes one takes a const PyTables&.
struct PyTables {
  std::shared_ptr<const ccp_tables> tables;
};

// The tables that one device holds, as elements of Tables.switches and Tables.cas. Channel adapters that hold the same table
// share one list of its entries.
using EntryLists = std::map<const ccp_cct_entry*, pybind11::tuple>;
pybind11::dict SwitchAsDict(const ccp_switch_tables& tables);
pybind11::dict CaAsDict(const ccp_ca_tables& tables, EntryLists& lists);

// The values of an attribute's struct by field, as ccsim.wire has them; without those that devices only report.
pybind11::dict SettableValues(unsigned attribute, const void* host);

// What the section `nvidia` of a profile gives a device, as the element "nvidia" of the above.
pybind11::dict NvidiaSwitchAsDict(const ccp_switch_tables& tables);
pybind11::dict NvidiaCaAsDict(const ccp_ca_tables& tables);

void BindPolicy(pybind11::module_& m);
void BindKeys(pybind11::module_& m);
void BindWire(pybind11::module_& m);

}  // namespace ccsim

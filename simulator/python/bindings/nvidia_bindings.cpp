// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// nvidia_bindings.cpp: what the section `nvidia` of a profile gives a device, for Python.
#include <pybind11/pybind11.h>

#include <cstdint>

#include "ccpolicy/keys.h"
#include "ccpolicy/nvidia.h"
#include "ccpolicy/wire.h"
#include "policy_bindings.hpp"

namespace py = pybind11;

namespace ccsim {
namespace {

py::dict SlotAsDict(const ccp_ppcc_slot& slot) {
  py::dict parameters;
  for (std::uint32_t i = 0; i < slot.parameters.count; ++i) {
    const ccp_ppcc_parameter& one = slot.parameters.list[i];
    const py::object key = *one.name != '\0' ? py::object(py::str(one.name)) : py::object(py::int_(one.index));
    parameters[key] = one.value;
  }
  py::list sls;
  for (unsigned sl = 0; sl < CCP_NUM_SLS; ++sl) {
    if ((slot.sls >> sl & 1u) != 0) sls.append(sl);
  }
  py::dict result;
  if (*slot.algorithm != '\0') {
    result["algorithm"] = slot.algorithm;
  } else {
    result["algo_id"] = slot.id.algo_id;
    result["major"] = slot.id.major;
    result["minor"] = slot.id.minor;
  }
  result["sls"] = sls;
  result["parameters"] = parameters;
  return result;
}

}  // namespace

py::dict NvidiaSwitchAsDict(const ccp_switch_tables& tables) {
  py::dict ports;
  for (std::uint32_t port = 1; port <= tables.num_ports; ++port) {
    const ccp_nvidia_switch_port& held = tables.nvidia->ports[port];
    py::list profiles;
    for (std::uint32_t i = 0; i < held.num_profiles; ++i)
      profiles.append(SettableValues(CCP_CONGESTION_PORT_PROFILE_SETTINGS, &held.profiles[i]));
    py::dict element;
    element["profiles"] = profiles;
    element["sl_profile"] = SettableValues(CCP_CONGESTION_SL_MAPPING_SETTINGS, &held.sl_mapping)["sl_profile"];
    ports[py::int_(port)] = element;
  }
  py::dict result;
  result["general"] = SettableValues(CCP_CONGESTION_SWITCH_GENERAL_SETTINGS, &tables.nvidia->general);
  result["ports"] = ports;
  return result;
}

py::dict NvidiaCaAsDict(const ccp_ca_tables& tables) {
  const ccp_nvidia_ca_tables& held = *tables.nvidia;
  py::list slots;
  for (std::uint32_t i = 0; i < held.num_slots; ++i) slots.append(SlotAsDict(held.slots[i]));
  py::dict result;
  result["type"] = ccp_nvidia_type_words[held.type];
  result["general"] = SettableValues(CCP_CONGESTION_HCA_GENERAL_SETTINGS, &held.general);
  result["rp"] = SettableValues(CCP_CONGESTION_HCA_RP_PARAMETERS, &held.rp);
  result["np"] = SettableValues(CCP_CONGESTION_HCA_NP_PARAMETERS, &held.np);
  result["ppcc"] = slots;
  return result;
}

}  // namespace ccsim

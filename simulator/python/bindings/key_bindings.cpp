// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// key_bindings.cpp: the rows of ccpolicy/keys.h and ccpolicy's constants, for Python.
#include <pybind11/pybind11.h>

#include <stdexcept>
#include <string>

#include "ccpolicy/cct.h"
#include "ccpolicy/keys.h"
#include "policy_bindings.hpp"

namespace py = pybind11;

namespace ccsim {
namespace {

// The words of an enum; values that have none are left out.
py::list WordsOf(const char* const* words) {
  py::list list;
  for (; *words != nullptr; ++words) {
    if (**words != '\0') list.append(*words);
  }
  return list;
}

// Returns the values that a document may have instead of a number or a map.
py::list ChoicesOf(const ccp_key& key) {
  py::list choices;
  switch (key.type) {
    case CCP_KEY_WORD: return WordsOf(key.words);
    case CCP_KEY_MASK: return WordsOf(ccp_mask_words);
    case CCP_KEY_SLS: choices.append("all"); return choices;
    case CCP_KEY_MTU:
      for (auto mtu = static_cast<unsigned>(key.min); mtu <= static_cast<unsigned>(key.max); mtu *= 2) choices.append(mtu);
      return choices;
    default: return choices;
  }
}

// As a document has it; None if there is none.
py::object DefaultOf(const ccp_key& key) {
  if (key.default_value == CCP_NO_DEFAULT) return py::none();
  switch (key.type) {
    case CCP_KEY_BOOL: return py::bool_(key.default_value != 0);
    case CCP_KEY_WORD: return py::str(key.words[key.default_value]);
    case CCP_KEY_MASK: return py::str(ccp_mask_words[key.default_value]);
    case CCP_KEY_SLS: return py::str("all");
    case CCP_KEY_SL_PROFILES: return py::int_(key.default_value);
    case CCP_KEY_ENTRY: {
      py::dict entry;
      entry["shift"] = 0;
      entry["multiplier"] = 0;
      return entry;
    }
    default: return py::int_(key.default_value);
  }
}

const char* TypeOf(const ccp_key& key) {
  switch (key.type) {
    case CCP_KEY_BOOL: return "boolean";
    case CCP_KEY_UINT8:
    case CCP_KEY_UINT16:
    case CCP_KEY_UINT32: return "integer";
    case CCP_KEY_REAL: return "number";
    case CCP_KEY_MTU:
    case CCP_KEY_WORD: return "choice";
    case CCP_KEY_MASK: return "mask";
    case CCP_KEY_SLS: return key.max < CCP_NUM_SLS - 1 ? "vls" : "sls";
    case CCP_KEY_ENTRY: return "entry";
    case CCP_KEY_ENTRIES: return "entries";
    case CCP_KEY_SL_PROFILES: return "sl_profiles";
    case CCP_KEY_NAME: return "name";
    case CCP_KEY_PARAMETERS: return "parameters";
  }
  throw std::logic_error(key.name);
}

bool HasRange(const ccp_key& key) {
  return key.type == CCP_KEY_UINT8 || key.type == CCP_KEY_UINT16 || key.type == CCP_KEY_UINT32 || key.type == CCP_KEY_REAL ||
         key.type == CCP_KEY_SL_PROFILES;
}

// A key that gives another's value in a physical unit, as a row of its own.
py::dict AliasRow(const ccp_key_part& part, const ccp_key_alias& alias) {
  const ccp_key& key = part.keys[alias.key];
  py::dict row;
  row["path"] = std::string(part.path) + "." + alias.name;
  row["type"] = "number";
  row["minimum"] = key.min / alias.factor;
  row["maximum"] = key.max / alias.factor;
  row["exclusive_minimum"] = false;
  row["default"] = py::none();
  row["choices"] = py::list();
  row["required"] = false;
  row["per_port"] = false;
  row["unit"] = alias.unit;
  row["attribute"] = py::none();
  row["field"] = py::none();
  row["meaning"] = key.meaning;
  row["alias_of"] = key.name;
  return row;
}

// The rows of keys.h as dicts; policy.py makes Key objects of them.
py::list ProfileKeys() {
  py::list keys;
  for (const ccp_key_part* const* part = ccp_key_parts; *part != nullptr; ++part) {
    for (unsigned i = 0; i < (*part)->num_keys; ++i) {
      const ccp_key& key = (*part)->keys[i];
      const std::string section = (*part)->path;
      const bool has_range = HasRange(key);
      py::dict row;
      row["path"] = section.empty() ? key.name : section + "." + key.name;
      row["type"] = TypeOf(key);
      row["minimum"] = has_range ? py::object(py::float_(key.min)) : py::none();
      row["maximum"] = has_range ? py::object(py::float_(key.max)) : py::none();
      row["exclusive_minimum"] = key.above_min;
      row["default"] = DefaultOf(key);
      row["choices"] = ChoicesOf(key);
      row["required"] = key.required;
      row["per_port"] = (*part == &ccp_switch_keys && key.place.port != CCP_NO_PLACE) || key.type == CCP_KEY_SL_PROFILES;
      row["unit"] = key.unit;
      row["attribute"] = key.field == nullptr ? nullptr : key.attribute != nullptr ? key.attribute : (*part)->attribute;
      row["field"] = key.field;
      row["meaning"] = key.meaning;
      row["alias_of"] = py::none();
      keys.append(row);
      for (unsigned a = 0; a < (*part)->num_aliases; ++a) {
        if ((*part)->aliases[a].key == i) keys.append(AliasRow(**part, (*part)->aliases[a]));
      }
    }
  }
  return keys;
}

}  // namespace

void BindKeys(py::module_& m) {
  m.attr("PACKET_OVERHEAD_BYTES") = CCP_PACKET_OVERHEAD_BYTES;
  m.attr("TIMER_UNIT_NS") = CCP_TIMER_UNIT_NS;
  m.attr("CCTI_LIMIT_MAX") = CCP_CCTI_LIMIT_MAX;
  m.attr("SHIFT_MAX") = CCP_SHIFT_MAX;
  m.attr("MULTIPLIER_MAX") = CCP_MULTIPLIER_MAX;
  m.attr("PORT_MAX") = CCP_PORT_MAX;
  m.attr("NAME_MAX_CHARACTERS") = CCP_NAME_MAX_CHARACTERS;
  m.attr("NUM_SLS") = CCP_NUM_SLS;
  m.attr("NUM_THRESHOLD_LISTS") = CCP_NVIDIA_NUM_VLS;
  m.attr("PPCC_SLOTS") = CCP_PPCC_SLOTS;
  m.attr("PPCC_PARAMETERS_MAX") = CCP_PPCC_PARAMETERS_MAX;
  m.attr("PPCC_NAME_MAX_CHARACTERS") = CCP_PPCC_NAME_BYTES - 1;
  m.def("profile_keys", &ProfileKeys);
}

}  // namespace ccsim

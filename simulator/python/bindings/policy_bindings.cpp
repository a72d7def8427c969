// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "policy_bindings.hpp"

#include <pybind11/stl.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "ccpolicy/cct.h"
#include "ccpolicy/keys.h"
#include "ccpolicy/profile.h"
#include "ccpolicy/reader.h"
#include "ccpolicy/writer.h"
#include "fabric.hpp"
#include "fabric_view.hpp"

namespace py = pybind11;

namespace ccsim {
namespace {

using PyProfile = std::shared_ptr<const ccp_profile>;

struct ProfileDocument {
  PyProfile profile;
};

// The profile, or what is wrong with the text as (sentence in UTF-8, line, column); policy.py makes a ProfileError of that.
py::object ReadProfile(const py::bytes& text) {
  const std::string_view view = text;
  ccp_error error{};
  ccp_profile* profile = ccp_profile_read(view.data(), view.size(), &error);
  if (profile == nullptr) {
    return py::make_tuple(py::bytes(error.message), error.line, error.column);
  }
  return py::cast(ProfileDocument{PyProfile(profile, ccp_profile_destroy)});
}

std::string WriteProfile(const ProfileDocument& document, ccp_format format) {
  std::size_t length = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(ccp_profile_write(document.profile.get(), format, &length), std::free);
  if (!text) throw std::bad_alloc();
  return {text.get(), length};
}

double PacketTimeNs(const ccp_profile& profile) {
  return profile.rate_gbps > 0.0 ? ccp_packet_time_ns(profile.rate_gbps, profile.mtu_bytes) : 0.0;
}

// Rows (shift, multiplier, wanted packet times, IRD in packet times) of the profile's own table; none if it has no cct section.
py::list EncodeProfile(const ProfileDocument& document) {
  const ccp_profile& profile = *document.profile;
  py::list rows;
  if (profile.cct.source == CCP_CCT_ABSENT) return rows;
  std::vector<ccp_cct_row> encoded(profile.cct.ccti_limit + std::size_t{1});
  ccp_error error{};
  if (ccp_cct_evaluate(&profile.cct, PacketTimeNs(profile), encoded.data(), &error) != 0)
    throw std::invalid_argument(error.message);
  for (const ccp_cct_row& row : encoded) rows.append(py::make_tuple(row.entry.shift, row.entry.multiplier, row.wanted, row.ird));
  return rows;
}

py::list PortsOfMask(const std::uint8_t* mask) {
  py::list ports;
  for (unsigned port = 0; port < 256; ++port) {
    if (ccp_port_mask_test(mask, port)) ports.append(port);
  }
  return ports;
}

py::tuple EntryAsTuple(const ccp_cct_entry& entry) { return py::make_tuple(entry.shift, entry.multiplier); }

py::tuple EntriesOf(const ccp_cct& cct, EntryLists& lists) {
  const auto found = lists.find(cct.entries);
  if (found != lists.end()) return found->second;
  py::tuple entries(cct.ccti_limit + std::size_t{1});
  for (std::size_t i = 0; i < entries.size(); ++i) entries[i] = EntryAsTuple(cct.entries[i]);
  lists.emplace(cct.entries, entries);
  return entries;
}

// One value of a setting, as its key's row describes it.
py::object ValueOf(const ccp_key& key, const void* member) {
  switch (key.type) {
    case CCP_KEY_UINT8: return py::int_(*static_cast<const std::uint8_t*>(member));
    case CCP_KEY_UINT16: return py::int_(*static_cast<const std::uint16_t*>(member));
    case CCP_KEY_MASK: return PortsOfMask(static_cast<const std::uint8_t*>(member));
    case CCP_KEY_ENTRY: return EntryAsTuple(*static_cast<const ccp_cct_entry*>(member));
    default: throw std::logic_error(key.name);
  }
}

using Place = std::uint16_t ccp_key_place::*;

// The keys of a section that have a member in the struct that `place` is about, in the struct's order, which is that on the wire.
std::vector<const ccp_key*> KeysIn(const ccp_key_part& section, Place place) {
  std::vector<const ccp_key*> keys;
  for (unsigned i = 0; i < section.num_keys; ++i) {
    if (section.keys[i].place.*place != CCP_NO_PLACE) keys.push_back(&section.keys[i]);
  }
  std::sort(keys.begin(), keys.end(), [place](const ccp_key* a, const ccp_key* b) { return a->place.*place < b->place.*place; });
  return keys;
}

void AddValues(py::dict& to, const std::vector<const ccp_key*>& keys, Place place, const void* setting) {
  for (const ccp_key* key : keys) to[key->name] = ValueOf(*key, static_cast<const char*>(setting) + key->place.*place);
}

}  // namespace

py::dict SwitchAsDict(const ccp_switch_tables& sw) {
  const ccp_switch_setting& s = sw.setting;
  static const auto keys = KeysIn(ccp_switch_keys, &ccp_key_place::tables);
  static const auto port_keys = KeysIn(ccp_switch_keys, &ccp_key_place::port);
  py::dict setting;
  setting["control_map"] = s.control_map;
  AddValues(setting, keys, &ccp_key_place::tables, &s);
  py::dict ports;
  for (std::uint32_t port = 0; port <= sw.num_ports; ++port) {
    const ccp_switch_port_setting& p = sw.ports[port];
    if (!p.valid) continue;
    py::dict element;
    element["control_type"] = p.control_type;
    AddValues(element, port_keys, &ccp_key_place::port, &p);
    ports[py::int_(port)] = element;
  }
  py::dict result;
  result["node"] = sw.node;
  result["guid"] = sw.guid;
  result["num_ports"] = sw.num_ports;
  result["setting"] = setting;
  result["ports"] = ports;
  if (sw.nvidia != nullptr) result["nvidia"] = NvidiaSwitchAsDict(sw);
  return result;
}

py::dict CaAsDict(const ccp_ca_tables& ca, EntryLists& lists) {
  static const auto keys = KeysIn(ccp_ca_keys, &ccp_key_place::tables);
  py::list sls;
  for (const ccp_ca_sl_setting& sl : ca.setting.sls) {
    py::dict element;
    AddValues(element, keys, &ccp_key_place::tables, &sl);
    sls.append(element);
  }
  py::dict setting;
  setting["port_control"] = ca.setting.port_control;
  setting["control_map"] = ca.setting.control_map;
  setting["sls"] = sls;
  py::dict cct;
  cct["ccti_limit"] = ca.cct.ccti_limit;
  cct["limit_mode"] = ccp_limit_mode_words[ca.cct.limit_mode];
  cct["entries"] = EntriesOf(ca.cct, lists);
  py::dict result;
  result["node"] = ca.node;
  result["guid"] = ca.guid;
  result["port"] = ca.port;
  result["setting"] = setting;
  result["cct"] = cct;
  if (ca.nvidia != nullptr) result["nvidia"] = NvidiaCaAsDict(ca);
  return result;
}

void BindPolicy(py::module_& m) {
  py::class_<PyTables>(m, "Tables")
      .def_property_readonly("enable", [](const PyTables& t) { return t.tables->enable; })
      .def_property_readonly("has_nvidia", [](const PyTables& t) { return t.tables->has_nvidia; })
      .def_property_readonly("warnings",
                             [](const PyTables& t) {
                               return std::vector<std::string>(t.tables->warnings, t.tables->warnings + t.tables->num_warnings);
                             })
      .def_property_readonly("num_switches", [](const PyTables& t) { return t.tables->num_switches; })
      .def_property_readonly("num_cas", [](const PyTables& t) { return t.tables->num_cas; })
      .def_property_readonly("switches",
                             [](const PyTables& t) {
                               py::list all;
                               for (std::uint32_t i = 0; i < t.tables->num_switches; ++i)
                                 all.append(SwitchAsDict(t.tables->switches[i]));
                               return all;
                             })
      .def_property_readonly("cas",
                             [](const PyTables& t) {
                               py::list all;
                               EntryLists lists;
                               for (std::uint32_t i = 0; i < t.tables->num_cas; ++i)
                                 all.append(CaAsDict(t.tables->cas[i], lists));
                               return all;
                             })
      .def(
          "switch",
          [](const PyTables& t, std::uint32_t node) {
            for (std::uint32_t i = 0; i < t.tables->num_switches; ++i) {
              if (t.tables->switches[i].node == node) return SwitchAsDict(t.tables->switches[i]);
            }
            throw std::invalid_argument("node " + std::to_string(node) +
                                        " is not a switch of the fabric that was resolved against");
          },
          py::arg("node"))
      .def(
          "ca",
          [](const PyTables& t, std::uint32_t node, std::uint32_t port) {
            EntryLists lists;
            for (std::uint32_t i = 0; i < t.tables->num_cas; ++i) {
              if (t.tables->cas[i].node == node && t.tables->cas[i].port == port) return CaAsDict(t.tables->cas[i], lists);
            }
            throw std::invalid_argument("port " + std::to_string(port) + " of node " + std::to_string(node) +
                                        " is not a connected port of a channel adapter of the fabric that was resolved against");
          },
          py::arg("node"), py::arg("port") = 1);

  py::class_<ProfileDocument>(m, "ProfileDocument")
      .def_static("read", &ReadProfile, py::arg("text"))
      .def_property_readonly("name", [](const ProfileDocument& d) { return std::string(d.profile->name); })
      .def_property_readonly("enable", [](const ProfileDocument& d) { return d.profile->enable; })
      .def_property_readonly("packet_time_ns",
                             [](const ProfileDocument& d) -> std::optional<double> {
                               const double ns = PacketTimeNs(*d.profile);
                               return ns > 0.0 ? std::optional(ns) : std::nullopt;
                             })
      .def("to_yaml", [](const ProfileDocument& d) { return WriteProfile(d, CCP_FORMAT_YAML); })
      .def("to_json", [](const ProfileDocument& d) { return WriteProfile(d, CCP_FORMAT_JSON); })
      .def("encode", &EncodeProfile)
      .def(
          "equals",
          [](const ProfileDocument& a, const ProfileDocument& b) { return ccp_profile_equal(a.profile.get(), b.profile.get()); },
          py::arg("other"))
      .def(
          "resolve",
          [](const ProfileDocument& d, const Fabric& fabric) {
            const py::gil_scoped_release release;
            return PyTables{ResolveProfile(*d.profile, fabric)};
          },
          py::arg("fabric"));
}

}  // namespace ccsim

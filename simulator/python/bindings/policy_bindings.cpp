// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "policy_bindings.hpp"

#include <pybind11/stl.h>

#include <cstdlib>
#include <map>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "ccpolicy/cct.h"
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

py::tuple EntriesOf(const ccp_cct& cct, EntryLists& lists) {
  const auto found = lists.find(cct.entries);
  if (found != lists.end()) return found->second;
  py::tuple entries(cct.ccti_limit + std::size_t{1});
  for (std::size_t i = 0; i < entries.size(); ++i) entries[i] = py::make_tuple(cct.entries[i].shift, cct.entries[i].multiplier);
  lists.emplace(cct.entries, entries);
  return entries;
}

}  // namespace

py::dict SwitchAsDict(const ccp_switch_tables& sw) {
  const ccp_switch_setting& s = sw.setting;
  py::dict setting;
  setting["control_map"] = s.control_map;
  setting["victim_mask"] = PortsOfMask(s.victim_mask);
  setting["credit_mask"] = PortsOfMask(s.credit_mask);
  setting["threshold"] = s.threshold;
  setting["packet_size"] = s.packet_size;
  setting["cs_threshold"] = s.cs_threshold;
  setting["cs_return_delay"] = py::make_tuple(s.cs_return_delay.shift, s.cs_return_delay.multiplier);
  setting["marking_rate"] = s.marking_rate;
  py::dict ports;
  for (std::uint32_t port = 0; port <= sw.num_ports; ++port) {
    const ccp_switch_port_setting& p = sw.ports[port];
    if (!p.valid) continue;
    py::dict element;
    element["control_type"] = p.control_type;
    element["threshold"] = p.threshold;
    element["packet_size"] = p.packet_size;
    element["marking_rate"] = p.marking_rate;
    ports[py::int_(port)] = element;
  }
  py::dict result;
  result["node"] = sw.node;
  result["guid"] = sw.guid;
  result["num_ports"] = sw.num_ports;
  result["setting"] = setting;
  result["ports"] = ports;
  return result;
}

py::dict CaAsDict(const ccp_ca_tables& ca, EntryLists& lists) {
  py::list sls;
  for (const ccp_ca_sl_setting& sl : ca.setting.sls) {
    py::dict element;
    element["ccti_timer"] = sl.ccti_timer;
    element["ccti_increase"] = sl.ccti_increase;
    element["trigger_threshold"] = sl.trigger_threshold;
    element["ccti_min"] = sl.ccti_min;
    sls.append(element);
  }
  py::dict setting;
  setting["port_control"] = ca.setting.port_control;
  setting["control_map"] = ca.setting.control_map;
  setting["sls"] = sls;
  py::dict cct;
  cct["ccti_limit"] = ca.cct.ccti_limit;
  cct["limit_mode"] = ca.cct.limit_mode == CCP_LIMIT_FINAL ? "final" : "per_block";
  cct["entries"] = EntriesOf(ca.cct, lists);
  py::dict result;
  result["node"] = ca.node;
  result["guid"] = ca.guid;
  result["port"] = ca.port;
  result["setting"] = setting;
  result["cct"] = cct;
  return result;
}

namespace {}  // namespace

void BindPolicy(py::module_& m) {
  py::class_<PyTables>(m, "Tables")
      .def_property_readonly("enable", [](const PyTables& t) { return t.tables->enable; })
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

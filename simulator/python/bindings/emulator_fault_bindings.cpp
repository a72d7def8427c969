// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// emulator_fault_bindings.cpp: the faults of a ccsim.Emulator, their kinds, and the attributes that its agents answer.
#include <pybind11/stl.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "emulator/agents/dispatch.hpp"
#include "emulator/faults.hpp"
#include "emulator/faults/fault.hpp"
#include "emulator_bindings.hpp"

namespace py = pybind11;

namespace ccsim {
namespace {

using emulator::FaultSpec;

const char* MethodName(emulator::Methods methods) {
  return methods == emulator::kGetOnly ? "get" : methods == emulator::kSetOnly ? "set" : "any";
}

emulator::Methods ParseMethod(const std::string& name) {
  if (name == "any") return emulator::kGetAndSet;
  if (name == "get") return emulator::kGetOnly;
  if (name == "set") return emulator::kSetOnly;
  throw std::invalid_argument("method is '" + name + "'; it must be any, get or set");
}

std::uint64_t AddFault(PyEmulator& self, std::string kind, std::optional<std::uint32_t> node,
                       std::optional<std::uint8_t> mgmt_class, std::optional<std::uint16_t> attribute, const std::string& method,
                       double probability, std::optional<std::uint64_t> count, emulator::FaultParameters parameters) {
  const FaultSpec spec{std::move(kind),     node,        mgmt_class, attribute,
                       ParseMethod(method), probability, count,      std::move(parameters)};
  std::uint64_t id = 0;
  self.Do([&](emulator::Subnet& subnet) { id = subnet.faults().Add(subnet, spec); });
  return id;
}

std::size_t ClearFaults(PyEmulator& self, std::optional<std::uint64_t> id) {
  std::size_t cleared = 0;
  self.Do([&](emulator::Subnet& subnet) {
    cleared = id ? static_cast<std::size_t>(subnet.faults().Clear(subnet, *id)) : subnet.faults().ClearAll(subnet);
  });
  return cleared;
}

py::list ListFaults(PyEmulator& self) {
  std::vector<emulator::FaultReport> reports;
  self.Do([&](emulator::Subnet& subnet) { reports = subnet.faults().List(); });
  py::list list;
  for (const emulator::FaultReport& report : reports) {
    const FaultSpec& spec = report.spec;
    py::dict row;
    row["id"] = report.id;
    row["kind"] = spec.kind;
    row["node"] = spec.node;
    row["mgmt_class"] = spec.mgmt_class;
    row["attribute"] = spec.attribute;
    row["method"] = MethodName(spec.methods);
    row["probability"] = spec.probability;
    row["count"] = spec.count;
    row["parameters"] = spec.parameters;
    row["matched"] = report.matched;
    row["struck"] = report.struck;
    list.append(std::move(row));
  }
  return list;
}

py::list ListKinds() {
  py::list list;
  for (const emulator::FaultKind* kind : emulator::FaultKinds()) {
    py::list parameters;
    for (const emulator::FaultParameter& parameter : kind->parameters) {
      py::dict row;
      row["name"] = parameter.name;
      row["description"] = parameter.description;
      parameters.append(std::move(row));
    }
    py::dict row;
    row["name"] = kind->name;
    row["description"] = kind->description;
    row["parameters"] = std::move(parameters);
    list.append(std::move(row));
  }
  return list;
}

}  // namespace

void BindEmulatorFaults(py::module_& m, EmulatorClass& emulator) {
  emulator
      .def("add_fault", &AddFault, py::arg("kind"), py::kw_only(), py::arg("node") = py::none(),
           py::arg("mgmt_class") = py::none(), py::arg("attribute") = py::none(), py::arg("method") = "any",
           py::arg("probability") = 1.0, py::arg("count") = py::none(), py::arg("parameters") = emulator::FaultParameters{})
      .def("faults", &ListFaults)
      .def("clear_faults", &ClearFaults, py::arg("id") = py::none());
  m.def("fault_kinds", &ListKinds);
  m.def("agent_attributes", [] {
    py::list list;
    for (const auto& [mgmt_class, attribute, name] : emulator::AgentAttributes()) {
      list.append(py::make_tuple(mgmt_class, attribute, name));
    }
    return list;
  });
}

}  // namespace ccsim

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// model_bindings.cpp: ccsim.Model and ccsim.model_parameters(), made from the rows in model_parameters.cpp. In Python a choice is its
// name, so that `--set` and documents need no table of names.
#include <pybind11/stl.h>

#include <string>
#include <variant>
#include <vector>

#include "model.hpp"
#include "model_parameters.hpp"
#include "simulation_bindings.hpp"

namespace py = pybind11;

namespace ccsim {
namespace {

template <typename Owner>
py::object Get(const Owner& owner, const Parameter<Owner>& parameter) {
  if (const auto* choice = std::get_if<Choice<Owner>>(&parameter.member)) return py::str(choice->Get(owner));
  if (const auto* whole = std::get_if<std::uint32_t Owner::*>(&parameter.member)) return py::int_(owner.**whole);
  return py::float_(owner.*std::get<double Owner::*>(parameter.member));
}

template <typename Owner>
void DefParameters(py::class_<Owner>& cls) {
  for (const Parameter<Owner>& parameter : Parameters<Owner>()) {
    if (const auto* choice = std::get_if<Choice<Owner>>(&parameter.member)) {
      cls.def_property(
          parameter.name, [choice](const Owner& owner) { return choice->Get(owner); },
          [choice, &parameter](Owner& owner, const std::string& name) { choice->Set(owner, KeyOf(parameter), name); },
          parameter.meaning);
    } else if (const auto* whole = std::get_if<std::uint32_t Owner::*>(&parameter.member)) {
      cls.def_readwrite(parameter.name, *whole, parameter.meaning);
    } else {
      cls.def_readwrite(parameter.name, std::get<double Owner::*>(parameter.member), parameter.meaning);
    }
  }
}

template <typename Owner>
py::dict ToDict(const Owner& owner) {
  py::dict values;
  for (const Parameter<Owner>& parameter : Parameters<Owner>()) values[parameter.name] = Get(owner, parameter);
  return values;
}

py::dict ModelToDict(const Model& model) {
  py::dict values;
  values[kGroup<SwitchModel>] = ToDict(model.switches);
  values[kGroup<CaModel>] = ToDict(model.ca);
  values.attr("update")(ToDict(model));
  return values;
}

template <typename Owner>
void Describe(const Owner& defaults, py::list& rows) {
  for (const Parameter<Owner>& parameter : Parameters<Owner>()) {
    py::dict row;
    row["name"] = KeyOf(parameter);
    row["default"] = Get(defaults, parameter);
    if (const auto* choice = std::get_if<Choice<Owner>>(&parameter.member)) {
      row["type"] = "string";
      row["choices"] = std::vector<std::string>(choice->names.begin(), choice->names.end());
    } else {
      const Range& range = parameter.range;
      const bool whole = std::holds_alternative<std::uint32_t Owner::*>(parameter.member);
      row["type"] = whole ? "integer" : "number";
      const auto limit = [&](double value) { return whole ? py::object(py::int_(std::int64_t(value))) : py::float_(value); };
      row["minimum"] = range.at_least_packet ? py::object(py::none()) : limit(range.least);
      row["maximum"] = range.most == UINT32_MAX ? py::object(py::none()) : limit(range.most);
      row["range"] = InWords(range, parameter.unit, "one packet");
      row["unit"] = parameter.unit;
    }
    row["meaning"] = parameter.meaning;
    row["consequence"] = parameter.consequence;
    rows.append(std::move(row));
  }
}

py::list DescribeAll() {
  const Model defaults;
  py::list rows;
  Describe(defaults.switches, rows);
  Describe(defaults.ca, rows);
  Describe(defaults, rows);
  return rows;
}

}  // namespace

void BindModel(py::module_& m) {
  py::class_<SwitchModel> switches(m, "SwitchModel");
  py::class_<CaModel> ca(m, "CaModel");
  py::class_<Model> model(m, "Model");
  DefParameters(switches);
  DefParameters(ca);
  DefParameters(model);
  model.def(py::init<>())
      .def_property_readonly(
          kGroup<SwitchModel>, [](Model& self) -> SwitchModel& { return self.switches; },
          py::return_value_policy::reference_internal)
      .def_property_readonly(
          kGroup<CaModel>, [](Model& self) -> CaModel& { return self.ca; }, py::return_value_policy::reference_internal)
      .def("validate", &Model::Validate, py::arg("mtu_bytes"))
      .def("to_dict", &ModelToDict);
  m.def("model_parameters", &DescribeAll);
}

}  // namespace ccsim

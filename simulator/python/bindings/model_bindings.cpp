// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// model_bindings.cpp: ccsim.Model, ccsim.model_parameters() and ccsim.schemes(), made from the rows in model_parameters.cpp and the
// registry of schemes. In Python a choice is its name, so that `--set` and documents need no table of names.
#include <pybind11/stl.h>

#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "model.hpp"
#include "model_parameters.hpp"
#include "schemes/registry.hpp"
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

py::object AsNumber(double value, bool whole) {
  return whole ? py::object(py::int_(std::int64_t(value))) : py::object(py::float_(value));
}

// Name and value of every parameter, presets included, so that two equal models have equal dicts. Throws std::invalid_argument
// for what Model::Validate refuses about the scheme.
py::dict SchemeToDict(const SchemeChoice& choice) {
  const Scheme& scheme = FindScheme(choice.name);
  CheckValues(scheme, choice.values);
  const std::map<std::string, double> values = WithPresets(scheme, choice.values);
  py::dict result;
  result["name"] = choice.name;
  for (const SchemeParameter& parameter : scheme.parameters) {
    result[parameter.name.c_str()] = AsNumber(values.at(parameter.name), parameter.whole);
  }
  return result;
}

py::dict ModelToDict(const Model& model) {
  py::dict values;
  values["scheme"] = SchemeToDict(model.scheme);
  values[kGroup<SwitchModel>] = ToDict(model.switches);
  values[kGroup<CaModel>] = ToDict(model.ca);
  values.attr("update")(ToDict(model));
  return values;
}

// Limits and range of a number, as in the rows of model_parameters() and schemes().
void DescribeRange(py::dict& row, const Range& range, const std::string& unit, bool whole) {
  row["type"] = whole ? "integer" : "number";
  row["minimum"] = range.at_least_packet ? py::object(py::none()) : AsNumber(range.least, whole);
  row["maximum"] = range.most == UINT32_MAX ? py::object(py::none()) : AsNumber(range.most, whole);
  row["range"] = InWords(range, unit, "one packet");
  row["unit"] = unit;
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
      DescribeRange(row, parameter.range, parameter.unit, std::holds_alternative<std::uint32_t Owner::*>(parameter.member));
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

py::dict DescribeScheme(const Scheme& scheme) {
  py::list parameters;
  for (const SchemeParameter& parameter : scheme.parameters) {
    py::dict row;
    row["name"] = parameter.name;
    row["default"] = AsNumber(parameter.preset, parameter.whole);
    DescribeRange(row, {.least = parameter.least, .most = parameter.most}, parameter.unit, parameter.whole);
    row["meaning"] = parameter.meaning;
    row["consequence"] = parameter.consequence;
    parameters.append(std::move(row));
  }
  py::dict row;
  row["name"] = scheme.name;
  row["summary"] = scheme.summary;
  row["source"] = scheme.source;
  row["needs_congestion_control"] = scheme.needs_congestion_control;
  row["one_vl"] = scheme.one_vl;
  row["parameters"] = std::move(parameters);
  return row;
}

py::list DescribeSchemes() {
  py::list rows;
  for (const std::string& name : SchemeNames()) rows.append(DescribeScheme(FindScheme(name)));
  return rows;
}

}  // namespace

void BindModel(py::module_& m) {
  py::class_<SchemeChoice>(m, "SchemeChoice")
      .def(py::init<>())
      .def_readwrite("name", &SchemeChoice::name)
      .def_readwrite("values", &SchemeChoice::values);
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
      .def_readwrite("scheme", &Model::scheme)
      .def("validate", &Model::Validate, py::arg("mtu_bytes"))
      .def("to_dict", &ModelToDict);
  m.def("model_parameters", &DescribeAll);
  m.def("schemes", &DescribeSchemes);
}

}  // namespace ccsim

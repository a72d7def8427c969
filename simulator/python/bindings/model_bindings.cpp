// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// model_bindings.cpp: ccsim.Model; enumerations are plain strings in Python, so that `--set` and documents need no table of names.
#include <array>
#include <stdexcept>
#include <string>
#include <utility>

#include "model.hpp"
#include "simulation_bindings.hpp"

namespace py = pybind11;

namespace ccsim {
namespace {

template <typename Enum>
struct Names;

template <>
struct Names<ThresholdMode> {
  static constexpr std::array<std::pair<ThresholdMode, const char*>, 3> kAll{
      {{ThresholdMode::Voq, "voq"}, {ThresholdMode::Sum, "sum"}, {ThresholdMode::Contributing, "contributing"}}};
};
template <>
struct Names<RootTest> {
  static constexpr std::array<std::pair<RootTest, const char*>, 3> kAll{
      {{RootTest::Crossing, "crossing"}, {RootTest::Marking, "marking"}, {RootTest::Both, "both"}}};
};
template <>
struct Names<BufferSharing> {
  static constexpr std::array<std::pair<BufferSharing, const char*>, 2> kAll{
      {{BufferSharing::Partitioned, "partitioned"}, {BufferSharing::Shared, "shared"}}};
};
template <>
struct Names<BecnCarrier> {
  static constexpr std::array<std::pair<BecnCarrier, const char*>, 2> kAll{
      {{BecnCarrier::Cnp, "cnp"}, {BecnCarrier::Ack, "ack"}}};
};
template <>
struct Names<CctiTimer> {
  static constexpr std::array<std::pair<CctiTimer, const char*>, 2> kAll{
      {{CctiTimer::PortSl, "port_sl"}, {CctiTimer::Flow, "flow"}}};
};
template <>
struct Names<ControlVl> {
  static constexpr std::array<std::pair<ControlVl, const char*>, 2> kAll{{{ControlVl::Data, "data"}, {ControlVl::Last, "last"}}};
};

template <typename Enum>
std::string NameOf(Enum value) {
  for (const auto& [v, name] : Names<Enum>::kAll) {
    if (v == value) return name;
  }
  return "";
}

template <typename Enum>
Enum FromName(const char* parameter, const std::string& text) {
  std::string known;
  for (const auto& [v, name] : Names<Enum>::kAll) {
    if (text == name) return v;
    known += (known.empty() ? "" : ", ") + std::string(name);
  }
  throw std::invalid_argument(std::string(parameter) + " is '" + text + "'; it must be one of " + known);
}

// A property that is a string in Python and an enumeration in C++.
template <typename Class, typename Owner, typename Enum>
void DefEnum(py::class_<Class>& cls, const char* name, const char* parameter, Enum Owner::* member) {
  cls.def_property(
      name, [member](const Owner& o) { return NameOf(o.*member); },
      [member, parameter](Owner& o, const std::string& text) { o.*member = FromName<Enum>(parameter, text); });
}

py::dict ToDict(const Model& m) {
  py::dict sw;
  sw["input_buffer_bytes"] = m.switches.input_buffer_bytes;
  sw["buffer_sharing"] = NameOf(m.switches.buffer_sharing);
  sw["read_ports"] = m.switches.read_ports;
  sw["routing_latency_ns"] = m.switches.routing_latency_ns;
  sw["threshold_reference_bytes"] = m.switches.threshold_reference_bytes;
  sw["threshold_mode"] = NameOf(m.switches.threshold_mode);
  sw["hysteresis_bytes"] = m.switches.hysteresis_bytes;
  sw["root_test"] = NameOf(m.switches.root_test);
  py::dict hca;
  hca["input_buffer_bytes"] = m.hca.input_buffer_bytes;
  hca["becn_carrier"] = NameOf(m.hca.becn_carrier);
  hca["becn_delay_ns"] = m.hca.becn_delay_ns;
  hca["cnp_spacing_ns"] = m.hca.cnp_spacing_ns;
  hca["ack_every_packets"] = m.hca.ack_every_packets;
  hca["ccti_timer"] = NameOf(m.hca.ccti_timer);
  hca["control_vl"] = NameOf(m.hca.control_vl);
  py::dict all;
  all["switch"] = sw;
  all["ca"] = hca;
  all["num_vls"] = m.num_vls;
  return all;
}

}  // namespace

void BindModel(py::module_& m) {
  py::class_<SwitchModel> sw(m, "SwitchModel");
  py::class_<HcaModel> hca(m, "CaModel");
  py::class_<Model> model(m, "Model");

  sw.def_readwrite("input_buffer_bytes", &SwitchModel::input_buffer_bytes)
      .def_readwrite("read_ports", &SwitchModel::read_ports)
      .def_readwrite("routing_latency_ns", &SwitchModel::routing_latency_ns)
      .def_readwrite("threshold_reference_bytes", &SwitchModel::threshold_reference_bytes)
      .def_readwrite("hysteresis_bytes", &SwitchModel::hysteresis_bytes);
  DefEnum(sw, "buffer_sharing", "model.switch.buffer_sharing", &SwitchModel::buffer_sharing);
  DefEnum(sw, "threshold_mode", "model.switch.threshold_mode", &SwitchModel::threshold_mode);
  DefEnum(sw, "root_test", "model.switch.root_test", &SwitchModel::root_test);

  hca.def_readwrite("input_buffer_bytes", &HcaModel::input_buffer_bytes)
      .def_readwrite("becn_delay_ns", &HcaModel::becn_delay_ns)
      .def_readwrite("cnp_spacing_ns", &HcaModel::cnp_spacing_ns)
      .def_readwrite("ack_every_packets", &HcaModel::ack_every_packets);
  DefEnum(hca, "becn_carrier", "model.ca.becn_carrier", &HcaModel::becn_carrier);
  DefEnum(hca, "ccti_timer", "model.ca.ccti_timer", &HcaModel::ccti_timer);
  DefEnum(hca, "control_vl", "model.ca.control_vl", &HcaModel::control_vl);

  model.def(py::init<>())
      .def_property_readonly(
          "switch", [](Model& self) -> SwitchModel& { return self.switches; }, py::return_value_policy::reference_internal)
      .def_property_readonly(
          "ca", [](Model& self) -> HcaModel& { return self.hca; }, py::return_value_policy::reference_internal)
      .def_readwrite("num_vls", &Model::num_vls)
      .def("validate", &Model::Validate, py::arg("mtu_bytes"))
      .def("to_dict", &ToDict);
}

}  // namespace ccsim

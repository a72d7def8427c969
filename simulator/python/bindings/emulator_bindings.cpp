// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// emulator_bindings.cpp: ccsim.Emulator: starting and stopping it, and changing cables and nodes.
#include "emulator_bindings.hpp"

#include <pybind11/stl.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

#include "schemes/registry.hpp"

namespace py = pybind11;

namespace ccsim {

void CheckNode(const Fabric& fabric, std::uint32_t node) {
  if (node < fabric.nodes().size()) return;
  throw std::invalid_argument("node index " + std::to_string(node) + " does not exist; the fabric has " +
                              std::to_string(fabric.nodes().size()) + " nodes");
}

namespace {

void CheckLink(const Fabric& fabric, std::uint32_t node, std::uint32_t port) {
  CheckNode(fabric, node);
  const Node& n = fabric.nodes()[node];
  if (port >= 1 && port <= n.num_ports() && n.ports[port].connected()) return;
  throw std::invalid_argument("port " + std::to_string(port) + " of '" + n.name + "' has no cable; it has ports 1 to " +
                              std::to_string(n.num_ports()));
}

std::unique_ptr<PyEmulator> MakeEmulator(const std::shared_ptr<Fabric>& fabric, const Model* model, std::string name,
                                         std::uint64_t seed, std::uint32_t timeout_ms) {
  emulator::EmulatorOptions options;
  options.name = std::move(name);
  options.seed = seed;
  options.timeout_ms = timeout_ms;
  options.client_timeout_ms = std::max(options.client_timeout_ms, timeout_ms);
  const Model devices = model != nullptr ? *model : Model{};
  const std::uint64_t vls = devices.switches.buffer_sharing == BufferSharing::Partitioned ? devices.num_vls : 1;
  options.port_buffer_bytes =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(vls * devices.switches.input_buffer_bytes, UINT32_MAX));
  if (FindScheme(devices.scheme.name).one_vl) options.vl_cap = emulator::kOneVlCap;
  try {
    return std::make_unique<PyEmulator>(fabric, devices, options);
  } catch (const std::system_error& error) {
    PyErr_SetObject(PyExc_OSError, py::make_tuple(error.code().value(), error.what()).ptr());
    throw py::error_already_set();
  }
}

emulator::GeneralInfoAnswer ParseGeneralInfo(const std::string& name) {
  using emulator::GeneralInfoAnswer;
  if (name == "unsupported") return GeneralInfoAnswer::Unsupported;
  if (name == "answered") return GeneralInfoAnswer::Answered;
  if (name == "silent") return GeneralInfoAnswer::Silent;
  if (name == "other-attribute") return GeneralInfoAnswer::OtherAttribute;
  if (name == "zeros") return GeneralInfoAnswer::Zeros;
  throw std::invalid_argument("general_info is '" + name +
                              "'; it must be unsupported, answered, silent, other-attribute or zeros");
}

void SetHardware(PyEmulator& self, std::uint32_t node, std::uint32_t vendor_id, std::uint16_t device_id,
                 const std::array<std::uint32_t, 3>& firmware, std::string psid, const std::string& general_info) {
  CheckNode(*self.fabric(), node);
  if (vendor_id > 0xFFFFFF)
    throw std::invalid_argument("vendor_id is " + std::to_string(vendor_id) + "; it must be 0 to 16777215");
  if (psid.size() > 16)
    throw std::invalid_argument("psid has " + std::to_string(psid.size()) + " characters; at most 16 would be right");
  emulator::Hardware hardware;
  hardware.vendor_id = vendor_id;
  hardware.device_id = device_id;
  std::copy(firmware.begin(), firmware.end(), hardware.firmware);
  hardware.psid = std::move(psid);
  hardware.general_info = ParseGeneralInfo(general_info);
  self.Do([&](emulator::Subnet& subnet) { subnet.device(node).hardware = hardware; });
}

}  // namespace

PyEmulator::PyEmulator(std::shared_ptr<const Fabric> fabric, const Model& model, const emulator::EmulatorOptions& options)
    : fabric_(std::move(fabric)), model_(model), emulator_(std::make_unique<emulator::Emulator>(*fabric_, options)) {}

PyEmulator::~PyEmulator() {
  const py::gil_scoped_release release;
  emulator_.reset();
}

void PyEmulator::Start() {
  const py::gil_scoped_release release;
  emulator_->Start();
}

void PyEmulator::Stop() {
  if (busy_ && thread_.load() == std::this_thread::get_id()) {
    throw std::runtime_error("stop() called by a callback of run() would wait for itself; return True from should_stop instead");
  }
  const py::gil_scoped_release release;
  emulator_->Stop();
}

void PyEmulator::Do(const std::function<void(emulator::Subnet&)>& work) {
  const py::gil_scoped_release release;
  emulator_->Do(work);
}

void PyEmulator::DoWorkload(const std::function<void(emulator::Subnet&)>& work) {
  if (busy_.exchange(true))
    throw std::runtime_error("a workload is already running on this emulator; wait for its end, or stop it");
  const struct Free {
    std::atomic<bool>& busy;
    ~Free() { busy = false; }
  } free{busy_};
  emulator_->Do([&](emulator::Subnet& subnet) {
    thread_ = std::this_thread::get_id();
    work(subnet);
  });
}

std::vector<emulator::ClientSummary> PyEmulator::Clients() {
  const py::gil_scoped_release release;
  return emulator_->Clients();
}

void BindEmulator(py::module_& m) {
  EmulatorClass emulator(m, "Emulator");
  emulator
      .def(py::init(&MakeEmulator), py::arg("fabric"), py::arg("model") = nullptr, py::kw_only(), py::arg("name") = "sim",
           py::arg("seed") = 1, py::arg("timeout_ms") = 200)
      .def("start", &PyEmulator::Start)
      .def("stop", &PyEmulator::Stop)
      .def("__enter__",
           [](py::object self) {
             self.cast<PyEmulator&>().Start();
             return self;
           })
      .def("__exit__", [](PyEmulator& self, const py::args&) { self.Stop(); })
      .def(
          "set_link",
          [](PyEmulator& self, std::uint32_t node, std::uint16_t port, bool up) {
            CheckLink(*self.fabric(), node, port);
            self.Do([&](emulator::Subnet& subnet) { subnet.SetLink(node, port, up); });
          },
          py::arg("node"), py::arg("port"), py::arg("up"))
      .def(
          "set_present",
          [](PyEmulator& self, std::uint32_t node, bool present) {
            CheckNode(*self.fabric(), node);
            self.Do([&](emulator::Subnet& subnet) { subnet.SetPresent(node, present); });
          },
          py::arg("node"), py::arg("present"))
      .def(
          "reboot",
          [](PyEmulator& self, std::uint32_t node) {
            CheckNode(*self.fabric(), node);
            self.Do([&](emulator::Subnet& subnet) { subnet.Reboot(node); });
          },
          py::arg("node"))
      .def("set_hardware", &SetHardware, py::arg("node"), py::kw_only(), py::arg("vendor_id") = 0, py::arg("device_id") = 0,
           py::arg("firmware") = std::array<std::uint32_t, 3>{}, py::arg("psid") = "", py::arg("general_info") = "unsupported");
  BindEmulatorRun(emulator);
  BindEmulatorState(emulator);
  BindEmulatorFirmware(emulator);
  BindEmulatorFaults(m, emulator);
}

}  // namespace ccsim

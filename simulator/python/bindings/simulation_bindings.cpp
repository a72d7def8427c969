// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// simulation_bindings.cpp: ccsim.Simulation. A run holds the GIL only while it asks on_progress.
#include "simulation_bindings.hpp"

#include <pybind11/stl.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include "congestion/check_nvidia.hpp"
#include "engine/engine.hpp"
#include "engine/setup.hpp"
#include "policy_bindings.hpp"
#include "result_bindings.hpp"
#include "schemes/registry.hpp"
#include "traffic_bindings.hpp"

namespace py = pybind11;

namespace ccsim {
namespace {

struct PySimulation {
  std::shared_ptr<FinishedRun> run = std::make_shared<FinishedRun>();
  bool started = false;
};

PyResult RunSimulation(PySimulation& self, const py::object& on_progress) {
  if (self.started) throw std::runtime_error("this Simulation has already run; make another one");
  self.started = true;
  FinishedRun& run = *self.run;
  using Clock = std::chrono::steady_clock;
  auto ask = Clock::now();  // the first call is at once, so that a run that must stop already does not begin
  const auto keep_going = [&](Time now) {
    const auto wall = Clock::now();
    if (wall < ask) return true;
    ask = wall + std::chrono::milliseconds(100);
    py::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    if (on_progress.is_none()) return true;
    const py::object answer = on_progress(AsSeconds(now));
    return answer.is_none() || answer.cast<bool>();
  };
  {
    py::gil_scoped_release release;
    const double before = ThreadCpuSeconds();
    run.complete = run.engine->Run(keep_going);
    run.cpu_s = ThreadCpuSeconds() - before;
  }
  if (run.complete && !on_progress.is_none()) on_progress(AsSeconds(run.engine->now()));
  return PyResult{self.run};
}

using Reprogramming = std::vector<std::pair<double, PyTables>>;

bool EnablesCongestionControl(const PyTables* tables, const Reprogramming& reprogram) {
  const auto enables = [](const PyTables& some) { return some.tables->enable; };
  return (tables != nullptr && enables(*tables)) ||
         std::any_of(reprogram.begin(), reprogram.end(), [&](const auto& change) { return enables(change.second); });
}

py::object NoteOf(const Fabric& fabric, const std::vector<Flow>& flows, const Model& model) {
  const Scheme& scheme = FindScheme(model.scheme.name);
  if (scheme.note == nullptr) return py::none();
  std::optional<SchemeNote> note;
  {
    py::gil_scoped_release release;
    note = scheme.note(Setup{fabric, model, flows, nullptr, RunOptions{}});
  }
  if (!note) return py::none();
  py::dict row;
  row["sentence"] = note->sentence;
  row["bytes"] = note->bytes;
  return row;
}

py::dict MemoryOf(const Fabric& fabric, const Model& model) {
  const SwitchMemory memory = MemoryOfSwitches(fabric, model);
  const auto cells = [](const MemoryCells& some) {
    py::dict row;
    row["cam_cells"] = some.cam;
    row["sram_cells"] = some.sram;
    return row;
  };
  py::dict port = cells({memory.port.lines * memory.port.line.cam, memory.port.lines * memory.port.line.sram});
  port["lines"] = memory.port.lines;
  port["buffer_bytes"] = memory.port.buffer_bytes;
  port["plain_buffer_bytes"] = PlainPortMemory(fabric, model).buffer_bytes;
  py::dict fabric_row = cells(memory.cells);
  fabric_row["input_ports"] = memory.input_ports;
  fabric_row["buffer_bytes"] = memory.buffer_bytes;
  py::dict row;
  row["line"] = memory.port.lines == 0 ? py::object(py::none()) : py::object(cells(memory.port.line));
  row["input_port"] = std::move(port);
  row["fabric"] = std::move(fabric_row);
  return row;
}

// Throws std::invalid_argument where a run is refused whatever its flows: for the scheme, the dialects of devices, and profiles.
void CheckRun(const Fabric& fabric, const Model& model, const PyTables* tables, const Reprogramming& reprogram) {
  const Scheme& scheme = FindScheme(model.scheme.name);
  CheckDialects(scheme, fabric);
  CheckHostModels(scheme, fabric);
  CheckCongestionControl(scheme, EnablesCongestionControl(tables, reprogram));
  if (tables != nullptr) CheckNvidia(fabric, *tables->tables);
  for (const auto& change : reprogram) CheckNvidia(fabric, *change.second.tables);
}

}  // namespace

void BindSimulation(py::module_& m) {
  BindTraffic(m);
  BindResult(m);
  py::class_<PySimulation>(m, "Simulation")
      .def(py::init([](const std::shared_ptr<Fabric>& fabric, const std::vector<Flow>& flows, const PyTables* tables,
                       const Model* model, std::uint64_t seed, double duration_s, double sample_interval_s, bool trace_ccti,
                       bool trace_occupancy, std::size_t trace_packets, const Reprogramming& reprogram, const Judged& judged_s,
                       std::vector<HostLoad> host_loads) {
             CheckRun(*fabric, model != nullptr ? *model : Model{}, tables, reprogram);
             PySimulation simulation;
             FinishedRun* const s = simulation.run.get();
             s->fabric = fabric;
             s->options.seed = seed;
             s->options.duration = CheckedSeconds("duration_s", duration_s);
             s->options.sample_interval = CheckedSeconds("sample_interval_s", sample_interval_s);
             s->options.trace_ccti = trace_ccti;
             s->options.trace_occupancy = trace_occupancy;
             s->options.trace_packets = trace_packets;
             s->options.host_loads = std::move(host_loads);
             std::tie(s->options.judged_from, s->options.judged_until) = JudgedTimes(judged_s);
             for (const auto& [t_s, new_tables] : reprogram) {
               s->options.programmings.push_back({CheckedSeconds("a time of reprogram", t_s), new_tables.tables});
             }
             s->engine = std::make_unique<Engine>(*fabric, model != nullptr ? *model : Model{}, flows,
                                                  tables != nullptr ? tables->tables.get() : nullptr, s->options);
             return simulation;
           }),
           py::arg("fabric"), py::arg("flows"), py::kw_only(), py::arg("tables") = nullptr, py::arg("model") = nullptr,
           py::arg("seed") = 1, py::arg("duration_s"), py::arg("sample_interval_s") = 0.01, py::arg("trace_ccti") = false,
           py::arg("trace_occupancy") = false, py::arg("trace_packets") = 0, py::arg("reprogram") = py::tuple(),
           py::arg("judged_s") = py::none(), py::arg("host_loads") = std::vector<HostLoad>{})
      .def("run", &RunSimulation, py::arg("on_progress") = py::none());
  m.def(
      "check_nvidia", [](const Fabric& fabric, const PyTables& tables) { CheckNvidia(fabric, *tables.tables); },
      py::arg("fabric"), py::arg("tables"));
  m.def("check_run", &CheckRun, py::arg("fabric"), py::kw_only(), py::arg("model"), py::arg("tables") = nullptr,
        py::arg("reprogram") = py::tuple());
  m.def("scheme_note", &NoteOf, py::arg("fabric"), py::arg("flows"), py::kw_only(), py::arg("model"));
  m.def("scheme_memory", &MemoryOf, py::arg("fabric"), py::arg("model"));
}

}  // namespace ccsim

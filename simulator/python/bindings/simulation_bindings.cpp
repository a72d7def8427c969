// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// simulation_bindings.cpp: ccsim.Flow, Simulation and Result. A run holds the GIL only while it asks on_progress.
#include "simulation_bindings.hpp"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>
#include <time.h>

#include <chrono>
#include <cmath>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "log_bindings.hpp"
#include "policy_bindings.hpp"
#include "traffic_bindings.hpp"

namespace py = pybind11;

namespace ccsim {
namespace {

double ThreadCpuSeconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// A column of `rows`, as `get` sees them.
template <typename T, typename Rows, typename Get>
py::array_t<T> Column(const Rows& rows, Get get) {
  py::array_t<T> column(static_cast<py::ssize_t>(rows.size()));
  T* out = column.mutable_data();
  for (std::size_t i = 0; i < rows.size(); ++i) out[i] = static_cast<T>(get(rows[i], i));
  return column;
}

// From one row a sample to one row a flow or port, as readers want it.
template <typename T>
py::array_t<T> Transposed(const std::vector<T>& series, std::size_t num_samples, std::size_t num_columns) {
  py::array_t<T> result({static_cast<py::ssize_t>(num_columns), static_cast<py::ssize_t>(num_samples)});
  T* out = result.mutable_data();
  for (std::size_t c = 0; c < num_columns; ++c) {
    for (std::size_t s = 0; s < num_samples; ++s) *out++ = series[s * num_columns + c];
  }
  return result;
}

struct PySimulation {
  std::shared_ptr<const Fabric> fabric;
  RunOptions options;
  std::unique_ptr<Engine> engine;
  bool started = false;
  bool complete = false;
  double cpu_s = 0;
};

py::dict PortColumns(const PySimulation& s) {
  const auto& names = s.engine->port_names();
  const std::vector<PortCounters> rows = s.engine->port_counters();
  py::dict d;
  d["node"] = Column<std::uint32_t>(names, [](const Hop& h, std::size_t) { return h.node; });
  d["port"] = Column<std::uint16_t>(names, [](const Hop& h, std::size_t) { return h.port; });
  d["xmit_bytes"] = Column<std::uint64_t>(rows, [](const PortCounters& c, std::size_t) { return c.xmit_bytes; });
  d["xmit_packets"] = Column<std::uint64_t>(rows, [](const PortCounters& c, std::size_t) { return c.xmit_packets; });
  d["rcv_bytes"] = Column<std::uint64_t>(rows, [](const PortCounters& c, std::size_t) { return c.rcv_bytes; });
  d["rcv_packets"] = Column<std::uint64_t>(rows, [](const PortCounters& c, std::size_t) { return c.rcv_packets; });
  d["xmit_wait_ns"] =
      Column<double>(rows, [](const PortCounters& c, std::size_t) { return static_cast<double>(c.xmit_wait) / kFsPerNs; });
  d["credits_held"] = Column<std::uint64_t>(rows, [](const PortCounters& c, std::size_t) { return c.credits_held; });
  d["fecn_marked"] = Column<std::uint64_t>(rows, [](const PortCounters& c, std::size_t) { return c.fecn_marked; });
  d["max_queued_bytes"] = Column<std::uint32_t>(rows, [](const PortCounters& c, std::size_t) { return c.max_queued_bytes; });
  return d;
}

py::dict FlowColumns(const PySimulation& s) {
  const auto& rows = s.engine->flow_counters();
  py::dict d;
  d["sent_packets"] = Column<std::uint64_t>(rows, [](const FlowCounters& c, std::size_t) { return c.sent_packets; });
  d["received_packets"] = Column<std::uint64_t>(rows, [](const FlowCounters& c, std::size_t) { return c.received_packets; });
  d["received_bytes"] = Column<std::uint64_t>(rows, [](const FlowCounters& c, std::size_t) { return c.received_bytes; });
  d["fecn_received"] = Column<std::uint64_t>(rows, [](const FlowCounters& c, std::size_t) { return c.fecn_received; });
  d["becn_received"] = Column<std::uint64_t>(rows, [](const FlowCounters& c, std::size_t) { return c.becn_received; });
  d["received_messages"] = Column<std::uint64_t>(rows, [](const FlowCounters& c, std::size_t) { return c.received_messages; });
  d["round_trips"] = Column<std::uint64_t>(rows, [](const FlowCounters& c, std::size_t) { return c.round_trips; });
  d["round_trip_mean_us"] = Column<double>(rows, [](const FlowCounters& c, std::size_t) {
    return c.round_trips == 0 ? 0.0 : static_cast<double>(c.round_trip_sum) / static_cast<double>(c.round_trips) / kFsPerUs;
  });
  d["round_trip_max_us"] =
      Column<double>(rows, [](const FlowCounters& c, std::size_t) { return static_cast<double>(c.round_trip_max) / kFsPerUs; });
  return d;
}

py::object PacketColumns(const PySimulation& s) {
  if (s.options.trace_packets == 0) return py::none();
  const auto& rows = s.engine->record().packets;
  const auto& names = s.engine->port_names();
  py::dict d;
  d["time_ns"] = Column<double>(rows, [](const TraceRow& r, std::size_t) { return static_cast<double>(r.time) / kFsPerNs; });
  d["event"] = Column<std::uint8_t>(rows, [](const TraceRow& r, std::size_t) { return r.event; });
  d["node"] = Column<std::uint32_t>(rows, [&](const TraceRow& r, std::size_t) { return names[r.port].node; });
  d["port"] = Column<std::uint16_t>(rows, [&](const TraceRow& r, std::size_t) { return names[r.port].port; });
  d["flow"] = Column<std::uint32_t>(rows, [](const TraceRow& r, std::size_t) { return r.flow; });
  d["qp"] = Column<std::uint32_t>(rows, [](const TraceRow& r, std::size_t) { return r.queue_pair; });
  d["destination"] = Column<std::uint32_t>(rows, [](const TraceRow& r, std::size_t) { return r.destination; });
  d["sequence"] = Column<std::uint32_t>(rows, [](const TraceRow& r, std::size_t) { return r.sequence; });
  d["kind"] = Column<std::uint8_t>(rows, [](const TraceRow& r, std::size_t) { return r.kind; });
  d["bytes"] = Column<std::uint16_t>(rows, [](const TraceRow& r, std::size_t) { return r.wire_bytes; });
  d["fecn"] = Column<bool>(rows, [](const TraceRow& r, std::size_t) { return r.fecn; });
  d["becn"] = Column<bool>(rows, [](const TraceRow& r, std::size_t) { return r.becn; });
  return d;
}

using Shared = std::shared_ptr<PySimulation>;

// What `run` returns: a finished simulation, seen from outside.
struct PyResult {
  Shared simulation;
};

PyResult Run(const Shared& self, const py::object& on_progress) {
  if (self->started) throw std::runtime_error("this Simulation has been run already; make another to run again");
  self->started = true;
  using Clock = std::chrono::steady_clock;
  auto asked = Clock::now();
  const auto keep_going = [&](Time now) {
    const auto wall = Clock::now();
    if (wall - asked < std::chrono::milliseconds(100)) return true;
    asked = wall;
    py::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    if (on_progress.is_none()) return true;
    const py::object answer = on_progress(AsSeconds(now));
    return answer.is_none() || answer.cast<bool>();
  };
  {
    py::gil_scoped_release release;
    const double before = ThreadCpuSeconds();
    self->complete = self->engine->Run(keep_going);
    self->cpu_s = ThreadCpuSeconds() - before;
  }
  if (self->complete && !on_progress.is_none()) on_progress(AsSeconds(self->engine->now()));
  return PyResult{self};
}

}  // namespace

using Reprogramming = std::vector<std::pair<double, PyTables>>;

void BindSimulation(py::module_& m) {
  BindTraffic(m);
  py::class_<PySimulation, Shared> simulation(m, "Simulation");
  py::class_<PyResult> result(m, "Result");

  simulation
      .def(py::init([](const std::shared_ptr<Fabric>& fabric, const std::vector<Flow>& flows, const PyTables* tables,
                       const Model* model, std::uint64_t seed, double duration_s, double sample_interval_s, bool trace_ccti,
                       bool trace_occupancy, std::size_t trace_packets, const Reprogramming& reprogram) {
             auto s = std::make_shared<PySimulation>();
             s->fabric = fabric;
             s->options.seed = seed;
             s->options.duration = CheckedSeconds("duration_s", duration_s);
             s->options.sample_interval = CheckedSeconds("sample_interval_s", sample_interval_s);
             s->options.trace_ccti = trace_ccti;
             s->options.trace_occupancy = trace_occupancy;
             s->options.trace_packets = trace_packets;
             for (const auto& [t_s, new_tables] : reprogram) {
               s->options.programmings.push_back({CheckedSeconds("a time of reprogram", t_s), new_tables.tables});
             }
             s->engine = std::make_unique<Engine>(*fabric, model != nullptr ? *model : Model{}, flows,
                                                  tables != nullptr ? tables->tables.get() : nullptr, s->options);
             return s;
           }),
           py::arg("fabric"), py::arg("flows"), py::kw_only(), py::arg("tables") = nullptr, py::arg("model") = nullptr,
           py::arg("seed") = 1, py::arg("duration_s"), py::arg("sample_interval_s") = 0.01, py::arg("trace_ccti") = false,
           py::arg("trace_occupancy") = false, py::arg("trace_packets") = 0, py::arg("reprogram") = py::tuple())
      .def("run", &Run, py::arg("on_progress") = py::none());

  result.def_property_readonly("complete", [](const PyResult& r) { return r.simulation->complete; })
      .def_property_readonly("simulated_s", [](const PyResult& r) { return AsSeconds(r.simulation->engine->now()); })
      .def_property_readonly("sample_interval_s",
                             [](const PyResult& r) { return AsSeconds(r.simulation->options.sample_interval); })
      .def_property_readonly("received_bytes",
                             [](const PyResult& r) {
                               const Engine& e = *r.simulation->engine;
                               return Transposed(e.record().received_bytes, e.record().num_samples, e.num_flows());
                             })
      .def_property_readonly("host_received_bytes",
                             [](const PyResult& r) {
                               const Engine& e = *r.simulation->engine;
                               return Transposed(e.record().host_received_bytes, e.record().num_samples, e.num_endports());
                             })
      .def_property_readonly("ccti",
                             [](const PyResult& r) -> py::object {
                               const Engine& e = *r.simulation->engine;
                               if (!r.simulation->options.trace_ccti) return py::none();
                               return Transposed(e.record().ccti, e.record().num_samples, e.num_flows());
                             })
      .def_property_readonly("occupancy_bytes",
                             [](const PyResult& r) -> py::object {
                               const Engine& e = *r.simulation->engine;
                               if (!r.simulation->options.trace_occupancy) return py::none();
                               return Transposed(e.record().occupancy, e.record().num_samples, e.port_names().size());
                             })
      .def_property_readonly("congestion_logs",
                             [](const PyResult& r) { return CongestionLogs(*r.simulation->fabric, *r.simulation->engine); })
      .def_property_readonly("deadlock",
                             [](const PyResult& r) -> py::object {
                               const std::optional<Deadlock>& deadlock = r.simulation->engine->record().deadlock;
                               if (!deadlock) return py::none();
                               py::list cycle;
                               for (const Channel& c : deadlock->cycle) cycle.append(py::make_tuple(c.node, c.port, c.vl));
                               return py::make_tuple(AsSeconds(deadlock->since), cycle);
                             })
      .def_property_readonly("ports", [](const PyResult& r) { return PortColumns(*r.simulation); })
      .def_property_readonly("flows", [](const PyResult& r) { return FlowColumns(*r.simulation); })
      .def_property_readonly("packets", [](const PyResult& r) { return PacketColumns(*r.simulation); })
      .def_property_readonly("packet_hops", [](const PyResult& r) { return r.simulation->engine->record().packet_hops; })
      .def_property_readonly("events", [](const PyResult& r) { return r.simulation->engine->record().events; })
      .def_property_readonly("cpu_s", [](const PyResult& r) { return r.simulation->cpu_s; });
}

}  // namespace ccsim

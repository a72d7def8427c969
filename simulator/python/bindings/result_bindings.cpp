// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "result_bindings.hpp"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>
#include <time.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "host_bindings.hpp"
#include "log_bindings.hpp"

namespace py = pybind11;

namespace ccsim {

double ThreadCpuSeconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

namespace {

// A column of `rows`, as `get` sees them.
template <typename T, typename Rows, typename Get>
py::array_t<T> Column(const Rows& rows, Get get) {
  py::array_t<T> column(static_cast<py::ssize_t>(rows.size()));
  T* out = column.mutable_data();
  for (std::size_t i = 0; i < rows.size(); ++i) out[i] = static_cast<T>(get(rows[i], i));
  return column;
}

// Transposes from a row for each sample to a row for each flow or port.
template <typename T>
py::array_t<T> Transposed(const std::vector<T>& series, std::size_t num_samples, std::size_t num_columns) {
  py::array_t<T> result({static_cast<py::ssize_t>(num_columns), static_cast<py::ssize_t>(num_samples)});
  T* out = result.mutable_data();
  for (std::size_t c = 0; c < num_columns; ++c) {
    for (std::size_t s = 0; s < num_samples; ++s) *out++ = series[s * num_columns + c];
  }
  return result;
}

// A series by flow that only some runs have.
py::object OfFlows(const FinishedRun& s, const std::vector<float>& series) {
  if (series.empty()) return py::none();
  return Transposed(series, s.engine->record().num_samples, s.engine->num_flows());
}

py::dict PortColumns(const FinishedRun& s) {
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

py::dict FlowColumns(const FinishedRun& s) {
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

// Counts by flow and bin; only flows that have made a round trip, and bins up to the last that has one.
py::object RoundTrips(const FinishedRun& s) {
  const auto& by_flow = s.engine->record().round_trips.counts();
  std::vector<std::uint32_t> flows;
  std::size_t num_bins = 0;
  for (std::uint32_t f = 0; f < by_flow.size(); ++f) {
    if (by_flow[f].empty()) continue;
    flows.push_back(f);
    const auto last = std::find_if(by_flow[f].rbegin(), by_flow[f].rend(), [](std::uint32_t count) { return count > 0; });
    num_bins = std::max(num_bins, static_cast<std::size_t>(by_flow[f].rend() - last));
  }
  if (flows.empty()) return py::none();
  py::array_t<std::uint32_t> counts({static_cast<py::ssize_t>(flows.size()), static_cast<py::ssize_t>(num_bins)});
  std::uint32_t* out = counts.mutable_data();
  for (const std::uint32_t f : flows) {
    out = std::copy_n(by_flow[f].begin(), num_bins, out);
  }
  py::array_t<double> edges(static_cast<py::ssize_t>(num_bins + 1));
  for (std::size_t bin = 0; bin <= num_bins; ++bin) {
    edges.mutable_data()[bin] = static_cast<double>(RoundTripTimes::LowerEnd(bin)) / kFsPerUs;
  }
  py::dict d;
  d["flow"] = Column<std::uint32_t>(flows, [](std::uint32_t f, std::size_t) { return f; });
  d["edges_us"] = edges;
  d["counts"] = counts;
  return d;
}

py::object PacketColumns(const FinishedRun& s) {
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

}  // namespace

void BindResult(py::module_& m) {
  py::class_<PyResult>(m, "Result")
      .def_property_readonly("complete", [](const PyResult& r) { return r.run->complete; })
      .def_property_readonly("simulated_s", [](const PyResult& r) { return AsSeconds(r.run->engine->now()); })
      .def_property_readonly("sample_interval_s", [](const PyResult& r) { return AsSeconds(r.run->options.sample_interval); })
      .def_property_readonly("received_bytes",
                             [](const PyResult& r) {
                               const Engine& e = *r.run->engine;
                               return Transposed(e.record().received_bytes, e.record().num_samples, e.num_flows());
                             })
      .def_property_readonly("host_received_bytes",
                             [](const PyResult& r) {
                               const Engine& e = *r.run->engine;
                               return Transposed(e.record().host_received_bytes, e.record().num_samples, e.num_endports());
                             })
      .def_property_readonly("ccti",
                             [](const PyResult& r) -> py::object {
                               const Engine& e = *r.run->engine;
                               if (!r.run->options.trace_ccti) return py::none();
                               return Transposed(e.record().ccti, e.record().num_samples, e.num_flows());
                             })
      .def_property_readonly("rate_gbps", [](const PyResult& r) { return OfFlows(*r.run, r.run->engine->record().rate_gbps); })
      .def_property_readonly("alpha", [](const PyResult& r) { return OfFlows(*r.run, r.run->engine->record().alpha); })
      .def_property_readonly("occupancy_bytes",
                             [](const PyResult& r) -> py::object {
                               const Engine& e = *r.run->engine;
                               if (!r.run->options.trace_occupancy) return py::none();
                               return Transposed(e.record().occupancy, e.record().num_samples, e.port_names().size());
                             })
      .def_property_readonly("special_queues",
                             [](const PyResult& r) -> py::object {
                               const Engine& e = *r.run->engine;
                               if (!r.run->options.trace_occupancy || e.record().special_queues.empty()) return py::none();
                               return Transposed(e.record().special_queues, e.record().num_samples, e.port_names().size());
                             })
      .def_property_readonly("scheme_series",
                             [](const PyResult& r) {
                               py::dict d;
                               for (const auto& [name, values] : r.run->engine->record().scheme_series) {
                                 d[name.c_str()] = Column<std::uint64_t>(values, [](std::uint64_t v, std::size_t) { return v; });
                               }
                               return d;
                             })
      .def_property_readonly("waited_ns",
                             [](const PyResult& r) -> py::object {
                               const Engine& e = *r.run->engine;
                               if (!r.run->options.trace_occupancy) return py::none();
                               return Transposed(e.record().waited_ns, e.record().num_samples, e.port_names().size());
                             })
      .def_property_readonly("congestion_logs", [](const PyResult& r) { return CongestionLogs(*r.run->fabric, *r.run->engine); })
      .def_property_readonly("deadlock",
                             [](const PyResult& r) -> py::object {
                               const std::optional<Deadlock>& deadlock = r.run->engine->record().deadlock;
                               if (!deadlock) return py::none();
                               py::list cycle;
                               for (const Channel& c : deadlock->cycle) cycle.append(py::make_tuple(c.node, c.port, c.vl));
                               return py::make_tuple(AsSeconds(deadlock->since), cycle);
                             })
      .def_property_readonly("modelled_hosts", [](const PyResult& r) { return ModelledHosts(*r.run); })
      .def_property_readonly("host_series", [](const PyResult& r) { return HostSeries(*r.run); })
      .def_property_readonly("ports", [](const PyResult& r) { return PortColumns(*r.run); })
      .def_property_readonly("flows", [](const PyResult& r) { return FlowColumns(*r.run); })
      .def_property_readonly("packets", [](const PyResult& r) { return PacketColumns(*r.run); })
      .def_property_readonly("round_trips", [](const PyResult& r) { return RoundTrips(*r.run); })
      .def_property_readonly("packet_hops", [](const PyResult& r) { return r.run->engine->record().packet_hops; })
      .def_property_readonly("events", [](const PyResult& r) { return r.run->engine->record().events; })
      .def_property_readonly("cpu_s", [](const PyResult& r) { return r.run->cpu_s; });
}

}  // namespace ccsim

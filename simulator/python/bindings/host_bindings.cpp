// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "host_bindings.hpp"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/engine.hpp"
#include "host/host_load.hpp"
#include "host/host_model.hpp"
#include "traffic_bindings.hpp"

namespace py = pybind11;

namespace ccsim {
namespace {

MemoryLoad LoadOf(double cores, double gbytes_per_s, double remote_cores, double remote_gbytes_per_s, double factor) {
  return {.cores = {cores, remote_cores}, .gbytes_per_s = {gbytes_per_s, remote_gbytes_per_s}, .factor = factor};
}

py::dict DrainOf(const HostModel& model, double cores, double gbytes_per_s, double remote_cores, double remote_gbytes_per_s,
                 double factor) {
  model.Validate("model");
  const DrainRate rate = DrainRateOf(model, LoadOf(cores, gbytes_per_s, remote_cores, remote_gbytes_per_s, factor));
  py::dict d;
  d["gbps"] = 8 * rate.gbytes_per_s;
  d["latency_ns"] = rate.latency_ns;
  d["occupancy_lines"] = rate.occupancy_lines;
  d["by_credits"] = rate.by_credits;
  return d;
}

HostLoad MakeLoad(std::uint32_t endport, double start_s, std::optional<double> stop_s, double cores, double gbytes_per_s,
                  bool remote) {
  return {.endport = endport,
          .start = CheckedSeconds("start_s", start_s),
          .stop = stop_s ? CheckedSeconds("stop_s", *stop_s) : kNever,
          .cores = cores,
          .gbytes_per_s = gbytes_per_s,
          .remote = remote};
}

template <typename Get>
py::array_t<double> Column(const std::vector<ModelledHost>& rows, Get get) {
  py::array_t<double> column(static_cast<py::ssize_t>(rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i) column.mutable_data()[i] = static_cast<double>(get(rows[i]));
  return column;
}

}  // namespace

py::object ModelledHosts(const FinishedRun& s) {
  const std::vector<ModelledHost>& rows = s.engine->record().modelled_hosts;
  if (rows.empty()) return py::none();
  const auto now = static_cast<double>(s.engine->now());
  const auto mean = [now](double integral) { return now > 0 ? integral / now : 0.0; };
  py::dict d;
  py::array_t<std::uint32_t> endports(static_cast<py::ssize_t>(rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i) endports.mutable_data()[i] = rows[i].endport;
  d["endport"] = endports;
  d["occupancy_mean_lines"] = Column(rows, [&](const ModelledHost& h) { return mean(h.line_time); });
  d["occupancy_max_lines"] = Column(rows, [](const ModelledHost& h) { return h.most_occupancy_lines; });
  d["drain_gbps"] = Column(rows, [](const ModelledHost& h) { return h.busy > 0 ? 8e6 * h.drained_bytes / h.busy : 0.0; });
  d["busy_share"] = Column(rows, [&](const ModelledHost& h) { return mean(h.busy); });
  d["without_credits_share"] = Column(rows, [&](const ModelledHost& h) { return mean(h.without_credits); });
  d["load_gbytes_per_s"] = Column(rows, [&](const ModelledHost& h) { return 1e6 * mean(h.load_bytes); });
  d["buffer_mean_bytes"] = Column(rows, [&](const ModelledHost& h) { return mean(h.buffer_byte_time); });
  d["buffer_max_bytes"] = Column(rows, [](const ModelledHost& h) { return h.most_buffered_bytes; });
  d["would_have_dropped_bytes"] = Column(rows, [](const ModelledHost& h) { return h.would_have_dropped_bytes; });
  d["fecn_set"] = Column(rows, [](const ModelledHost& h) { return h.marked_packets; });
  return d;
}

py::object HostSeries(const FinishedRun& s) {
  const RunRecord& record = s.engine->record();
  if (record.modelled_hosts.empty()) return py::none();
  const std::size_t hosts = record.modelled_hosts.size();
  const std::pair<const char*, float HostSeriesRow::*> columns[] = {{"occupancy_lines", &HostSeriesRow::occupancy_lines},
                                                                    {"buffer_bytes", &HostSeriesRow::buffered_bytes},
                                                                    {"without_credits_share", &HostSeriesRow::without_credits},
                                                                    {"hostcc_level", &HostSeriesRow::level}};
  py::dict d;
  for (const auto& [name, member] : columns) {
    py::array_t<float> values({static_cast<py::ssize_t>(hosts), static_cast<py::ssize_t>(record.num_samples)});
    float* out = values.mutable_data();
    for (std::size_t h = 0; h < hosts; ++h) {
      for (std::size_t i = 0; i < record.num_samples; ++i) *out++ = record.host_states[i * hosts + h].*member;
    }
    d[name] = values;
  }
  return d;
}

void BindHostModels(py::module_& m) {
  py::class_<HostCcSettings>(m, "HostCcSettings")
      .def(py::init<>())
      .def_readwrite("enabled", &HostCcSettings::enabled)
      .def_readwrite("target_gbps", &HostCcSettings::target_gbps)
      .def_readwrite("occupancy_lines", &HostCcSettings::occupancy_lines)
      .def_readwrite("occupancy_weight", &HostCcSettings::occupancy_weight)
      .def_readwrite("bandwidth_weight", &HostCcSettings::bandwidth_weight)
      .def_readwrite("least_lines", &HostCcSettings::least_lines)
      .def_readwrite("most_gbps", &HostCcSettings::most_gbps)
      .def_readwrite("sample_ns", &HostCcSettings::sample_ns)
      .def_readwrite("step_down_us", &HostCcSettings::step_down_us)
      .def_readwrite("level_factors", &HostCcSettings::level_factors);
  py::class_<HostModel, std::shared_ptr<HostModel>>(m, "HostModel")
      .def(py::init<>())
      .def_readwrite("write_credits_lines", &HostModel::write_credits_lines)
      .def_readwrite("base_latency_ns", &HostModel::base_latency_ns)
      .def_readwrite("pcie_gbps", &HostModel::pcie_gbps)
      .def_readwrite("memory_gbytes_per_s", &HostModel::memory_gbytes_per_s)
      .def_readwrite("cores", &HostModel::cores)
      .def_readwrite("core_lines", &HostModel::core_lines)
      .def_readwrite("core_gbytes_per_s", &HostModel::core_gbytes_per_s)
      .def_readwrite("ddio_share", &HostModel::ddio_share)
      .def_readwrite("remote_share", &HostModel::remote_share)
      .def_readwrite("remote_latency_ns", &HostModel::remote_latency_ns)
      .def_readwrite("socket_gbytes_per_s", &HostModel::socket_gbytes_per_s)
      .def_readwrite("iotlb_entries", &HostModel::iotlb_entries)
      .def_readwrite("page_bytes", &HostModel::page_bytes)
      .def_readwrite("walk_step_ns", &HostModel::walk_step_ns)
      .def_readwrite("translations", &HostModel::translations)
      .def_readwrite("region_bytes", &HostModel::region_bytes)
      .def_readwrite("control_pages", &HostModel::control_pages)
      .def_readwrite("threads", &HostModel::threads)
      .def_readwrite("thread_gbps", &HostModel::thread_gbps)
      .def_readwrite("receive_buffer_bytes", &HostModel::receive_buffer_bytes)
      .def_readwrite("lossy_buffer_bytes", &HostModel::lossy_buffer_bytes)
      .def_readwrite("mark_buffer_bytes", &HostModel::mark_buffer_bytes)
      .def_readwrite("hostcc", &HostModel::hostcc)
      .def("walk_ns", &WalkNs)
      .def("drain", &DrainOf, py::kw_only(), py::arg("cores") = 0.0, py::arg("gbytes_per_s") = 0.0, py::arg("remote_cores") = 0.0,
           py::arg("remote_gbytes_per_s") = 0.0, py::arg("factor") = 1.0);
  py::class_<HostLoad>(m, "HostLoad")
      .def(py::init(&MakeLoad), py::kw_only(), py::arg("endport"), py::arg("start_s") = 0.0, py::arg("stop_s") = py::none(),
           py::arg("cores") = 0.0, py::arg("gbytes_per_s") = 0.0, py::arg("remote") = false);
}

}  // namespace ccsim

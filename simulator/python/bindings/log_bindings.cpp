// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "log_bindings.hpp"

namespace py = pybind11;

namespace ccsim {
namespace {

py::object OfSwitch(const SwitchCongestionLog& log, std::uint32_t node) {
  if (log.events == 0 && log.marked.none()) return py::none();
  py::dict d;
  d["node"] = node;
  d["events"] = log.events;
  py::list marked;
  for (std::size_t port = 0; port < log.marked.size(); ++port) {
    if (log.marked[port]) marked.append(port);
  }
  d["marked_ports"] = marked;
  py::list entries;
  for (const SwitchLogEntry& e : log.entries.OldestFirst()) {
    py::dict entry;
    entry["src"] = e.source;
    entry["dst"] = e.destination;
    entry["sl"] = e.sl;
    entry["timestamp"] = e.timestamp;
    entries.append(entry);
  }
  d["entries"] = entries;
  return d;
}

py::object OfCa(const CaCongestionLog& log, const Endport& at) {
  if (log.events == 0) return py::none();
  py::dict d;
  d["node"] = at.node;
  d["port"] = at.port;
  d["events"] = log.events;
  py::list sls;
  for (unsigned sl = 0; sl < kNumSls; ++sl) {
    if ((log.sls >> sl & 1) != 0) sls.append(sl);
  }
  d["sls"] = sls;
  py::list entries;
  for (const CaLogEntry& e : log.entries.OldestFirst()) {
    py::dict entry;
    entry["flow"] = e.flow;
    entry["qp"] = e.queue_pair == CaLogEntry::kWholeSl ? py::object(py::none()) : py::object(py::int_(e.queue_pair));
    entry["remote"] = e.remote;
    entry["sl"] = e.sl;
    entry["timestamp"] = e.timestamp;
    entries.append(entry);
  }
  d["entries"] = entries;
  return d;
}

}  // namespace

py::dict CongestionLogs(const Fabric& fabric, const Engine& engine) {
  py::list switches, cas;
  for (std::uint32_t s = 0; s < fabric.num_switches(); ++s) {
    const py::object log = OfSwitch(engine.SwitchLog(s), fabric.switches()[s]);
    if (!log.is_none()) switches.append(log);
  }
  for (std::uint32_t e = 0; e < fabric.endports().size(); ++e) {
    const py::object log = OfCa(engine.CaLog(e), fabric.endports()[e]);
    if (!log.is_none()) cas.append(log);
  }
  py::dict d;
  d["switches"] = switches;
  d["cas"] = cas;
  return d;
}

}  // namespace ccsim

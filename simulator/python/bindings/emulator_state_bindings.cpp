// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// emulator_state_bindings.cpp: Emulator.tables and counters: what the devices hold. It is copied in the emulator's thread and made
// Python's in the caller's.
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <utility>
#include <vector>

#include "emulator/subnet.hpp"
#include "emulator_bindings.hpp"
#include "policy_bindings.hpp"

namespace py = pybind11;

namespace ccsim {
namespace {

using emulator::Device;
using emulator::PmaPort;
using emulator::SmaPort;
using emulator::Subnet;

const char* NameOf(emulator::PortState state) {
  switch (state) {
    case emulator::PortState::Down: return "down";
    case emulator::PortState::Init: return "init";
    case emulator::PortState::Armed: return "armed";
    case emulator::PortState::Active: return "active";
  }
  return "down";
}

const char* NameOf(NodeKind kind) {
  switch (kind) {
    case NodeKind::Switch: return "switch";
    case NodeKind::Host: return "host";
    case NodeKind::Aggregation: return "aggregation";
    case NodeKind::Router: return "router";
  }
  return "host";
}

py::dict PortOf(const SmaPort& port) {
  py::dict d;
  d["state"] = NameOf(port.state);
  d["lid"] = port.lid;
  d["lmc"] = port.lmc;
  d["sm_lid"] = port.sm_lid;
  d["sm_sl"] = port.sm_sl;
  return d;
}

// A node as tables() shows it.
py::dict TablesOf(const Node& node, std::uint32_t index, const Device& device) {
  py::dict d;
  d["node"] = index;
  d["guid"] = node.guid;
  d["name"] = node.name;
  d["kind"] = NameOf(node.kind);
  d["present"] = device.present;
  py::dict ports;
  for (std::uint16_t p = 0; p < device.sma.ports.size(); ++p) {
    if (p == 0 && node.kind != NodeKind::Switch) continue;
    if (p > 0 && !node.ports[p].connected()) continue;
    ports[py::int_(p)] = PortOf(device.sma.ports[p]);
  }
  d["ports"] = ports;
  if (node.kind == NodeKind::Switch) {
    const std::vector<std::uint8_t>& lft = device.sma.forwarding;
    d["forwarding"] = py::bytes(reinterpret_cast<const char*>(lft.data()), lft.size());
  }
  return d;
}

py::list Tables(PyEmulator& self) {
  std::vector<Device> devices;
  self.Do([&](Subnet& subnet) {
    for (std::uint32_t n = 0; n < subnet.num_devices(); ++n) devices.push_back(subnet.device(n));
  });
  py::list result;
  for (std::uint32_t n = 0; n < devices.size(); ++n) result.append(TablesOf(self.fabric()->nodes()[n], n, devices[n]));
  return result;
}

struct CounterRow {
  Endport at;
  PmaPort counters;
};

template <typename T, typename Get>
py::array_t<T> Column(const std::vector<CounterRow>& rows, Get get) {
  py::array_t<T> column(static_cast<py::ssize_t>(rows.size()));
  T* out = column.mutable_data();
  for (const CounterRow& row : rows) *out++ = get(row);
  return column;
}

py::dict Counters(PyEmulator& self) {
  std::vector<CounterRow> rows;
  self.Do([&](Subnet& subnet) {
    for (std::uint32_t n = 0; n < subnet.num_devices(); ++n) {
      subnet.Refresh(n);
      const std::vector<PmaPort>& ports = subnet.device(n).pma.ports;
      for (std::uint16_t p = 1; p < ports.size(); ++p) {
        if (subnet.fabric().nodes()[n].ports[p].connected()) rows.push_back({{n, p}, ports[p]});
      }
    }
  });
  py::dict d;
  d["node"] = Column<std::uint32_t>(rows, [](const CounterRow& r) { return r.at.node; });
  d["port"] = Column<std::uint16_t>(rows, [](const CounterRow& r) { return r.at.port; });
  const auto counter = [&](const char* name, std::uint64_t PmaPort::* member) {
    d[name] = Column<std::uint64_t>(rows, [member](const CounterRow& r) { return r.counters.*member; });
  };
  counter("xmit_bytes", &PmaPort::xmit_bytes);
  counter("rcv_bytes", &PmaPort::rcv_bytes);
  counter("xmit_packets", &PmaPort::xmit_packets);
  counter("rcv_packets", &PmaPort::rcv_packets);
  counter("xmit_wait_ns", &PmaPort::xmit_wait_ns);
  counter("xmit_discards", &PmaPort::xmit_discards);
  counter("rcv_switch_relay_errors", &PmaPort::rcv_switch_relay_errors);
  return d;
}

}  // namespace

void BindEmulatorState(EmulatorClass& emulator) { emulator.def("tables", &Tables).def("counters", &Counters); }

}  // namespace ccsim

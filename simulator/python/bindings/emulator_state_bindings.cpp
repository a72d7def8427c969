// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// emulator_state_bindings.cpp: Emulator.tables, counters, mads and clients: what the devices hold and count, and the attached programs.
// Values are copied in the emulator's thread and turned into Python objects in the caller's.
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "emulator/agents/cca/nvidia_tables.hpp"
#include "emulator/agents/sma/vl_arbitration.hpp"
#include "emulator/subnet.hpp"
#include "emulator/subnet_fabric.hpp"
#include "emulator_bindings.hpp"
#include "policy_bindings.hpp"

namespace py = pybind11;

namespace ccsim {
namespace {

using emulator::PmaPort;
using emulator::SmaNode;
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

// A device as tables() shows it, but for keys.
struct HeldByDevice {
  bool present;
  SmaNode sma;
  emulator::SwitchTables switch_tables;
  emulator::NvidiaFirmware nvidia_firmware;
  emulator::NvidiaSwitchTables nvidia_switch_tables;
  std::vector<emulator::CaTables> cas;  // by port
  std::vector<emulator::NvidiaCaTables> nvidia_cas;
};

HeldByDevice CopyOf(const emulator::Device& device) {
  HeldByDevice held{device.present, device.sma, device.cca.switch_tables, device.cca.firmware.nvidia, device.cca.nvidia, {}, {}};
  for (const emulator::CcaPort& port : device.cca.ports) {
    held.cas.push_back(port.tables);
    held.nvidia_cas.push_back(port.nvidia);
  }
  return held;
}

py::list Entries(const std::vector<VlArbitrationEntry>& table) {
  py::list entries;
  for (const VlArbitrationEntry& e : table) entries.append(py::make_tuple(e.vl, e.weight));
  return entries;
}

py::list SlToVlOf(const emulator::SlToVlBytes& bytes) {
  py::list vls;
  for (unsigned sl = 0; sl < kNumSls; ++sl) vls.append(bytes[sl / 2] >> (sl % 2 == 0 ? 4 : 0) & 0x0F);
  return vls;
}

py::dict PortOf(const SmaPort& port) {
  py::dict d;
  d["state"] = NameOf(port.state);
  d["lid"] = port.lid;
  d["lmc"] = port.lmc;
  d["sm_lid"] = port.sm_lid;
  d["sm_sl"] = port.sm_sl;
  d["operational_vls"] = emulator::OperationalVls(port);
  py::dict by_port_in;  // only what was set
  for (std::size_t in = 0; in < port.sl_to_vl.size(); ++in) by_port_in[py::int_(in)] = SlToVlOf(port.sl_to_vl[in]);
  d["sl_to_vl"] = by_port_in;
  d["vl_arbitration"] = py::none();
  if (const auto tables = VlArbitrationOf(port)) {
    py::dict arbitration;
    arbitration["high"] = Entries(tables->high);
    arbitration["low"] = Entries(tables->low);
    arbitration["high_limit"] = tables->high_limit;
    d["vl_arbitration"] = arbitration;
  }
  return d;
}

py::dict CongestionOfSwitch(const Node& node, std::uint32_t index, const HeldByDevice& device) {
  const emulator::SwitchTables& held = device.switch_tables;
  emulator::NvidiaTables nvidia;
  std::vector<ccp_switch_port_setting> ports(node.ports.size());
  for (std::size_t p = 0; p < held.ports.size() && p < ports.size(); ++p) {
    const emulator::SwitchPortTables& own = held.ports[p];
    ports[p] = own.starvation.valid && !own.congestion.valid ? own.starvation : own.congestion;
  }
  ccp_switch_tables tables{};
  tables.node = index;
  tables.guid = node.guid;
  tables.setting = held.setting;
  tables.num_ports = node.num_ports();
  tables.ports = ports.data();
  if (KnowsNvidia(node.dialect)) tables.nvidia = nvidia.Add(node, device.nvidia_switch_tables);
  return SwitchAsDict(tables);
}

py::dict CongestionOfCa(const Node& node, std::uint32_t index, std::uint16_t port, const HeldByDevice& device) {
  const emulator::CaTables& held = device.cas[port];
  emulator::NvidiaTables nvidia;
  const ccp_cct_entry none{};
  ccp_ca_tables tables{};
  tables.node = index;
  tables.guid = node.guid;
  tables.port = port;
  tables.setting = held.setting;
  tables.cct.ccti_limit = held.has_cct ? held.ccti_limit : std::uint16_t{0};
  tables.cct.entries = held.has_cct ? held.cct.data() : &none;
  if (KnowsNvidia(node.dialect)) tables.nvidia = nvidia.Add(node, device.nvidia_cas[port], device.nvidia_firmware);
  EntryLists lists;
  return CaAsDict(tables, lists);
}

py::dict TablesOf(const Node& node, std::uint32_t index, const HeldByDevice& held) {
  const bool is_switch = node.kind == NodeKind::Switch;
  py::dict d;
  d["node"] = index;
  d["guid"] = node.guid;
  d["name"] = node.name;
  d["kind"] = NameOf(node.kind);
  d["dialect"] = std::string(NameOf(node.dialect));
  d["present"] = held.present;
  py::dict ports, congestion;
  for (std::uint16_t p = 0; p <= node.num_ports(); ++p) {
    if (p == 0 ? !is_switch : !node.ports[p].connected()) continue;
    ports[py::int_(p)] = PortOf(held.sma.ports[p]);
    if (!is_switch) congestion[py::int_(p)] = CongestionOfCa(node, index, p, held);
  }
  d["ports"] = ports;
  if (!is_switch) {
    d["congestion"] = congestion;
    return d;
  }
  const std::vector<std::uint8_t>& lft = held.sma.forwarding;
  d["forwarding"] = py::bytes(reinterpret_cast<const char*>(lft.data()), lft.size());
  d["forwarding_top"] = held.sma.forwarding_top;
  d["congestion"] = CongestionOfSwitch(node, index, held);
  return d;
}

py::list Tables(PyEmulator& self) {
  std::vector<HeldByDevice> devices;
  self.Do([&](const Subnet& subnet) {
    for (std::uint32_t n = 0; n < subnet.num_devices(); ++n) devices.push_back(CopyOf(subnet.device(n)));
  });
  py::list result;
  for (std::uint32_t n = 0; n < devices.size(); ++n) result.append(TablesOf(self.fabric()->nodes()[n], n, devices[n]));
  return result;
}

struct Counter {
  const char* name;
  std::uint64_t PmaPort::* member;
};
constexpr std::array kCounters{
    Counter{"xmit_bytes", &PmaPort::xmit_bytes},
    Counter{"rcv_bytes", &PmaPort::rcv_bytes},
    Counter{"xmit_packets", &PmaPort::xmit_packets},
    Counter{"rcv_packets", &PmaPort::rcv_packets},
    Counter{"xmit_wait_ns", &PmaPort::xmit_wait_ns},
    Counter{"rcv_fecn", &PmaPort::rcv_fecn},
    Counter{"rcv_becn", &PmaPort::rcv_becn},
    Counter{"xmit_discards", &PmaPort::xmit_discards},
    Counter{"rcv_switch_relay_errors", &PmaPort::rcv_switch_relay_errors},
};

py::dict Counters(PyEmulator& self) {
  std::vector<Endport> at;
  std::array<std::vector<std::uint64_t>, kCounters.size()> columns;
  self.Do([&](Subnet& subnet) {
    for (std::uint32_t n = 0; n < subnet.num_devices(); ++n) {
      subnet.Refresh(n);
      const std::vector<PmaPort>& ports = subnet.device(n).pma.ports;
      for (std::uint16_t p = 1; p <= subnet.fabric().nodes()[n].num_ports(); ++p) {
        if (!subnet.fabric().nodes()[n].ports[p].connected()) continue;
        at.push_back({n, p});
        for (std::size_t i = 0; i < kCounters.size(); ++i) columns[i].push_back(ports[p].*kCounters[i].member);
      }
    }
  });
  py::array_t<std::uint32_t> nodes(static_cast<py::ssize_t>(at.size()));
  py::array_t<std::uint16_t> numbers(static_cast<py::ssize_t>(at.size()));
  for (std::size_t i = 0; i < at.size(); ++i) {
    nodes.mutable_data()[i] = at[i].node;
    numbers.mutable_data()[i] = at[i].port;
  }
  py::dict d;
  d["node"] = nodes;
  d["port"] = numbers;
  for (std::size_t i = 0; i < kCounters.size(); ++i) {
    d[kCounters[i].name] = py::array_t<std::uint64_t>(static_cast<py::ssize_t>(columns[i].size()), columns[i].data());
  }
  return d;
}

py::list Clients(PyEmulator& self) {
  py::list result;
  for (const emulator::ClientSummary& client : self.Clients()) {
    py::dict d;
    d["id"] = client.id;
    d["pid"] = client.pid;
    d["node"] = client.at.node;
    d["port"] = client.at.port;
    d["is_sm"] = client.is_sm;
    result.append(d);
  }
  return result;
}

py::tuple Mads(PyEmulator& self, bool clear) {
  std::vector<emulator::MadCount> rows;
  std::int64_t now_ns = 0;
  self.Do([&](Subnet& subnet) {
    rows = subnet.mad_counts().rows();
    now_ns = subnet.now_ns();
    if (clear) subnet.mad_counts().Clear();
  });
  py::list result;
  for (const emulator::MadCount& row : rows) {
    py::dict d;
    d["mgmt_class"] = row.mgmt_class;
    d["method"] = row.method;
    d["attribute"] = row.attribute;
    d["count"] = row.count;
    d["first_ns"] = row.first_ns;
    d["last_ns"] = row.last_ns;
    result.append(d);
  }
  return py::make_tuple(now_ns, result);
}

}  // namespace

void BindEmulatorState(EmulatorClass& emulator) {
  emulator.def("tables", &Tables)
      .def("counters", &Counters)
      .def("clients", &Clients)
      .def("mads", &Mads, py::kw_only(), py::arg("clear") = false);
}

}  // namespace ccsim

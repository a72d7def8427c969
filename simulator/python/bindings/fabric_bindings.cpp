// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fabric_bindings.hpp"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <memory>
#include <stdexcept>

#include "fabric.hpp"
#include "routing/credit_loop.hpp"
#include "routing/reachability.hpp"
#include "routing/registry.hpp"
#include "routing/route_loads.hpp"
#include "routing/tree_levels.hpp"

namespace py = pybind11;

namespace ccsim {
namespace {

NodeKind KindFromName(const std::string& name) {
  if (name == "switch") return NodeKind::Switch;
  if (name == "host") return NodeKind::Host;
  if (name == "aggregation") return NodeKind::Aggregation;
  if (name == "router") return NodeKind::Router;
  throw std::invalid_argument("node kind '" + name + "' is not one of switch, host, aggregation, router");
}

const char* NameOfKind(NodeKind kind) {
  switch (kind) {
    case NodeKind::Switch: return "switch";
    case NodeKind::Host: return "host";
    case NodeKind::Aggregation: return "aggregation";
    case NodeKind::Router: return "router";
  }
  return "";
}

CcDialect DialectFromName(const std::string& name) {
  if (const auto dialect = FindCcDialect(name)) return *dialect;
  throw std::invalid_argument("congestion control '" + name + "' is not one of a10, nvidia-dcqcn, nvidia-ppcc, both, none");
}

const Node& NodeAt(const Fabric& fabric, std::uint32_t node) {
  if (node >= fabric.nodes().size()) {
    throw std::invalid_argument("node index " + std::to_string(node) + " does not exist; the fabric has " +
                                std::to_string(fabric.nodes().size()) + " nodes");
  }
  return fabric.nodes()[node];
}

SlToVl SlToVlFrom(const std::vector<int>& vls) {
  if (vls.size() != kNumSls) {
    throw std::invalid_argument("an SL-to-VL table of " + std::to_string(vls.size()) + " VLs does not fit; there are 16 SLs");
  }
  SlToVl table;
  for (std::size_t sl = 0; sl < kNumSls; ++sl) {
    if (vls[sl] < 0 || vls[sl] >= static_cast<int>(kMaxVls)) {
      throw std::invalid_argument("VL " + std::to_string(vls[sl]) + " is not a data VL; there are 0 to 14");
    }
    table[sl] = static_cast<std::uint8_t>(vls[sl]);
  }
  return table;
}

using EntryList = std::vector<std::pair<std::uint8_t, std::uint8_t>>;

VlArbitrationTables VlArbitrationFrom(const EntryList& high, const EntryList& low, std::uint8_t high_limit) {
  VlArbitrationTables tables;
  for (const auto& [vl, weight] : high) tables.high.push_back({vl, weight});
  for (const auto& [vl, weight] : low) tables.low.push_back({vl, weight});
  tables.high_limit = high_limit;
  return tables;
}

// The port if it exists and has a link, or nullptr if it is free; throws if there is no such port.
const Port* LinkedPort(const Fabric& fabric, std::uint32_t node, std::uint16_t port) {
  const Node& n = NodeAt(fabric, node);
  if (port < 1 || port > n.num_ports()) {
    throw std::invalid_argument("port " + std::to_string(port) + " of '" + n.name + "' does not exist; it has ports 1 to " +
                                std::to_string(n.num_ports()));
  }
  return n.ports[port].connected() ? &n.ports[port] : nullptr;
}

void RequireEndport(const Fabric& fabric, std::uint32_t endport) {
  if (endport < fabric.endports().size()) return;
  throw std::invalid_argument("endport " + std::to_string(endport) + " does not exist; the fabric has " +
                              std::to_string(fabric.endports().size()));
}

// Counts by switch and port as an array of a row for each switch.
py::array_t<std::uint64_t> LoadsArray(const Fabric& fabric, const std::vector<std::uint64_t>& loads) {
  const std::vector<py::ssize_t> shape{static_cast<py::ssize_t>(fabric.num_switches()), static_cast<py::ssize_t>(kLoadsOfSwitch)};
  return py::array_t<std::uint64_t>(shape, loads.data());
}

}  // namespace

void BindFabric(py::module_& m) {
  m.def("routing_names", &RoutingNames);
  m.def("dialect_names", [] { return std::vector<std::string>(kCcDialectNames.begin(), kCcDialectNames.end()); });
  m.def("link_data_gbps", [](const std::string& rate) { return ParseLinkRate(rate).data_gbps(); }, py::arg("rate"));

  m.def(
      "tree_levels",
      [](std::vector<std::vector<std::uint32_t>> links, std::vector<std::uint32_t> hosts) {
        if (hosts.size() != links.size()) throw std::invalid_argument("there must be as many numbers of hosts as switches");
        for (const auto& of_switch : links) {
          for (const std::uint32_t to : of_switch) {
            if (to >= links.size()) throw std::invalid_argument("switch " + std::to_string(to) + " does not exist");
          }
        }
        TreeLevels found;
        {
          const py::gil_scoped_release release;
          found = FindTreeLevels({std::move(links), std::move(hosts)});
        }
        py::list level, in_tree;
        for (std::size_t s = 0; s < found.level.size(); ++s) {
          level.append(found.level[s] == kNone ? py::object(py::none()) : py::object(py::int_(found.level[s])));
          in_tree.append(py::bool_(found.in_tree[s] != 0));
        }
        return py::make_tuple(level, in_tree, found.tops, found.full_tops);
      },
      py::arg("links"), py::arg("hosts"));

  py::class_<Fabric, std::shared_ptr<Fabric>>(m, "Fabric")
      .def(py::init<std::uint32_t>(), py::kw_only(), py::arg("mtu_bytes") = 2048)
      .def(
          "add_node",
          [](Fabric& f, std::string name, const std::string& kind, std::uint64_t guid, std::uint16_t num_ports) {
            return f.AddNode(std::move(name), KindFromName(kind), guid, num_ports);
          },
          py::arg("name"), py::arg("kind"), py::kw_only(), py::arg("guid"), py::arg("num_ports"))
      .def(
          "connect",
          [](Fabric& f, std::uint32_t a, std::uint16_t pa, std::uint32_t b, std::uint16_t pb, const std::string& rate,
             double propagation_ns) { f.Connect(a, pa, b, pb, ParseLinkRate(rate), FromNs(propagation_ns)); },
          py::arg("node_a"), py::arg("port_a"), py::arg("node_b"), py::arg("port_b"), py::kw_only(), py::arg("rate"),
          py::arg("propagation_ns") = 25.0)
      .def("set_port_guid", &Fabric::SetPortGuid, py::arg("node"), py::arg("port"), py::arg("guid"))
      .def(
          "set_dialect",
          [](Fabric& f, std::uint32_t node, const std::string& dialect) { f.SetDialect(node, DialectFromName(dialect)); },
          py::arg("node"), py::arg("dialect"))
      .def("set_host_limits", &Fabric::SetHostLimits, py::arg("node"), py::kw_only(), py::arg("inject_gbps") = py::none(),
           py::arg("receive_gbps") = py::none())
      .def(
          "set_host_model",
          [](Fabric& f, std::uint32_t node, const HostModel& model) {  // a copy, which nobody changes
            f.SetHostModel(node, std::make_shared<const HostModel>(model));
          },
          py::arg("node"), py::arg("model"))
      .def("set_coordinates", &Fabric::SetCoordinates, py::arg("switch"), py::arg("at"))
      .def(
          "route_by",
          [](Fabric& f, const std::string& routing, std::vector<std::uint32_t> roots, std::uint64_t order_seed) {
            RouteBy(f, routing, RoutingOptions{std::move(roots), order_seed});
          },
          py::arg("routing"), py::kw_only(), py::arg("roots") = py::tuple(), py::arg("order_seed") = 0,
          py::call_guard<py::gil_scoped_release>())
      .def(
          "credit_loop",
          [](const Fabric& f, unsigned num_vls) -> py::object {
            std::vector<Channel> loop;
            {
              py::gil_scoped_release release;
              loop = FindCreditLoop(f, num_vls);
            }
            if (loop.empty()) return py::none();
            py::list channels;
            for (const Channel& c : loop) channels.append(py::make_tuple(c.node, c.port, c.vl));
            return channels;
          },
          py::kw_only(), py::arg("num_vls") = 0)
      .def_property_readonly("min_vls", &Fabric::min_vls)
      .def("set_forward", &Fabric::SetForward, py::arg("switch"), py::arg("endport"), py::arg("port"))
      .def(
          "set_sl_to_vl",
          [](Fabric& f, std::optional<std::uint32_t> node, std::uint16_t in_port, std::uint16_t out_port,
             const std::vector<int>& vls) {
            if (node) {
              f.SetSlToVl(*node, in_port, out_port, SlToVlFrom(vls));
            } else {
              f.SetDefaultSlToVl(SlToVlFrom(vls));
            }
          },
          py::arg("node"), py::arg("in_port"), py::arg("out_port"), py::arg("vls"))
      .def(
          "set_vl_arbitration",
          [](Fabric& f, std::optional<std::uint32_t> node, std::uint16_t port, const EntryList& high, const EntryList& low,
             std::uint8_t high_limit) {
            if (node) {
              f.SetVlArbitration(*node, port, VlArbitrationFrom(high, low, high_limit));
            } else {
              f.SetDefaultVlArbitration(VlArbitrationFrom(high, low, high_limit));
            }
          },
          py::arg("node"), py::arg("port"), py::kw_only(), py::arg("high") = EntryList{}, py::arg("low") = EntryList{},
          py::arg("high_limit") = kHighLimitNone)
      .def(
          "route",
          [](const Fabric& f, std::uint32_t src, std::uint32_t dst) {
            for (const std::uint32_t e : {src, dst}) RequireEndport(f, e);
            py::list hops;
            for (const Hop& hop : f.Route(src, dst)) hops.append(py::make_tuple(hop.node, hop.port));
            return hops;
          },
          py::arg("src_endport"), py::arg("dst_endport"))
      .def(
          "unreachable",
          [](const Fabric& f, const std::vector<std::uint32_t>& sources) {
            for (const std::uint32_t e : sources) RequireEndport(f, e);
            const py::gil_scoped_release release;
            return Unreachable(f, sources);
          },
          py::arg("sources"))
      .def("pair_loads",
           [](const Fabric& f) {
             std::vector<std::uint64_t> loads;
             {
               const py::gil_scoped_release release;
               loads = PairLoads(f);
             }
             return LoadsArray(f, loads);
           })
      .def(
          "flow_loads",
          [](const Fabric& f, const std::vector<std::uint32_t>& sources, const std::vector<std::uint32_t>& destinations) {
            std::vector<std::uint64_t> loads;
            {
              const py::gil_scoped_release release;
              loads = FlowLoads(f, sources, destinations);
            }
            return LoadsArray(f, loads);
          },
          py::arg("sources"), py::arg("destinations"))
      .def(
          "endport",
          [](const Fabric& f, std::uint32_t node, std::uint16_t port) {
            const std::uint32_t index = f.endport_index(node, port);
            if (index == kNone) {
              throw std::invalid_argument("port " + std::to_string(port) + " of '" + NodeAt(f, node).name +
                                          "' is not a connected port of a channel adapter");
            }
            return index;
          },
          py::arg("node"), py::arg("port"))
      .def(
          "peer",
          [](const Fabric& f, std::uint32_t node, std::uint16_t port) -> py::object {
            const Port* p = LinkedPort(f, node, port);
            return p ? py::object(py::make_tuple(p->peer_node, p->peer_port)) : py::none();
          },
          py::arg("node"), py::arg("port"))
      .def(
          "link",
          [](const Fabric& f, std::uint32_t node, std::uint16_t port) -> py::object {
            const Port* p = LinkedPort(f, node, port);
            if (!p) return py::none();
            return py::make_tuple(p->rate.ToString(), static_cast<double>(p->propagation) / kFsPerNs);
          },
          py::arg("node"), py::arg("port"))
      .def_property_readonly("num_nodes", [](const Fabric& f) { return f.nodes().size(); })
      .def_property_readonly("mtu_bytes", &Fabric::mtu_bytes)
      .def_property_readonly("endports",
                             [](const Fabric& f) {
                               py::list endports;
                               for (const Endport& e : f.endports()) endports.append(py::make_tuple(e.node, e.port));
                               return endports;
                             })
      .def(
          "node_name", [](const Fabric& f, std::uint32_t node) { return NodeAt(f, node).name; }, py::arg("node"))
      .def(
          "node_kind", [](const Fabric& f, std::uint32_t node) { return NameOfKind(NodeAt(f, node).kind); }, py::arg("node"))
      .def(
          "node_dialect", [](const Fabric& f, std::uint32_t node) { return std::string(NameOf(NodeAt(f, node).dialect)); },
          py::arg("node"))
      .def(
          "node_guid", [](const Fabric& f, std::uint32_t node) { return NodeAt(f, node).guid; }, py::arg("node"))
      .def("node_num_ports", [](const Fabric& f, std::uint32_t node) { return NodeAt(f, node).num_ports(); }, py::arg("node"));
}

}  // namespace ccsim

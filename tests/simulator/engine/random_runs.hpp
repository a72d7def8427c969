// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// random_runs.hpp: random small fabrics, flows, tables and models.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "engine/engine.hpp"
#include "testing.hpp"

namespace ccsim::testing {

template <typename T, std::size_t N>
T OneOf(Rng& rng, const T (&choices)[N]) {
  return choices[rng.Below(N)];
}

// A tree of one to four switches with two to eight hosts: trees have no credit loops.
inline Bed RandomTree(Rng& rng) {
  const std::uint32_t mtus[] = {256, 2048, 4096};
  const char* rates[] = {"1xSDR", "4xDDR", "4xFDR", "4xEDR", "12xXDR"};
  const double delays_ns[] = {0, 25, 1000};
  Bed bed{Fabric(OneOf(rng, mtus)), {}};
  Fabric& f = bed.fabric;
  std::vector<std::uint16_t> used;
  const auto connect = [&](std::uint32_t node, std::uint16_t port, std::uint32_t sw) {
    f.Connect(node, port, sw, ++used[sw], ParseLinkRate(OneOf(rng, rates)), FromNs(OneOf(rng, delays_ns)));
  };
  for (std::uint64_t i = 0, n = 1 + rng.Below(4); i < n; ++i) {
    const std::uint32_t sw = f.AddNode("S", NodeKind::Switch, 1 + i, 20);
    used.push_back(i > 0 ? 1 : 0);
    if (i > 0) connect(sw, 1, static_cast<std::uint32_t>(rng.Below(i)));
  }
  const std::uint64_t num_switches = used.size();
  for (std::uint64_t i = 0, n = 2 + rng.Below(7); i < n; ++i) {
    const std::uint32_t host = f.AddNode("H", NodeKind::Host, 100 + i, 1);
    const double limits[] = {0.001, 3, 50};
    if (rng.Below(2) == 0) f.SetHostLimits(host, 1 + OneOf(rng, limits), 1 + OneOf(rng, limits));
    connect(host, 1, static_cast<std::uint32_t>(rng.Below(num_switches)));
    bed.hosts.push_back(f.endport_index(host, 1));
  }
  RouteBy(f, "minhop");
  return bed;
}

inline Model RandomModel(Rng& rng) {
  const ThresholdMode modes[] = {ThresholdMode::Voq, ThresholdMode::Sum, ThresholdMode::Contributing};
  const RootTest tests[] = {RootTest::Crossing, RootTest::Marking, RootTest::Both};
  const std::uint32_t distances[] = {0, 2112, 16896};
  const double spacings[] = {0, 4000};
  const std::uint32_t acks[] = {1, 8, 32};
  Model model;
  model.num_vls = static_cast<std::uint32_t>(1 + rng.Below(3));
  model.switches.input_buffer_bytes = static_cast<std::uint32_t>((66 + rng.Below(300)) * 64);
  model.switches.read_ports = static_cast<std::uint32_t>(1 + rng.Below(3));
  model.switches.threshold_mode = OneOf(rng, modes);
  model.switches.hysteresis_bytes = OneOf(rng, distances);
  model.switches.root_test = OneOf(rng, tests);
  model.ca.input_buffer_bytes = static_cast<std::uint32_t>((66 + rng.Below(300)) * 64);
  model.ca.becn_carrier = rng.Below(2) == 0 ? BecnCarrier::Cnp : BecnCarrier::Ack;
  model.ca.becn_delay_ns = rng.Below(2) == 0 ? 0 : 500;
  model.ca.cnp_spacing_ns = OneOf(rng, spacings);
  if (model.num_vls > 1 && rng.Below(2) == 0) model.ca.control_vl = ControlVl::Last;
  model.ca.ack_every_packets = OneOf(rng, acks);
  model.ca.ccti_timer = rng.Below(2) == 0 ? CctiTimer::PortSl : CctiTimer::Flow;
  const QpScheduling schedulings[] = {QpScheduling::Packet, QpScheduling::Message, QpScheduling::Weighted};
  model.ca.qp_scheduling = OneOf(rng, schedulings);
  return model;
}

// Makes the second a flow of the same source, maybe to many destinations, and gives both one generator.
inline void ShareGenerator(Rng& rng, const Bed& bed, Flow& first, Flow& second) {
  const Generator::Kind kinds[] = {Generator::Kind::Independent, Generator::Kind::Strict};
  if (second.dst == first.src) second.dst = first.dst;
  second.src = first.src;
  second.start = first.start;
  second.sl = first.sl;
  first.queue_pairs = second.queue_pairs = 1;
  if (rng.Below(2) == 0) {
    const Destinations::Order orders[] = {Destinations::Order::Uniform, Destinations::Order::Moving};
    auto all = std::make_shared<Destinations>();
    all->order = OneOf(rng, orders);
    all->period = FromNs(20'000);
    all->endports = bed.hosts;
    second.destinations = all;
  }
  first.rate_gbps = 5;
  second.rate_gbps = 1;
  first.generator = second.generator = std::make_shared<const Generator>(
      Generator{.kind = OneOf(rng, kinds), .queue_messages = static_cast<std::uint32_t>(1 + rng.Below(3))});
}

inline std::vector<Flow> RandomFlows(Rng& rng, const Bed& bed) {
  const std::uint32_t sizes[] = {1, 100, 2048, 5000, 65536};
  const double rates[] = {0, 0.01, 5};
  std::vector<Flow> flows(1 + rng.Below(6));
  for (Flow& flow : flows) {
    const std::size_t from = rng.Below(bed.hosts.size());
    flow.src = bed.hosts[from];
    flow.dst = bed.hosts[(from + 1 + rng.Below(bed.hosts.size() - 1)) % bed.hosts.size()];
    flow.start = FromNs(static_cast<double>(rng.Below(2)) * 10'000);
    flow.stop = FromSeconds(1e-4);
    flow.message_bytes = OneOf(rng, sizes);
    flow.queue_pairs = static_cast<std::uint32_t>(1 + rng.Below(3));
    flow.sl = static_cast<std::uint8_t>(rng.Below(4));
    flow.rate_gbps = OneOf(rng, rates);
  }
  if (flows.size() > 1 && rng.Below(2) == 0) ShareGenerator(rng, bed, flows[0], flows[1]);
  return flows;
}

inline UniformTables RandomSettings(Rng& rng) {
  UniformTables settings;
  settings.threshold = static_cast<std::uint8_t>(rng.Below(16));
  settings.marking_rate = static_cast<std::uint16_t>(rng.Below(3));
  settings.ccti_timer = static_cast<std::uint16_t>(rng.Below(20));
  settings.ccti_increase = static_cast<std::uint8_t>(rng.Below(4));
  settings.ccti_min = static_cast<std::uint8_t>(rng.Below(3));
  settings.sl_level = rng.Below(2) == 0;
  return settings;
}

inline SlToVl RandomSlToVl(Rng& rng, unsigned num_vls) {
  SlToVl table;
  for (std::uint8_t& vl : table) vl = static_cast<std::uint8_t>(rng.Below(num_vls));
  return table;
}

// Every VL has a weight somewhere, so that every flow is served.
inline VlArbitrationTables RandomArbitration(Rng& rng, unsigned num_vls) {
  const std::uint8_t limits[] = {0, 1, 7, 254};  // without a limit, high could starve low for as long as a flow lasts
  VlArbitrationTables tables;
  for (std::uint8_t vl = 0; vl < num_vls; ++vl) {
    (rng.Below(2) == 0 ? tables.high : tables.low).push_back({vl, static_cast<std::uint8_t>(1 + rng.Below(255))});
    if (rng.Below(3) == 0) tables.low.push_back({vl, static_cast<std::uint8_t>(rng.Below(256))});
  }
  tables.high_limit = OneOf(rng, limits);
  return tables;
}

inline void SetRandomPathSls(Rng& rng, Fabric& f) {
  std::vector<std::uint8_t> path_sls(std::size_t{f.num_switches()} * f.num_switches());
  for (std::uint8_t& sl : path_sls) sl = static_cast<std::uint8_t>(rng.Below(4));
  f.SetPathSls(2, std::move(path_sls));
}

// SL-to-VL tables, VL arbitration, path SLs and shared buffers on top of what is there; each in about half of all cases.
inline void AddServiceLevels(Rng& rng, Fabric& f, Model& model) {
  const unsigned num_vls = model.num_vls + 1u;
  model.ca.control_vl = ControlVl::Data;  // the tables say where ACKs and CNPs travel
  if (rng.Below(2) == 0) f.SetDefaultSlToVl(RandomSlToVl(rng, num_vls));
  for (std::uint32_t n = 0; n < f.nodes().size(); ++n) {
    for (std::uint16_t out = 1; out <= f.nodes()[n].num_ports(); ++out) {
      if (rng.Below(2) == 0) continue;
      const auto in =
          static_cast<std::uint16_t>(f.nodes()[n].kind == NodeKind::Switch ? 1 + rng.Below(f.nodes()[n].num_ports()) : 0);
      f.SetSlToVl(n, in, out, RandomSlToVl(rng, num_vls));
      if (rng.Below(2) == 0) f.SetVlArbitration(n, out, RandomArbitration(rng, num_vls));
    }
  }
  if (rng.Below(2) == 0) f.SetDefaultVlArbitration(RandomArbitration(rng, num_vls));
  if (rng.Below(2) == 0) {
    SetRandomPathSls(rng, f);
  }
  if (rng.Below(2) == 0) {
    model.switches.buffer_sharing = BufferSharing::Shared;
    model.switches.input_buffer_bytes += num_vls * 66 * 64;
  }
}

inline Tables RandomTables(Rng& rng, const Fabric& fabric) {
  Tables tables = MakeTables(fabric, RandomSettings(rng));
  for (std::uint32_t i = 0; i < tables->num_switches; ++i) {
    ccp_switch_setting& s = tables->switches[i].setting;
    s.control_map = static_cast<std::uint32_t>(rng.Below(32));
    s.cs_threshold = static_cast<std::uint8_t>(rng.Below(16));
    s.cs_return_delay = {static_cast<std::uint8_t>(rng.Below(4)), static_cast<std::uint16_t>(rng.Below(8))};
    for (unsigned port = 1; port < 20; ++port) {
      if (rng.Below(3) == 0) ccp_port_mask_set(s.credit_mask, port);
    }
  }
  for (std::uint32_t i = 0; i < tables->num_cas; ++i) {
    tables->cas[i].setting.control_map = static_cast<std::uint16_t>(rng.Next32());
    tables->cas[i].setting.port_control = static_cast<std::uint16_t>(rng.Below(2));
    for (auto& sl : tables->cas[i].setting.sls) sl.trigger_threshold = static_cast<std::uint8_t>(rng.Below(5));
  }
  return tables;
}

// Flows to all hosts, on top of those with one destination.
inline void AddManyDestinations(Rng& rng, const Bed& bed, std::vector<Flow>& flows) {
  const Destinations::Order orders[] = {Destinations::Order::Uniform, Destinations::Order::Cyclic, Destinations::Order::Moving};
  auto all = std::make_shared<Destinations>();
  all->order = OneOf(rng, orders);
  all->period = FromNs(20'000);
  all->endports = bed.hosts;
  for (std::uint64_t i = rng.Below(3); i > 0; --i) {
    Flow flow = flows.front();
    flow.queue_pairs = 1;
    flow.rate_gbps = 0;
    flow.generator = nullptr;
    flow.src = bed.hosts[rng.Below(bed.hosts.size())];
    flow.destinations = all;
    flows.push_back(flow);
  }
}

}  // namespace ccsim::testing

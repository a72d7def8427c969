// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// testing.hpp: small fabrics and tables to test with.
#pragma once

#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "ccpolicy/tables.h"
#include "fabric.hpp"
#include "flow.hpp"
#include "routing/registry.hpp"

namespace ccsim::testing {

// A fabric and its hosts' endports, host H<i> at hosts[i - 1].
struct Bed {
  Fabric fabric;
  std::vector<std::uint32_t> hosts;
  std::uint32_t h(int number) const { return hosts[static_cast<std::size_t>(number) - 1]; }
};

// Hosts H1..Hn on one switch.
inline Bed OneSwitch(int num_hosts, const std::string& rate = "4xDDR", std::uint32_t mtu_bytes = 2048,
                     double propagation_ns = 25) {
  Bed bed{Fabric(mtu_bytes), {}};
  const std::uint32_t sw = bed.fabric.AddNode("S1", NodeKind::Switch, 1, static_cast<std::uint16_t>(num_hosts));
  for (int i = 1; i <= num_hosts; ++i) {
    const std::uint32_t host = bed.fabric.AddNode("H" + std::to_string(i), NodeKind::Host, 100u + static_cast<unsigned>(i), 1);
    bed.fabric.Connect(host, 1, sw, static_cast<std::uint16_t>(i), ParseLinkRate(rate), FromNs(propagation_ns));
    bed.hosts.push_back(bed.fabric.endport_index(host, 1));
  }
  RouteBy(bed.fabric, "minhop");
  return bed;
}

// H1..H3 on S1 and H4..H7 on S2, 4xDDR to hosts and 4xQDR between the switches: the thesis' test bed.
inline Bed TwoSwitch(bool host_limits = true) {
  Bed bed{Fabric(2048), {}};
  Fabric& f = bed.fabric;
  const std::uint32_t s1 = f.AddNode("S1", NodeKind::Switch, 1, 36);
  const std::uint32_t s2 = f.AddNode("S2", NodeKind::Switch, 2, 36);
  for (std::uint16_t i = 1; i <= 7; ++i) {
    const std::uint32_t host = f.AddNode("H" + std::to_string(i), NodeKind::Host, 100u + i, 1);
    if (host_limits) f.SetHostLimits(host, 13.0, 13.3);
    f.Connect(host, 1, i <= 3 ? s1 : s2, i, ParseLinkRate("4xDDR"), FromNs(25));
    bed.hosts.push_back(f.endport_index(host, 1));
  }
  f.Connect(s1, 36, s2, 36, ParseLinkRate("4xQDR"), FromNs(25));
  RouteBy(f, "minhop");
  return bed;
}

struct TablesDeleter {
  void operator()(ccp_tables* tables) const { ccp_tables_destroy(tables); }
};
using Tables = std::unique_ptr<ccp_tables, TablesDeleter>;

// The same settings on every device: Threshold 15, the given Marking_Rate, Victim_Mask on ports to hosts, a CCT whose entry i is
// i * multiplier_step of whole packet times.
struct UniformTables {
  std::uint8_t threshold = 15;
  std::uint16_t marking_rate = 0;
  std::uint8_t packet_size = 0;
  bool victim_mask = true;
  std::uint16_t ccti_timer = 150;
  std::uint8_t ccti_increase = 1;
  std::uint8_t ccti_min = 0;
  std::uint16_t ccti_limit = 127;
  std::uint16_t multiplier_step = 1;
  bool sl_level = false;
};

inline Tables MakeTables(const Fabric& fabric, const UniformTables& u = {}) {
  Tables tables(static_cast<ccp_tables*>(std::calloc(1, sizeof(ccp_tables))));
  tables->enable = true;
  tables->num_switches = fabric.num_switches();
  tables->switches = static_cast<ccp_switch_tables*>(std::calloc(tables->num_switches + 1, sizeof(ccp_switch_tables)));
  for (std::uint32_t i = 0; i < fabric.num_switches(); ++i) {
    ccp_switch_tables& sw = tables->switches[i];
    const Node& node = fabric.nodes()[fabric.switches()[i]];
    sw.node = fabric.switches()[i];
    sw.guid = node.guid;
    sw.num_ports = node.num_ports();
    sw.ports = static_cast<ccp_switch_port_setting*>(std::calloc(sw.num_ports + 1u, sizeof(ccp_switch_port_setting)));
    sw.setting.control_map = 0x1F;
    sw.setting.threshold = u.threshold;
    sw.setting.marking_rate = u.marking_rate;
    sw.setting.packet_size = u.packet_size;
    for (std::uint16_t p = 1; u.victim_mask && p <= node.num_ports(); ++p) {
      if (node.ports[p].connected() && fabric.nodes()[node.ports[p].peer_node].kind != NodeKind::Switch) {
        ccp_port_mask_set(sw.setting.victim_mask, p);
      }
    }
  }
  auto* entries = static_cast<ccp_cct_entry*>(std::calloc(u.ccti_limit + 1u, sizeof(ccp_cct_entry)));
  for (std::uint32_t i = 0; i <= u.ccti_limit; ++i) entries[i] = {0, static_cast<std::uint16_t>(i * u.multiplier_step)};
  tables->num_cct_pool = 1;
  tables->cct_pool = static_cast<ccp_cct_entry**>(std::calloc(1, sizeof(ccp_cct_entry*)));
  tables->cct_pool[0] = entries;
  tables->num_cas = static_cast<std::uint32_t>(fabric.endports().size());
  tables->cas = static_cast<ccp_ca_tables*>(std::calloc(tables->num_cas + 1u, sizeof(ccp_ca_tables)));
  for (std::uint32_t e = 0; e < tables->num_cas; ++e) {
    ccp_ca_tables& ca = tables->cas[e];
    ca.node = fabric.endports()[e].node;
    ca.port = fabric.endports()[e].port;
    ca.setting.port_control = u.sl_level ? 1 : 0;
    ca.setting.control_map = 0xFFFF;
    for (ccp_ca_sl_setting& sl : ca.setting.sls) sl = {u.ccti_timer, u.ccti_increase, 0, u.ccti_min};
    ca.cct.ccti_limit = u.ccti_limit;
    ca.cct.entries = entries;
  }
  return tables;
}

}  // namespace ccsim::testing

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "engine/check_service_levels.hpp"

#include <array>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace ccsim {
namespace {

// Position of each switch's connected ports among them.
std::vector<std::vector<std::uint8_t>> LocalPorts(const Fabric& fabric) {
  std::vector<std::vector<std::uint8_t>> local;
  for (const std::uint32_t node : fabric.switches()) {
    auto& of = local.emplace_back(fabric.nodes()[node].ports.size(), std::uint8_t{0});
    std::uint8_t next = 0;
    for (std::size_t p = 1; p < of.size(); ++p) {
      if (fabric.nodes()[node].ports[p].connected()) of[p] = next++;
    }
  }
  return local;
}

class ArbitrationCheck {
 public:
  ArbitrationCheck(const Fabric& fabric, const ServiceLevels& levels)
      : fabric_(fabric), levels_(levels), local_(LocalPorts(fabric)) {}

  // Follows a packet; from where another to the same place on the same SL has been, the rest is known.
  void Require(std::uint32_t src, std::uint32_t dst, unsigned flow_sl, std::size_t index) {
    const unsigned sl = levels_.Sl(flow_sl, src, dst);
    const Endport to = fabric_.endports()[dst];
    Endport at = fabric_.endports()[src];
    unsigned vl = levels_.FirstVl(src, sl);
    for (;;) {
      RequireServed(at, vl, sl, index);
      const Port& link = fabric_.nodes()[at.node].ports[at.port];
      if (link.peer_node == to.node && link.peer_port == to.port) return;
      if (!known_.insert({link.peer_node, link.peer_port, dst, sl}).second) return;
      const std::uint32_t ordinal = fabric_.switch_ordinal(link.peer_node);
      const std::uint8_t out = fabric_.forward(ordinal, dst);
      vl = levels_.NextVl(ordinal, local_[ordinal][link.peer_port], local_[ordinal][out], sl);
      at = {link.peer_node, out};
    }
  }

 private:
  void RequireServed(const Endport& at, unsigned vl, unsigned sl, std::size_t index) const {
    if (vl == kNoVl) {
      RefuseFlow(index, "its packets on SL " + std::to_string(sl) + " come to port " + std::to_string(at.port) + " of '" +
                            fabric_.nodes()[at.node].name +
                            "', where SL-to-VL and VL arbitration leave them no VL: they would be "
                            "discarded");
    }
    const VlArbitrationTables* tables = fabric_.vl_arbitration(at.node, at.port);
    if (tables == nullptr || (tables->served_vls() >> vl & 1) != 0) return;
    RefuseFlow(index, "its packets on SL " + std::to_string(sl) + " come to port " + std::to_string(at.port) + " of '" +
                          fabric_.nodes()[at.node].name + "' on VL " + std::to_string(vl) +
                          ", which VL arbitration there has no entry for: they would never leave");
  }

  const Fabric& fabric_;
  const ServiceLevels& levels_;
  const std::vector<std::vector<std::uint8_t>> local_;
  std::set<std::array<std::uint32_t, 4>> known_;  // node, port come in by, destination, SL
};

bool EveryVlIsServedEverywhere(const Fabric& fabric, unsigned num_vls) {
  const unsigned all = (1u << num_vls) - 1;
  for (std::uint32_t n = 0; n < fabric.nodes().size(); ++n) {
    for (std::uint16_t p = 1; p <= fabric.nodes()[n].num_ports(); ++p) {
      const VlArbitrationTables* tables = fabric.nodes()[n].ports[p].connected() ? fabric.vl_arbitration(n, p) : nullptr;
      if (tables != nullptr && (tables->served_vls() & all) != all) return false;
    }
  }
  return true;
}

}  // namespace

void CheckServiceLevels(const Fabric& fabric, const ServiceLevels& levels, unsigned num_vls, std::span<const Flow> flows) {
  for (std::size_t i = 0; i < flows.size(); ++i) {
    if (flows[i].sl > levels.max_flow_sl()) {
      RefuseFlow(i, "SL " + std::to_string(flows[i].sl) + " is not possible; the routing tells paths apart by " +
                        std::to_string(levels.path_sl_bits()) + " bits of the SL, which leaves 0 to " +
                        std::to_string(levels.max_flow_sl()));
    }
  }
  if (!levels.discards() && (!fabric.has_vl_arbitration() || EveryVlIsServedEverywhere(fabric, num_vls))) return;
  ArbitrationCheck check(fabric, levels);
  for (std::size_t i = 0; i < flows.size(); ++i) {
    const Flow& flow = flows[i];
    for (const std::uint32_t dst : flow.destinations ? flow.destinations->endports : std::vector{flow.dst}) {
      if (dst == flow.src) continue;
      check.Require(flow.src, dst, flow.sl, i);
      check.Require(dst, flow.src, flow.sl, i);
    }
  }
}

}  // namespace ccsim

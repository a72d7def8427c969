// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fabric_view.hpp"

#include <stdexcept>

#include "ccpolicy/resolve.h"

namespace ccsim {
namespace {

static_assert(kNone == CCP_NO_PEER);

ccp_node_kind KindOf(NodeKind kind) {
  switch (kind) {
    case NodeKind::Switch: return CCP_NODE_SWITCH;
    case NodeKind::Host: return CCP_NODE_HOST;
    case NodeKind::Aggregation: return CCP_NODE_AGGREGATION;
    case NodeKind::Router: return CCP_NODE_ROUTER;
  }
  return CCP_NODE_HOST;
}

}  // namespace

FabricView::FabricView(const Fabric& fabric) {
  peers_.reserve(fabric.nodes().size());
  nodes_.reserve(fabric.nodes().size());
  for (const Node& node : fabric.nodes()) {
    auto& peers = peers_.emplace_back();
    for (const Port& port : node.ports) peers.push_back(port.peer_node);
    nodes_.push_back({.guid = node.guid,
                      .description = node.name.c_str(),
                      .kind = KindOf(node.kind),
                      .num_ports = node.num_ports(),
                      .peer_nodes = peers.data()});
  }
  view_ = {.num_nodes = static_cast<std::uint32_t>(nodes_.size()), .nodes = nodes_.data()};
}

std::shared_ptr<const ccp_tables> ResolveProfile(const ccp_profile& profile, const Fabric& fabric) {
  const FabricView view(fabric);
  ccp_error error{};
  ccp_tables* tables = ccp_resolve(&profile, &view.view(), &error);
  if (tables == nullptr) throw std::invalid_argument(error.message);
  return {tables, ccp_tables_destroy};
}

}  // namespace ccsim

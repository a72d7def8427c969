// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fat_tree.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

namespace ccsim {
namespace {

[[noreturn]] void RefuseFatTree(const std::string& reason) {
  throw std::invalid_argument("the fabric is not a fat tree: " + reason);
}

void FindLevels(const SwitchGraph& graph, const TreeLevels& levels, FatTree& tree) {
  tree.level = levels.level;
  for (std::uint32_t s = 0; s < graph.size(); ++s) {
    if (tree.level[s] == kNone) {
      if (!graph.links(s).empty()) RefuseFatTree("no host can be reached from switch " + graph.Name(s));
      continue;
    }
    tree.num_levels = std::max(tree.num_levels, tree.level[s]);
  }
  for (std::uint32_t s = 0; s < graph.size(); ++s) {
    for (const SwitchLink& link : graph.links(s)) {
      if (tree.level[s] == tree.level[link.to]) {
        RefuseFatTree("switches " + graph.Name(s) + " and " + graph.Name(link.to) + " are linked and equally far from the hosts");
      }
    }
  }
}

// Adds one end of a link to the bundle of its peer; `links` come in the order of the lower switch's ports.
void AddTo(std::vector<Bundle>& bundles, std::uint32_t to, std::uint8_t port) {
  const auto found = std::find_if(bundles.begin(), bundles.end(), [&](const Bundle& b) { return b.to == to; });
  if (found == bundles.end()) {
    bundles.push_back({to, {port}});
  } else {
    found->ports.push_back(port);
  }
}

// The lowest switch of the top that can be reached upwards from each switch. Switches of different subtrees that have the same parents
// have it in common, so it puts the parents of all switches into one order, however the switches were listed.
std::vector<std::uint32_t> Columns(const FatTree& tree) {
  std::vector<std::uint32_t> order(tree.level.size());
  std::iota(order.begin(), order.end(), 0u);
  const auto height = [&](std::uint32_t s) { return tree.level[s] == kNone ? 0 : tree.level[s]; };
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return height(a) > height(b); });
  std::vector<std::uint32_t> column(tree.level.size(), kNone);
  for (const std::uint32_t s : order) {
    if (tree.up[s].empty()) column[s] = s;
    for (const Bundle& bundle : tree.up[s]) column[s] = std::min(column[s], column[bundle.to]);
  }
  return column;
}

void FindBundles(const SwitchGraph& graph, FatTree& tree) {
  tree.up.resize(graph.size());
  tree.down.resize(graph.size());
  for (std::uint32_t s = 0; s < graph.size(); ++s) {
    for (const SwitchLink& link : graph.links(s)) {
      if (tree.level[link.to] < tree.level[s]) continue;
      AddTo(tree.up[s], link.to, link.port);
      AddTo(tree.down[link.to], s, link.to_port);
    }
  }
  const std::vector<std::uint32_t> column = Columns(tree);
  const auto by_column = [&](const Bundle& a, const Bundle& b) {
    return std::pair(column[a.to], a.to) < std::pair(column[b.to], b.to);
  };
  for (auto& bundles : tree.up) std::sort(bundles.begin(), bundles.end(), by_column);
  for (auto& bundles : tree.down) {
    std::sort(bundles.begin(), bundles.end(), [](const Bundle& a, const Bundle& b) { return a.to < b.to; });
  }
}

void CheckUniform(const SwitchGraph& graph, FatTree& tree) {
  struct Shape {
    std::size_t parents, links;
    std::uint32_t of;
  };
  std::vector<Shape> by_level(tree.num_levels + 1, Shape{0, 0, kNone});
  for (std::uint32_t s = 0; s < graph.size(); ++s) {
    if (tree.level[s] == kNone) continue;
    Shape& shape = by_level[tree.level[s]];
    const auto& up = tree.up[s];
    if (shape.of == kNone) shape = {up.size(), up.empty() ? 0 : up[0].ports.size(), s};
    if (up.size() != shape.parents) {
      RefuseFatTree("switch " + graph.Name(s) + " has " + std::to_string(up.size()) + " switches above it, " +
                    graph.Name(shape.of) + " on the same level has " + std::to_string(shape.parents));
    }
    for (const Bundle& bundle : up) {
      if (bundle.ports.size() == shape.links) continue;
      RefuseFatTree("switch " + graph.Name(s) + " has " + std::to_string(bundle.ports.size()) + " links to " +
                    graph.Name(bundle.to) + "; other switches of its level have " + std::to_string(shape.links));
    }
  }
  for (const Shape& shape : by_level) tree.parents.push_back(static_cast<std::uint32_t>(shape.parents));
}

// The switches of a level and all below it.
std::vector<std::uint32_t> FromBelow(const FatTree& tree) {
  std::vector<std::uint32_t> order;
  for (std::uint32_t s = 0; s < tree.level.size(); ++s) {
    if (tree.level[s] != kNone) order.push_back(s);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return tree.level[a] < tree.level[b]; });
  return order;
}

void FindChildren(const SwitchGraph& graph, FatTree& tree) {
  std::vector<std::uint32_t> leaves;
  tree.leaf_index.assign(graph.size(), kNone);
  for (std::uint32_t s = 0; s < graph.size(); ++s) {
    if (tree.level[s] != 1) continue;
    tree.leaf_index[s] = static_cast<std::uint32_t>(leaves.size());
    leaves.push_back(s);
  }
  tree.child.assign(graph.size(), {});
  for (const std::uint32_t s : FromBelow(tree)) {
    auto& child = tree.child[s];
    child.assign(leaves.size(), FatTree::kNoChild);
    if (tree.level[s] == 1) child[tree.leaf_index[s]] = 0;  // itself
    for (std::size_t c = 0; c < tree.down[s].size(); ++c) {
      const std::uint32_t below = tree.down[s][c].to;
      for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf) {
        if (tree.child[below][leaf] == FatTree::kNoChild) continue;
        if (child[leaf] != FatTree::kNoChild) {
          RefuseFatTree("two ways lead down from switch " + graph.Name(s) + " to " + graph.Name(leaves[leaf]) + ", through " +
                        graph.Name(tree.down[s][child[leaf]].to) + " and " + graph.Name(below));
        }
        child[leaf] = static_cast<std::uint16_t>(c);
      }
    }
    if (tree.level[s] != tree.num_levels) continue;
    const auto missing = std::find(child.begin(), child.end(), FatTree::kNoChild);
    if (missing != child.end()) {
      RefuseFatTree("switch " + graph.Name(leaves[static_cast<std::size_t>(missing - child.begin())]) + " is not below " +
                    graph.Name(s) + ", a switch of the top level");
    }
  }
}

// Leaves under one switch stand together, on each level: sorted by the parts into which the tree falls without its upper levels,
// from the finest to the coarsest, whatever the order in which the switches were listed.
void OrderHosts(const SwitchGraph& graph, FatTree& tree) {
  std::vector<std::uint32_t> leaves;
  for (std::uint32_t s = 0; s < graph.size(); ++s) {
    if (tree.level[s] == 1) leaves.push_back(s);
  }
  std::vector<std::uint32_t> part(leaves.size());  // a leaf of the same part; its lowest after find()
  std::iota(part.begin(), part.end(), 0u);
  const auto find = [&part](std::uint32_t leaf) {
    while (part[leaf] != leaf) leaf = part[leaf] = part[part[leaf]];
    return leaf;
  };
  std::vector<std::uint32_t> order = part;
  for (std::uint32_t level = 2; level <= tree.num_levels; ++level) {
    for (std::uint32_t s = 0; s < graph.size(); ++s) {
      if (tree.level[s] != level) continue;
      std::uint32_t first = kNone;
      for (std::uint32_t leaf = 0; leaf < leaves.size(); ++leaf) {
        if (tree.child[s][leaf] == FatTree::kNoChild) continue;
        if (first == kNone) first = leaf;
        const auto [low, high] = std::minmax({find(first), find(leaf)});
        part[high] = low;
      }
    }
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return find(a) < find(b); });
  }
  for (const std::uint32_t leaf : order) {
    const auto first = static_cast<std::ptrdiff_t>(tree.hosts.size());
    for (const Attached& attached : graph.attached(leaves[leaf])) {
      if (attached.host) tree.hosts.push_back({attached, leaves[leaf]});
    }
    std::sort(tree.hosts.begin() + first, tree.hosts.end(),
              [](const TreeHost& a, const TreeHost& b) { return a.attached.endport < b.attached.endport; });
  }
}

}  // namespace

FatTree FindFatTree(const SwitchGraph& graph, const TreeLevels& levels) {
  FatTree tree;
  FindLevels(graph, levels, tree);
  FindBundles(graph, tree);
  CheckUniform(graph, tree);
  FindChildren(graph, tree);
  OrderHosts(graph, tree);
  return tree;
}

}  // namespace ccsim

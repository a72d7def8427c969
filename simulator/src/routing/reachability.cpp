// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "reachability.hpp"

#include <algorithm>

namespace ccsim {
namespace {

enum class Verdict : std::uint8_t { Unknown, Arrives, Fails };

// Follows the forwarding tables to one destination after the other.
class Walker {
 public:
  explicit Walker(const Fabric& fabric) : fabric_(fabric), verdicts_(fabric.num_switches()) {}

  void Begin(std::uint32_t dst) {
    dst_ = dst;
    std::fill(verdicts_.begin(), verdicts_.end(), Verdict::Unknown);
  }

  bool Arrives(std::uint32_t src) {
    const Endport from = fabric_.endports()[src];
    const Endport to = fabric_.endports()[dst_];
    const Port* link = &fabric_.nodes()[from.node].ports[from.port];
    path_.clear();
    Verdict verdict = Verdict::Fails;
    while (true) {
      if (link->peer_node == to.node && link->peer_port == to.port) {
        verdict = Verdict::Arrives;
        break;
      }
      const std::uint32_t here = fabric_.switch_ordinal(link->peer_node);
      if (here == kNone) break;  // another adapter
      if (verdicts_[here] != Verdict::Unknown) {
        verdict = verdicts_[here];
        break;
      }
      verdicts_[here] = Verdict::Fails;  // should the route come by here again, it loops
      path_.push_back(here);
      const std::uint8_t out = fabric_.forward(here, dst_);
      if (out == kNoRoute) break;
      link = &fabric_.nodes()[link->peer_node].ports[out];
    }
    for (const std::uint32_t ordinal : path_) verdicts_[ordinal] = verdict;
    return verdict == Verdict::Arrives;
  }

 private:
  const Fabric& fabric_;
  std::uint32_t dst_ = 0;
  std::vector<Verdict> verdicts_;    // by switch ordinal, of routes to dst_
  std::vector<std::uint32_t> path_;  // switch ordinals
};

}  // namespace

std::vector<std::pair<std::uint32_t, std::uint32_t>> Unreachable(const Fabric& fabric,
                                                                 const std::vector<std::uint32_t>& sources) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> found;
  Walker walker(fabric);
  for (std::uint32_t dst = 0; dst < fabric.endports().size(); ++dst) {
    walker.Begin(dst);
    const auto src =
        std::find_if(sources.begin(), sources.end(), [&](std::uint32_t s) { return s != dst && !walker.Arrives(s); });
    if (src != sources.end()) found.emplace_back(*src, dst);
  }
  return found;
}

}  // namespace ccsim

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// service_levels.hpp: which SL a packet has, and which VL it takes on each link (IBA 7.6.5, 7.6.6), compiled from a fabric for the
// engine: switches by ordinal, their connected ports by local index, hosts by endport.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fabric.hpp"

namespace ccsim {

class ServiceLevels {
 public:
  ServiceLevels(const Fabric& fabric, unsigned num_vls);

  // As many data VLs as the model, the routing and the SL-to-VL tables ask for.
  static unsigned NumVls(const Fabric& fabric, unsigned model_vls);

  // True if a packet keeps the flow's own SL and one VL, SL modulo their number, on its whole way.
  bool trivial() const { return path_sl_bits_ == 0 && tables_.size() == 1; }
  unsigned path_sl_bits() const { return path_sl_bits_; }
  // True if there is an SL that some port discards.
  bool discards() const;
  // The largest SL that a flow may ask for: the routing may need some of the four bits.
  unsigned max_flow_sl() const { return (kNumSls - 1) >> path_sl_bits_; }

  std::uint8_t Sl(unsigned flow_sl, std::uint32_t src, std::uint32_t dst) const {
    if (path_sl_bits_ == 0) return static_cast<std::uint8_t>(flow_sl);
    return static_cast<std::uint8_t>(flow_sl << path_sl_bits_ | path_sls_[std::size_t{leaf_[src]} * num_leaves_ + leaf_[dst]]);
  }
  // On the first link, from a channel adapter; kNoVl: it discards the packet. So may the next.
  std::uint8_t FirstVl(std::uint32_t endport, unsigned sl) const { return tables_[of_endport_[endport]][sl]; }
  // On the link that a switch sends it into.
  std::uint8_t NextVl(std::uint32_t ordinal, unsigned input, unsigned output, unsigned sl) const {
    const OfSwitch& s = of_switch_[ordinal];
    return tables_[s.table.empty() ? 0 : s.table[std::size_t{input} * s.num_ports + output]][sl];
  }

 private:
  struct OfSwitch {
    std::uint32_t num_ports;
    std::vector<std::uint16_t> table;  // [input][output]; empty: table 0 for all
  };
  std::uint16_t IndexOf(const SlToVl* table);

  unsigned path_sl_bits_;
  std::uint32_t num_leaves_ = 0;
  std::vector<std::uint32_t> leaf_;     // by endport: its switch, counted over those with endports
  std::vector<std::uint8_t> path_sls_;  // [leaf][leaf]
  std::vector<SlToVl> tables_;          // different ones; the first is SL modulo the number of VLs
  std::vector<std::uint16_t> of_endport_;
  std::vector<OfSwitch> of_switch_;
};

}  // namespace ccsim

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// held_tables.hpp: the congestion control tables that the devices of a fabric hold after one Set or several.
//
// Each Set() is a manager's Set: a device keeps the fields that its Control_Map does not name. Before the first Set a device holds
// zeros, and a CCT of one entry without delay. A device takes the attributes of its dialect alone (cc_dialect.hpp); one of both acts by
// NVIDIA's while these are enabled, and else by annex A10's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "cc_dialect.hpp"
#include "ccpolicy/nvidia.h"
#include "ccpolicy/tables.h"
#include "congestion/nvidia_settings.hpp"
#include "fabric.hpp"

namespace ccsim {

// What an adapter's port acts by, where it notifies or reacts.
enum class ActsBy : std::uint8_t { A10, Nvidia, Nothing };

struct NvidiaSwitch {
  ccp_congestion_switch_general_settings general{};
  std::vector<NvidiaPort> ports;  // by port number; empty before the first Set
};

class HeldTables {
 public:
  using Cct = std::vector<ccp_cct_entry>;

  explicit HeldTables(const Fabric& fabric);

  // Throws std::invalid_argument if the tables belong to another fabric.
  void Check(const ccp_tables& tables) const;
  // REQUIRES: Check(tables) passes.
  void Set(const ccp_tables& tables);

  bool ever_set() const { return ever_set_; }
  // The tables of a switch, by its ordinal, at the time of the call. Its pointers are valid while this object lives.
  ccp_switch_tables OfSwitch(std::uint32_t ordinal) const;
  // True if an SL of an endport has ever been set.
  bool Controls(std::uint32_t endport, unsigned sl) const {
    return !cas_.empty() && cas_[endport].cct != nullptr && (cas_[endport].setting.control_map >> sl & 1) != 0;
  }
  // REQUIRES: Controls(endport, sl).
  const ccp_ca_sl_setting& OfSl(std::uint32_t endport, unsigned sl) const { return cas_[endport].setting.sls[sl]; }
  const Cct& CctOf(std::uint32_t endport) const { return *cas_[endport].cct; }
  // True if the port has one CCTI for each SL; false if each queue pair has its own.
  bool WholeSls(std::uint32_t endport) const {
    return !cas_.empty() && (cas_[endport].setting.port_control & 1) != 0 && ReactsBy(endport) == ActsBy::A10;
  }

  // True if a switch marks by averaged queues.
  bool Averages(std::uint32_t ordinal) const { return switches_[ordinal].nvidia.general.en; }
  // REQUIRES: Averages(ordinal).
  const NvidiaSwitch& NvidiaOf(std::uint32_t ordinal) const { return switches_[ordinal].nvidia; }
  ActsBy NotifiesBy(std::uint32_t endport) const { return acts_.empty() ? ActsBy::A10 : acts_[endport].notifies; }
  ActsBy ReactsBy(std::uint32_t endport) const { return acts_.empty() ? ActsBy::A10 : acts_[endport].reacts; }
  // REQUIRES: ReactsBy(endport) is Nvidia; for the second, NotifiesBy(endport).
  const ccp_congestion_hca_rp_parameters& RpOf(std::uint32_t endport) const { return cas_[endport].nvidia.rp; }
  const ccp_congestion_hca_np_parameters& NpOf(std::uint32_t endport) const { return cas_[endport].nvidia.np; }

 private:
  struct OneSwitch {
    std::uint32_t node;
    std::uint64_t guid;
    std::string name;
    ccp_switch_setting setting;
    mutable std::vector<ccp_switch_port_setting> ports;  // num_ports + 1; mutable, as ccp_switch_tables points to it
    std::vector<ccp_switch_port_setting> starvation;     // the elements of Control_Type 1: a port holds one of each type
    CcDialect dialect = CcDialect::A10;
    NvidiaSwitch nvidia{};
  };
  struct OneCa {
    ccp_ca_setting setting{};
    const Cct* cct = nullptr;       // nullptr: never set
    ccp_nvidia_ca_tables nvidia{};  // without slots
  };
  struct Acts {
    ActsBy notifies;
    ActsBy reacts;
  };
  static void SetNvidia(NvidiaSwitch& held, const ccp_switch_tables& tables);
  Acts ActsOf(std::uint32_t endport) const;
  std::uint32_t OrdinalOf(std::uint32_t node) const { return node < ordinal_.size() ? ordinal_[node] : kNone; }
  const Cct* Interned(const ccp_cct& cct);

  bool ever_set_ = false;
  std::vector<std::uint32_t> ordinal_;               // by node
  std::vector<std::vector<std::uint32_t>> endport_;  // by node, then port
  std::size_t num_endports_;
  std::vector<OneSwitch> switches_;
  std::vector<OneCa> cas_;           // by endport; empty before the first Set
  std::vector<CcDialect> dialects_;  // by endport; so are the next
  std::vector<Acts> acts_;           // empty where all have annex A10's
  std::deque<Cct> ccts_;             // different ones; never moved
};

}  // namespace ccsim

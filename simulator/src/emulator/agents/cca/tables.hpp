// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cca/tables.hpp: the congestion control tables of a subnet's devices as ccp_tables, which ccpolicy makes from profiles and the engine
// accepts.
#pragma once

#include <cstdint>
#include <vector>

#include "ccpolicy/tables.h"
#include "emulator/agents/cca/nvidia_tables.hpp"
#include "emulator/subnet.hpp"

namespace ccsim::emulator {

// The tables of each device that has ever been set: of a switch, and of each connected port of a channel adapter; those of NVIDIA's
// attributes of devices that know them. After
// HeldTables::Set() with them, as in Engine::Program(), HeldTables holds what the devices act on, whatever it held before, also for
// devices that have lost their tables.
class SubnetCcTables {
 public:
  // The CCTs are those in the subnet's devices: valid until the next MAD.
  explicit SubnetCcTables(const Subnet& subnet);
  SubnetCcTables(const SubnetCcTables&) = delete;
  SubnetCcTables& operator=(const SubnetCcTables&) = delete;

  const ccp_tables& tables() const { return tables_; }

 private:
  void AddSwitch(std::uint32_t index, const Node& node, const SwitchTables& held, const NvidiaSwitchTables& nvidia);
  void AddCa(std::uint32_t index, std::uint16_t port, const Node& node, const CaTables& held, bool forgot);

  ccp_tables tables_{};
  std::vector<ccp_switch_tables> switches_;
  std::vector<std::vector<ccp_switch_port_setting>> ports_;       // of each of them, Control_Type 0
  std::vector<std::vector<ccp_switch_port_setting>> starvation_;  // and Control_Type 1
  std::vector<ccp_ca_tables> cas_;
  NvidiaTables nvidia_;
};

}  // namespace ccsim::emulator

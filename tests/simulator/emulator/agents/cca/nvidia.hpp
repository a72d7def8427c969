// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// nvidia.hpp: a small subnet of NVIDIA devices, and short questions to them.
#pragma once

#include "ccpolicy/nvidia_wire.h"
#include "emulator/agents/asking.hpp"

namespace ccsim::emulator::testing {

struct NvidiaSubnet : SmallSubnet {
  explicit NvidiaSubnet(CcDialect dialect = CcDialect::Both) { SetDialects(dialect); }

  void SetDialects(CcDialect dialect) {
    for (const std::uint32_t node : {kSwitch, kHost, kRouter}) fabric.SetDialect(node, dialect);
  }
  void SetFirmware(std::uint32_t node, const NvidiaFirmware& firmware) { subnet.device(node).cca.SetNvidiaFirmware(firmware); }

  Asked Get(Place at, std::uint16_t attribute, std::uint32_t modifier = 0, std::vector<std::uint8_t> data = {}) {
    return Ask(subnet, at, {.attribute = attribute, .modifier = modifier, .data = std::move(data)});
  }
  template <typename Host>
  Asked Set(Place at, ccp_attribute_id id, const Host& host, std::uint32_t modifier = 0) {
    const auto attribute = static_cast<std::uint16_t>(id & 0xFFFF);
    return Ask(subnet, at, {.method = kSet, .attribute = attribute, .modifier = modifier, .data = Packed(id, host)});
  }
};

// Thresholds in bytes of the first profile; the others are 0.
inline ccp_congestion_port_profile_settings Thresholds(std::uint16_t vl_mask, std::uint32_t min, std::uint32_t max,
                                                       std::uint8_t percent) {
  ccp_congestion_port_profile_settings settings{};
  settings.vl_mask = vl_mask;
  settings.profiles[0] = {.min = min, .percent = percent, .max = max};
  return settings;
}

}  // namespace ccsim::emulator::testing

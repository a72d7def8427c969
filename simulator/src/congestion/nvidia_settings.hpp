// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// nvidia_settings.hpp: from the attributes that devices with NVIDIA's congestion control hold to what averaged_queue.hpp and dcqcn.hpp
// act on. Where no public source says what a field means on InfiniBand, the model has a parameter for it.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "ccpolicy/nvidia.h"
#include "ccpolicy/tables.h"
#include "congestion/averaged_queue.hpp"
#include "congestion/dcqcn.hpp"
#include "model.hpp"

namespace ccsim {

// What a switch's port holds: the thresholds of its VLs, and the profile of each SL.
struct NvidiaPort {
  std::vector<ccp_congestion_port_profile_settings> profiles;
  ccp_congestion_sl_mapping_settings sl_mapping{};
};

// The marking of a port VL.
struct MarkingSetting {
  AveragingSetting averaging;
  std::array<ThresholdProfile, CCP_NVIDIA_NUM_PROFILES> profiles;
  std::array<std::uint8_t, CCP_NUM_SLS> of_sl{};  // index into `profiles`

  bool marks() const;
  friend bool operator==(const MarkingSetting&, const MarkingSetting&) = default;
};

// A percentage is one of model.switch.threshold_reference_bytes, or of the input buffer where that is 0. A VL that the port has no
// thresholds for is not marked.
MarkingSetting MakeMarking(const SwitchModel& model, const ccp_congestion_switch_general_settings& general,
                           const NvidiaPort& port, unsigned vl);

// `line_gbps`: data rate of the adapter's link.
DcqcnSetting MakeDcqcnSetting(const CaModel& model, const ccp_congestion_hca_rp_parameters& rp, double line_gbps);

}  // namespace ccsim

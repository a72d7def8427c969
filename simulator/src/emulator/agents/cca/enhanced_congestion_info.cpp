// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cca/enhanced_congestion_info.cpp: EnhancedCongestionInfo (0xFF00): the versions of NVIDIA's attributes that a device knows, and its
// capabilities. Version 0 is DCQCN, 1 is PPCC; switches have version 0.
#include "emulator/agents/cca/nvidia_attribute.hpp"

namespace ccsim::emulator {
namespace {

MadStatus HandleEnhancedCongestionInfo(Request& request) {
  if (request.modifier() != 0) return RefuseModifier(request);
  const CcDialect dialect = NodeOf(request).dialect;
  PackInto(request.data, CCP_ENHANCED_CONGESTION_INFO,
           ccp_enhanced_congestion_info{.ver0 = IsSwitch(request) || (IsCa(request) && KnowsDcqcn(dialect)),
                                        .ver1 = IsCa(request) && KnowsPpcc(dialect),
                                        .cc_capability_mask = CapabilitiesOf(request)});
  return kOk;
}

const NvidiaRegistration<KnowsNvidia, HandleEnhancedCongestionInfo> kRegistered(CCP_ENHANCED_CONGESTION_INFO, kGetOnly);

}  // namespace
}  // namespace ccsim::emulator

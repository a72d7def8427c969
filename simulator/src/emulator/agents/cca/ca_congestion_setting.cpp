// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cca/ca_congestion_setting.cpp: CACongestionSetting (IBA A10.4.3.8): how a port of a channel adapter reacts to BECNs, SL by SL.
//
// A Set changes only the elements of the SLs that its Control_Map names. A switch's management port is not under congestion
// control (base port 0), so a switch does not have this attribute, and its ClassPortInfo says so.
#include "congestion/control_map.hpp"
#include "emulator/agents/cca/attribute.hpp"

namespace ccsim::emulator {
namespace {

MadStatus HandleCaCongestionSetting(Request& request) {
  if (!IsCa(request) || CcaOf(request).firmware.cct_blocks == 0) return kUnsupportedMethodAttribute;
  if (request.modifier() != 0) return kInvalidField;
  CaTables& tables = AgentOf(request).tables;
  if (request.is_set()) {
    const auto set = Unpacked<ccp_ca_setting>(CCP_CA_CONGESTION_SETTING, request.data);
    NoteSet(request);
    ApplySet(tables.setting, set);
    tables.latest_control_map = set.control_map;
  }
  ccp_ca_setting shown = tables.setting;
  shown.control_map = tables.latest_control_map;
  PackInto(request.data, CCP_CA_CONGESTION_SETTING, shown);
  return kOk;
}

const CcaRegistration kRegistered(CCP_CA_CONGESTION_SETTING, kGetAndSet, ForDialect<KnowsA10, HandleCaCongestionSetting>);

}  // namespace
}  // namespace ccsim::emulator

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cca/switch_congestion_setting.cpp: SwitchCongestionSetting (IBA A10.4.3.6): what a switch does at all ports.
//
// A Set changes only the fields that its Control_Map names; its bits are in OpenSM's order (congestion/control_map.hpp).
#include "congestion/control_map.hpp"
#include "emulator/agents/cca/attribute.hpp"

namespace ccsim::emulator {
namespace {

MadStatus HandleSwitchCongestionSetting(Request& request) {
  if (!IsSwitch(request)) return kUnsupportedMethodAttribute;
  if (request.modifier() != 0) return kInvalidField;
  SwitchTables& tables = CcaOf(request).switch_tables;
  if (request.is_set()) {
    const auto set = Unpacked<ccp_switch_setting>(CCP_SWITCH_CONGESTION_SETTING, request.data);
    NoteSet(request);
    ApplySet(tables.setting, set);
    tables.latest_control_map = set.control_map;
  }
  ccp_switch_setting shown = tables.setting;
  shown.control_map = tables.latest_control_map;
  PackInto(request.data, CCP_SWITCH_CONGESTION_SETTING, shown);
  return kOk;
}

const CcaRegistration kRegistered(CCP_SWITCH_CONGESTION_SETTING, kGetAndSet, ForDialect<KnowsA10, HandleSwitchCongestionSetting>);

}  // namespace
}  // namespace ccsim::emulator

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cca/class_port_info.cpp: ClassPortInfo of class 0x21 (IBA vol. 1, 13.4.8.1): a Set says where traps go.
#include <algorithm>
#include <iterator>

#include "emulator/agents/cca/attribute.hpp"

namespace ccsim::emulator {
namespace {

MadStatus HandleCcaClassPortInfo(Request& request) {
  if (request.modifier() != 0) return kInvalidField;
  ccp_class_port_info& target = AgentOf(request).trap_target;
  if (request.is_set()) {
    const auto set = Unpacked<ccp_class_port_info>(CCP_CLASS_PORT_INFO, request.data);
    if (set.trap_lid != 0 && set.trap_qp == 0) return kInvalidField;
    target = set;
  }
  ccp_class_port_info info{};
  info.base_version = 1;
  info.class_version = CCP_MGMT_CLASS_VERSION;
  info.capability_mask = CCP_CLASS_CAP_TRAPS;
  info.resp_time_value = kClassRespTimeValue;
  std::copy(std::begin(target.trap_gid), std::end(target.trap_gid), info.trap_gid);
  info.trap_tc = target.trap_tc;
  info.trap_sl = target.trap_sl;
  info.trap_fl = target.trap_fl;
  info.trap_lid = target.trap_lid;
  info.trap_pkey = target.trap_pkey;
  info.trap_hl = target.trap_hl;
  info.trap_qp = target.trap_qp;
  info.trap_qkey = target.trap_qkey;
  PackInto(request.data, CCP_CLASS_PORT_INFO, info);
  return kOk;
}

const CcaRegistration kRegistered(CCP_CLASS_PORT_INFO, kGetAndSet, ForDialect<HasCongestionControl, HandleCcaClassPortInfo>);

}  // namespace
}  // namespace ccsim::emulator

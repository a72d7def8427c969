// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/agents/cca/key_trap.hpp"

#include "emulator/agents/cca/attribute.hpp"
#include "emulator/agents/cca/key.hpp"
#include "emulator/bits.hpp"

namespace ccsim::emulator {
namespace {

constexpr std::uint8_t kGenericSecurity = 0x80 | 2;
constexpr std::uint16_t kKeyViolation = 0;
constexpr std::size_t kDetails = 10;  // of a Notice, in bytes

std::uint32_t ProducerType(NodeKind kind) {
  switch (kind) {
    case NodeKind::Switch: return 2;
    case NodeKind::Router: return 3;
    default: return 1;
  }
}

// The endport that has this LID; nullptr: none has it, or none has it any more.
const SmaPort* FindEndport(const Subnet& subnet, std::uint16_t lid) {
  for (std::uint32_t n = 0; n < subnet.num_devices(); ++n) {
    for (const SmaPort& port : subnet.device(n).sma.ports) {
      if (port.has_lid(lid)) return &port;
    }
  }
  return nullptr;
}

// Notice (13.4.8.2) with the details of a CC_KeyViolation.
void PutNotice(std::uint8_t* notice, const Request& request, std::uint16_t issuer_lid) {
  notice[0] = kGenericSecurity;
  PutBits(notice, 8, 24, ProducerType(NodeOf(request).kind));
  Put16(notice + 4, kKeyViolation);
  Put16(notice + 6, issuer_lid);
  std::uint8_t* details = notice + kDetails;
  Put16(details, request.slid);
  details[2] = request.mad.method();
  Put16(details + 4, request.mad.attribute());
  Put32(details + 8, request.modifier());
  PutBits(details, 96, 24, 1);  // GMPs of this class come from QP 1
  Put64(details + 16, CcKeyOf(request));
  if (const SmaPort* offender = FindEndport(request.subnet, request.slid)) {
    Put64(details + 24, offender->gid_prefix);
    Put64(details + 32, offender->guid);
  }
}

}  // namespace

void SendKeyViolationTrap(const Request& request) {
  const ccp_class_port_info& target = AgentOf(request).trap_target;
  const Place from = request.subnet.endport(request.at);
  const std::uint16_t lid = request.subnet.sma_port(from).lid;
  if (target.trap_lid == 0 || lid == 0) return;
  Datagram trap{.slid = lid, .dlid = target.trap_lid, .sqp = 1, .dqp = target.trap_qp};
  std::uint8_t* bytes = trap.mad.data();
  bytes[0] = 1;
  bytes[1] = kCongestionControl;
  bytes[2] = CCP_MGMT_CLASS_VERSION;
  bytes[3] = kTrap;
  Mad(trap.mad).set_transaction_id(AgentOf(request).key.violations);
  Put16(bytes + 16, kNotice);
  PutNotice(bytes + kGmpData.offset, request, lid);
  request.subnet.outbox().push_back({from, trap});
}

}  // namespace ccsim::emulator

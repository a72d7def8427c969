// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cca/congestion_log.cpp: CongestionLog (IBA A10.4.3.5): the latest events, oldest first, and what has been counted since the log was
// last read. A Get clears the counts and leaves the events.
#include "emulator/agents/cca/attribute.hpp"

namespace ccsim::emulator {
namespace {

// Events older than twice the time after which a TimeStamp wraps are left out, as their age could not be seen.
constexpr std::int64_t kOldestNs = (std::int64_t{1} << 33) * CCP_TIMER_UNIT_NS;

void PutSwitchLog(std::uint8_t* data, const CcaLog& log, std::int64_t now_ns) {
  ccp_congestion_log_switch out{};
  out.log_type = CCP_LOG_TYPE_SWITCH;
  out.log_events_counter = log.events;
  out.current_timestamp = Timestamp(now_ns);
  for (unsigned port = 0; port < log.ports.size(); ++port) {
    if (log.ports[port]) ccp_port_mask_set(out.port_map, port);
  }
  std::size_t i = 0;
  for (const SwitchLogEvent& event : log.switch_events) {
    if (now_ns - event.at_ns > kOldestNs) continue;
    out.events[i++] = {.slid = event.slid,
                       .dlid = event.dlid,
                       .sl = static_cast<std::uint8_t>(event.sl & 15),
                       .timestamp = Timestamp(event.at_ns)};
  }
  PackInto(data, CCP_CONGESTION_LOG_SWITCH, out);
}

void PutCaLog(std::uint8_t* data, const CcaLog& log, CaLogLayout layout, std::int64_t now_ns) {
  ccp_congestion_log_ca out{};
  out.log_type = CCP_LOG_TYPE_CA;
  out.threshold_event_counter = log.events;
  out.threshold_congestion_event_map = log.sls;
  out.current_timestamp = Timestamp(now_ns);
  std::size_t i = 0;
  for (const CaLogEvent& event : log.ca_events) {
    if (now_ns - event.at_ns > kOldestNs) continue;
    out.events[i++] = {.local_qp = event.local_qp & 0xFFFFFF,
                       .sl = static_cast<std::uint8_t>(event.sl & 15),
                       .service_type = static_cast<std::uint8_t>(event.service_type & 15),
                       .remote_qp = event.remote_qp & 0xFFFFFF,
                       .local_lid = event.local_lid,
                       .remote_lid = event.remote_lid,
                       .timestamp = Timestamp(event.at_ns)};
  }
  PackInto(data, layout == CaLogLayout::IbTypes ? CCP_CONGESTION_LOG_CA : CCP_CONGESTION_LOG_CA_LIBIBMAD, out);
}

MadStatus HandleCongestionLog(Request& request) {
  if (!IsSwitch(request) && !IsCa(request)) return kUnsupportedMethodAttribute;
  if (request.modifier() != 0) return kInvalidField;
  request.subnet.Refresh(request.at.node);
  CcaLog& log = AgentOf(request).log;
  const std::int64_t now_ns = request.subnet.now_ns();
  if (IsSwitch(request)) {
    PutSwitchLog(request.data, log, now_ns);
  } else {
    PutCaLog(request.data, log, CcaOf(request).firmware.log_layout, now_ns);
  }
  log.events = log.sls = 0;
  log.ports.reset();
  return kOk;
}

// ccpolicy has two forms of this attribute, for switches and for channel adapters, which have the same number in the MAD.
const AttributeRegistration kRegistered(kCongestionControl, "CongestionLog", CCP_CONGESTION_LOG_SWITCH & 0xFFFF, kGetOnly,
                                        kCongestionLogData, ForDialect<KnowsA10, HandleCongestionLog>);

}  // namespace
}  // namespace ccsim::emulator

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "engine/cnp_by_timer.hpp"

namespace ccsim {

void CnpByTimer::OnFecn(EngineCore& e, std::uint32_t host, const Packet& k, Time tail_there) {
  switch (e.held_.NotifiesBy(host)) {
    case ActsBy::A10: return CnpOrAck::OnFecn(e, host, k, tail_there);
    case ActsBy::Nothing: return CnpOrAck::CountFecn(e, host, k, tail_there);
    case ActsBy::Nvidia: break;
  }
  CnpOrAck::CountFecn(e, host, k, tail_there);
  const ccp_congestion_hca_np_parameters& np = e.held_.NpOf(host);
  Time& allowed = e.model_.ca.cnp_limit == CnpLimit::Port ? e.rates_.next_cnp(host) : CnpOrAck::NextCnp(e, k);
  if (tail_there < allowed) return;
  allowed = tail_there + np.min_time_between_cnps * kFsPerUs;
  e.SendControl(host, k, PacketKind::Cnp, true, tail_there + e.becn_delay_, np.cnp_sl_mode ? np.cnp_sl : EngineCore::kSlOfData);
}

}  // namespace ccsim

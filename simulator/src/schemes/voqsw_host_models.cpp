// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// voqsw_host_models.cpp: the engines of voqsw.cpp on fabrics on which hosts have a model.
#include "engine/averaged_detection.hpp"
#include "engine/cct_reaction.hpp"
#include "engine/cnp_by_timer.hpp"
#include "engine/cnp_or_ack.hpp"
#include "engine/dcqcn_reaction.hpp"
#include "engine/engine_of.hpp"
#include "engine/host_drain.hpp"
#include "engine/open_transport.hpp"
#include "engine/port_vl_detection.hpp"
#include "engine/ports.hpp"
#include "engine/round_robin.hpp"
#include "engine/voq_queues.hpp"
#include "schemes/voqsw.hpp"

namespace ccsim {
namespace {

struct ModelledHosts {
  using Ports = AnyPorts;
  using Queueing = VoqQueues;
  using Arbiter = RoundRobin;
  using Detection = PortVlDetection;
  using Notification = CnpOrAck;
  using Reaction = CctReaction;
  using HostSink = HostDrain;
  using Transport = OpenTransport;
};

struct ModelledHostsOfSeveralDialects : ModelledHosts {
  using Detection = AveragedDetection;
  using Notification = CnpByTimer;
  using Reaction = DcqcnReaction;
};

}  // namespace

std::unique_ptr<EngineCore> MakeVoqswWithHostModels(const Setup& setup) {
  if (FirstOfOtherDialect(setup.fabric) != nullptr) return MakeEngineOf<ModelledHostsOfSeveralDialects>(setup);
  return MakeEngineOf<ModelledHosts>(setup);
}

}  // namespace ccsim

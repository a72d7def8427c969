// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// voqsw.cpp: the switch that ibcc simulates unless a document says otherwise. A profile may enable congestion control on it.
#include "schemes/voqsw.hpp"

#include <stdexcept>

#include "engine/averaged_detection.hpp"
#include "engine/bus_drain.hpp"
#include "engine/cct_reaction.hpp"
#include "engine/cnp_by_timer.hpp"
#include "engine/cnp_or_ack.hpp"
#include "engine/dcqcn_reaction.hpp"
#include "engine/engine_of.hpp"
#include "engine/islip.hpp"
#include "engine/open_transport.hpp"
#include "engine/port_vl_detection.hpp"
#include "engine/ports.hpp"
#include "engine/round_robin.hpp"
#include "engine/voq_queues.hpp"
#include "schemes/registry.hpp"

namespace ccsim {
namespace {

struct Voqsw {
  using Ports = AnyPorts;
  using Queueing = VoqQueues;
  using Arbiter = RoundRobin;
  using Detection = PortVlDetection;
  using Notification = CnpOrAck;
  using Reaction = CctReaction;
  using HostSink = BusDrain;
  using Transport = OpenTransport;
};

// An input-queued switch whose crossbar is not as fast as its links.
struct CrossbarVoqsw : Voqsw {
  using Arbiter = Islip;
};

// A fabric on which some device has NVIDIA's congestion control, or none: each acts by what it holds.
template <typename P>
struct OfSeveralDialects : P {
  using Detection = AveragedDetection;
  using Notification = CnpByTimer;
  using Reaction = DcqcnReaction;
};

}  // namespace

std::vector<SchemeParameter> VoqswParameters() { return {Islip::CrossbarParameter()}; }

std::unique_ptr<EngineCore> MakeVoqsw(const Setup& setup) {
  const auto values = WithPresets(FindScheme(setup.model.scheme.name), setup.model.scheme.values);
  const bool crossbar = values.at("crossbar_gbps") > 0;
  if (const Node* host = FirstModelledHost(setup.fabric)) {
    if (crossbar) {
      throw std::invalid_argument("host '" + host->name +
                                  "' has a host_model, and model.scheme.crossbar_gbps is above 0; with host models it must be 0");
    }
    return MakeVoqswWithHostModels(setup);
  }
  if (FirstOfOtherDialect(setup.fabric) != nullptr) {
    if (crossbar) return MakeEngineOf<OfSeveralDialects<CrossbarVoqsw>>(setup);
    return MakePlainOrAny<OfSeveralDialects<Voqsw>>(setup);
  }
  if (crossbar) return MakeEngineOf<CrossbarVoqsw>(setup);
  return MakePlainOrAny<Voqsw, true>(setup);
}

namespace {

const SchemeRegistration kRegistered(
    {.name = "voqsw",
     .summary = "A queue for each output at each input; a packet waits for those to the same output.",
     .source = "thesis, Paper V",
     .parameters = VoqswParameters(),
     .make = MakeVoqsw,
     .any_dialect = true,
     .host_models = true});

}  // namespace
}  // namespace ccsim

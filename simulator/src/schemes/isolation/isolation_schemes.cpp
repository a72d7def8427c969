// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "schemes/isolation/isolation_schemes.hpp"

#include <stdexcept>
#include <string>

#include "engine/bus_drain.hpp"
#include "engine/cct_reaction.hpp"
#include "engine/cnp_or_ack.hpp"
#include "engine/engine_of.hpp"
#include "engine/islip.hpp"
#include "engine/ports.hpp"
#include "schemes/isolation/cam_line.hpp"
#include "schemes/isolation/isolated_queues.hpp"
#include "schemes/isolation/memory_cost.hpp"

namespace ccsim {
namespace {

struct Isolation {
  using Ports = AnyPorts;
  using Queueing = IsolatedQueues;
  using Arbiter = Islip;
  using Detection = RootDetection;
  using Notification = CnpOrAck;
  using Reaction = CctReaction;
  using HostSink = BusDrain;
  using Transport = StoppedDestinations;
};

SchemeParameter Packets(const char* name, unsigned preset, const char* meaning, const char* consequence) {
  return {.name = name,
          .least = 1,
          .most = kMaxThresholdPackets,
          .preset = static_cast<double>(preset),
          .whole = true,
          .unit = "packets of the MTU",
          .meaning = meaning,
          .consequence = consequence};
}

// The papers' name of a scheme by that in documents.
std::string PaperName(const std::string& name) {
  for (const IsolationScheme& scheme : IsolationSchemes()) {
    std::string lower(scheme.name);
    for (char& c : lower) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    if (lower == name) return std::string(scheme.name);
  }
  return name;
}

}  // namespace

std::vector<SchemeParameter> IsolationSchemeParameters(const IsolationParameters& p) {
  const bool per_output = p.normal_queues == NormalQueues::PerOutput;
  std::vector<SchemeParameter> rows;
  rows.push_back(
      {.name = "special_queues",
       .least = 1,
       .most = kMaxSpecialQueues,
       .preset = static_cast<double>(p.special_queues),
       .whole = true,
       .unit = "queues",
       .meaning = "Special queues of an input port: CFQs in FBICM and CCFIT, HPQs in HFDI and EcoCC.",
       .consequence = "With more congestion trees at a port than special queues, packets of some wait among the others."});
  if (per_output) {
    rows.push_back({.name = "line_destinations",
                    .least = 0,
                    .most = kMaxLineDestinations,
                    .preset = 0,
                    .whole = true,
                    .unit = "destinations",
                    .meaning = "Destinations that a CAM line holds; 0: 8 up to 64 hosts, 16 up to 256, 32 in larger fabrics.",
                    .consequence = "Packets to a destination that the line has no room for are not isolated."});
  }
  rows.push_back(Packets("detection_packets", p.detection_packets, "A normal queue that holds more has congestion.",
                         "A lower threshold isolates sooner, and takes special queues for bursts that would have passed."));
  rows.push_back(Packets("propagation_packets", p.propagation_packets,
                         "A queue with a CAM line that holds more has the line announced upstream.",
                         "A lower threshold isolates farther from the root, and sooner."));
  rows.push_back(Packets("stop_packets", p.stop_packets, "A special queue that holds more stops those upstream.",
                         "A higher threshold lets a congestion tree take more of a port's buffer."));
  rows.push_back(Packets("go_packets", p.go_packets, "A special queue that holds less lets those upstream go on.",
                         "Too near to zero, queues run empty before packets come again."));
  if (p.throttles) {
    rows.push_back(Packets("high_packets", p.high_packets,
                           "A queue at the root that holds more brings its output into the congestion state.",
                           "A lower threshold marks sooner; Threshold in the profile only says whether a port marks at all."));
    rows.push_back(Packets("low_packets", p.low_packets, "The congestion state ends when the queue holds less.",
                           "Less than a packet below High is unfair among inputs (Paper V, section III.E)."));
  }
  if (per_output) {
    rows.push_back({.name = "life_time_ns",
                    .least = 0,
                    .most = 1e9,
                    .preset = p.life_time_ns,
                    .unit = "ns",
                    .meaning = "A CAM line of a normal queue ends when the queue has held less than Go for so long.",
                    .consequence = "A longer one keeps lines of trees that are gone."});
  }
  rows.push_back(Islip::CrossbarParameter());
  return rows;
}

IsolationParameters IsolationOf(const SchemeChoice& choice, std::uint64_t hosts) {
  IsolationParameters p = IsolationDefaults(PaperName(choice.name));
  const auto values = WithPresets(FindScheme(choice.name), choice.values);
  const auto whole = [&](const char* name, unsigned& value) {
    if (const auto found = values.find(name); found != values.end()) value = static_cast<unsigned>(found->second);
  };
  unsigned destinations = p.line_destinations;
  whole("special_queues", p.special_queues);
  whole("line_destinations", destinations);
  p.line_destinations = destinations == 0 ? LineDestinations(hosts) : destinations;
  whole("detection_packets", p.detection_packets);
  whole("propagation_packets", p.propagation_packets);
  whole("stop_packets", p.stop_packets);
  whole("go_packets", p.go_packets);
  whole("high_packets", p.high_packets);
  whole("low_packets", p.low_packets);
  if (const auto found = values.find("life_time_ns"); found != values.end()) p.life_time_ns = found->second;
  try {
    Check(p);
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument("model.scheme." + std::string(error.what()));
  }
  return p;
}

// How many hosts there are decides about no parameter that another must fit.
void CheckIsolation(const SchemeChoice& choice) { IsolationOf(choice, 1); }

PortMemory IsolationPortMemory(const Fabric& fabric, const Model& model, unsigned outputs) {
  const std::uint64_t hosts = fabric.endports().size();
  const IsolationParameters parameters = IsolationOf(model.scheme, hosts);
  PortMemory memory = PlainPortMemory(fabric, model);
  memory.lines = LinesPerInputPort(parameters, outputs);
  memory.line = CellsPerLine(hosts, parameters.line_destinations);
  return memory;
}

std::unique_ptr<EngineCore> MakeIsolation(const Setup& setup) { return MakePlainOrAny<Isolation>(setup); }

}  // namespace ccsim

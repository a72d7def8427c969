// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "model_parameters.hpp"

#include <cstdio>
#include <stdexcept>

namespace ccsim {
namespace {

constexpr double kGiB = 1u << 30;
constexpr Range kBuffer{.most = kGiB, .at_least_packet = true};

constexpr const char* kBufferSharings[] = {"partitioned", "shared"};
constexpr const char* kThresholdModes[] = {"voq", "sum", "contributing"};
constexpr const char* kRootTests[] = {"crossing", "marking", "both"};
constexpr const char* kBecnCarriers[] = {"cnp", "ack"};
constexpr const char* kCctiTimers[] = {"port_sl", "flow"};
constexpr const char* kControlVls[] = {"data", "last"};

template <typename Enum, typename Owner>
Enum EnumOf(Enum Owner::*);
template <typename Enum, typename Owner>
Owner OwnerOf(Enum Owner::*);

// A choice whose value is in the enumeration member kMember.
template <auto kMember>
constexpr auto Among(std::span<const char* const> names) {
  using Owner = decltype(OwnerOf(kMember));
  using Enum = decltype(EnumOf(kMember));
  return Choice<Owner>{.names = names,
                       .get = [](const Owner& owner) { return static_cast<std::uint8_t>(owner.*kMember); },
                       .set = [](Owner& owner, std::uint8_t value) { owner.*kMember = static_cast<Enum>(value); }};
}

constexpr Parameter<SwitchModel> kSwitch[] = {
    {"input_buffer_bytes", &SwitchModel::input_buffer_bytes, kBuffer, "bytes",
     "Room of each input port and VL, for which the port gives credits.",
     "With less, congestion trees reach the sources sooner and congestion control has less time to act; Threshold then stands "
     "for a "
     "lower fill level, unless `threshold_reference_bytes` is set."},
    {"buffer_sharing",
     Among<&SwitchModel::buffer_sharing>(kBufferSharings),
     {},
     "",
     "Whether each VL of a port has its own buffer, or all VLs share one of `input_buffer_bytes`.",
     "A shared buffer takes longer queues of a single VL; each VL keeps room for one packet, so no VL shuts another out."},
    {"read_ports",
     &SwitchModel::read_ports,
     {1, 255},
     "packets",
     "Packets that can leave one input buffer at the same time.",
     "With 1, an input whose packets go to several outputs cannot feed all of them."},
    {"routing_latency_ns",
     &SwitchModel::routing_latency_ns,
     {0, 1e6},
     "ns",
     "Time from the arrival of a packet's head at an idle switch to its departure.",
     "It adds to latency, and leaves throughput as it is."},
    {"threshold_reference_bytes",
     &SwitchModel::threshold_reference_bytes,
     {0, 4e9},
     "bytes",
     "Fill level that 16/16 stands for in Threshold and CS_Threshold; 0: the input buffer.",
     "A lower level makes the same Threshold mark earlier."},
    {"threshold_mode",
     Among<&SwitchModel::threshold_mode>(kThresholdModes),
     {},
     "",
     "What is compared with the threshold: each VOQ alone, or the sum over all inputs of an output and VL; for `contributing`, "
     "the "
     "threshold is divided by the number of inputs that hold packets.",
     "The more inputs hold packets, the earlier `contributing` marks (Paper I, 3.2.1)."},
    {"hysteresis_bytes",
     &SwitchModel::hysteresis_bytes,
     {0, kGiB},
     "bytes",
     "Distance from the fill level at which a port VL enters the congestion state down to the level at which it leaves it.",
     "One packet or less with `sum`, or less than down to empty with `contributing`, is grossly unfair (experiment "
     "`fairness_type_1`); more costs throughput, as queues run empty before the marking ends."},
    {"root_test",
     Among<&SwitchModel::root_test>(kRootTests),
     {},
     "",
     "When a port outside Victim_Mask must have credits to count as a root: when the threshold is crossed, whenever a packet is "
     "about to be marked, or both.",
     "With `marking` and `both`, a packet that takes the port's last credits leaves unmarked."},
};

constexpr Parameter<HcaModel> kHca[] = {
    {"input_buffer_bytes", &HcaModel::input_buffer_bytes, kBuffer, "bytes", "Receive buffer of each port and VL of an adapter.",
     "A host that receives more slowly than its link fills any buffer; a small one is full sooner."},
    {"becn_carrier",
     Among<&HcaModel::becn_carrier>(kBecnCarriers),
     {},
     "",
     "Packet that carries a BECN to the source: a CNP at once, or the next ACK.",
     "With `ack`, a source gets one BECN at most for every `ack_every_packets` packets."},
    {"becn_delay_ns",
     &HcaModel::becn_delay_ns,
     {0, 1e9},
     "ns",
     "Time from the arrival of a marked packet's tail until its CNP or ACK is ready.",
     "From about 20,000 ns on, throughput is lost."},
    {"cnp_spacing_ns",
     &HcaModel::cnp_spacing_ns,
     {0, 1e9},
     "ns",
     "Least time between two CNPs of one queue pair.",
     "With 0, the CCTI_Timer that cures a victim depends on Marking_Rate, and contributors share fairly at once; with longer "
     "times neither holds."},
    {"ack_every_packets",
     &HcaModel::ack_every_packets,
     {1},
     "packets",
     "Data packets of a queue pair for each ACK.",
     "With `ack` as carrier and more than about 20 packets, BECNs under `gran-2010` come too rarely to cure scenario 1's "
     "victim."},
    {"ccti_timer",
     Among<&HcaModel::ccti_timer>(kCctiTimers),
     {},
     "",
     "Whether a CCTI_Timer runs freely for all flows of a port and SL (the specification's text), or each flow has one.",
     "With `flow`, every BECN restarts the timer, as in the simulator of Gran and Reinemo."},
    {"control_vl",
     Among<&HcaModel::control_vl>(kControlVls),
     {},
     "",
     "VL of ACKs and CNPs: that of the data that they answer, or the last of `num_vls`, of which there must be two.",
     "With `data` they wait behind data in congested switches, which decides on 648 hosts whether a forest of congestion trees "
     "is "
     "cured (experiment `fat_tree_648`); `last` is refused where SL-to-VL or VL arbitration tables, or the routing, choose the "
     "VL."},
};

constexpr Parameter<Model> kModel[] = {
    {"num_vls",
     &Model::num_vls,
     {1, 15},
     "data VLs",
     "Number of data VLs; there are more where SL-to-VL tables or the routing need them.",
     "Without tables, SL n travels on VL n mod `num_vls`."},
};

std::string Number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.15g", value);
  return text;
}

std::string Amount(double value, const std::string& unit) {
  if (unit == "bytes" && value == kGiB) return "1 GiB";
  return Number(value) + (unit.empty() ? "" : " " + unit);
}

}  // namespace

template <>
std::span<const Parameter<SwitchModel>> Parameters<SwitchModel>() {
  return kSwitch;
}
template <>
std::span<const Parameter<HcaModel>> Parameters<HcaModel>() {
  return kHca;
}
template <>
std::span<const Parameter<Model>> Parameters<Model>() {
  return kModel;
}

template <typename Owner>
void Choice<Owner>::Set(Owner& owner, const std::string& parameter, const std::string& name) const {
  std::string known;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (name == names[i]) return set(owner, static_cast<std::uint8_t>(i));
    known += (known.empty() ? "" : ", ") + std::string(names[i]);
  }
  throw std::invalid_argument("model." + parameter + " is '" + name + "'; it must be one of " + known);
}
template struct Choice<SwitchModel>;
template struct Choice<HcaModel>;
template struct Choice<Model>;

std::string InWords(const Range& range, const std::string& unit, const std::string& packet) {
  const std::string least = range.at_least_packet ? packet : Number(range.least);
  if (range.most == UINT32_MAX) return least + " or more";
  return least + " to " + Amount(range.most, unit);
}

}  // namespace ccsim

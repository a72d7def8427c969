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
constexpr const char* kQpSchedulings[] = {"packet", "message", "weighted"};
constexpr const char* kMarksAboveMax[] = {"none", "percent", "all"};
constexpr const char* kDcqcnMachines[] = {"paper", "timers"};
constexpr const char* kCnpLimits[] = {"qp", "port"};

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
    {.name = "input_buffer_bytes",
     .member = &SwitchModel::input_buffer_bytes,
     .range = kBuffer,
     .unit = "bytes",
     .meaning = "Room of each input port and VL, for which the port gives credits.",
     .consequence = "With less, congestion trees reach the sources sooner and congestion control has less time to act; Threshold "
                    "then stands for a lower fill level, unless `threshold_reference_bytes` is set."},
    {.name = "buffer_sharing",
     .member = Among<&SwitchModel::buffer_sharing>(kBufferSharings),
     .meaning = "Buffers of a port: one for each VL, or one that all VLs share, of `input_buffer_bytes`.",
     .consequence =
         "A shared buffer takes longer queues of a single VL; each VL keeps room for one packet, so no VL shuts another out."},
    {.name = "read_ports",
     .member = &SwitchModel::read_ports,
     .range = {1, 255},
     .unit = "packets",
     .meaning = "Packets that can leave one input buffer at the same time.",
     .consequence = "With 1, an input whose packets go to several outputs cannot feed all of them."},
    {.name = "routing_latency_ns",
     .member = &SwitchModel::routing_latency_ns,
     .range = {0, 1e6},
     .unit = "ns",
     .meaning = "Time from the arrival of a packet's head at an idle switch to its departure.",
     .consequence = "It adds to latency, and leaves throughput as it is."},
    {.name = "threshold_reference_bytes",
     .member = &SwitchModel::threshold_reference_bytes,
     .range = {0, 4e9},
     .unit = "bytes",
     .meaning = "Fill level that 16/16 stands for in Threshold and CS_Threshold; 0: the input buffer.",
     .consequence = "A lower level makes the same Threshold mark earlier."},
    {.name = "threshold_mode",
     .member = Among<&SwitchModel::threshold_mode>(kThresholdModes),
     .meaning = "Fill level that is compared with the threshold: that of each VOQ alone, or the sum over all inputs of an output "
                "and VL; for "
                "`contributing`, the threshold is divided by the number of inputs that hold packets.",
     .consequence = "The more inputs hold packets, the earlier `contributing` marks (Paper I, 3.2.1)."},
    {.name = "hysteresis_bytes",
     .member = &SwitchModel::hysteresis_bytes,
     .range = {0, kGiB},
     .unit = "bytes",
     .meaning =
         "Distance from the fill level at which a port VL enters the congestion state down to the level at which it leaves it.",
     .consequence = "One packet or less with `sum`, or less than down to empty with `contributing`, is grossly unfair "
                    "(experiment `fairness_type_1`); more costs throughput, as queues run empty before the marking ends."},
    {.name = "root_test",
     .member = Among<&SwitchModel::root_test>(kRootTests),
     .meaning = "When a port outside Victim_Mask must have credits to count as a root: when the threshold is crossed, whenever a "
                "packet is about to be marked, or both.",
     .consequence = "With `marking` and `both`, a packet that takes the port's last credits leaves unmarked."},
    {.name = "mark_above_max",
     .member = Among<&SwitchModel::mark_above_max>(kMarksAboveMax),
     .meaning = "Packets that a switch with NVIDIA's congestion control marks while its averaged queue is above `max`: none, "
                "the share `percent`, or all.",
     .consequence = "With `all`, a queue that has outgrown `max` is answered at once; with `percent` it may settle above; with "
                    "`none` it grows until credits run out. No public text says what InfiniBand switches do; the paper's "
                    "and ns-3's mark all."},
};

constexpr Parameter<CaModel> kCa[] = {
    {.name = "input_buffer_bytes",
     .member = &CaModel::input_buffer_bytes,
     .range = kBuffer,
     .unit = "bytes",
     .meaning = "Receive buffer of each port and VL of an adapter.",
     .consequence = "A host that receives more slowly than its link fills any buffer; a small one is full sooner."},
    {.name = "becn_carrier",
     .member = Among<&CaModel::becn_carrier>(kBecnCarriers),
     .meaning = "Packet that carries a BECN to the source: a CNP at once, or the next ACK.",
     .consequence = "With `ack`, a source gets one BECN at most for every `ack_every_packets` packets."},
    {.name = "becn_delay_ns",
     .member = &CaModel::becn_delay_ns,
     .range = {0, 1e9},
     .unit = "ns",
     .meaning = "Time from the arrival of a marked packet's tail until its CNP or ACK is ready.",
     .consequence = "From about 20,000 ns on, throughput is lost."},
    {.name = "cnp_spacing_ns",
     .member = &CaModel::cnp_spacing_ns,
     .range = {0, 1e9},
     .unit = "ns",
     .meaning = "Least time between two CNPs of one queue pair.",
     .consequence = "With 0, the CCTI_Timer that cures a victim depends on Marking_Rate, and contributors share fairly at once; "
                    "with longer times neither holds."},
    {.name = "ack_every_packets",
     .member = &CaModel::ack_every_packets,
     .range = {1},
     .unit = "packets",
     .meaning = "Data packets of a queue pair for each ACK.",
     .consequence = "With `ack` as carrier and more than about 20 packets, BECNs under `gran-2010` come too rarely to cure "
                    "scenario 1's victim."},
    {.name = "ccti_timer",
     .member = Among<&CaModel::ccti_timer>(kCctiTimers),
     .meaning =
         "Scope of a CCTI_Timer: it runs freely for all flows of a port and SL (the specification's text), or each flow has one.",
     .consequence = "With `flow`, every BECN restarts the timer, as in the simulator of Gran and Reinemo."},
    {.name = "control_vl",
     .member = Among<&CaModel::control_vl>(kControlVls),
     .meaning = "VL of ACKs and CNPs: that of the data that they answer, or the last of `num_vls`, of which there must be two.",
     .consequence = "With `data` they wait behind data in congested switches, which decides on 648 hosts whether a forest of "
                    "congestion trees is cured (experiment `fat_tree_648`); `last` is refused where SL-to-VL or VL arbitration "
                    "tables, or the routing, choose the VL."},
    {.name = "qp_scheduling",
     .member = Among<&CaModel::qp_scheduling>(kQpSchedulings),
     .meaning =
         "Order of the queue pairs of a port and VL that have a packet and no delay: in turns, a packet or a message each, or "
         "in proportion to the rates of their flows (one without a rate: what the others leave).",
     .consequence =
         "It decides what flows of one host get while link-level flow control holds back all of them: with `packet` "
         "equal parts, with `message` parts in proportion to `message_bytes`, with `weighted` to their rates. Flows of "
         "equal weight take turns packet by packet."},
    {.name = "dcqcn_machine",
     .member = Among<&CaModel::dcqcn_machine>(kDcqcnMachines),
     .meaning = "State machine of DCQCN: that of the paper, in which each CNP cuts the rate and stages of time and bytes are "
                "counted apart, or one in which cuts and alpha run on timers.",
     .consequence = "With `paper`, `rate_reduce_monitor_period` and the `clamp_` flags have no effect; `timers` is what NVIDIA's "
                    "parameters describe, and HPCC's simulator has."},
    {.name = "rpg_byte_unit_bytes",
     .member = &CaModel::rpg_byte_unit_bytes,
     .range = {1, 1 << 20},
     .unit = "bytes",
     .meaning = "Unit of `rpg_byte_reset`.",
     .consequence = "Sources disagree: with 1 its largest value is 0.5 MB, which a link of 100 Gb/s sends in 42 us; with 64, "
                    "33 MB."},
    {.name = "cnp_limit",
     .member = Among<&CaModel::cnp_limit>(kCnpLimits),
     .meaning = "Scope of `min_time_between_cnps`: each queue pair, or all of a port.",
     .consequence = "With `port`, the more sources share a receiver, the fewer CNPs each of them gets."},
};

constexpr Parameter<Model> kModel[] = {
    {.name = "num_vls",
     .member = &Model::num_vls,
     .range = {1, 15},
     .unit = "data VLs",
     .meaning = "Number of data VLs; there are more where SL-to-VL tables or the routing need them.",
     .consequence = "Without tables, SL n travels on VL n mod `num_vls`."},
};

std::string Amount(double value, const std::string& unit) {
  if (unit == "bytes" && value == kGiB) return "1 GiB";
  return Number(value) + (unit.empty() ? "" : " " + unit);
}

}  // namespace

std::string Number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.15g", value);
  return text;
}

template <>
std::span<const Parameter<SwitchModel>> Parameters<SwitchModel>() {
  return kSwitch;
}
template <>
std::span<const Parameter<CaModel>> Parameters<CaModel>() {
  return kCa;
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
template struct Choice<CaModel>;
template struct Choice<Model>;

std::string InWords(const Range& range, const std::string& unit, const std::string& packet) {
  const std::string least = range.at_least_packet ? packet : Number(range.least);
  if (range.most == UINT32_MAX) return least + " or more";
  return least + " to " + Amount(range.most, unit);
}

}  // namespace ccsim

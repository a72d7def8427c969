// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// model.hpp: the parameters that the InfiniBand specification leaves to the designer of a switch or a channel adapter.
//
// They belong to the model, not to a profile: an administrator cannot set them. Each is a member here, with its default, and a row in
// model_parameters.cpp, with its name, range, unit and meaning. docs/research/calibration.md says how the defaults were found.
// Schemes and their parameters are in schemes/.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace ccsim {

// Comparison of a Threshold with the virtual output queues (VOQs) of one output port and VL (thesis, Paper I, 3.2.1).
enum class ThresholdMode : std::uint8_t {
  Voq,           // each VOQ on its own
  Sum,           // the sum over all inputs
  Contributing,  // the sum over all inputs, against the threshold divided by the number of inputs that hold packets
};

// The moment at which a port must have credits to count as the root of congestion. A port in Victim_Mask always counts.
enum class RootTest : std::uint8_t {
  Crossing,  // when the threshold is crossed
  Marking,   // whenever a packet is about to be marked
  Both,
};

// Sharing of the buffer of a switch's input port among its VLs.
enum class BufferSharing : std::uint8_t {
  Partitioned,  // each VL has its own buffer
  Shared,       // one pool, of which each VL keeps room for one packet, so that no VL shuts out another
};

// The packet that carries a BECN back to the source.
enum class BecnCarrier : std::uint8_t {
  Cnp,  // a congestion notification packet for each marked packet, at least cnp_spacing_ns apart per queue pair
  Ack,  // the next acknowledgement
};

// The flows that one CCTI_Timer serves.
enum class CctiTimer : std::uint8_t {
  PortSl,  // each port and SL has one free-running timer for all its flows (the specification's text)
  Flow,    // each flow has a timer, which every BECN restarts (Paper I's simulator)
};

// The VL of ACKs and CNPs.
enum class ControlVl : std::uint8_t {
  Data,  // the VL of the packet that they answer: they wait behind data in every switch
  Last,  // the last VL, which has its own buffers and credits
};

// The queue pair of a port and VL whose packet goes next, of those that have one and no delay.
enum class QpScheduling : std::uint8_t {
  Packet,    // they take turns, a packet each
  Message,   // they take turns, a message each
  Weighted,  // in proportion to what each offers: its rate, or its part of what the others leave
};

// Share of packets that a switch with NVIDIA's congestion control marks while its averaged queue is above a profile's max.
enum class MarkAboveMax : std::uint8_t {
  None,
  Percent,  // as at max
  All,
};

// State machine of DCQCN in adapters with NVIDIA's congestion control (congestion/dcqcn.hpp).
enum class DcqcnMachine : std::uint8_t {
  Paper,   // each CNP cuts; time and bytes count stages of their own (Zhu et al., SIGCOMM 2015)
  Timers,  // cuts and alpha run on timers (NVIDIA's parameters)
};

// Scope of the least time between two CNPs of such an adapter.
enum class CnpLimit : std::uint8_t {
  Qp,    // each queue pair has a timer
  Port,  // one timer for all
};

struct SwitchModel {
  std::uint32_t input_buffer_bytes = 128 * 2112;
  BufferSharing buffer_sharing = BufferSharing::Partitioned;
  std::uint32_t read_ports = 3;
  double routing_latency_ns = 100;
  double threshold_reference_bytes = 0;
  ThresholdMode threshold_mode = ThresholdMode::Sum;
  std::uint32_t hysteresis_bytes = 8 * 2112;
  RootTest root_test = RootTest::Crossing;
  MarkAboveMax mark_above_max = MarkAboveMax::All;
};

struct CaModel {
  std::uint32_t input_buffer_bytes = 32 * 2112;
  BecnCarrier becn_carrier = BecnCarrier::Cnp;
  double becn_delay_ns = 500;
  double cnp_spacing_ns = 20'000;
  std::uint32_t ack_every_packets = 32;
  CctiTimer ccti_timer = CctiTimer::PortSl;
  ControlVl control_vl = ControlVl::Data;
  QpScheduling qp_scheduling = QpScheduling::Weighted;
  DcqcnMachine dcqcn_machine = DcqcnMachine::Timers;
  std::uint32_t rpg_byte_unit_bytes = 64;
  CnpLimit cnp_limit = CnpLimit::Qp;
};

// The scheme of all devices, by its name in schemes/registry.hpp.
struct SchemeChoice {
  std::string name = "voqsw";
  std::map<std::string, double> values{};  // by parameter of the scheme; without one, the preset
};

struct Model {
  SwitchModel switches;
  CaModel ca;
  std::uint32_t num_vls = 1;
  SchemeChoice scheme;

  // Throws std::invalid_argument with the parameter's name, its value and what would be right.
  void Validate(std::uint32_t mtu_bytes) const;
  // Checks a buffer that `vls` VLs share; throws likewise.
  void CheckSharedBuffer(std::uint32_t mtu_bytes, std::uint32_t vls) const;
};

}  // namespace ccsim

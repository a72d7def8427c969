// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// model.hpp: the parameters that the InfiniBand specification leaves to the designer of a switch or a channel adapter.
//
// They are the model's, not a profile's: an administrator cannot set them. docs/calibration.md says how the defaults were found.
#pragma once

#include <cstdint>

namespace ccsim {

// How a Threshold is compared with the virtual output queues (VOQs) of one output port and VL (thesis, Paper I, 3.2.1).
enum class ThresholdMode : std::uint8_t {
  Voq,           // each VOQ on its own
  Sum,           // the sum over all inputs
  Contributing,  // the sum over all inputs, against the threshold divided by the number of inputs that hold packets
};

// When a port must have credits to count as the root of congestion (it is exempt where Victim_Mask is set).
enum class RootTest : std::uint8_t {
  Crossing,  // when the threshold is crossed
  Marking,   // whenever a packet is about to be marked
  Both,
};

// How the VLs of a switch's input port share its buffer.
enum class BufferSharing : std::uint8_t {
  Partitioned,  // each VL has a buffer of its own
  Shared,       // one pool, but for room of one packet that each VL has to itself, so that none can shut out another
};

// What carries a BECN back to the source.
enum class BecnCarrier : std::uint8_t {
  Cnp,  // a congestion notification packet for each marked packet, at least cnp_spacing_ns apart per queue pair
  Ack,  // the next acknowledgement
};

// Whom one CCTI_Timer serves.
enum class CctiTimer : std::uint8_t {
  PortSl,  // one free-running timer a port and SL decrements all its flows (the specification's text)
  Flow,    // one timer a flow, restarted by each BECN (Paper I's simulator)
};

// The VL of ACKs and CNPs.
enum class ControlVl : std::uint8_t {
  Data,  // that of the packet that they answer: they wait behind data in every switch
  Last,  // the last one, with buffers and credits of its own
};

struct SwitchModel {
  std::uint32_t input_buffer_bytes = 128 * 2112;              // of each input port and VL: what its credits are drawn on
  BufferSharing buffer_sharing = BufferSharing::Partitioned;  // Shared: input_buffer_bytes are for all VLs of a port together
  std::uint32_t read_ports = 3;                               // packets that can leave one input buffer at once
  double routing_latency_ns = 100;                            // head in to head out of an idle switch
  double threshold_reference_bytes = 0;                       // fill level that 16/16 stands for; 0: the whole input buffer
  ThresholdMode threshold_mode = ThresholdMode::Sum;
  std::uint32_t hysteresis_bytes = 8 * 2112;  // the release level lies this far below the crossing level; 0: one threshold
  RootTest root_test = RootTest::Crossing;
};

struct HcaModel {
  std::uint32_t input_buffer_bytes = 32 * 2112;  // of each port and VL; drained at the host's receive limit
  BecnCarrier becn_carrier = BecnCarrier::Cnp;
  double becn_delay_ns = 500;            // from a marked packet's tail to its CNP's or ACK's readiness
  double cnp_spacing_ns = 20'000;        // least time between two CNPs of one queue pair
  std::uint32_t ack_every_packets = 32;  // every so many data packets of a queue pair are acknowledged by one ACK
  CctiTimer ccti_timer = CctiTimer::PortSl;
  ControlVl control_vl = ControlVl::Data;
};

struct Model {
  SwitchModel switches;
  HcaModel hca;
  std::uint32_t num_vls = 1;  // data VLs, or as many as SL-to-VL tables and routing need; without tables, VL (SL mod num_vls)

  // Throws std::invalid_argument naming the parameter, its value and what would be right.
  void Validate(std::uint32_t mtu_bytes) const;
  // Of a buffer that so many VLs share; throws likewise.
  void CheckSharedBuffer(std::uint32_t mtu_bytes, std::uint32_t vls) const;
};

}  // namespace ccsim

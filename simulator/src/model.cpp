// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "model.hpp"

#include <stdexcept>
#include <string>

#include "engine/packet_pool.hpp"

namespace ccsim {
namespace {

void Require(bool holds, const char* name, double value, const std::string& what) {
  if (holds) return;
  std::string number = std::to_string(value);
  number.erase(number.find_last_not_of('0') + 1);
  if (number.back() == '.') number.pop_back();
  throw std::invalid_argument(std::string(name) + " is " + number + "; it must be " + what);
}

}  // namespace

void Model::CheckSharedBuffer(std::uint32_t mtu_bytes, std::uint32_t vls) const {
  const std::uint64_t least = std::uint64_t{vls} * 64u * CreditBlocks(mtu_bytes + kHeaderBytes);
  Require(switches.input_buffer_bytes >= least, "model.switch.input_buffer_bytes", switches.input_buffer_bytes,
          "at least a packet of the MTU for each of the " + std::to_string(vls) + " VLs that share it, " + std::to_string(least) +
              " bytes");
}

void Model::Validate(std::uint32_t mtu_bytes) const {
  const unsigned packet = 64u * CreditBlocks(mtu_bytes + kHeaderBytes);
  const std::string one_packet = "at least one packet of the MTU, " + std::to_string(packet) + " bytes, and at most 1 GiB";
  const auto holds_packet = [packet](std::uint32_t bytes) { return bytes >= packet && bytes <= (1u << 30); };
  Require(holds_packet(switches.input_buffer_bytes), "model.switch.input_buffer_bytes", switches.input_buffer_bytes, one_packet);
  Require(holds_packet(hca.input_buffer_bytes), "model.ca.input_buffer_bytes", hca.input_buffer_bytes, one_packet);
  Require(switches.read_ports >= 1 && switches.read_ports <= 255, "model.switch.read_ports", switches.read_ports, "1 to 255");
  Require(switches.routing_latency_ns >= 0 && switches.routing_latency_ns <= 1e6, "model.switch.routing_latency_ns",
          switches.routing_latency_ns, "0 to 1000000 ns");
  Require(switches.threshold_reference_bytes >= 0 && switches.threshold_reference_bytes <= 4e9,
          "model.switch.threshold_reference_bytes", switches.threshold_reference_bytes,
          "0 (the input buffer) or a fill level of up to 4 GB");
  Require(switches.hysteresis_bytes <= (1u << 30), "model.switch.hysteresis_bytes", switches.hysteresis_bytes, "0 to 1 GiB");
  Require(hca.becn_delay_ns >= 0 && hca.becn_delay_ns <= 1e9, "model.ca.becn_delay_ns", hca.becn_delay_ns, "0 to 1000000000 ns");
  Require(hca.cnp_spacing_ns >= 0 && hca.cnp_spacing_ns <= 1e9, "model.ca.cnp_spacing_ns", hca.cnp_spacing_ns,
          "0 to 1000000000 ns");
  Require(hca.ack_every_packets >= 1, "model.ca.ack_every_packets", hca.ack_every_packets, "at least 1");
  if (switches.buffer_sharing == BufferSharing::Shared) CheckSharedBuffer(mtu_bytes, num_vls);
  Require(num_vls >= 1 && num_vls <= 15, "model.num_vls", num_vls, "1 to 15 data VLs");
  Require(hca.control_vl == ControlVl::Data || num_vls >= 2, "model.num_vls", num_vls,
          "at least 2 where model.ca.control_vl is 'last'");
}

}  // namespace ccsim

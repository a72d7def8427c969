// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// NodeInfo (IBA vol. 1, 14.2.5.3).
#include <algorithm>

#include "emulator/agents/agent.hpp"
#include "emulator/agents/sma/link.hpp"
#include "emulator/subnet.hpp"

namespace ccsim::emulator {
namespace {

// Tools read Mellanox' ExtendedPortInfo, the only attribute that distinguishes FDR10 from QDR, from devices with these ids. All other
// devices have the vendor id that they were given, or none.
constexpr std::uint32_t kMellanox = 0x0002C9;
constexpr std::uint16_t kSwitchX = 0xC738;
constexpr std::uint16_t kConnectX3 = 0x1003;

std::uint8_t NodeType(NodeKind kind) {
  switch (kind) {
    case NodeKind::Switch: return 2;
    case NodeKind::Router: return 3;
    default: return 1;
  }
}

MadStatus HandleNodeInfo(Request& request) {
  const Node& node = request.subnet.fabric().nodes()[request.at.node];
  const auto& ports = request.subnet.device(request.at.node).sma.ports;
  std::uint8_t* data = request.data;
  data[0] = 1;  // base version
  data[1] = 1;  // class version
  data[2] = NodeType(node.kind);
  data[3] = static_cast<std::uint8_t>(node.num_ports());
  Put64(data + 4, node.guid);  // system image
  Put64(data + 12, node.guid);
  Put64(data + 20, request.subnet.sma_port(request.subnet.endport(request.at)).guid);
  Put16(data + 28, kPartitionCap);
  data[36] = request.at.port;
  const Hardware& hardware = request.subnet.device(request.at.node).hardware;
  if (hardware.vendor_id != 0) {
    Put16(data + 30, hardware.device_id);
    PutBits(data, 296, 24, hardware.vendor_id);
  } else if (std::any_of(ports.begin(), ports.end(), [](const SmaPort& port) { return HasFdr10(port.speeds_supported); })) {
    Put16(data + 30, node.kind == NodeKind::Switch ? kSwitchX : kConnectX3);
    PutBits(data, 296, 24, kMellanox);
  }
  return kOk;
}

const AttributeRegistration kRegistered(kSmpLid, "NodeInfo", 0x0011, kGetOnly, kSmpData, HandleNodeInfo);

}  // namespace
}  // namespace ccsim::emulator

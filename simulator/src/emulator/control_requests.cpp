// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/control_requests.hpp"

#include <charconv>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>

#include "emulator/agents/dispatch.hpp"

namespace ccsim::emulator {
namespace {

using ibsim::Control;
using ibsim::ControlType;

constexpr std::size_t kNodeCharacters = sizeof(ibsim::ClientInfo::node) - 1;

enum SmpAttribute : std::uint16_t { kNodeInfo = 0x0011, kPortInfo = 0x0015, kPkeyTable = 0x0016 };
using SmpData = std::array<std::uint8_t, 64>;

std::optional<std::uint64_t> ParseGuid(std::string_view text) {
  // 0x…, or an id as ibnetdiscover prints it (H-…, S-…), or 16 digits.
  const bool is_id = text.size() == 18 && text[1] == '-' && std::string_view("SHR").find(text[0]) != std::string_view::npos;
  if (is_id || text.starts_with("0x") || text.starts_with("0X")) {
    text.remove_prefix(2);
  } else if (text.size() != 16) {
    return {};
  }
  std::uint64_t guid = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), guid, 16);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return guid;
}

template <class Wanted>
std::optional<std::uint32_t> OnlyNode(const Fabric& fabric, std::string_view asked, const Wanted& wanted) {
  std::optional<std::uint32_t> found;
  for (std::uint32_t n = 0; n < fabric.nodes().size(); ++n) {
    if (!wanted(fabric.nodes()[n])) continue;
    if (found) throw std::invalid_argument("node '" + std::string(asked) + "' is the description of several nodes; give a GUID");
    found = n;
  }
  return found;
}

std::uint32_t FindNode(const Fabric& fabric, std::string_view asked) {
  if (asked.empty()) {
    for (std::uint32_t n = 0; n < fabric.nodes().size(); ++n) {
      if (fabric.nodes()[n].kind == NodeKind::Host) return n;
    }
    if (fabric.nodes().empty()) throw std::invalid_argument("the fabric has no nodes");
    return 0;
  }
  auto found = OnlyNode(fabric, asked, [&](const Node& node) { return node.name == asked; });
  const std::optional<std::uint64_t> guid = ParseGuid(asked);
  if (!found && guid) found = OnlyNode(fabric, asked, [&](const Node& node) { return node.guid == *guid; });
  if (!found && asked.size() == kNodeCharacters) {
    found = OnlyNode(fabric, asked, [&](const Node& node) { return std::string_view(node.name).starts_with(asked); });
  }
  if (!found) throw std::invalid_argument("there is no node '" + std::string(asked) + "'; give a node description or a GUID");
  return *found;
}

// Asks the port's own agent, so that attributes have one encoder. The request carries the device's own key, as a driver's does, and no
// fault strikes it.
std::optional<SmpData> Ask(Subnet& subnet, Place at, SmpAttribute attribute, std::uint32_t modifier) {
  if (!subnet.device(at.node).present) return {};
  Datagram datagram;
  datagram.slid = datagram.dlid = kPermissiveLid;
  std::uint8_t* bytes = datagram.mad.data();
  bytes[0] = 1;  // base version
  bytes[1] = kSmpLid;
  bytes[2] = 1;  // class version
  bytes[3] = kGet;
  Put16(bytes + 16, attribute);
  Put32(bytes + 20, modifier);
  Put64(bytes + 24, subnet.sma_port(at).m_key);
  if (AskAgent(subnet, at, datagram, false).answer != Answer::Reply || Mad(datagram.mad).status() != kOk) return {};
  SmpData data;
  std::memcpy(data.data(), bytes + kSmpData.offset, data.size());
  return data;
}

template <class Value>
void PutValue(Control& control, const Value& value) {
  static_assert(sizeof(Value) <= ibsim::kControlDataBytes);
  std::memcpy(control.data.data(), &value, sizeof(value));
}

bool AnswerFromNodeInfo(Control& control, const SmpData& info, std::uint8_t port) {
  if (control.type == ControlType::GetNodeInfo) {
    control.data = info;
    // libumad2sim.so takes this NodeGUID plus the port's number for the port's GUID. OpenSM finds its own port by it, so the sum must be
    // right; where a port's GUID is not this sum, the NodeGUID in sysfs is wrong, but OpenSM does not use it.
    Put64(&control.data[12], Get64(&info[20]) - port);
  } else if (control.type == ControlType::GetGuid) {
    std::memcpy(control.data.data(), &info[12], 8);
  } else {
    PutValue(control, ibsim::Vendor{GetBits(info.data(), 296, 24), Get16(&info[30]), Get32(&info[32]), 0, 1});
  }
  return true;
}

bool AnswerGet(Subnet& subnet, Place at, Control& control) {
  switch (control.type) {
    case ControlType::GetNodeInfo:
    case ControlType::GetGuid:
    case ControlType::GetVendor: {
      const auto info = Ask(subnet, at, kNodeInfo, 0);
      return info && AnswerFromNodeInfo(control, *info, at.port);
    }
    case ControlType::GetPortInfo: {
      const std::uint8_t wanted = control.data[0];
      const bool exists = wanted != 0 && wanted <= subnet.fabric().nodes()[at.node].num_ports();
      const auto info = Ask(subnet, at, kPortInfo, exists ? wanted : at.port);
      if (info) control.data = *info;
      return info.has_value();
    }
    case ControlType::GetPort: {
      const auto info = Ask(subnet, at, kPortInfo, at.port);
      if (info) PutValue(control, ibsim::PortSummary{Get16(&(*info)[16]), static_cast<std::uint8_t>((*info)[32] & 0x0F), 0});
      return info.has_value();
    }
    case ControlType::GetGid: {
      const auto port = Ask(subnet, at, kPortInfo, at.port);
      const auto node = Ask(subnet, at, kNodeInfo, 0);
      if (!port || !node) return false;
      std::memcpy(control.data.data(), &(*port)[8], 8);       // GidPrefix
      std::memcpy(control.data.data() + 8, &(*node)[20], 8);  // PortGUID
      return true;
    }
    case ControlType::GetPkeys: {
      const auto table = Ask(subnet, at, kPkeyTable, 0);
      if (table) control.data = *table;
      return table.has_value();
    }
    default: return false;
  }
}

}  // namespace

Place FindPlace(const Fabric& fabric, std::string_view node) {
  const std::uint32_t n = FindNode(fabric, node);
  if (fabric.nodes()[n].kind == NodeKind::Switch) return {n, 0};
  const std::vector<Port>& ports = fabric.nodes()[n].ports;
  for (std::size_t p = 1; p < ports.size(); ++p) {
    if (ports[p].connected()) return {n, static_cast<std::uint8_t>(p)};
  }
  return {n, 1};
}

void AnswerControl(Subnet& subnet, Place at, Control& control) {
  const ControlType asked = control.type;
  const bool answered = AnswerGet(subnet, at, control);
  control.type = answered ? asked : ControlType::Error;
}

}  // namespace ccsim::emulator

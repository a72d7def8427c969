// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/agents/pma_counters.hpp"

#include <algorithm>

#include "emulator/bits.hpp"
#include "emulator/subnet.hpp"

namespace ccsim::emulator {
namespace {

constexpr std::uint8_t kAllPorts = 0xFF;

bool IsSwitch(const Request& request) { return request.subnet.fabric().nodes()[request.at.node].kind == NodeKind::Switch; }

// The ports that PortSelect names; empty: none of this agent.
std::span<PmaPort> SelectedPorts(const Request& request) {
  std::vector<PmaPort>& ports = request.subnet.device(request.at.node).pma.ports;
  const std::uint8_t select = request.data[1];
  const std::span all(ports);
  if (!IsSwitch(request)) return select == request.at.port ? all.subspan(select, 1) : all.first(0);
  if (select == kAllPorts) return all.subspan(1);
  return select < ports.size() ? all.subspan(select, 1) : all.first(0);
}

std::uint64_t Count(const PmaField& field, const PmaPort& port) {
  if (field.counter != nullptr) return port.*field.counter;
  return field.lanes != nullptr && port.lanes ? ((*port.lanes).*field.lanes)[field.lane] : 0;
}

std::uint64_t Largest(const PmaField& field) { return field.width == 64 ? UINT64_MAX : (std::uint64_t{1} << field.width) - 1; }

std::uint64_t GetField(const std::uint8_t* data, const PmaField& field) {
  return field.width == 64 ? Get64(data + field.offset / 8) : GetBits(data, field.offset, field.width);
}

void PutField(std::uint8_t* data, const PmaField& field, std::uint64_t value) {
  if (field.width == 64) {
    Put64(data + field.offset / 8, value);
  } else {
    PutBits(data, field.offset, field.width, static_cast<std::uint32_t>(value));
  }
}

void SetCounter(const PmaField& field, PmaPort& port, std::uint64_t count) {
  if (field.counter != nullptr) {
    port.*field.counter = count;
  } else if (field.lanes != nullptr && (count != 0 || port.lanes)) {
    (port.Lanes().*field.lanes)[field.lane] = count;
  }
}

void Write(const Request& request, const PmaAttribute& attribute, std::span<PmaPort> ports) {
  const std::uint32_t first = Get16(request.data + 2);
  const std::uint32_t second =
      attribute.select2_width == 0 ? 0 : GetBits(request.data, attribute.select2_offset, attribute.select2_width);
  for (const PmaField& field : attribute.fields) {
    if (field.select.bit >= 32 || ((field.select.second ? second : first) >> field.select.bit & 1) == 0) continue;
    for (PmaPort& port : ports) SetCounter(field, port, GetField(request.data, field) * field.unit);
  }
}

}  // namespace

MadStatus HandleCounters(Request& request, const PmaAttribute& attribute) {
  const std::span<PmaPort> ports = SelectedPorts(request);
  if (request.modifier() != 0 || ports.empty()) return kInvalidField;
  request.subnet.Refresh(request.at.node);
  if (request.is_set()) {
    Write(request, attribute, ports);
  } else {
    std::fill_n(request.data + 2, kGmpData.bytes - 2, std::uint8_t{0});  // all but OpCode and PortSelect
  }
  for (const PmaField& field : attribute.fields) {
    std::uint64_t sum = 0;
    for (const PmaPort& port : ports) sum += Count(field, port);
    PutField(request.data, field, std::min(sum / field.unit, Largest(field)));
  }
  return kOk;
}

}  // namespace ccsim::emulator

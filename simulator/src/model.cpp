// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "model.hpp"

#include <cstdio>
#include <stdexcept>
#include <string>

#include "engine/packet_pool.hpp"
#include "model_parameters.hpp"
#include "schemes/registry.hpp"

namespace ccsim {
namespace {

[[noreturn]] void Refuse(const std::string& parameter, double value, const std::string& right) {
  char number[32];
  std::snprintf(number, sizeof number, "%.15g", value);
  throw std::invalid_argument("model." + parameter + " is " + number + "; it must be " + right);
}

// Credit is given for whole blocks.
std::uint32_t PacketBytes(std::uint32_t mtu_bytes) { return 64u * CreditBlocks(mtu_bytes + kHeaderBytes); }

template <typename Owner>
void CheckRanges(const Owner& owner, std::uint32_t packet_bytes) {
  for (const Parameter<Owner>& parameter : Parameters<Owner>()) {
    const Range& range = parameter.range;
    const auto check = [&](double value) {
      const double least = range.at_least_packet ? packet_bytes : range.least;
      if (value >= least && value <= range.most) return;
      const std::string packet = "one packet of the MTU, " + std::to_string(packet_bytes) + " bytes,";
      Refuse(KeyOf(parameter), value, InWords(range, parameter.unit, packet));
    };
    if (const auto* whole = std::get_if<std::uint32_t Owner::*>(&parameter.member)) check(owner.**whole);
    if (const auto* number = std::get_if<double Owner::*>(&parameter.member)) check(owner.**number);
  }
}

std::string Group(const char* group, const char* name) { return std::string(group) + "." + name; }

}  // namespace

void Model::CheckSharedBuffer(std::uint32_t mtu_bytes, std::uint32_t vls) const {
  const std::uint64_t least = std::uint64_t{vls} * PacketBytes(mtu_bytes);
  if (switches.input_buffer_bytes >= least) return;
  Refuse(Group(kGroup<SwitchModel>, "input_buffer_bytes"), switches.input_buffer_bytes,
         "at least a packet of the MTU for each of the " + std::to_string(vls) + " VLs that share it, " + std::to_string(least) +
             " bytes");
}

void Model::Validate(std::uint32_t mtu_bytes) const {
  const std::uint32_t packet_bytes = PacketBytes(mtu_bytes);
  CheckRanges(switches, packet_bytes);
  CheckRanges(ca, packet_bytes);
  CheckRanges(*this, packet_bytes);
  CheckValues(FindScheme(scheme.name), scheme.values);
  if (const auto check = FindScheme(scheme.name).check) check(scheme);
  if (FindScheme(scheme.name).one_vl) {
    if (num_vls > 1) RefuseVls(scheme.name, num_vls);
    if (switches.buffer_sharing == BufferSharing::Shared) RefuseSharedBuffers(scheme.name);
  }
  if (switches.buffer_sharing == BufferSharing::Shared) CheckSharedBuffer(mtu_bytes, num_vls);
  if (ca.control_vl == ControlVl::Last && num_vls < 2) {
    Refuse("num_vls", num_vls, "at least 2 where model." + Group(kGroup<CaModel>, "control_vl") + " is 'last'");
  }
}

}  // namespace ccsim

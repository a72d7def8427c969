// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dispatch.cpp: finds the handler of a request, or the status of a request that has none (IBA vol. 1, 13.4.7).
#include <cstring>
#include <map>

#include "emulator/agents/agent.hpp"
#include "emulator/agents/dispatch.hpp"
#include "emulator/subnet.hpp"

namespace ccsim::emulator {
namespace {

constexpr std::uint16_t kSmInfo = 0x0020;

struct Attribute {
  const char* name;
  Methods methods;
  DataSpan data;
  AttributeHandler handler;
  GetContent get_content;
};

struct ManagementClass {
  std::uint8_t version = 0;
  AdmissionCheck admission = nullptr;
  std::map<std::uint16_t, Attribute> attributes;
};

// Registrations write it before main() or while the module is loaded; afterwards it is only read.
std::map<std::uint8_t, ManagementClass>& Classes() {
  static std::map<std::uint8_t, ManagementClass> classes;
  return classes;
}

Answered Reply(const Mad& mad, MadStatus status) {
  mad.set_method(kGetResp);
  mad.set_status(status);
  return {Answer::Reply};
}

}  // namespace

AttributeRegistration::AttributeRegistration(MgmtClass mgmt_class, const char* name, std::uint16_t attribute, Methods methods,
                                             DataSpan data, AttributeHandler handler, GetContent get_content) {
  Classes()[mgmt_class].attributes[attribute] = {name, methods, data, handler, get_content};
}

ClassRegistration::ClassRegistration(MgmtClass mgmt_class, std::uint8_t class_version, AdmissionCheck admission) {
  ManagementClass& entry = Classes()[mgmt_class];
  entry.version = class_version;
  entry.admission = admission;
}

// Agents answer an unknown class or attribute too, as a kernel does for its programs: the sender gets a status, not a time-out.
bool HasAgent(std::uint8_t mgmt_class, std::uint16_t attribute, std::uint8_t method) {
  if (method != kGet && method != kSet) return false;
  if (mgmt_class == kSubnetAdministration) return false;
  return CanonicalClass(mgmt_class) != kSmpLid || attribute != kSmInfo;
}

std::optional<DataSpan> DataOf(std::uint8_t mgmt_class, std::uint16_t attribute) {
  const auto found = Classes().find(CanonicalClass(mgmt_class));
  if (found == Classes().end()) return std::nullopt;
  const auto known = found->second.attributes.find(attribute);
  if (known == found->second.attributes.end()) return std::nullopt;
  return known->second.data;
}

std::vector<AgentAttribute> AgentAttributes() {
  std::vector<AgentAttribute> known;
  for (const auto& [mgmt_class, entry] : Classes()) {
    for (const auto& [id, attribute] : entry.attributes) known.push_back({mgmt_class, id, attribute.name});
  }
  return known;
}

Answered LetAgentAnswer(Subnet& subnet, Place at, Datagram& datagram) {
  if (!subnet.faults().none()) [[unlikely]] {
    return subnet.faults().Answer(subnet, at, datagram);
  }
  return AskAgent(subnet, at, datagram, false);
}

Answered AskAgent(Subnet& subnet, Place at, Datagram& datagram, bool key_refused) {
  const Mad mad(datagram.mad);
  const auto found = Classes().find(CanonicalClass(mad.mgmt_class()));
  if (mad.base_version() != 1) return Reply(mad, kUnsupportedVersion);
  if (found == Classes().end()) return Reply(mad, kUnsupportedMethodAttribute);
  const ManagementClass& mgmt_class = found->second;
  if (mad.class_version() != mgmt_class.version) return Reply(mad, kUnsupportedVersion);
  if (mad.method() != kGet && mad.method() != kSet) return Reply(mad, kUnsupportedMethod);

  const auto attribute = mgmt_class.attributes.find(mad.attribute());
  const bool known = attribute != mgmt_class.attributes.end();
  const DataSpan span = known ? attribute->second.data : kSmpData;
  Request request{subnet, at, datagram.slid, mad, datagram.mad.data() + span.offset, key_refused};
  if (mgmt_class.admission != nullptr && mgmt_class.admission(request) == Admission::Ignored) return {Answer::Silence};
  if (!known) return Reply(mad, kUnsupportedMethodAttribute);
  const Methods wanted = request.is_set() ? kSetOnly : kGetOnly;
  if ((attribute->second.methods & wanted) == 0) return Reply(mad, kUnsupportedMethodAttribute);
  if (!request.is_set() && attribute->second.get_content == GetContent::Cleared) std::memset(request.data, 0, span.bytes);
  return Reply(mad, attribute->second.handler(request));
}

}  // namespace ccsim::emulator

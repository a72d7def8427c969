// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// clamp.cpp: keeps a field within limits: of a Set before the device stores it, of a Get in its answer.
#include <algorithm>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>

#include "ccpolicy/wire.h"
#include "emulator/agents/dispatch.hpp"
#include "emulator/bits.hpp"
#include "emulator/faults/fault.hpp"

namespace ccsim::emulator {
namespace {

constexpr std::int64_t kLargest = std::numeric_limits<std::uint32_t>::max();

// Elements of a field, in bits from the attribute's start.
struct ClampedField {
  unsigned offset = 0;
  unsigned width = 0;
  unsigned count = 1;
  unsigned stride = 0;
};

class Clamp : public Fault {
 public:
  Clamp(ClampedField field, std::int64_t least, std::int64_t most, unsigned start)
      : field_(field), least_(static_cast<std::uint32_t>(least)), most_(static_cast<std::uint32_t>(most)), start_(start) {}

  Outcome Before(Struck& request) override {
    if (request.is_set) Apply(request.mad);
    return Outcome::Onward;
  }
  void After(Struck& answer, Answered& /*answered*/) override {
    if (!answer.is_set && answer.mad.status() == kOk) Apply(answer.mad);
  }

 private:
  void Apply(const Mad& mad) const {
    std::uint8_t* data = mad.bytes() + start_;
    for (unsigned i = 0; i < field_.count; ++i) {
      const unsigned bit = field_.offset + i * field_.stride;
      PutBits(data, bit, field_.width, std::clamp(GetBits(data, bit, field_.width), least_, most_));
    }
  }

  ClampedField field_;
  std::uint32_t least_, most_;
  unsigned start_;  // the attribute's first byte in the MAD
};

[[noreturn]] void RefuseElement(const ParameterReader& parameters, const std::string& text, const ccp_wire_field& field) {
  parameters.Refuse("'" + text + "' is not an element; " + field.name + " has [0] to [" + std::to_string(field.count - 1) + "]");
}

ClampedField ByName(const ParameterReader& parameters, std::uint8_t mgmt_class, std::uint16_t attribute) {
  const std::string text = parameters.Text("field");
  const std::size_t bracket = text.find('[');
  const std::string name = text.substr(0, bracket);
  const ccp_wire_attribute* table = mgmt_class == kCongestionControl ? ccp_find_attribute(attribute) : nullptr;
  if (table == nullptr) {
    parameters.Refuse("only attributes of class 33 (CCA) have named fields; give offset_bits and width_bits");
  }
  std::string known;
  for (unsigned i = 0; i < table->num_fields; ++i) {
    const ccp_wire_field& field = table->fields[i];
    if (field.width > 32) continue;
    if (name != field.name) {
      known += (known.empty() ? "" : ", ") + std::string(field.name);
      continue;
    }
    if (bracket == std::string::npos) return {field.offset, field.width, field.count, field.stride};
    char* end = nullptr;
    const unsigned long element = std::strtoul(text.c_str() + bracket + 1, &end, 10);
    if (end == text.c_str() + bracket + 1 || std::string(end) != "]" || element >= field.count) {
      RefuseElement(parameters, text, field);
    }
    return {static_cast<unsigned>(field.offset + element * field.stride), field.width, 1, 0};
  }
  parameters.Refuse(std::string(table->name) + " has no field '" + name + "' that is a number; it has " + known);
}

ClampedField ByPlace(const ParameterReader& parameters, unsigned bytes) {
  const auto width = static_cast<unsigned>(parameters.Number("width_bits", 1, 32));
  const auto offset = static_cast<unsigned>(parameters.Number("offset_bits", 0, std::int64_t{bytes} * 8 - width));
  return {offset, width, 1, 0};
}

std::unique_ptr<Fault> MakeClamp(const ParameterReader& parameters) {
  const FaultSpec& spec = parameters.spec();
  if (!spec.mgmt_class || !spec.attribute) parameters.Refuse("needs a class and an attribute");
  const std::optional<DataSpan> span = DataOf(*spec.mgmt_class, *spec.attribute);
  if (!span) {
    parameters.Refuse("attribute " + std::to_string(*spec.attribute) + " of class " + std::to_string(*spec.mgmt_class) +
                      " is not one that devices answer; give one that they do");
  }
  const bool placed = parameters.has("offset_bits") || parameters.has("width_bits");
  if (placed == parameters.has("field")) parameters.Refuse("needs either field, or offset_bits and width_bits");
  const ClampedField field = placed ? ByPlace(parameters, span->bytes) : ByName(parameters, *spec.mgmt_class, *spec.attribute);
  if (!parameters.has("least") && !parameters.has("most")) parameters.Refuse("needs least or most");
  const std::int64_t largest = kLargest >> (32 - field.width);
  const std::int64_t least = parameters.has("least") ? parameters.Number("least", 0, largest) : 0;
  const std::int64_t most = parameters.has("most") ? parameters.Number("most", least, largest) : largest;
  return std::make_unique<Clamp>(field, least, most, span->offset);
}

const FaultRegistration kRegistered(
    {"clamp",
     "The device keeps a field of the attribute within limits: of a Set before it stores the field, of a Get in its answer.",
     {{"field", "name in the specification, such as CCTI_Limit; in a table, all elements or one: CCTI_Min[3]"},
      {"offset_bits", "instead of `field`: the first bit of the field, counted from the attribute's start"},
      {"width_bits", "with offset_bits: the width of the field, 1 to 32"},
      {"least", "smallest value"},
      {"most", "largest value"}},
     MakeClamp});

}  // namespace
}  // namespace ccsim::emulator

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// model_parameters.hpp: the parameters of Model as rows. What checks, sets, shows or documents parameters loops over the rows:
// Model::Validate, the Python classes, `ccsim.model_parameters()`, and through it the JSON Schema of fabric documents, the table in
// docs/research/simulator.md and the stub file (build_tools/model_parameters.py).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>

#include "model.hpp"

namespace ccsim {

// A parameter whose values have names. Enumerators count from 0, and `names` has their names in that order.
template <typename Owner>
struct Choice {
  std::span<const char* const> names;
  std::uint8_t (*get)(const Owner&);
  void (*set)(Owner&, std::uint8_t);

  // Throws std::invalid_argument that lists the names. `parameter` is the parameter's full name.
  void Set(Owner& owner, const std::string& parameter, const std::string& name) const;
  const char* Get(const Owner& owner) const { return names[get(owner)]; }
};

// The values that a number may have, both ends included.
struct Range {
  double least = 0;
  double most = UINT32_MAX;      // UINT32_MAX: no limit but that of the type
  bool at_least_packet = false;  // instead of `least`: one packet of the fabric's MTU
};

template <typename Owner>
struct Parameter {
  const char* name;  // as in documents and after `--set model.`, without the group
  std::variant<std::uint32_t Owner::*, double Owner::*, Choice<Owner>> member;
  Range range{};            // of a number
  const char* unit = "";    // of a number
  const char* meaning;      // one sentence
  const char* consequence;  // what another value changes, in a sentence
};

// Parameters stand in groups, one for each kind of device, and in the model itself. A group's name is its key in documents.
template <typename Owner>
inline constexpr const char* kGroup = "";
template <>
inline constexpr const char* kGroup<SwitchModel> = "switch";
template <>
inline constexpr const char* kGroup<CaModel> = "ca";

// The rows of SwitchModel, CaModel and Model.
template <typename Owner>
std::span<const Parameter<Owner>> Parameters();
template <>
std::span<const Parameter<SwitchModel>> Parameters<SwitchModel>();
template <>
std::span<const Parameter<CaModel>> Parameters<CaModel>();
template <>
std::span<const Parameter<Model>> Parameters<Model>();

// The name of a parameter in documents, `switch.read_ports`.
template <typename Owner>
std::string KeyOf(const Parameter<Owner>& parameter) {
  const std::string group = kGroup<Owner>;
  return group.empty() ? parameter.name : group + "." + parameter.name;
}

// A number as sentences show it, with up to 15 digits.
std::string Number(double value);

// The range in words, such as "0 to 1000 ns"; empty for a choice. `packet` stands for one packet of the MTU.
std::string InWords(const Range& range, const std::string& unit, const std::string& packet);

}  // namespace ccsim

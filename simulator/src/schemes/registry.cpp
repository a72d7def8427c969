// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "registry.hpp"

#include <cmath>
#include <stdexcept>
#include <utility>

#include "../model_parameters.hpp"
#include "fabric.hpp"

namespace ccsim {
namespace {

// A local static, since the files of this folder are initialised in no particular order.
std::map<std::string, Scheme>& Schemes() {
  static std::map<std::string, Scheme> schemes;
  return schemes;
}

std::string Key(const std::string& parameter) { return "model.scheme." + parameter; }

std::string Joined(const std::vector<std::string>& names) {
  std::string joined;
  for (const std::string& name : names) joined += (joined.empty() ? "" : ", ") + name;
  return joined;
}

bool Fits(const SchemeParameter& parameter, double value) {
  return value >= parameter.least && value <= parameter.most && (!parameter.whole || value == std::floor(value));
}

const SchemeParameter& ParameterOf(const Scheme& scheme, const std::string& name) {
  std::vector<std::string> known;
  for (const SchemeParameter& parameter : scheme.parameters) {
    if (parameter.name == name) return parameter;
    known.push_back(parameter.name);
  }
  throw std::invalid_argument(Key(name) + " is not a parameter of scheme '" + scheme.name +
                              (known.empty() ? "', which has none" : "'; it has " + Joined(known)));
}

}  // namespace

SchemeRegistration::SchemeRegistration(Scheme scheme) {
  const std::string named = "scheme '" + scheme.name + "'";
  for (const SchemeParameter& parameter : scheme.parameters) {
    if (parameter.name == "name") throw std::logic_error(named + " has a parameter called 'name', which is the scheme's own");
    if (!Fits(parameter, parameter.preset)) {
      throw std::logic_error(named + " presets '" + parameter.name + "' to " + Number(parameter.preset) + ", outside its range");
    }
  }
  const std::string name = scheme.name;
  if (!Schemes().emplace(name, std::move(scheme)).second) throw std::logic_error(named + " is registered twice");
}

std::vector<std::string> SchemeNames() {
  std::vector<std::string> names;
  for (const auto& [name, scheme] : Schemes()) names.push_back(name);
  return names;
}

const Scheme& FindScheme(const std::string& name) {
  const auto found = Schemes().find(name);
  if (found == Schemes().end()) {
    throw std::invalid_argument(Key("name") + " is '" + name + "'; it must be one of " + Joined(SchemeNames()));
  }
  return found->second;
}

void CheckValues(const Scheme& scheme, const std::map<std::string, double>& values) {
  for (const auto& [name, value] : values) {
    const SchemeParameter& parameter = ParameterOf(scheme, name);
    if (Fits(parameter, value)) continue;
    const std::string right = (parameter.whole ? "a whole number, " : "") +
                              InWords({.least = parameter.least, .most = parameter.most}, parameter.unit, "");
    throw std::invalid_argument(Key(name) + " is " + Number(value) + "; it must be " + right);
  }
}

std::map<std::string, double> WithPresets(const Scheme& scheme, const std::map<std::string, double>& values) {
  std::map<std::string, double> all;
  for (const SchemeParameter& parameter : scheme.parameters) {
    const auto given = values.find(parameter.name);
    all[parameter.name] = given == values.end() ? parameter.preset : given->second;
  }
  return all;
}

void CheckCongestionControl(const Scheme& scheme, bool enabled) {
  if (enabled || !scheme.needs_congestion_control) return;
  throw std::invalid_argument(Key("name") + " is '" + scheme.name +
                              "', and no profile of this run enables congestion control; choose a profile that does, or another "
                              "scheme");
}

void CheckDialects(const Scheme& scheme, const Fabric& fabric) {
  if (scheme.any_dialect) return;
  const Node* other = FirstOfOtherDialect(fabric);
  if (other == nullptr) return;
  std::vector<std::string> names;
  for (const auto& [name, some] : Schemes()) {
    if (some.any_dialect) names.push_back(name);
  }
  throw std::invalid_argument(Key("name") + " is '" + scheme.name + "', and '" + other->name + "' has congestion_control '" +
                              std::string(NameOf(other->dialect)) + "'; with other devices than 'a10' it must be one of " +
                              Joined(names));
}

void CheckHostModels(const Scheme& scheme, const Fabric& fabric) {
  const Node* host = FirstModelledHost(fabric);
  if (scheme.host_models || host == nullptr) return;
  std::vector<std::string> names;
  for (const auto& [name, some] : Schemes()) {
    if (some.host_models) names.push_back(name);
  }
  throw std::invalid_argument(Key("name") + " is '" + scheme.name + "', and host '" + host->name +
                              "' has a host_model; with host models it must be one of " + Joined(names));
}

std::string SchemesWithVls() {
  std::vector<std::string> names;
  for (const auto& [name, scheme] : Schemes()) {
    if (!scheme.one_vl) names.push_back(name);
  }
  return Joined(names);
}

void RefuseVls(const std::string& name, unsigned vls) {
  throw std::invalid_argument(Key("name") + " is '" + name + "', which carries 1 VL, and the fabric needs " +
                              std::to_string(vls) + " (model.num_vls, its routing, or its SL-to-VL tables); 1 to " +
                              std::to_string(kMaxVls) + " VLs are carried by " + SchemesWithVls());
}

void RefuseSharedBuffers(const std::string& name) {
  throw std::invalid_argument(
      Key("name") + " is '" + name +
      "', which carries 1 VL, and model.switch.buffer_sharing is 'shared'; choose 'partitioned', or of the schemes " +
      SchemesWithVls());
}

}  // namespace ccsim

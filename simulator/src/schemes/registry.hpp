// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// registry.hpp: schemes by name. A scheme is what switches and adapters do about congestion beside the profile: how switches
// queue packets, and what belongs to that. It is a file in this folder and registers itself in its last line; no list elsewhere
// names it. The registry is written before main() or while the Python module is loaded, and afterwards only read.
//
// A scheme and its parameters belong to the model (`model.scheme` in a fabric document), not to a profile.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "schemes/switch_memory.hpp"

namespace ccsim {

class EngineCore;
class Fabric;
struct Model;
struct SchemeChoice;
struct Setup;

// A number that a scheme takes, both ends of its range included.
struct SchemeParameter {
  std::string name;  // as in documents and after `--set model.scheme.`; "name" itself is taken
  double least = 0;
  double most = UINT32_MAX;  // UINT32_MAX: no limit but that of the type
  double preset = 0;         // without a value in the document
  bool whole = false;
  std::string unit{};
  std::string meaning{};      // one sentence
  std::string consequence{};  // what another value changes, in a sentence
};

// What a user should know of a run before it starts.
struct SchemeNote {
  std::string sentence;     // without a full stop
  std::uint64_t bytes = 0;  // of this machine's memory that the run may need for what the sentence says
};

struct Scheme {
  std::string name;
  std::string summary{};  // one sentence
  std::string source{};   // where it is described, such as "thesis, Paper V"
  std::string without{};  // name of the scheme whose switch and adapters are the same without this one's part; "": there is none
  std::vector<SchemeParameter> parameters{};
  // Throws std::invalid_argument with a sentence for values that are within their ranges and do not fit each other; null: all fit.
  void (*check)(const SchemeChoice& choice) = nullptr;
  // Makes the engine that carries a run, not built yet. Throws std::invalid_argument with a sentence on a fabric that the scheme cannot
  // carry.
  std::unique_ptr<EngineCore> (*make)(const Setup& setup) = nullptr;
  bool needs_congestion_control = false;  // a run in which no profile enables congestion control is refused
  bool one_vl = false;                    // it carries one VL
  bool any_dialect = false;               // devices may have another congestion control than annex A10's, or none
  bool host_models = false;               // hosts may have a model
  // Memory of an input port whose switch has so many outputs that a packet can take from there; null: PlainPortMemory.
  PortMemory (*port_memory)(const Fabric& fabric, const Model& model, unsigned outputs) = nullptr;
  std::optional<SchemeNote> (*note)(const Setup& setup) = nullptr;  // null: none
};

// A static object of this type in the last line of a scheme's file registers the scheme. Throws std::logic_error for a name that is
// taken, a parameter called "name", and a preset outside its range.
struct SchemeRegistration {
  explicit SchemeRegistration(Scheme scheme);
};

// In alphabetical order.
std::vector<std::string> SchemeNames();

// Throws std::invalid_argument with the name and the known names.
const Scheme& FindScheme(const std::string& name);

// Throws std::invalid_argument with the parameter, its value and what would be right, for a value outside its range and a parameter
// that the scheme does not have.
void CheckValues(const Scheme& scheme, const std::map<std::string, double>& values);

// The value of every parameter of the scheme: that in `values`, else its preset. `values` must have passed CheckValues.
std::map<std::string, double> WithPresets(const Scheme& scheme, const std::map<std::string, double>& values);

// Throws std::invalid_argument if the scheme needs congestion control and no profile of the run enables it.
void CheckCongestionControl(const Scheme& scheme, bool enabled);

// Throws std::invalid_argument if a device has another congestion control than annex A10's, and the scheme cannot carry it.
void CheckDialects(const Scheme& scheme, const Fabric& fabric);

// Throws std::invalid_argument if a host has a model, and the scheme cannot carry it.
void CheckHostModels(const Scheme& scheme, const Fabric& fabric);

// The names of the schemes that carry several VLs, with commas.
std::string SchemesWithVls();

// Throw std::invalid_argument: the scheme of this name carries one VL, and the fabric or its model needs `vls`, or has buffers that VLs
// share.
[[noreturn]] void RefuseVls(const std::string& name, unsigned vls);
[[noreturn]] void RefuseSharedBuffers(const std::string& name);

}  // namespace ccsim

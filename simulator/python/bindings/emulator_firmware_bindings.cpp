// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// emulator_firmware_bindings.cpp: Emulator.set_nvidia_firmware: properties in which firmwares with NVIDIA's attributes differ; and
// Emulator.unknown_modifiers.
#include <pybind11/stl.h>

#include <array>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "emulator_bindings.hpp"

namespace py = pybind11;

namespace ccsim {
namespace {

using emulator::NvidiaFirmware;
using emulator::NvidiaQuirk;
using emulator::PpccAlgorithm;
using emulator::VlReading;

constexpr std::array kReadings{std::pair{"mask", VlReading::Mask}, std::pair{"modifier", VlReading::Modifier}};
constexpr std::array kOutOfRange{std::pair{"refuse", false}, std::pair{"clip", true}};
constexpr std::array kQuirks{std::pair{"none", NvidiaQuirk::None},
                             std::pair{"echo", NvidiaQuirk::Echo},
                             std::pair{"zeros", NvidiaQuirk::Zeros},
                             std::pair{"noise", NvidiaQuirk::Noise},
                             std::pair{"first-port", NvidiaQuirk::FirstPort},
                             std::pair{"silent", NvidiaQuirk::Silent}};

template <typename Words>
auto Parsed(const Words& words, const char* what, const std::string& text) {
  std::string known;
  for (const auto& [word, value] : words) {
    if (text == word) return value;
    known += (known.empty() ? "" : ", ") + std::string(word);
  }
  throw std::invalid_argument(std::string(what) + " is '" + text + "'; it must be one of " + known);
}

// Number, major and minor of an algorithm, and the power-on values of its parameters.
using AlgorithmRow = std::tuple<std::uint16_t, std::uint8_t, std::uint8_t, std::vector<std::uint32_t>>;

std::vector<PpccAlgorithm> AlgorithmsFrom(const std::vector<AlgorithmRow>& rows) {
  if (rows.size() > CCP_PPCC_SLOTS)
    throw std::invalid_argument("algorithms has " + std::to_string(rows.size()) + " rows; an adapter has at most 16 slots");
  std::vector<PpccAlgorithm> algorithms;
  for (const auto& [number, major, minor, parameters] : rows) {
    if (parameters.size() > CCP_PPCC_PARAMETERS_MAX) {
      throw std::invalid_argument("algorithm " + std::to_string(number) + " has " + std::to_string(parameters.size()) +
                                  " parameters; at most 44 would be right");
    }
    algorithms.push_back({.id = {.algo_id = number, .major = major, .minor = minor}, .parameters = parameters});
  }
  return algorithms;
}

void SetNvidiaFirmware(PyEmulator& self, std::uint32_t node, const std::string& vl_reading, const std::string& out_of_range,
                       std::optional<std::uint64_t> capability_mask, const std::string& quirk, std::uint8_t profile_step_kb,
                       const std::optional<std::vector<AlgorithmRow>>& algorithms) {
  CheckNode(*self.fabric(), node);
  NvidiaFirmware firmware;
  firmware.vl_reading = Parsed(kReadings, "vl_reading", vl_reading);
  firmware.clips = Parsed(kOutOfRange, "out_of_range", out_of_range);
  firmware.capability_mask = capability_mask;
  firmware.quirk = Parsed(kQuirks, "quirk", quirk);
  firmware.profile_step_kb = profile_step_kb;
  if (algorithms) firmware.algorithms = AlgorithmsFrom(*algorithms);
  self.Do([&](emulator::Subnet& subnet) {
    emulator::CcaNode& cca = subnet.device(node).cca;
    firmware.port_buffer_bytes = cca.firmware.nvidia.port_buffer_bytes;
    cca.SetNvidiaFirmware(std::move(firmware));
  });
}

py::list UnknownModifiers(PyEmulator& self, bool clear) {
  std::vector<emulator::UnknownModifier> rows;
  self.Do([&](emulator::Subnet& subnet) {
    rows = subnet.unknown_modifiers().rows();
    if (clear) subnet.unknown_modifiers().Clear();
  });
  py::list result;
  for (const emulator::UnknownModifier& row : rows) {
    py::dict d;
    d["node"] = row.node;
    d["mgmt_class"] = row.mgmt_class;
    d["method"] = row.method;
    d["attribute"] = row.attribute;
    d["modifier"] = row.modifier;
    d["count"] = row.count;
    result.append(d);
  }
  return result;
}

}  // namespace

void BindEmulatorFirmware(EmulatorClass& emulator) {
  emulator
      .def("set_nvidia_firmware", &SetNvidiaFirmware, py::arg("node"), py::kw_only(), py::arg("vl_reading") = "mask",
           py::arg("out_of_range") = "refuse", py::arg("capability_mask") = py::none(), py::arg("quirk") = "none",
           py::arg("profile_step_kb") = NvidiaFirmware{}.profile_step_kb, py::arg("algorithms") = py::none())
      .def("unknown_modifiers", &UnknownModifiers, py::kw_only(), py::arg("clear") = false);
}

}  // namespace ccsim

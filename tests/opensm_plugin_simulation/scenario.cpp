// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "scenario.hpp"

#include <cstddef>
#include <sstream>
#include <stdexcept>

namespace ibcc_test::simulation {

Scenario Scenario::Parse(const std::string& line) {
  Scenario scenario;
  std::istringstream words(line);
  for (std::string word; words >> word;) {
    const std::size_t at = word.find('=');
    const std::string name = word.substr(0, at), value = at == std::string::npos ? "" : word.substr(at + 1);
    if (name == "seed") {
      scenario.seed = std::stoull(value);
    } else if (name == "hosts") {
      scenario.hosts = static_cast<unsigned>(std::stoul(value));
    } else if (name == "switches") {
      scenario.switches = static_cast<unsigned>(std::stoul(value));
    } else if (name == "managers" && (value == "1" || value == "2")) {
      scenario.managers = value == "2" ? 2 : 1;
    } else if (word == "rare=1") {
      scenario.rare = true;
    } else if (name == "without") {
      std::istringstream kinds(value);
      for (std::string kind; std::getline(kinds, kind, ',');) scenario.without.insert(kind);
    } else {
      throw std::invalid_argument("'" + word +
                                  "' should be seed=, hosts=, switches=, managers=1, managers=2, rare=1 or without=");
    }
  }
  return scenario;
}

std::string Scenario::Line() const {
  std::string line = "seed=" + std::to_string(seed);
  if (hosts != 0) line += " hosts=" + std::to_string(hosts);
  if (switches != 0) line += " switches=" + std::to_string(switches);
  if (managers != 1) line += " managers=" + std::to_string(managers);
  if (rare) line += " rare=1";
  for (const std::string& kind : without) line += (kind == *without.begin() ? " without=" : ",") + kind;
  return line;
}

}  // namespace ibcc_test::simulation

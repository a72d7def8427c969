// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "smallest.hpp"
#include "disk.hpp"

#include <cctype>
#include <ctime>
#include <filesystem>

#include "perturbations.hpp"
#include "simulation.hpp"

namespace ibcc_test::simulation {

namespace {

constexpr unsigned kSeeds = 30;  // that are tried for each thing that may be left out

// What was found, without the scenario, and with # for each number: the same mistake shows at other devices and LIDs too.
std::string Kind(const std::string& finding) {
  const std::size_t at = finding.find(": ");
  std::string kind;
  for (const char c : at == std::string::npos ? finding : finding.substr(at + 2)) {
    const bool is_digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    if (!is_digit || kind.empty() || kind.back() != '#') kind += is_digit ? '#' : c;
    if (kind.size() == 80) break;
  }
  return kind;
}

}  // namespace

std::string FindingOf(const Scenario& scenario, std::uint64_t& steps) {
  const std::string folder = MakeDiskFolder();
  std::string finding;
  {
    Simulation simulation(scenario, folder);
    simulation.Run(steps);
    steps = simulation.Steps();
    finding = simulation.Finding();
  }
  std::filesystem::remove_all(folder);
  return finding;
}

Scenario Smallest(const Scenario& failing, std::uint64_t steps, double seconds) {
  const std::clock_t until = std::clock() + static_cast<std::clock_t>(seconds * CLOCKS_PER_SEC);
  Scenario best = failing;
  std::uint64_t took = steps;
  const std::string kind = Kind(FindingOf(failing, took));
  // Another seed that finds the same in no more steps, if there is one among some.
  const auto improve = [&](Scenario scenario, unsigned seeds) {
    for (unsigned i = 0; i < seeds && std::clock() < until; ++i) {
      std::uint64_t most = took;
      if (Kind(FindingOf(scenario, most)) == kind) {
        best = scenario;
        took = most;
        return true;
      }
      ++scenario.seed;
    }
    return false;
  };
  for (const Perturbation& one : Perturbations()) {
    Scenario scenario = best;
    scenario.without.insert(one.name);
    improve(scenario, kSeeds);
  }
  for (unsigned hosts = 1; hosts < 4; ++hosts) {
    Scenario scenario = best;
    scenario.hosts = hosts;
    scenario.switches = 1;
    if (improve(scenario, kSeeds)) break;
  }
  for (unsigned i = 0; i < 10 * kSeeds && took > 1; ++i) {
    --took;
    Scenario scenario = best;
    scenario.seed = failing.seed + i;
    if (!improve(scenario, 1)) ++took;
  }
  return best;
}

}  // namespace ibcc_test::simulation

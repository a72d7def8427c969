// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Seeds of the simulation: those that once found something, and others. IBCC_SIMULATION_S: seconds of CPU, for `make simulate-plugin`;
// IBCC_SIMULATION_SEED: that seed alone.
#include <gtest/gtest.h>

#include <ctime>
#include <filesystem>
#include <iostream>

#include "opensm_plugin/temporary_folder.hpp"
#include "quick.hpp"
#include "simulation.hpp"

namespace ibcc_test::simulation {
namespace {

constexpr std::uint64_t kSteps = 20'000;

double CpuS() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

std::uint64_t Number(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::stoull(text);
}

TEST(PluginSimulation, NothingIsFound) {
  const double seconds = static_cast<double>(Number("IBCC_SIMULATION_S", 4)), begin = CpuS();
  const std::uint64_t only = Number("IBCC_SIMULATION_SEED", 0);
  std::map<std::string, unsigned> edges;
  std::uint64_t steps = 0, seeds = 0;
  for (std::uint64_t seed = only != 0 ? only : 1; CpuS() - begin < seconds; ++seed) {
    const std::string folder = MakeTemporaryFolder();
    Simulation simulation(seed, folder);
    const bool holds = simulation.Run(kSteps);
    steps += simulation.Steps();
    ++seeds;
    for (const auto& [edge, times] : simulation.Edges()) edges[edge] += times;
    std::filesystem::remove_all(folder);
    ASSERT_TRUE(holds) << simulation.Trace() << simulation.Finding();
    if (only != 0) break;
  }
  std::cout << steps << " steps of " << seeds << " seeds, " << static_cast<double>(steps) / (CpuS() - begin) << " a second\n";
  for (const auto& [edge, times] : edges) std::cout << "  " << times << " x " << edge << "\n";
}

}  // namespace
}  // namespace ibcc_test::simulation

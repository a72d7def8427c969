// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Scenarios that once found something, and seeds that have not yet: from IBCC_SIMULATION_FIRST (1) on, IBCC_SIMULATION_SEEDS of them, or as many
// as IBCC_SIMULATION_S seconds of CPU take; each third of two OpenSMs, with IBCC_SIMULATION_MANAGERS=2 or 1 all or none. IBCC_SIMULATION: that scenario alone,
// "seed=7 hosts=3"; IBCC_SIMULATION_SMALLEST: seconds for making what finds something smaller. IBCC_SIMULATION_TABLE: seconds for the table
// of what has happened in which state.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <iostream>
#include <set>
#include <stdexcept>

#include "disk.hpp"
#include "found.hpp"
#include "perturbations.hpp"
#include "simulation.hpp"
#include "smallest.hpp"

namespace ibcc_test::simulation {
namespace {

constexpr std::uint64_t kSteps = 20'000;
constexpr std::uint64_t kFirstSeeds = 1;    // where nobody says how many
constexpr std::uint64_t kEnough = 400'000;  // steps for all that may happen to have happened

double CpuS() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

double Number(const char* name, double otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::stod(text);
}

std::string AndSmaller(const Scenario& scenario) {
  const double seconds = Number("IBCC_SIMULATION_SMALLEST", 0);
  return seconds == 0 ? "" : "\nSmaller: " + Smallest(scenario, kSteps, seconds).Line();
}

// Each third seed has two OpenSMs, with half the steps each, unless it is said how many there are.
bool IsOfTwo(const Scenario& scenario) {
  return std::getenv("IBCC_SIMULATION_MANAGERS") == nullptr ? scenario.seed % 3 == 0 : Number("IBCC_SIMULATION_MANAGERS", 1) == 2;
}

TEST(PluginSimulation, NothingIsFound) {
  const double seconds = Number("IBCC_SIMULATION_S", 0), begin = CpuS();
  const auto most = seconds > 0 ? UINT64_MAX : static_cast<std::uint64_t>(Number("IBCC_SIMULATION_SEEDS", kFirstSeeds));
  const char* only = std::getenv("IBCC_SIMULATION");
  Scenario scenario = Scenario::Parse(only == nullptr ? "seed=1" : only);
  if (only == nullptr) scenario.seed = static_cast<std::uint64_t>(Number("IBCC_SIMULATION_FIRST", 1));
  std::map<std::string, unsigned> edges, perturbed, together;
  std::set<unsigned> managers;
  std::uint64_t steps = 0, seeds = 0, changes = 0, events = 0;
  for (; seeds < most && (seconds == 0 || CpuS() - begin < seconds); ++scenario.seed) {
    if (only == nullptr) scenario.managers = IsOfTwo(scenario) ? 2 : 1;
    const std::string folder = MakeDiskFolder();
    {
      Simulation simulation(scenario, folder);
      const bool holds = simulation.Run(only == nullptr && scenario.managers == 2 ? kSteps / 2 : kSteps);
      managers.insert(scenario.managers);
      steps += simulation.Steps();
      ++seeds;
      changes += simulation.live().Changes();
      events += simulation.live().Events();
      for (const auto& [edge, times] : simulation.Edges()) edges[edge] += times;
      for (const auto& [kind, times] : simulation.Perturbed()) perturbed[kind] += times;
      for (const auto& [what, times] : simulation.Together()) together[what] += times;
      ASSERT_TRUE(holds) << simulation.Trace() << simulation.Finding() << AndSmaller(scenario);
    }
    std::filesystem::remove_all(folder);
    if (only != nullptr) break;
  }
  std::cout << steps << " steps of " << seeds << " seeds, " << static_cast<double>(steps) / (CpuS() - begin) << " a second\n";
  for (const auto& [edge, times] : edges) std::cout << "  " << times << " x " << edge << "\n";
  std::cout << "  " << changes << " x the topology has changed, " << events << " events\n";
  for (const auto& [what, times] : together) std::cout << "  " << times << " steps with " << what << "\n";
  if (only != nullptr || steps < kEnough) return;
  EXPECT_GT(changes, 0U);
  EXPECT_GT(events, changes);
  for (const std::string& edge : World::AllEdges()) EXPECT_GT(edges[edge], 0U) << edge << " did not happen";
  for (const Perturbation& kind : Perturbations())
    if (std::any_of(managers.begin(), managers.end(), [&](unsigned number) { return kind.IsOf(number); }))
      EXPECT_GT(perturbed[kind.name], 0U) << kind.name << " did not happen";
}

// Of seeds with one manager and with two, by turns, for IBCC_SIMULATION_TABLE seconds of CPU; the table is printed.
TEST(PluginSimulation, EachCellOfTheTableIsReached) {
  const double seconds = Number("IBCC_SIMULATION_TABLE", 0), begin = CpuS();
  if (seconds == 0) GTEST_SKIP() << "it takes minutes: IBCC_SIMULATION_TABLE=300 runs it";
  Coverage covered;
  Scenario scenario = Scenario::Parse("seed=1 rare=1");
  for (; CpuS() - begin < seconds; ++scenario.seed) {
    scenario.managers = 1 + scenario.seed % 2;
    const std::string folder = MakeDiskFolder();
    {
      Simulation simulation(scenario, folder);
      simulation.SearchBeyond(&covered);
      EXPECT_TRUE(simulation.Run(kSteps)) << simulation.Trace() << simulation.Finding();
      covered.Add(simulation.Covered());
    }
    std::filesystem::remove_all(folder);
  }
  covered.Print(std::cout);
  EXPECT_EQ(covered.Empty(), std::vector<std::string>());
}

// Each walk goes on after a kill. Firmware that misleads does not become honest by itself, as it does where somebody asks for a verification.
// IBCC_SIMULATION_KILLS: seconds of CPU.
TEST(PluginSimulation, AMasterThatIsKilledInAnyStateLeavesNoDeviceBetweenProfiles) {
  const double seconds = Number("IBCC_SIMULATION_KILLS", 0), begin = CpuS();
  std::map<std::string, unsigned> killed;
  std::uint64_t steps = 0;
  Scenario scenario = Scenario::Parse("seed=1 without=fool");
  for (; scenario.seed == 1 || CpuS() - begin < seconds; ++scenario.seed) {
    const std::string folder = MakeDiskFolder();
    {
      Simulation simulation(scenario, folder);
      simulation.KillInStatesNotIn(&killed);
      ASSERT_TRUE(simulation.Run(kSteps)) << simulation.Trace() << simulation.Finding();
      steps += simulation.Steps();
    }
    std::filesystem::remove_all(folder);
  }
  std::cout << killed.size() << " states in " << steps << " steps of " << scenario.seed - 1 << " seeds\n";
  for (const auto& [state, times] : killed) std::cout << "  " << state << "\n";
  const auto has = [&](const std::string& what) {
    return std::any_of(killed.begin(), killed.end(), [&](const auto& one) { return one.first.find(what) != std::string::npos; });
  };
  for (const char* what : {"master, base both", "master, trial both", "master, trial A10", ", sets", ", asks", "in a sweep"})
    EXPECT_TRUE(has(what)) << what;
}

// Two OpenSMs that are alive at once, also as parts of a fabric that is one again.
TEST(PluginSimulation, NothingIsFoundOfTwoManagers) {
  std::uint64_t steps = kSteps;
  EXPECT_EQ(FindingOf(Scenario::Parse("seed=1 managers=2"), steps), "");
}

TEST(PluginSimulation, WhatWasFoundIsNotFoundAgain) {
  for (const Found& found : kFound) {
    std::uint64_t steps = kSteps;
    EXPECT_EQ(FindingOf(Scenario::Parse(found.scenario), steps), "") << found.mistake;
  }
}

// Whatever happens, and however often, the plugin keeps no more than what its devices, its history and its clients need.
TEST(PluginSimulation, MemoryIsBounded) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "AddressSanitizer's allocator is another: the preset simulation runs this";
#endif
  constexpr std::uint64_t kRun = 50'000;
  constexpr std::size_t kGrowth = 64U << 10;
  const std::string folder = MakeDiskFolder();
  {
    Simulation simulation(Scenario::Parse("seed=5 hosts=4 switches=1 without=crash,stop-in-a-write"), folder);
    ASSERT_TRUE(simulation.Run(kRun)) << simulation.Trace() << simulation.Finding();
    const std::size_t once = simulation.MostHeapBytes();
    ASSERT_TRUE(simulation.Run(3 * kRun)) << simulation.Trace() << simulation.Finding();
    EXPECT_LE(simulation.MostHeapBytes(), once + kGrowth);
    std::cout << once << " B, then " << simulation.MostHeapBytes() << " B\n";
  }
  std::filesystem::remove_all(folder);
}

TEST(PluginSimulation, AScenarioIsWrittenAsItIsRead) {
  const char* const line = "seed=7 hosts=3 switches=1 managers=2 rare=1 without=crash,loss";
  EXPECT_EQ(Scenario::Parse(line).Line(), line);
  EXPECT_THROW(Scenario::Parse("seed=7 host=3"), std::invalid_argument);
}

}  // namespace
}  // namespace ibcc_test::simulation

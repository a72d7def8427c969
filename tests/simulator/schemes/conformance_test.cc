// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// conformance_test.cc: what holds for each scheme that is registered, on random fabrics with random traffic: no packet is lost or
// overtaken, all credits come back, nothing deadlocks on routes without credit loops, and a seed repeats. comparison_test.cc compares
// schemes with each other.
//
// IBCC_CONFORMANCE_S: seconds of CPU for all schemes together; IBCC_CONFORMANCE_SEED: that seed alone (seeds.hpp).
#include <gtest/gtest.h>

#include <exception>
#include <iostream>
#include <iterator>

#include "schemes/scheme_runs.hpp"
#include "seeds.hpp"

namespace ccsim {
namespace scheme_conformance_test {

using namespace testing;

constexpr std::uint64_t kRunsOfEach = 120;  // of each scheme

// What happened in the runs of a scheme, which shows that they test something.
struct Tally {
  std::uint64_t runs = 0, packets = 0, lost = 0, marks = 0, becns = 0, round_trips = 0, traced = 0, special = 0, refused = 0;

  void Add(const Engine& engine) {
    ++runs;
    traced += engine.record().packets.size();
    for (const FlowCounters& c : engine.flow_counters()) {
      packets += c.received_packets;
      lost += c.lost_packets;
      becns += c.becn_received;
      round_trips += c.round_trips;
    }
    for (const PortCounters& c : engine.port_counters()) marks += c.fecn_marked;
    for (const auto& [name, values] : engine.record().scheme_series) special += std::ranges::count_if(values, std::identity{});
  }
};

// The engine of the run; nullptr where the scheme refuses it, in one sentence.
std::unique_ptr<Engine> Admit(const SchemeRun& run, Tally& tally) {
  try {
    return MakeEngine(run);
  } catch (const std::invalid_argument& refusal) {
    if (const std::string fault = FaultOfSentence(refusal.what()); !fault.empty()) throw std::logic_error(fault);
    ++tally.refused;
    return nullptr;
  }
}

// The same, with service levels and parameters as far as the scheme takes them: values drawn each for itself may not fit each other.
std::unique_ptr<Engine> AdmitSome(SchemeRun& run, Rng& rng, Tally& tally) {
  const SchemeRun plain = run;
  if (rng.Below(4) == 0) AddServiceLevels(rng, run.bed.fabric, run.model);
  std::unique_ptr<Engine> engine = Admit(run, tally);
  if (!engine) run = plain;
  for (auto& values = run.model.scheme.values; !engine && !values.empty();) {
    engine = Admit(run, tally);
    if (!engine) values.erase(std::next(values.begin(), static_cast<std::ptrdiff_t>(rng.Below(values.size()))));
  }
  return engine ? std::move(engine) : MakeEngine(run);
}

constexpr unsigned kMaxVlsDrawn = 4;  // by RandomModel, AddServiceLevels and SetRandomLevels

// SL-to-VL tables by which some SLs are discarded, of one VL or of several, which the scheme may refuse.
void SetRandomLevels(Rng& rng, const Fabric& fabric, Engine& engine) {
  Fabric later = fabric;
  later.ClearServiceLevels();
  const unsigned vls = 1 + static_cast<unsigned>(rng.Below(3));
  SlToVl table = RandomSlToVl(rng, vls);
  if (rng.Below(3) == 0) table[rng.Below(4)] = kNoVl;
  if (rng.Below(3) != 0) later.SetDefaultSlToVl(table);
  if (rng.Below(2) == 0) later.SetDefaultVlArbitration(RandomArbitration(rng, kMaxVlsDrawn));
  try {
    engine.SetServiceLevels(later);
  } catch (const std::invalid_argument& refusal) {
    if (const std::string fault = FaultOfSentence(refusal.what()); !fault.empty()) throw std::logic_error(fault);
  }
}

// Sets something in the run that packets may be lost by.
void Disturb(Rng& rng, const SchemeRun& run, Engine& engine) {
  const Fabric& fabric = run.bed.fabric;
  const Hop& at = engine.port_names()[rng.Below(engine.port_names().size())];
  const auto s = static_cast<std::uint32_t>(rng.Below(fabric.num_switches()));
  const auto e = static_cast<std::uint32_t>(rng.Below(engine.num_endports()));
  switch (rng.Below(7)) {
    case 0: return engine.SetForward(s, e, kNoRoute);
    case 1: return engine.SetForward(s, e, fabric.forward(s, e));
    case 2: return engine.SetLink(at.node, at.port, false);
    case 3: engine.SetLink(at.node, at.port, false); [[fallthrough]];
    case 4: return engine.SetLink(at.node, at.port, true);
    case 5:
      if (run.tables) engine.Program(*RandomTables(rng, fabric));
      return;
    default: return SetRandomLevels(rng, fabric, engine);
  }
}

// Checks the end of a run that went on long after the last message. Returns what does not hold, or "".
std::string FaultAtEnd(const SchemeRun& run, const Engine& engine, bool disturbed) {
  engine.CheckInvariants();
  if (engine.record().deadlock) return "a deadlock";
  if (engine.packets_in_flight() > 0) return std::to_string(engine.packets_in_flight()) + " packets never arrive";
  if (!engine.AllCreditsReturned()) return "credits do not come back";
  for (std::size_t f = 0; f < engine.num_flows(); ++f) {
    const FlowCounters& c = engine.flow_counters()[f];
    const bool finite = run.flows[f].messages != nullptr;
    if (const auto all = finite ? PacketsOfTrace(run.flows[f], run.bed.fabric.mtu_bytes()) : 0; finite && c.sent_packets != all) {
      return "flow " + std::to_string(f) + " sent " + std::to_string(c.sent_packets) + " packets of its " + std::to_string(all) +
             ", and sleeps";
    }
    if (c.sent_packets == c.received_packets + c.lost_packets && (disturbed || c.lost_packets == 0)) continue;
    return "flow " + std::to_string(f) + " sent " + std::to_string(c.sent_packets) + " packets, of which " +
           std::to_string(c.received_packets) + " arrived and " + std::to_string(c.lost_packets) + " were lost";
  }
  return disturbed ? "" : FaultOfOrder(engine, run.bed.fabric);
}

std::string Walk(const std::string& scheme, std::uint64_t seed, Tally& tally) {
  Rng rng(seed, 42);
  SchemeRun run = RandomSchemeRun(rng, scheme);
  const std::unique_ptr<Engine> engine = AdmitSome(run, rng, tally);
  const bool disturbs = rng.Below(3) == 0;
  const std::uint64_t events = 1 + rng.Below(2000);
  const Engine::Questions often{.events = events, .time = FromNs(10'000)};
  engine->Run(
      [&](Time now) {
        if (engine->packets_in_flight() < 1000 || rng.Below(100) == 0) engine->CheckInvariants();  // it looks at all of them
        if (disturbs && now < FromNs(150'000)) {
          Disturb(rng, run, *engine);
          if (engine->packets_in_flight() < 1000) engine->CheckInvariants();
        }
        return now < FromNs(300'000);
      },
      often);
  for (const Hop& at : engine->port_names()) engine->SetLink(at.node, at.port, true);
  engine->Run([](Time) { return true; });
  tally.Add(*engine);
  const std::string fault = FaultAtEnd(run, *engine, disturbs);
  if (!fault.empty() || disturbs || seed % 4 != 0) return fault;
  const std::unique_ptr<Engine> again = MakeEngine(run);
  again->Run([](Time) { return true; });
  return Seen(*again) == Seen(*engine) ? "" : "the same seed gives other results when nobody looks";
}

class Conformance : public ::testing::TestWithParam<std::string> {};

TEST_P(Conformance, HoldsOnRandomRuns) {
  ibcc_test::Seeds seeds("IBCC_CONFORMANCE", kRunsOfEach, 1 / static_cast<double>(SchemeNames().size()));
  Tally t;
  while (seeds.Next()) {
    std::string fault;
    try {
      fault = Walk(GetParam(), seeds.seed(), t);
    } catch (const std::exception& error) {
      fault = error.what();
    }
    ASSERT_EQ(fault, "") << seeds.Line() << " with --gtest_filter='*."
                         << ::testing::UnitTest::GetInstance()->current_test_info()->name() << "'";
  }
  std::cout << t.runs << " runs: " << t.packets << " packets, " << t.lost << " lost, " << t.marks << " marks, " << t.becns
            << " BECNs, " << t.round_trips << " round trips, " << t.traced << " rows traced, " << t.special
            << " samples of the scheme's own, " << t.refused << " refusals\n";
  if (t.runs < 100) return;  // so few need not have all kinds
  for (const std::uint64_t count : {t.packets, t.lost, t.round_trips, t.traced}) EXPECT_GT(count, 0u);
}

// A parameter at an end of its range or just above it, and all others at their presets.
TEST_P(Conformance, HoldsAtTheEndsOfEachParameter) {
  for (const SchemeParameter& parameter : FindScheme(GetParam()).parameters) {
    const double above = parameter.least + (parameter.whole ? 1 : 1e-9);
    for (const double value : {parameter.least, above, parameter.most}) {
      if (value >= UINT32_MAX) continue;  // no limit
      SCOPED_TRACE(parameter.name + " = " + std::to_string(value));
      Rng rng(7, 7);
      SchemeRun run{TwoSwitch()};
      run.model.scheme = {GetParam(), {{parameter.name, value}}};
      AddHotSpot(rng, run.bed, run.flows);
      AddClosedLoop(rng, run.bed, run.flows);
      run.options = Options(kLongS, kLongS / 5);
      run.tables = Shared(MakeTables(run.bed.fabric));
      try {
        const std::unique_ptr<Engine> engine = MakeEngine(run);
        RunChecked(*engine);
        EXPECT_EQ(FaultAtEnd(run, *engine, false), "");
      } catch (const std::invalid_argument& refusal) {  // it may have to fit another parameter
        EXPECT_EQ(FaultOfSentence(refusal.what()), "");
        EXPECT_NE(std::string(refusal.what()).find(parameter.name), std::string::npos) << refusal.what();
      }
    }
  }
}

// A scheme that carries one VL refuses more of them at the start and in the run, and goes on as it was.
TEST_P(Conformance, CarriesMoreVlsOrRefusesThem) {
  Rng rng(3, 3);
  SchemeRun run{OneSwitch(4)};
  run.model.scheme.name = GetParam();
  run.options = Options(kLongS, kLongS / 5);
  AddHotSpot(rng, run.bed, run.flows);
  run.tables = Shared(MakeTables(run.bed.fabric));
  SchemeRun two = run;
  two.model.num_vls = 2;
  std::string refusal;
  const auto refuses = [&](const auto& act) {
    try {
      act();
      return false;
    } catch (const std::invalid_argument& error) {
      refusal = error.what();
      EXPECT_EQ(FaultOfSentence(refusal), "");
      EXPECT_NE(refusal.find(GetParam()), std::string::npos) << refusal;
      return true;
    }
  };
  const bool one_vl = refuses([&] { MakeEngine(two); });
  EXPECT_EQ(one_vl, FindScheme(GetParam()).one_vl) << "what the engine does, and Scheme::one_vl";
  const std::unique_ptr<Engine> engine = MakeEngine(run);
  Fabric later = run.bed.fabric;
  SlToVl table{};
  table[0] = 1;
  later.SetDefaultSlToVl(table);
  bool set = false;
  engine->Run(
      [&](Time now) {
        if (!set && now > FromNs(10'000)) {
          set = true;
          EXPECT_EQ(refuses([&] { engine->SetServiceLevels(later); }), one_vl);
        }
        engine->CheckInvariants();
        return now < FromNs(200'000);
      },
      {.events = 100, .time = FromNs(5'000)});
  ASSERT_TRUE(set);
  RunChecked(*engine);
  EXPECT_EQ(FaultAtEnd(run, *engine, false), "");
}

INSTANTIATE_TEST_SUITE_P(Schemes, Conformance, ::testing::ValuesIn(SchemeNames()),
                         [](const auto& scheme) { return "Scheme_" + scheme.param; });

}  // namespace scheme_conformance_test
}  // namespace ccsim

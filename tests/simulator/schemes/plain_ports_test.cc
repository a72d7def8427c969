// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// plain_ports_test.cc: PlainPorts changes the speed of a scheme alone, also where the scheme takes short cuts on it. A build under
// sanitizers has it for voqsw and voqnet only (ports.hpp), and compares the others with themselves.
#include <gtest/gtest.h>

#include "quick.hpp"
#include "schemes/scheme_runs.hpp"

namespace ccsim {
namespace plain_ports_test {

using namespace testing;

class PlainPortsOf : public ::testing::TestWithParam<std::string> {};

// A run that traces packets takes AnyPorts.
TEST_P(PlainPortsOf, ChangesNoCounter) {
  std::size_t compared = 0;
  for (std::uint64_t seed = 1; seed <= ibcc_test::RandomCases(60); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Rng rng(seed, 6);
    SchemeRun plain = RandomSchemeRun(rng, GetParam());
    AddHotSpot(rng, plain.bed, plain.flows);
    plain.options.trace_packets = 0;
    SchemeRun any = plain;
    any.options.trace_packets = 1;
    std::unique_ptr<Engine> fast, slow;
    try {
      fast = MakeEngine(plain);
      slow = MakeEngine(any);
    } catch (const std::invalid_argument&) {
      continue;  // the scheme refuses the fabric
    }
    RunChecked(*fast);
    RunChecked(*slow);
    ASSERT_EQ(Seen(*fast), Seen(*slow));
    ++compared;
  }
  if (!ibcc_test::Quick()) EXPECT_GT(compared, 10u);
}

INSTANTIATE_TEST_SUITE_P(All, PlainPortsOf, ::testing::ValuesIn(SchemeNames()),
                         [](const auto& test) { return "Scheme_" + test.param; });

}  // namespace plain_ports_test
}  // namespace ccsim

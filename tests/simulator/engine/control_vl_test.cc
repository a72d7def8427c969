// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// control_vl_test.cc: ACKs and CNPs behind data, or on a VL of their own.
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "engine/engine.hpp"
#include "testing.hpp"

namespace ccsim {
namespace control_vl_test {

using testing::Bed;
using testing::MakeTables;
using testing::TwoSwitch;
using testing::UniformTables;

RunOptions ForSeconds(double seconds) {
  RunOptions options;
  options.duration = FromSeconds(seconds);
  options.sample_interval = FromSeconds(seconds);
  return options;
}

Flow MakeFlow(std::uint32_t src, std::uint32_t dst) {
  Flow flow;
  flow.src = src;
  flow.dst = dst;
  return flow;
}

// H1 and H3 share H4, which marks them. Their CNPs go back over the link from S2 to S1, where a tree that H2 roots has used up all
// credits of data: H2 takes 0.5 Gb/s of what H6 and H7 send to it, and these two do not react.
// What comes back is the part of the marked packets that a CNP answered in time.
double Answered(ControlVl control_vl) {
  Bed bed = TwoSwitch();
  bed.fabric.SetHostLimits(3, std::nullopt, 0.5);  // endport of H2: nodes 0 and 1 are the switches
  Model model;
  model.num_vls = 2;
  model.ca.control_vl = control_vl;
  model.ca.cnp_spacing_ns = 0;
  const auto tables = MakeTables(bed.fabric, UniformTables{.ccti_timer = 20});
  const Flow flows[] = {MakeFlow(bed.h(1), bed.h(4)), MakeFlow(bed.h(3), bed.h(4)), MakeFlow(bed.h(6), bed.h(2)),
                        MakeFlow(bed.h(7), bed.h(2))};
  for (std::uint32_t i = 0; i < tables->num_cas; ++i) {  // H6 and H7 never react
    const std::uint32_t node = tables->cas[i].node;
    if (node == bed.fabric.endports()[bed.h(6)].node || node == bed.fabric.endports()[bed.h(7)].node)
      tables->cas[i].cct.ccti_limit = 0;
  }
  const RunOptions options = ForSeconds(0.01);
  Engine engine(bed.fabric, model, flows, tables.get(), options);
  engine.Run([](Time) { return true; });
  const auto& counters = engine.flow_counters();
  return static_cast<double>(counters[0].becn_received + counters[1].becn_received) /
         static_cast<double>(counters[0].fecn_received + counters[1].fecn_received);
}

TEST(ControlVl, AnswersOnALaneOfTheirOwnDoNotWaitBehindData) {
  EXPECT_GT(Answered(ControlVl::Last), 0.98);
  EXPECT_LT(Answered(ControlVl::Data), 0.2);
}

TEST(ControlVl, ALaneOfTheirOwnNeedsASecondVl) {
  const Bed bed = TwoSwitch();
  const Flow flow = MakeFlow(bed.h(1), bed.h(4));
  Model model;
  model.ca.control_vl = ControlVl::Last;
  try {
    Engine engine(bed.fabric, model, std::span(&flow, 1), nullptr, ForSeconds(0.01));
    FAIL() << "one VL was taken for two";
  } catch (const std::invalid_argument& error) {
    EXPECT_EQ(std::string(error.what()), "model.num_vls is 1; it must be at least 2 where model.ca.control_vl is 'last'");
  }
}

TEST(ControlVl, TablesThatPlaceServiceLevelsPlaceAnswersToo) {
  Bed bed = TwoSwitch();
  SlToVl to_first{};
  to_first[1] = 1;
  bed.fabric.SetDefaultSlToVl(to_first);
  const Flow flow = MakeFlow(bed.h(1), bed.h(4));
  Model model;
  model.num_vls = 2;
  model.ca.control_vl = ControlVl::Last;
  EXPECT_THROW(Engine(bed.fabric, model, std::span(&flow, 1), nullptr, ForSeconds(0.01)), std::invalid_argument);
  model.ca.control_vl = ControlVl::Data;
  EXPECT_NO_THROW(Engine(bed.fabric, model, std::span(&flow, 1), nullptr, ForSeconds(0.01)));
}

}  // namespace control_vl_test
}  // namespace ccsim

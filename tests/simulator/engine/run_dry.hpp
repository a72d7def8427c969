// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// run_dry.hpp: what must hold at the end of a run that went on long after the last message.
#pragma once

#include <gtest/gtest.h>

#include "engine/engine.hpp"

namespace ccsim::testing {

// Runs the engine, checking it all the time; then nothing may be on its way, lost, or owed. Call within ASSERT_NO_FATAL_FAILURE.
inline void RunDry(Engine& engine) {
  engine.Run([&](Time) {
    engine.CheckInvariants();
    return true;
  });
  engine.CheckInvariants();
  ASSERT_EQ(engine.packets_in_flight(), 0u);
  ASSERT_TRUE(engine.AllCreditsReturned());
  for (const FlowCounters& c : engine.flow_counters()) ASSERT_EQ(c.sent_packets, c.received_packets);
}

}  // namespace ccsim::testing

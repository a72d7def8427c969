// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "methods/support.hpp"
#include "rpc/events.h"

namespace ibcc_test {
namespace {

using Subscribe = Methods;

TEST_F(Subscribe, ChoosesEvents) {
  EXPECT_EQ(Show(Call("subscribe").get()),
            "{'events':['applied','drifted','restored','progress','device.lost','device.back','device.drifted','device.repaired',"
            "'link.down','link.up','link.changed','sm.changed']}");
  EXPECT_EQ(client_.events, (1u << IBCC_NUM_EVENTS) - 1);
  EXPECT_EQ(Show(Call("subscribe", "{'events': ['progress', 'drifted', 'progress']}").get()),
            "{'events':['drifted','progress']}");
  EXPECT_EQ(client_.events, 1u << IBCC_EVENT_DRIFTED | 1u << IBCC_EVENT_PROGRESS);
  EXPECT_EQ(Refusal("subscribe", "{'events': ['applied', 'drift']}"),
            "-32602: there is no event 'drift'; there are applied, drifted, restored, progress, device.lost, device.back, "
            "device.drifted, device.repaired, link.down, link.up, link.changed, sm.changed");
  EXPECT_EQ(Refusal("subscribe", "{'events': [7]}").find("-32602: there is no event ''; there are "), 0u);
  EXPECT_EQ(Refusal("subscribe", "{'events': 'applied'}"), "-32602: events must be a list of names");
  EXPECT_EQ(client_.events, 1u << IBCC_EVENT_DRIFTED | 1u << IBCC_EVENT_PROGRESS) << "a refusal changes nothing";
  Call("subscribe", "{'events': []}");
  EXPECT_EQ(client_.events, 0u);
  SurvivesRefusedMemory("subscribe");
}

}  // namespace
}  // namespace ibcc_test

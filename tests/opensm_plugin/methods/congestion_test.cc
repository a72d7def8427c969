// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "methods/support.hpp"

namespace ibcc_test {
namespace {

using MethodCongestion = Methods;

TEST_F(MethodCongestion, ShowsWhatLogsHaveTold) {
  BringUp();
  EXPECT_EQ(Show(Call("congestion").get()),
            "{'devices':[],'interval_s':" + std::to_string(options_.log_interval_s) + ",'next':null}");
  ibcc_device* device = ibcc_devices_find(ibcc_manager_devices(manager_), 0x9000, 0);
  ASSERT_NE(device, nullptr);
  device->congestion = static_cast<ibcc_congestion*>(std::calloc(1, sizeof(ibcc_congestion)));
  device->congestion->readings = 5;
  device->congestion->congested = 2;
  device->congestion->events = 40;
  device->congestion->ports[3] = 2;
  device->congestion->last_events_s = 1700000000;
  device->congestion->num_flows = 1;
  device->congestion->flows[0] = {.slid = 4, .dlid = 9, .sl = 1};
  const Json told = Call("congestion", "{'guid': '0x9000'}");
  EXPECT_EQ(Show(json_array_get(At(told, "devices"), 0)),
            "{'congested':2,'description':'" + std::string(device->description) +
                "','events':40,'flows':[{'dlid':9,'sl':1,'slid':4}],'guid':'0x0000000000009000','kind':'switch',"
                "'last_events_s':1700000000,'port':0,'ports':[{'port':3,'readings':2}],'readings':5,'sls':[]}");
  EXPECT_EQ(ShowAt(Call("congestion", "{'guid': '0x1000'}"), "devices"), "[]");
  SurvivesRefusedMemory("congestion");
}

}  // namespace
}  // namespace ibcc_test

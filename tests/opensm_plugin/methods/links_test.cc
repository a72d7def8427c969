// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "methods/support.hpp"

namespace ibcc_test {
namespace {

class MethodLinks : public Methods {
 protected:
  // A switch with a host at port 1, another at port 2 that is not up, and nothing at port 3.
  MethodLinks() {
    ibcc_subnet_node node{};
    node.guid = 0x9000;
    node.kind = IBCC_SUBNET_SWITCH;
    std::strcpy(node.description, "S1\x01");
    node.lid = 5;
    node.num_ports = 3;
    node.num_known = 3;
    node.ports[0] = Port(1);
    node.ports[1] = {.peer_guid = 0x1001,
                     .lid = 0,
                     .number = 2,
                     .peer_port = 1,
                     .lmc = 0,
                     .state = 2,
                     .physical = 5,
                     .mtu = 4,
                     .vls = 1,
                     .width = 16,
                     .width_supported = 31,
                     .width_enabled = 17,
                     .speed = IBCC_SPEED_HDR,
                     .speed_supported = 0xFF,
                     .speed_enabled = 0x0F};
    node.ports[2] = Port(3);
    node.ports[2].peer_guid = 0;
    node.ports[2].state = 1;
    node.ports[2].physical = 2;
    subnet_.nodes.push_back(node);
    node.guid = 0x1000;
    node.kind = IBCC_SUBNET_CA;
    std::strcpy(node.description, "H1");
    node.lid = 0;
    node.num_ports = 2;
    node.num_known = 1;
    node.ports[0] = Port(1);
    node.ports[0].peer_guid = 0x9000;
    node.ports[0].lid = 17;
    node.ports[0].lmc = 2;
    subnet_.nodes.push_back(node);
  }
  static ibcc_subnet_port Port(std::uint8_t number) {
    return {.peer_guid = 0x1000,
            .lid = 0,
            .number = number,
            .peer_port = 1,
            .lmc = 0,
            .state = 4,
            .physical = 5,
            .mtu = 5,
            .vls = 4,
            .width = 2,
            .width_supported = 3,
            .width_enabled = 3,
            .speed = IBCC_SPEED_QDR,
            .speed_supported = 7,
            .speed_enabled = 7};
  }
};

TEST_F(MethodLinks, EachPortHasARow) {
  BringUp();
  const Json told = Call("links");
  const json_t* rows = At(told, "links");
  ASSERT_EQ(json_array_size(rows), 4u);
  EXPECT_EQ(Show(json_array_get(rows, 0)),
            "{'description':'S1\\\\x01','guid':'0x0000000000009000','kind':'switch','lid':5,'lmc':0,'mtu':4096,"
            "'peer_guid':'0x0000000000001000','peer_port':1,'physical':'link-up','port':1,'speed':'QDR','speed_enabled':'QDR',"
            "'speed_supported':'QDR','state':'active','vls':8,'width':'4x','width_enabled':'4x','width_supported':'4x'}");
  EXPECT_EQ(Show(json_array_get(rows, 1)),
            "{'description':'S1\\\\x01','guid':'0x0000000000009000','kind':'switch','lid':5,'lmc':0,'mtu':2048,"
            "'peer_guid':'0x0000000000001001','peer_port':1,'physical':'link-up','port':2,'speed':'HDR','speed_enabled':'FDR10',"
            "'speed_supported':'NDR','state':'init','vls':1,'width':'2x','width_enabled':'2x','width_supported':'12x'}");
  EXPECT_EQ(Show(json_array_get(rows, 2)),
            "{'description':'S1\\\\x01','guid':'0x0000000000009000','kind':'switch','lid':5,'lmc':0,'mtu':null,'peer_guid':null,"
            "'peer_port':null,'physical':'polling','port':3,'speed':null,'speed_enabled':'QDR','speed_supported':'QDR',"
            "'state':'down','vls':null,'width':null,'width_enabled':'4x','width_supported':'4x'}")
      << "what a link that is down once had is not shown";
  EXPECT_EQ(Show(json_array_get(rows, 3)),
            "{'description':'H1','guid':'0x0000000000001000','kind':'ca','lid':17,'lmc':2,'mtu':4096,"
            "'peer_guid':'0x0000000000009000','peer_port':1,'physical':'link-up','port':1,'speed':'QDR','speed_enabled':'QDR',"
            "'speed_supported':'QDR','state':'active','vls':8,'width':'4x','width_enabled':'4x','width_supported':'4x'}");
  EXPECT_EQ(ShowAt(told, "next"), "null");
  EXPECT_EQ(ShowAt(told, "sweep"), "1");
  EXPECT_EQ(ShowAt(told, "sweep_ok"), "true");
  EXPECT_EQ(ShowAt(told, "engine"), "null");
  EXPECT_EQ(ShowAt(told, "sl_by_path"), "false");
  SurvivesRefusedMemory("links");
}

TEST_F(MethodLinks, WhatNoSpecificationHasIsNull) {
  ibcc_subnet_port& port = subnet_.nodes[1].ports[0];
  port.state = 9;
  port.physical = 9;
  port.mtu = 9;
  port.vls = 9;
  port.width = 0x20;
  BringUp();
  const Json told = Call("links", "{'guid': '0x1000'}");
  const json_t* row = json_array_get(At(told, "links"), 0);
  for (const char* key : {"state", "physical", "mtu", "vls", "width"}) EXPECT_EQ(Show(json_object_get(row, key)), "null") << key;
}

}  // namespace
}  // namespace ibcc_test

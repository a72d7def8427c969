// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "methods/support.hpp"

namespace ibcc_test {
namespace {

class MethodRoutes : public Methods {
 protected:
  MethodRoutes() {
    ibcc_subnet_node node{};
    node.guid = 0x9000;
    node.kind = IBCC_SUBNET_SWITCH;
    std::strcpy(node.description, "S1");
    node.lid = 2;
    node.num_ports = 2;
    node.num_lids = 4;
    const std::uint8_t lft[] = {IBCC_NO_PATH, 1, 0, 2};
    std::copy(std::begin(lft), std::end(lft), node.lft);
    for (std::uint8_t i = 0; i < 2 * 3 * IBCC_SL2VL_BYTES; ++i) node.sl2vl[i] = i;
    subnet_.nodes.push_back(node);
    node.guid = 0x1000;
    node.kind = IBCC_SUBNET_CA;
    subnet_.nodes.push_back(node);
  }
};

TEST_F(MethodRoutes, EachSwitchHasARow) {
  BringUp();
  const std::string begin = "[{'description':'S1','guid':'0x0000000000009000','lft':'/wEAAg==','lid':2,'ports':2,'sl2vl':";
  subnet_.routing = {.engine = "dfsssp", .sl_by_path = true};
  EXPECT_EQ(Show(Call("routes").get()),
            "{'engine':'dfsssp','next':null,'routes':" + begin + "null}],'sl_by_path':true,'sweep':1,'sweep_ok':true}");
  subnet_.nodes[0].has_sl2vl = true;
  EXPECT_EQ(ShowAt(Call("routes"), "routes"), begin + "'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUmJygpKissLS4v'}]");
  subnet_.nodes[0].one_sl2vl = true;
  EXPECT_EQ(ShowAt(Call("routes"), "routes"), begin + "'AAECAwQFBgc='}]");
  subnet_.nodes[0].lid = 0;
  subnet_.nodes[0].num_lids = 0;
  EXPECT_EQ(ShowAt(Call("routes", "{'guid': '0x9000'}"), "routes"),
            "[{'description':'S1','guid':'0x0000000000009000','lft':'','lid':null,'ports':2,'sl2vl':'AAECAwQFBgc='}]");
  SurvivesRefusedMemory("routes");
}

TEST_F(MethodRoutes, AnAdapterHasNone) {
  BringUp();
  EXPECT_EQ(Refusal("routes", "{'guid': '0x1000'}"), "-32006: there is no switch 0x0000000000001000");
  EXPECT_EQ(Refusal("links", "{'guid': '0x77'}"), "-32006: there is no node 0x0000000000000077");
}

}  // namespace
}  // namespace ibcc_test

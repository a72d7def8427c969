// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include <set>

#include "methods/support.hpp"

namespace ibcc_test {
namespace {

class MethodTopology : public Methods {
 protected:
  std::int64_t Epoch() { return json_integer_value(At(Call("topology"), "epoch")); }
  std::string Since(std::int64_t epoch) { return "{'since': " + std::to_string(epoch) + "}"; }
  static std::size_t Count(const Json& json, const char* key) { return json_array_size(At(json, key)); }
};

// Two leaves (0x9000, 0x9001) with two hosts each (0x1000 to 0x1003), and a spine (0xA000).
TEST_F(MethodTopology, HasNodesPortsAndLinks) {
  BringUp();
  fabric_.other_sms = {.count = 1, .list = {{.guid = 0x77, .priority = 3, .state = 2}}};
  fabric_.Sweep(manager_);
  const Json all = Call("topology");
  EXPECT_EQ(Count(all, "nodes"), 7u);
  EXPECT_EQ(Count(all, "links"), 6u);
  EXPECT_TRUE(json_is_true(At(all, "full")));
  EXPECT_TRUE(json_is_true(At(all, "sweep_ok")));
  EXPECT_EQ(ShowAt(all, "next"), "null");
  EXPECT_EQ(ShowAt(all, "removed_nodes"), "[]");
  EXPECT_EQ(Show(json_array_get(At(all, "nodes"), 0)),
            "{'description':'H0','device_id':'0xd2f2','firmware':null,'guid':'0x0000000000001000','kind':'ca','lid':null,"
            "'num_ports':1,'ports':["
            "{'guid':'0x0000000000001000','lid':1,'physical':'link-up','port':1,'state':'active'}],'vendor_id':null}");
  const json_t* leaf = json_array_get(At(all, "nodes"), 4);
  EXPECT_EQ(Show(json_object_get(leaf, "lid")), "5");
  EXPECT_EQ(json_integer_value(json_object_get(leaf, "num_ports")), 36);
  EXPECT_EQ(json_array_size(json_object_get(leaf, "ports")), 3u) << "of the others OpenSM knows nothing";
  EXPECT_EQ(Show(json_array_get(At(all, "links"), 0)),
            "{'guid':'0x0000000000001000','mtu':4096,'peer_guid':'0x0000000000009000','peer_port':1,'port':1,'rate':'4xNDR',"
            "'speed':'NDR','state':'active','width':'4x'}");
  EXPECT_EQ(ShowAt(all, "subnet_managers"), "[{'guid':'0x0000000000000077','priority':3,'state':'standby'}]");
  SurvivesRefusedMemory("topology", "{'limit': 2}");
}

TEST_F(MethodTopology, HasTheDifferencesSinceAnEpoch) {
  BringUp();
  const std::int64_t first = Epoch();
  EXPECT_GT(first, 1'700'000'000'000'000) << "microseconds since 1970, so that a later process has greater ones";
  Json none = Call("topology", Since(first));
  EXPECT_FALSE(json_is_true(At(none, "full")));
  EXPECT_EQ(Count(none, "nodes") + Count(none, "links") + Count(none, "removed_nodes"), 0u);
  fabric_.host(1).present = false;
  fabric_.Sweep(manager_);
  const Json lost = Call("topology", Since(first));
  EXPECT_EQ(json_integer_value(At(lost, "epoch")), first + 1);
  EXPECT_EQ(ShowAt(lost, "removed_nodes"), "['0x0000000000001001']");
  EXPECT_EQ(ShowAt(lost, "removed_links"),
            "[{'guid':'0x0000000000001001','peer_guid':'0x0000000000009000','peer_port':2,'port':1}]");
  EXPECT_EQ(Count(lost, "nodes"), 1u) << "its leaf's port is not up any more";
  EXPECT_EQ(Count(lost, "links"), 0u);
  fabric_.host(1).present = true;
  fabric_.Sweep(manager_);
  const Json back = Call("topology", Since(first));
  EXPECT_EQ(ShowAt(back, "removed_nodes"), "[]");
  EXPECT_EQ(Count(back, "nodes"), 2u);
  EXPECT_EQ(Count(back, "links"), 1u);
  for (const std::int64_t unknown : {std::int64_t{0}, first - 1, first + 3}) {
    const Json whole = Call("topology", Since(unknown));
    EXPECT_TRUE(json_is_true(At(whole, "full"))) << unknown;
    EXPECT_EQ(Count(whole, "nodes"), 7u);
  }
  SurvivesRefusedMemory("topology", Since(first + 1));
}

TEST_F(MethodTopology, ComesInPages) {
  BringUp();
  std::set<std::string> guids;
  std::size_t pages = 0, links = 0;
  std::string after;
  do {
    const Json page = Call("topology", "{'limit': 3" + (after.empty() ? "" : ", 'after': '" + after + "'") + "}");
    for (std::size_t i = 0; i < Count(page, "nodes"); ++i)
      guids.insert(json_string_value(json_object_get(json_array_get(At(page, "nodes"), i), "guid")));
    links += Count(page, "links");
    after = json_is_string(At(page, "next")) ? json_string_value(At(page, "next")) : "";
    ++pages;
  } while (!after.empty());
  EXPECT_EQ(guids.size(), 7u);
  EXPECT_EQ(links, 6u);
  EXPECT_EQ(pages, 3u);
}

TEST_F(MethodTopology, IsRefusedWhereItCannotBeKnown) {
  EXPECT_EQ(Refusal("topology"), "-32000: the topology is not known now: no heavy sweep of this OpenSM has ended yet");
  BringUp();
  const std::int64_t epoch = Epoch();
  fabric_.master = false;
  ibcc_manager_tick(manager_);
  EXPECT_EQ(Refusal("topology"), "-32000: the topology is not known now: another subnet manager is MASTER");
  fabric_.master = true;
  fabric_.host(0).present = false;
  fabric_.Sweep(manager_);
  const Json since = Call("topology", Since(epoch));
  EXPECT_EQ(ShowAt(since, "removed_nodes"), "['0x0000000000001000']") << "what happened meanwhile";
  EXPECT_EQ(Refusal("topology", "{'since': 'now'}"), "-32602: since must be a whole number from 0 to 9223372036854775807");
  EXPECT_EQ(Refusal("topology", "{'limit': 0}"), "-32602: limit must be a whole number from 1 to 100000");
}

}  // namespace
}  // namespace ibcc_test

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include <set>
#include <string>
#include <vector>

#include "methods/support.hpp"

namespace ibcc_test {
namespace {

class SubnetPage : public Methods {
 protected:
  void AddSwitches(unsigned count, std::uint32_t lids) {
    for (unsigned i = 0; i < count; ++i) {
      ibcc_subnet_node node{};
      node.guid = 0x9000 - i;  // not ascending
      node.num_lids = lids;
      subnet_.nodes.push_back(node);
    }
  }
  // The sizes of all pages.
  std::vector<std::size_t> Pages(const std::string& more) {
    std::vector<std::size_t> sizes;
    std::string after;
    std::vector<std::string> guids;
    do {
      const Json page = Call("routes", "{" + more + after + "}");
      const json_t* rows = At(page, "routes");
      sizes.push_back(json_array_size(rows));
      for (std::size_t i = 0; i < sizes.back(); ++i)
        guids.emplace_back(json_string_value(json_object_get(json_array_get(rows, i), "guid")));
      const char* next = json_string_value(At(page, "next"));
      after = next != nullptr ? std::string(more.empty() ? "" : ", ") + "'after': '" + next + "'" : "";
    } while (!after.empty() && sizes.size() < 100);
    EXPECT_EQ(guids.size(), subnet_.nodes.size());
    EXPECT_EQ(std::set<std::string>(guids.begin(), guids.end()).size(), guids.size());
    return sizes;
  }
};

TEST_F(SubnetPage, PagesTogetherAreTheWhole) {
  AddSwitches(7, 10);
  BringUp();
  EXPECT_EQ(Pages(""), (std::vector<std::size_t>{7}));
  EXPECT_EQ(Pages("'limit': 3"), (std::vector<std::size_t>{3, 3, 1}));
  EXPECT_EQ(Pages("'limit': 7"), (std::vector<std::size_t>{7}));
}

TEST_F(SubnetPage, AreOfALine) {
  AddSwitches(40, IBCC_MAX_LIDS);  // 64 KiB of Base64 each
  BringUp();
  EXPECT_EQ(Pages(""), (std::vector<std::size_t>{14, 14, 12}));
}

TEST_F(SubnetPage, WrongParametersAreRefused) {
  BringUp();
  EXPECT_EQ(Refusal("routes", "{'limit': 0}"), "-32602: limit must be a whole number from 1 to 100000");
  EXPECT_EQ(Refusal("routes", "{'after': 'x'}").find("-32602: after is "), 0u);
  EXPECT_EQ(Refusal("links", "{'guid': 'x'}").find("-32602: guid is "), 0u);
}

TEST_F(SubnetPage, NothingIsKnownBeforeTheFirstSweepOrWhileAnotherIsMaster) {
  EXPECT_EQ(Refusal("links"), "-32000: the subnet is not known now: no heavy sweep of this OpenSM has ended yet");
  BringUp();
  EXPECT_EQ(ShowAt(Call("links"), "links"), "[]");
  fabric_.master = false;
  fabric_.Sweep(manager_);
  EXPECT_EQ(Refusal("links"), "-32000: the subnet is not known now: another subnet manager is MASTER");
}

TEST_F(SubnetPage, IsRefusedWhileOpenSmSweeps) {
  const std::string refusal = "-32000: OpenSM sweeps, and its subnet is not complete; ask again after the sweep";
  AddSwitches(2, 10);
  BringUp();
  fabric_.is_sweeping = [] { return true; };
  EXPECT_EQ(Refusal("routes"), refusal) << "the notice of the sweep is still in the inbox";
  fabric_.is_sweeping = [] { return false; };
  subnet_.on_copy = [this] { ++fabric_.sweeps_begun; };
  EXPECT_EQ(Refusal("routes"), refusal) << "it has begun between two nodes";
  subnet_.on_copy = [] {};
  fabric_.sweep_ok = false;
  fabric_.Sweep(manager_);
  EXPECT_EQ(ShowAt(Call("routes"), "sweep_ok"), "false") << "after a sweep with errors it is told all the same";
}

}  // namespace
}  // namespace ibcc_test

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/faults.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "emulator/faults/fault.hpp"
#include "emulator/subnet.hpp"
#include "emulator/toy_class.hpp"
#include "testing.hpp"

namespace ccsim::emulator {
namespace faults_test {

using testing::kReadOnly;
using testing::kStored;
using testing::kToyClass;
using testing::ToyAgents;
using testing::ToyRequest;

constexpr std::uint32_t kH1 = 1, kH2 = 2;  // nodes of OneSwitch

FaultSpec Spec(std::string kind, FaultParameters parameters = {}) {
  FaultSpec spec;
  spec.kind = std::move(kind);
  spec.mgmt_class = kToyClass;
  spec.parameters = std::move(parameters);
  return spec;
}

std::string Refusal(const std::function<void()>& act) {
  try {
    act();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

class FaultsTest : public ::testing::Test {
 protected:
  FaultsTest() { ToyAgents().clear(); }

  std::uint64_t Add(const FaultSpec& spec) { return subnet_.faults().Add(subnet_, spec); }
  Answered Ask(Datagram& request, std::uint32_t node = kH1) { return LetAgentAnswer(subnet_, {node, 1}, request); }
  bool Answers(std::uint32_t node = kH1, std::uint16_t attribute = kStored, MadMethod method = kGet) {
    Datagram request = ToyRequest(method, attribute);
    return Ask(request, node).answer == Answer::Reply;
  }
  unsigned Status(std::uint32_t node = kH1, MadMethod method = kGet) {
    Datagram request = ToyRequest(method, kStored);
    Ask(request, node);
    EXPECT_EQ(Mad(request.mad).method(), kGetResp);
    return Mad(request.mad).status();
  }

  ccsim::testing::Bed bed_ = ccsim::testing::OneSwitch(2);
  Subnet subnet_{bed_.fabric, 7};
};

TEST_F(FaultsTest, WithoutFaultsRequestsAreAnswered) {
  EXPECT_TRUE(subnet_.faults().none());
  EXPECT_TRUE(Answers());
}

TEST_F(FaultsTest, AFaultStrikesOnlyWhatItsSpecSays) {
  FaultSpec spec = Spec("drop");
  spec.node = kH1;
  spec.attribute = kStored;
  spec.methods = kSetOnly;
  Add(spec);
  EXPECT_TRUE(Answers(kH2, kStored, kSet));
  EXPECT_TRUE(Answers(kH1, kStored, kGet));
  EXPECT_TRUE(Answers(kH1, kReadOnly, kGet));
  EXPECT_FALSE(Answers(kH1, kStored, kSet));
}

TEST_F(FaultsTest, AClassOfSmpsStandsForBothKinds) {
  FaultSpec spec = Spec("drop");
  spec.mgmt_class = kSmpDirected;
  Add(spec);
  for (const std::uint8_t mgmt_class : {kSmpLid, kSmpDirected}) {
    Datagram request = ToyRequest(kGet, 0x0011);
    request.mad[1] = mgmt_class;
    EXPECT_EQ(Ask(request).answer, Answer::Silence);
  }
}

TEST_F(FaultsTest, ItEndsAfterItsCountAndIsStillListed) {
  FaultSpec spec = Spec("busy");
  spec.count = 2;
  const std::uint64_t id = Add(spec);
  EXPECT_EQ(Status(), kBusy);
  EXPECT_EQ(Status(), kBusy);
  EXPECT_EQ(Status(), kOk);
  ASSERT_EQ(subnet_.faults().List().size(), 1u);
  const FaultReport report = subnet_.faults().List()[0];
  EXPECT_EQ(report.id, id);
  EXPECT_EQ(report.matched, 3u);
  EXPECT_EQ(report.struck, 2u);
  EXPECT_EQ(report.spec.kind, "busy");
}

TEST_F(FaultsTest, ClearedFaultsStrikeNoMore) {
  const std::uint64_t first = Add(Spec("drop"));
  Add(Spec("busy"));
  EXPECT_FALSE(Answers());
  EXPECT_TRUE(subnet_.faults().Clear(subnet_, first));
  EXPECT_FALSE(subnet_.faults().Clear(subnet_, first));
  EXPECT_EQ(Status(), kBusy);
  EXPECT_EQ(subnet_.faults().ClearAll(subnet_), 1u);
  EXPECT_TRUE(subnet_.faults().none());
  EXPECT_EQ(Status(), kOk);
  EXPECT_EQ(Add(Spec("drop")), 3u);  // ids are not given twice
}

std::vector<bool> Drops(const Fabric& fabric, std::uint64_t seed) {
  Subnet subnet(fabric, seed);
  FaultSpec spec = Spec("drop");
  spec.probability = 0.25;
  subnet.faults().Add(subnet, spec);
  std::vector<bool> drops;
  for (int i = 0; i < 4000; ++i) {
    Datagram request = ToyRequest(kGet, kStored);
    drops.push_back(LetAgentAnswer(subnet, {kH1, 1}, request).answer == Answer::Silence);
  }
  return drops;
}

TEST_F(FaultsTest, ChanceIsTheSeeds) {
  const std::vector<bool> drops = Drops(bed_.fabric, 7);
  EXPECT_NEAR(static_cast<double>(std::count(drops.begin(), drops.end(), true)), 1000, 100);
  EXPECT_EQ(drops, Drops(bed_.fabric, 7));
  EXPECT_NE(drops, Drops(bed_.fabric, 8));
}

TEST_F(FaultsTest, TheFirstToSettleTheAnswerLeavesOutTheLater) {
  Add(Spec("delay", {{"delay_ms", 30}}));
  Add(Spec("busy"));
  Add(Spec("drop"));
  Datagram request = ToyRequest(kGet, kStored);
  const Answered answered = Ask(request);
  EXPECT_EQ(answered.answer, Answer::Reply);
  EXPECT_EQ(answered.delay_ms, 30u);
  EXPECT_EQ(Mad(request.mad).status(), kBusy);
  EXPECT_EQ(subnet_.faults().List()[2].struck, 0u);
}

TEST_F(FaultsTest, DelaysAddUp) {
  Add(Spec("delay", {{"delay_ms", 30}}));
  Add(Spec("delay", {{"delay_ms", 12}}));
  Datagram request = ToyRequest(kGet, kStored);
  EXPECT_EQ(Ask(request).delay_ms, 42u);
  EXPECT_EQ(ToyAgents()[kH1].requests, 1u);
}

TEST_F(FaultsTest, ADroppedRequestDoesNothingADroppedAnswerEverything) {
  FaultSpec spec = Spec("drop");
  spec.count = 1;
  Add(spec);
  EXPECT_FALSE(Answers(kH1, kStored, kSet));
  EXPECT_EQ(ToyAgents()[kH1].requests, 0u);
  spec.parameters = {{"lost", "answer"}};
  Add(spec);
  EXPECT_FALSE(Answers(kH1, kStored, kSet));
  EXPECT_EQ(ToyAgents()[kH1].requests, 1u);
}

TEST_F(FaultsTest, AStatusLeavesTheDeviceAsItWas) {
  Add(Spec("status", {{"status", 0x001C}}));
  EXPECT_EQ(Status(kH1, kSet), 0x001Cu);
  EXPECT_EQ(ToyAgents()[kH1].requests, 0u);
}

TEST_F(FaultsTest, AnUnsupportedAttribute) {
  Add(Spec("unsupported"));
  EXPECT_EQ(Status(), kUnsupportedMethodAttribute);
}

TEST_F(FaultsTest, ARefusedKeyIsAViolation) {
  FaultSpec spec = Spec("refuse-key");
  const std::string refusal = Refusal([&] { Add(spec); });
  EXPECT_EQ(refusal, "fault 'refuse-key': class 11 has no key that agents check; 1 (SMA) and 33 (CCA) have one");
}

TEST_F(FaultsTest, AStaleTidIsThatOfTheRequestBefore) {
  FaultSpec spec = Spec("stale-tid");
  Add(spec);
  const auto answered_with = [&](std::uint64_t id, std::uint32_t node) {
    Datagram request = ToyRequest(kGet, kStored, id);
    Ask(request, node);
    return Mad(request.mad).transaction_id();
  };
  EXPECT_EQ(answered_with(0x700000000, kH1), 0x7FFFFFFFFu);  // none before: one less, in the half that counts
  EXPECT_EQ(answered_with(0x900000005, kH2), 0x900000004u);
  EXPECT_EQ(answered_with(0x700000009, kH1), 0x700000000u);
  EXPECT_EQ(answered_with(0x700000009, kH1), 0x700000000u);  // its sender has tried again
  subnet_.faults().ClearAll(subnet_);
  spec.parameters = {{"tid", "one-less"}};
  Add(spec);
  EXPECT_EQ(answered_with(0x700000009, kH1), 0x700000008u);
  EXPECT_EQ(answered_with(0x700000009, kH1), 0x700000008u);
}

TEST_F(FaultsTest, AClampKeepsAFieldWithinBounds) {
  FaultSpec spec = Spec("clamp", {{"offset_bits", 12}, {"width_bits", 8}, {"least", 3}, {"most", 0x20}});
  spec.attribute = kStored;
  Add(spec);
  // On a Set, before the device stores it, and nothing beside the field changes.
  Datagram request = ToyRequest(kSet, kStored);
  request.mad[64] = 0xAB;
  request.mad[65] = 0xCD;
  request.mad[66] = 0xEF;
  Ask(request);
  const std::uint8_t* stored = ToyAgents()[kH1].stored;
  EXPECT_EQ(stored[0], 0xAB);
  EXPECT_EQ(stored[1], 0xC2);
  EXPECT_EQ(stored[2], 0x0F);
  // On a Get, in the answer: 0 becomes 3.
  ToyAgents()[kH1] = {};
  request = ToyRequest(kGet, kStored);
  Ask(request);
  EXPECT_EQ(request.mad[65], 0x00);
  EXPECT_EQ(request.mad[66], 0x30);
}

TEST_F(FaultsTest, ARefusedMKeyIsMetWithSilenceAndCounted) {
  FaultSpec spec = Spec("refuse-key");
  spec.mgmt_class = kSmpLid;
  spec.node = kH1;
  Add(spec);
  const auto answer = [&](std::uint32_t node) {
    Datagram request = ToyRequest(kGet, 0x0011);  // NodeInfo
    request.mad[1] = kSmpDirected;
    request.mad[2] = 1;
    return Ask(request, node).answer;
  };
  EXPECT_EQ(answer(kH1), Answer::Silence);
  EXPECT_EQ(subnet_.device(kH1).sma.ports[1].m_key_violations, 1);
  EXPECT_EQ(answer(kH2), Answer::Reply);
  EXPECT_EQ(subnet_.device(kH2).sma.ports[1].m_key_violations, 0);
}

TEST_F(FaultsTest, ARebootLosesTheRequestAndTheTablesOnce) {
  subnet_.device(kH1).sma.ports[1].lid = 17;
  subnet_.device(kH1).cca.ports[1].key.key = 5;
  Add(Spec("reboot"));
  EXPECT_FALSE(Answers());
  EXPECT_EQ(subnet_.device(kH1).sma.ports[1].lid, 0);
  EXPECT_EQ(subnet_.device(kH1).cca.ports[1].key.key, 0u);
  EXPECT_TRUE(subnet_.device(kH1).present);
  EXPECT_TRUE(Answers());
  EXPECT_EQ(ToyAgents()[kH1].requests, 1u);
}

TEST_F(FaultsTest, WhatMakesNoSenseIsRefusedWithASentence) {
  const auto refusal = [&](FaultSpec spec) { return Refusal([&] { Add(spec); }); };
  const auto spec = [](auto change) {
    FaultSpec changed = Spec("drop");
    change(changed);
    return changed;
  };
  EXPECT_EQ(refusal(Spec("explode")).substr(0, 39), "there is no fault 'explode'; there are ");
  EXPECT_EQ(refusal(Spec("busy", {{"status", 3}})), "fault 'busy': has no parameter 'status'; it has none");
  EXPECT_EQ(refusal(Spec("drop", {{"chance", 3}})), "fault 'drop': has no parameter 'chance'; it has lost");
  EXPECT_EQ(refusal(Spec("drop", {{"lost", "both"}})), "fault 'drop': lost is 'both'; it must be one of request, answer");
  EXPECT_EQ(refusal(Spec("delay")), "fault 'delay': needs delay_ms, a whole number from 1 to 600000");
  EXPECT_EQ(refusal(Spec("delay", {{"delay_ms", 0}})),
            "fault 'delay': delay_ms is 0; it must be a whole number from 1 to 600000");
  EXPECT_EQ(refusal(Spec("delay", {{"delay_ms", "x"}})),
            "fault 'delay': delay_ms is 'x'; it must be a whole number from 1 to 600000");
  EXPECT_EQ(refusal(spec([](FaultSpec& s) { s.node = 3; })), "fault 'drop': node 3 does not exist; the last is 2");
  EXPECT_EQ(refusal(spec([](FaultSpec& s) { s.probability = 0; })),
            "fault 'drop': probability is 0.000000; it must be above 0 and at most 1");
  EXPECT_NE(refusal(spec([](FaultSpec& s) { s.probability = 1.5; })), "");
  EXPECT_EQ(refusal(spec([](FaultSpec& s) { s.count = 0; })), "fault 'drop': count is 0; it must be at least 1");
  EXPECT_NE(refusal(spec([](FaultSpec& s) { s.mgmt_class.reset(), s.attribute = kStored; })), "");
  EXPECT_TRUE(subnet_.faults().none());
}

TEST_F(FaultsTest, ClampsThatMakeNoSenseAreRefused) {
  const auto refusal = [&](FaultParameters parameters) {
    FaultSpec spec = Spec("clamp", std::move(parameters));
    spec.attribute = kStored;
    return Refusal([&] { Add(spec); });
  };
  EXPECT_EQ(refusal({{"most", 3}}), "fault 'clamp': needs either field, or offset_bits and width_bits");
  EXPECT_EQ(refusal({{"offset_bits", 0}, {"width_bits", 8}}), "fault 'clamp': needs least or most");
  EXPECT_EQ(refusal({{"offset_bits", 1530}, {"width_bits", 8}, {"most", 1}}),
            "fault 'clamp': offset_bits is 1530; it must be a whole number from 0 to 1528");
  EXPECT_EQ(refusal({{"offset_bits", 0}, {"width_bits", 8}, {"most", 256}}),
            "fault 'clamp': most is 256; it must be a whole number from 0 to 255");
  EXPECT_EQ(refusal({{"offset_bits", 0}, {"width_bits", 8}, {"least", 9}, {"most", 8}}),
            "fault 'clamp': most is 8; it must be a whole number from 9 to 255");
  EXPECT_EQ(refusal({{"field", "Threshold"}, {"most", 1}}),
            "fault 'clamp': only attributes of class 33 (CCA) have named fields; give offset_bits and width_bits");
  FaultSpec unknown = Spec("clamp", {{"offset_bits", 0}, {"width_bits", 8}, {"most", 1}});
  EXPECT_EQ(Refusal([&] { Add(unknown); }), "fault 'clamp': needs a class and an attribute");
  unknown.attribute = 0x0999;
  EXPECT_EQ(Refusal([&] { Add(unknown); }),
            "fault 'clamp': attribute 2457 of class 11 is not one that devices answer; give one that they do");
}

TEST_F(FaultsTest, IgnoredTablesAreAStateOfTheDevice) {
  FaultSpec all;
  all.kind = "ignore-tables";
  FaultSpec one = all;
  one.node = kH1;
  const std::uint64_t version = subnet_.versions().congestion;
  const std::uint64_t of_one = Add(one);
  EXPECT_TRUE(subnet_.device(kH1).cca.tables_ignored);
  EXPECT_FALSE(subnet_.device(kH2).cca.tables_ignored);
  EXPECT_GT(subnet_.versions().congestion, version);
  const std::uint64_t of_all = Add(all);
  EXPECT_TRUE(subnet_.device(kH2).cca.tables_ignored);
  subnet_.faults().Clear(subnet_, of_all);
  EXPECT_TRUE(subnet_.device(kH1).cca.tables_ignored);
  EXPECT_FALSE(subnet_.device(kH2).cca.tables_ignored);
  subnet_.Reboot(kH1);
  EXPECT_TRUE(subnet_.device(kH1).cca.tables_ignored);
  subnet_.faults().Clear(subnet_, of_one);
  EXPECT_FALSE(subnet_.device(kH1).cca.tables_ignored);
  one.count = 1;
  EXPECT_EQ(Refusal([&] { Add(one); }), "fault 'ignore-tables': is a state of the device; leave out count and probability");
}

TEST(FaultKinds, EachTellsPeopleWhatItDoes) {
  ASSERT_GE(FaultKinds().size(), 8u);
  for (const FaultKind* kind : FaultKinds()) {
    EXPECT_TRUE(kind->description.ends_with('.')) << kind->name;
    for (const FaultParameter& parameter : kind->parameters) EXPECT_FALSE(parameter.description.empty()) << parameter.name;
  }
}

}  // namespace faults_test
}  // namespace ccsim::emulator

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/agents/dispatch.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "emulator/subnet.hpp"
#include "emulator/toy_class.hpp"
#include "testing.hpp"

namespace ccsim::emulator {
namespace dispatch_test {

using testing::kReadOnly;
using testing::kRefusing;
using testing::kStored;
using testing::kToyClass;
using testing::ToyAgents;
using testing::ToyRequest;

class Dispatch : public ::testing::Test {
 protected:
  Dispatch() { ToyAgents().clear(); }

  // What becomes of a request at the first host.
  Answered Ask(Datagram& datagram) { return LetAgentAnswer(subnet_, {1, 1}, datagram); }
  // The status that it is answered with.
  unsigned Status(Datagram datagram) {
    EXPECT_EQ(Ask(datagram).answer, Answer::Reply);
    EXPECT_EQ(Mad(datagram.mad).method(), kGetResp);
    return Mad(datagram.mad).status();
  }

  ccsim::testing::Bed bed_ = ccsim::testing::OneSwitch(2);
  Subnet subnet_{bed_.fabric};
};

TEST_F(Dispatch, AHandlerAnswersInPlace) {
  Datagram request = ToyRequest(kGet, kReadOnly, 0x1234567890ABCDEF);
  EXPECT_EQ(Ask(request).delay_ms, 0u);
  const Mad mad(request.mad);
  EXPECT_EQ(mad.method(), kGetResp);
  EXPECT_EQ(mad.status(), kOk);
  EXPECT_EQ(mad.transaction_id(), 0x1234567890ABCDEFu);
  EXPECT_EQ(mad.attribute(), kReadOnly);
  EXPECT_EQ(request.mad[64], 1);
  EXPECT_EQ(request.mad[255], 192);
}

TEST_F(Dispatch, AGetDoesNotEchoWhatItsSenderLeftInTheData) {
  Datagram request = ToyRequest(kGet, kStored);
  request.mad[64] = 0xEE;
  Ask(request);
  EXPECT_EQ(request.mad[64], 0);
}

TEST_F(Dispatch, ASetReachesTheAgentAsSent) {
  Datagram request = ToyRequest(kSet, kStored);
  request.mad[64] = 0x77;
  Ask(request);
  EXPECT_EQ(ToyAgents()[1].stored[0], 0x77);
  EXPECT_EQ(request.mad[64], 0x77);
}

TEST_F(Dispatch, MalformedRequestsGetTheirStatus) {
  Datagram request = ToyRequest(kGet, kStored);
  request.mad[0] = 2;
  EXPECT_EQ(Status(request), kUnsupportedVersion);
  request = ToyRequest(kGet, kStored);
  request.mad[2] = testing::kToyVersion + 1;
  EXPECT_EQ(Status(request), kUnsupportedVersion);
  EXPECT_EQ(Status(ToyRequest(static_cast<MadMethod>(0x7F), kStored)), kUnsupportedMethod);
  EXPECT_EQ(Status(ToyRequest(kGet, 0x0999)), kUnsupportedMethodAttribute);
  EXPECT_EQ(Status(ToyRequest(kSet, kReadOnly)), kUnsupportedMethodAttribute);
  EXPECT_EQ(Status(ToyRequest(kSet, kRefusing)), kInvalidField);
  request = ToyRequest(kGet, kStored);
  request.mad[1] = 0x0F;  // a class that no agent has
  EXPECT_EQ(Status(request), kUnsupportedMethodAttribute);
  EXPECT_EQ(ToyAgents()[1].requests, 0u);
}

TEST_F(Dispatch, AWrongKeyIsMetWithSilenceWhateverTheAttribute) {
  for (const std::uint16_t attribute : {kStored, std::uint16_t{0x0999}}) {
    Datagram request = ToyRequest(kSet, attribute);
    request.mad[24] = 0;
    EXPECT_EQ(Ask(request).answer, Answer::Silence);
  }
  EXPECT_EQ(ToyAgents()[1].violations, 2u);
  EXPECT_EQ(ToyAgents()[1].requests, 0u);
}

TEST_F(Dispatch, ARefusedKeyIsAWrongOne) {
  Datagram request = ToyRequest(kSet, kStored);
  EXPECT_EQ(AskAgent(subnet_, {1, 1}, request, true).answer, Answer::Silence);
  EXPECT_EQ(ToyAgents()[1].violations, 1u);
}

TEST_F(Dispatch, TheDirectionOfADirectedRouteIsNotPartOfTheStatus) {
  Datagram request = ToyRequest(kGet, 0x0999);
  request.mad[1] = kSmpDirected;
  request.mad[2] = 1;
  request.mad[4] = 0x80;
  Ask(request);
  EXPECT_TRUE(Mad(request.mad).direction());
}

TEST_F(Dispatch, ItTellsWhereAttributesStand) {
  EXPECT_EQ(DataOf(kToyClass, kStored)->offset, 64);
  EXPECT_EQ(DataOf(kToyClass, kStored)->bytes, 192);
  EXPECT_FALSE(DataOf(kToyClass, 0x0999));
  EXPECT_FALSE(DataOf(0x0F, kStored));
}

TEST_F(Dispatch, ItTellsWhatAgentsHave) {
  const auto known = AgentAttributes();
  const auto number = [](const AgentAttribute& a) { return std::pair(a.mgmt_class, a.attribute); };
  EXPECT_TRUE(std::ranges::is_sorted(known, {}, number));
  const auto stored = std::ranges::find(known, std::pair<std::uint8_t, std::uint16_t>(kToyClass, kStored), number);
  ASSERT_NE(stored, known.end());
  EXPECT_STREQ(stored->name, "Stored");
}

TEST_F(Dispatch, AgentsAnswerGetsAndSetsButNotWhatIsForPrograms) {
  EXPECT_TRUE(HasAgent(kToyClass, kStored, kGet));
  EXPECT_TRUE(HasAgent(kSmpDirected, 0x0011, kSet));
  EXPECT_FALSE(HasAgent(kSmpLid, 0x0020, kGet));  // SMInfo
  EXPECT_FALSE(HasAgent(kSmpDirected, 0x0020, kSet));
  EXPECT_FALSE(HasAgent(kSubnetAdministration, 0x0011, kGet));
  EXPECT_FALSE(HasAgent(kSmpLid, 0x0002, kTrap));
}

}  // namespace dispatch_test
}  // namespace ccsim::emulator

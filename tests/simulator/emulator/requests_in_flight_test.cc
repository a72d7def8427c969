// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/requests_in_flight.hpp"

#include <gtest/gtest.h>

namespace ccsim::emulator {
namespace requests_in_flight_test {

constexpr ClientRef kFrom{1, 10};
constexpr ClientRef kTo{2, 20};

RequestsInFlight::Request Asked(std::uint64_t id, std::uint8_t mgmt_class, std::int64_t due_ns, ClientRef to = kTo) {
  RequestsInFlight::Request request{kFrom, to, id, due_ns, {}};
  request.packet.mad[1] = mgmt_class;
  return request;
}

TEST(RequestsInFlight, AResponseAnswersTheOldestOfItsTransactionAndClass) {
  RequestsInFlight requests;
  requests.Add(Asked(7, 3, 100));
  requests.Add(Asked(7, 3, 200));
  requests.Add(Asked(7, 1, 300));

  const auto* first = requests.Find(kTo, 7, 3);
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(first->due_ns, 100);
  requests.Remove(*first);
  const auto* second = requests.Find(kTo, 7, 3);
  ASSERT_NE(second, nullptr);
  EXPECT_EQ(second->due_ns, 200);
  requests.Remove(*second);
  EXPECT_EQ(requests.Find(kTo, 7, 3), nullptr) << "a second answer finds nothing";
  ASSERT_NE(requests.Find(kTo, 7, 1), nullptr);
  EXPECT_EQ(requests.oldest().due_ns, 300);
}

TEST(RequestsInFlight, OnlyTheClientThatWasAskedAnswers) {
  RequestsInFlight requests;
  requests.Add(Asked(7, 3, 100));
  EXPECT_EQ(requests.Find(kFrom, 7, 3), nullptr);
  EXPECT_EQ(requests.Find({kTo.id, kTo.serial + 1}, 7, 3), nullptr) << "a later client with the same number";
}

TEST(RequestsInFlight, AreTakenOffAClientThatIsGone) {
  RequestsInFlight requests;
  requests.Add(Asked(1, 3, 100));
  requests.Add(Asked(2, 3, 200, kFrom));
  requests.Add(Asked(3, 3, 300));
  const auto taken = requests.TakeOf(kTo);
  ASSERT_EQ(taken.size(), 2u);
  EXPECT_EQ(taken[0].transaction_id, 1u);
  EXPECT_EQ(taken[1].transaction_id, 3u);
  EXPECT_EQ(requests.oldest().transaction_id, 2u);
  EXPECT_EQ(requests.Find(kTo, 1, 3), nullptr);
}

}  // namespace requests_in_flight_test
}  // namespace ccsim::emulator

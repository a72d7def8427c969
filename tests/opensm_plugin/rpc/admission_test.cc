// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "rpc/admission.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <random>
#include <string>
#include <vector>

namespace {

const char* Refusal(const std::vector<uid_t>& uids, uid_t uid) {
  return ibcc_admission_refusal(uids.data(), static_cast<unsigned>(uids.size()), uid);
}

TEST(Admission, EachUserHasEightPlaces) {
  EXPECT_EQ(Refusal(std::vector<uid_t>(7, 1000), 1000), nullptr);
  EXPECT_NE(Refusal(std::vector<uid_t>(8, 1000), 1000), nullptr);
  EXPECT_EQ(Refusal(std::vector<uid_t>(8, 1000), 1001), nullptr);
  EXPECT_EQ(Refusal({}, 1000), nullptr);
}

TEST(Admission, TheSentenceHasTheLimit) {
  EXPECT_NE(std::string(Refusal(std::vector<uid_t>(8, 1), 1)).find(std::to_string(IBCC_MAX_CLIENTS_OF_A_USER)),
            std::string::npos);
}

// Whatever users come and go: none has more than eight, and root always gets four places.
TEST(Admission, FourAreLeftForRootInEveryOrder) {
  std::mt19937 random(4);
  std::vector<uid_t> inside;
  bool full = false;
  for (int step = 0; step < 20'000; ++step) {
    if (random() % 4 == 0 && !inside.empty()) {
      inside.erase(inside.begin() + static_cast<std::ptrdiff_t>(random() % inside.size()));
      continue;
    }
    const uid_t uid = random() % 7;
    if (!Refusal(inside, uid)) inside.push_back(uid);
    const auto of_root = static_cast<unsigned>(std::count(inside.begin(), inside.end(), 0u));
    ASSERT_LE(inside.size(), IBCC_MAX_CLIENTS);
    for (uid_t one = 0; one < 7; ++one) ASSERT_LE(std::count(inside.begin(), inside.end(), one), 8);
    ASSERT_EQ(Refusal(inside, 0) == nullptr, of_root < 8 && inside.size() < IBCC_MAX_CLIENTS);
    ASSERT_LE(inside.size() - of_root, IBCC_MAX_CLIENTS - IBCC_CLIENTS_KEPT_FOR_ROOT);
    full |= inside.size() == IBCC_MAX_CLIENTS;
  }
  EXPECT_TRUE(full);
}

TEST(Admission, HelloHasFiveSecondsAndSilenceTenMinutes) {
  EXPECT_EQ(ibcc_admission_until_ns(7, 9, false, false), 7 + 5'000'000'000);
  EXPECT_EQ(ibcc_admission_until_ns(7, 9, false, true), 7 + 5'000'000'000);
  EXPECT_EQ(ibcc_admission_until_ns(7, 9, true, false), 9 + 600'000'000'000);
  EXPECT_EQ(ibcc_admission_until_ns(7, 9, true, true), INT64_MAX);
}

}  // namespace

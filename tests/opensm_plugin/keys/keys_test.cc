// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "keys/keys.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "keys_support.hpp"
#include "refused_memory.hpp"

namespace {

using plugin_test::Contents;
using plugin_test::FullDisk;
using plugin_test::KeyedDevice;
using plugin_test::KeysTest;

TEST_F(KeysTest, GiveAKeyToADeviceThatHasNone) {
  WriteKeys("current: 0xA\nlease_period_s: 30\n");
  Open();
  KeyedDevice device;
  ibcc_key_state state{};
  EXPECT_EQ(Text(state), "unknown");
  EXPECT_EQ(ibcc_keys_header_key(keys_.get(), &state), 0xAU);
  ibcc_key_step step = Next(state);
  EXPECT_EQ(step.action, IBCC_KEY_LOOK);
  EXPECT_EQ(step.header_key, 0xAU);
  EXPECT_TRUE(Step(state, device));
  EXPECT_EQ(Text(state), "none");
  EXPECT_EQ(ibcc_keys_header_key(keys_.get(), &state), 0U);
  step = Next(state);
  EXPECT_EQ(step.action, IBCC_KEY_SET);
  EXPECT_EQ(step.header_key, 0U);
  EXPECT_EQ(step.info.cc_key, 0xAU);
  EXPECT_NE(step.info.cc_key_violations, 0U);  // what it has counted stays
  EXPECT_TRUE(Step(state, device));
  EXPECT_EQ(Next(state).action, IBCC_KEY_SETTLED);
  EXPECT_EQ(Text(state), "current");
  EXPECT_EQ(device.key, 0xAU);
  EXPECT_TRUE(device.protect);
  EXPECT_EQ(device.lease_period_s, 30U);
  EXPECT_EQ(device.violations, 0U);
  // Another plugin finds it as it should be, with one look and no Set.
  Open();
  state = {};
  EXPECT_EQ(Converge(state, device), 1U);
  EXPECT_EQ(Text(state), "current");
}

TEST_F(KeysTest, ChangeInTwoPhases) {
  WriteKeys("current: 0xA\n");
  Open();
  KeyedDevice here;
  KeyedDevice away;
  ibcc_key_state here_state{};
  ibcc_key_state away_state{};
  Converge(here_state, here);
  Converge(away_state, away);
  EXPECT_FALSE(ibcc_keys_are_changing(keys_.get()));
  Reload("current: 0xA\nnext: 0xB\n");
  EXPECT_TRUE(ibcc_keys_are_changing(keys_.get()));
  EXPECT_EQ(Text(here_state), "current");
  EXPECT_EQ(Converge(here_state, here), 1U);  // its key is known: one Set
  EXPECT_EQ(Text(here_state), "next");
  EXPECT_EQ(here.key, 0xBU);
  EXPECT_EQ(ibcc_keys_header_key(keys_.get(), &here_state), 0xBU);
  Reload("current: 0xB\n");
  EXPECT_EQ(Text(here_state), "current");
  EXPECT_EQ(Converge(here_state, here), 1U);  // looks as it should, once more: nothing is set
  EXPECT_EQ(here.violations, 0U);
  // What was away answers to its old key, which the key file has no more.
  EXPECT_EQ(away.key, 0xAU);
  EXPECT_EQ(Text(away_state), "older");
  away_state = {};
  Converge(away_state, away);
  EXPECT_EQ(away.key, 0xBU);
  EXPECT_EQ(away.violations, 0U);
}

TEST_F(KeysTest, AreTriedInTheOrderOfHopes) {
  WriteKeys("current: 0xA\n");
  Open();
  Reload("current: 0xB\n");
  Reload("current: 0xC\nprevious: 0xD\nnext: 0xE\n");
  std::uint64_t keys[IBCC_MAX_KEYS];
  ibcc_key_state state{};
  const auto list = [&] {
    const std::uint32_t count = ibcc_keys_candidates(keys_.get(), &state, keys);
    return std::vector<std::uint64_t>(keys, keys + count);
  };
  EXPECT_EQ(list(), (std::vector<std::uint64_t>{0xC, 0xE, 0xD, 0xB, 0xA}));
  // Devices that say nothing to a wrong key: each is tried once, and counts the others.
  KeyedDevice device{.key = 0xA, .protect = true, .answers_wrong_keys = false};
  EXPECT_EQ(Converge(state, device), 6U);
  EXPECT_EQ(device.violations, 4U);
  EXPECT_EQ(Text(state), "next");
  EXPECT_EQ(list().front(), 0xEU);
}

TEST_F(KeysTest, ThatNobodyHasTriedComeFirstWhereTheOthersWereTriedInVain) {
  WriteKeys("current: 0xA\n");
  Open();
  KeyedDevice device{.key = 0xF, .protect = true, .answers_wrong_keys = false};
  ibcc_key_state state{};
  Converge(state, device);
  EXPECT_EQ(Next(state).action, IBCC_KEY_STUCK);
  Reload("current: 0xA\nprevious: 0xF\n");
  ibcc_keys_look_again(&state);
  EXPECT_EQ(Next(state).header_key, 0xFU);
  const std::uint64_t violations = device.violations;
  Converge(state, device);
  EXPECT_EQ(device.key, 0xAU);
  EXPECT_EQ(device.violations, violations);
  EXPECT_EQ(ibcc_keys_header_key(keys_.get(), &state), 0xAU) << "from now on the key that it has";
}

TEST_F(KeysTest, LookForADeviceWhoseAnswerWasLost) {
  WriteKeys("current: 0xA\n");
  Open();
  for (const bool arrived : {false, true}) {
    KeyedDevice device{.key = 0xA, .protect = true, .lease_period_s = 60};
    ibcc_key_state state{};
    Reload("current: 0xA\n");
    Converge(state, device);
    Reload("current: 0xA\nnext: 0xB\n");
    const ibcc_key_step step = Next(state);
    ASSERT_EQ(step.action, IBCC_KEY_SET);
    if (arrived) device.Do(step);
    ibcc_keys_handle_answer(keys_.get(), &state, &step, nullptr);
    EXPECT_EQ(Text(state), "unknown");
    EXPECT_EQ(Next(state).header_key, 0xBU);  // the new one first
    EXPECT_EQ(Converge(state, device), arrived ? 1U : 3U);
    EXPECT_EQ(device.key, 0xBU);
    EXPECT_EQ(device.violations, 0U);
  }
}

TEST_F(KeysTest, AreStuckWithADeviceOfAnotherManager) {
  WriteKeys("current: 0xA\n");
  Open();
  KeyedDevice shown{.key = 0xF00};
  ibcc_key_state state{};
  EXPECT_EQ(Converge(state, shown), 1U);
  EXPECT_EQ(Text(state), "foreign");
  EXPECT_EQ(Next(state).action, IBCC_KEY_STUCK);
  EXPECT_EQ(shown.key, 0xF00U);  // is not taken over
  ibcc_keys_retry(&state);
  EXPECT_EQ(Next(state).action, IBCC_KEY_LOOK);
  EXPECT_EQ(Converge(state, shown), 1U);

  KeyedDevice hidden{.key = 0xF00, .protect = true};
  ibcc_key_state hidden_state{};
  Converge(hidden_state, hidden);
  EXPECT_EQ(Text(hidden_state), "unknown");
  EXPECT_EQ(Next(hidden_state).action, IBCC_KEY_STUCK);
  EXPECT_EQ(ibcc_keys_header_key(keys_.get(), &hidden_state), 0xAU);
  // Whoever learns the key gives it as previous, and both are ours, without being asked to.
  Reload("current: 0xA\nprevious: 0xF00\n");
  Converge(state, shown);
  Converge(hidden_state, hidden);
  EXPECT_EQ(shown.key, 0xAU);
  EXPECT_EQ(hidden.key, 0xAU);
  EXPECT_EQ(shown.violations + hidden.violations, 0U);
}

TEST_F(KeysTest, AreStuckWithADeviceThatTakesNone) {
  WriteKeys("current: 0xA\n");
  Open();
  ibcc_key_state state{};
  const ccp_congestion_key_info open{};
  for (unsigned i = 0; i < 4; ++i) {  // a look, and three Sets
    const ibcc_key_step step = Next(state);
    EXPECT_EQ(step.action, i ? IBCC_KEY_SET : IBCC_KEY_LOOK);
    ibcc_keys_handle_answer(keys_.get(), &state, &step, &open);  // to a Set it answers that it has none
  }
  EXPECT_EQ(Next(state).action, IBCC_KEY_STUCK);
  EXPECT_EQ(Text(state), "none");
  EXPECT_EQ(ibcc_keys_header_key(keys_.get(), &state), 0U);
  // And with one that does not know the attribute.
  ibcc_key_state other{};
  const ibcc_key_step step = Next(other);
  ibcc_keys_handle_answer(keys_.get(), &other, &step, nullptr);
  EXPECT_EQ(Next(other).action, IBCC_KEY_STUCK);
}

TEST_F(KeysTest, TakeADeviceAtItsWord) {
  WriteKeys("current: 0xA\nlease_period_s: 30\n");
  Open();
  ibcc_key_state state{};
  KeyedDevice device;
  EXPECT_TRUE(Step(state, device));
  const ibcc_key_step step = Next(state);
  ccp_congestion_key_info answer = *device.Do(step);
  answer.cc_key_lease_period = 15;  // as long as it can
  ibcc_keys_handle_answer(keys_.get(), &state, &step, &answer);
  EXPECT_EQ(Next(state).action, IBCC_KEY_SETTLED);
  // An answer that hides what was set tells nothing: it is looked for.
  KeyedDevice shy;
  ibcc_key_state shy_state{};
  EXPECT_TRUE(Step(shy_state, shy));
  const ibcc_key_step set = Next(shy_state);
  answer = *shy.Do(set);
  answer.cc_key = 0;
  ibcc_keys_handle_answer(keys_.get(), &shy_state, &set, &answer);
  EXPECT_EQ(Next(shy_state).action, IBCC_KEY_LOOK);
  EXPECT_EQ(Converge(shy_state, shy), 1U);
  EXPECT_EQ(Text(shy_state), "current");
}

TEST_F(KeysTest, AreGivenUpByAKeyOfZero) {
  WriteKeys("current: 0xA\n");
  Open();
  KeyedDevice device;
  ibcc_key_state state{};
  Converge(state, device);
  Reload("current: 0xA\nnext: 0x0\n");
  Converge(state, device);
  EXPECT_EQ(device.key, 0U);
  EXPECT_FALSE(device.protect);
  EXPECT_EQ(Text(state), "none");
  Reload("current: 0x0\n");
  EXPECT_EQ(Converge(state, device), 1U);
  EXPECT_EQ(Next(state).action, IBCC_KEY_SETTLED);
  EXPECT_EQ(device.key, 0U);
}

TEST_F(KeysTest, AreOnDiskBeforeTheyAreSent) {
  WriteKeys("current: 0xA\n");
  Open();
  EXPECT_NE(Contents(temp_ / "state/keys").find("0x000000000000000a"), std::string::npos);
  KeyedDevice device;
  ibcc_key_state state{};
  Converge(state, device);
  WriteKeys("current: 0xA\nnext: 0xB\n");
  {
    const FullDisk full;
    ccp_error error{};
    EXPECT_EQ(ibcc_keys_reload(keys_.get(), &error), -1);
    EXPECT_NE(std::string(error.message).find("keys.new in the state folder"), std::string::npos) << error.message;
  }
  EXPECT_FALSE(ibcc_keys_are_changing(keys_.get()));
  EXPECT_EQ(Next(state).action, IBCC_KEY_SETTLED);
  ccp_error error{};
  EXPECT_EQ(ibcc_keys_reload(keys_.get(), &error), 0);
  EXPECT_TRUE(ibcc_keys_are_changing(keys_.get()));
}

TEST_F(KeysTest, AreAsTheyWereIfTheFileIsWrong) {
  WriteKeys("current: 0xA\n");
  Open();
  WriteKeys("current: 5ece7\n");
  ccp_error error{};
  EXPECT_EQ(ibcc_keys_reload(keys_.get(), &error), -1);
  EXPECT_EQ(error.line, 1U);
  EXPECT_EQ(ibcc_keys_open(folder_.get(), file_.c_str(), nullptr, &error), nullptr);
  ibcc_key_state state{};
  EXPECT_EQ(ibcc_keys_header_key(keys_.get(), &state), 0xAU);
  for (const unsigned nth : {1, 2}) {
    const RefusedMemory refusal(nth);
    EXPECT_EQ(ibcc_keys_open(folder_.get(), file_.c_str(), nullptr, &error), nullptr);
    EXPECT_STREQ(error.message, "out of memory");
  }
}

TEST_F(KeysTest, AreNeverLogged) {
  WriteKeys("current: 0xDECAFBAD\nprevious: 0xBADCAB1E\n");
  Open();
  Reload("current: 0xDECAFBAD\nnext: 0xFEEDFACE\nprotect: no\n");
  ASSERT_EQ(log_.lines.size(), 2U);
  EXPECT_EQ(log_.lines[0], "keys read from " + file_ + ": current, previous, protected, lease period 60 s");
  EXPECT_EQ(log_.lines[1], "keys read from " + file_ + ": current, next, not protected, lease period 60 s");
}

}  // namespace

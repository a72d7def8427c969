// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// keys_support.hpp: a key file, the keys, and devices that check them.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "keys/keys.h"
#include "state_support.hpp"

namespace plugin_test {

// A device's side of CC_Key, as docs/operate/plugin-keys.md has it.
struct KeyedDevice {
  std::uint64_t key = 0;
  bool protect = false;
  std::uint16_t lease_period_s = 0;
  bool answers_wrong_keys = true;  // Get(CongestionKeyInfo); some do not
  unsigned violations = 0;

  ccp_congestion_key_info Info(bool may_see) const {
    return {.cc_key = may_see ? key : 0,
            .cc_key_protect_bit = static_cast<std::uint8_t>(protect),
            .cc_key_lease_period = lease_period_s,
            .cc_key_violations = static_cast<std::uint16_t>(violations)};
  }
  std::optional<ccp_congestion_key_info> Get(std::uint64_t header) {
    if (key && header != key && !answers_wrong_keys) {
      ++violations;
      return std::nullopt;
    }
    return Info(!key || !protect || header == key);
  }
  std::optional<ccp_congestion_key_info> Set(std::uint64_t header, const ccp_congestion_key_info& info) {
    if (key && header != key) {
      ++violations;
      return std::nullopt;
    }
    key = info.cc_key;
    protect = info.cc_key_protect_bit;
    lease_period_s = info.cc_key_lease_period;
    if (!info.cc_key_violations) violations = 0;
    return Info(true);
  }
  std::optional<ccp_congestion_key_info> Do(const ibcc_key_step& step) {
    return step.action == IBCC_KEY_LOOK ? Get(step.header_key) : Set(step.header_key, step.info);
  }
};

class KeysTest : public ::testing::Test {
 protected:
  struct FolderCloser {
    void operator()(ibcc_state_folder* folder) const { ibcc_state_folder_close(folder); }
  };
  struct KeysCloser {
    void operator()(ibcc_keys* keys) const { ibcc_keys_close(keys); }
  };

  KeysTest() : file_((temp_ / "cc_keys").string()) {
    ccp_error error{};
    folder_.reset(ibcc_state_folder_open((temp_ / "state").c_str(), &error));
    EXPECT_NE(folder_, nullptr) << error.message;
  }

  void WriteKeys(const std::string& text) {
    Write(file_, text);
    ASSERT_EQ(chmod(file_.c_str(), 0600), 0);
  }
  // As if OpenSM had been started anew.
  void Open() {
    ccp_error error{};
    keys_.reset();
    keys_.reset(ibcc_keys_open(folder_.get(), file_.c_str(), &log_, &error));
    ASSERT_NE(keys_, nullptr) << error.message;
  }
  void Reload(const std::string& text) {
    ccp_error error{};
    WriteKeys(text);
    ASSERT_EQ(ibcc_keys_reload(keys_.get(), &error), 0) << error.message;
  }
  ibcc_key_step Next(const ibcc_key_state& state) const {
    ibcc_key_step step{};
    ibcc_keys_next_step(keys_.get(), &state, &step);
    return step;
  }
  // One step of a device that hears and is heard. False: there was none to do.
  bool Step(ibcc_key_state& state, KeyedDevice& device) const {
    const ibcc_key_step step = Next(state);
    if (step.action == IBCC_KEY_SETTLED || step.action == IBCC_KEY_STUCK) return false;
    const auto info = device.Do(step);
    ibcc_keys_handle_answer(keys_.get(), &state, &step, info ? &*info : nullptr);
    return true;
  }
  // Steps until there is none, and their number.
  unsigned Converge(ibcc_key_state& state, KeyedDevice& device) const {
    unsigned steps = 0;
    while (steps < 100 && Step(state, device)) ++steps;
    return steps;
  }
  std::string Text(const ibcc_key_state& state) const { return ibcc_keys_state_text(keys_.get(), &state); }

  TempFolder temp_;
  std::string file_;
  HeardLog log_;
  std::unique_ptr<ibcc_state_folder, FolderCloser> folder_;
  std::unique_ptr<ibcc_keys, KeysCloser> keys_;
};

}  // namespace plugin_test

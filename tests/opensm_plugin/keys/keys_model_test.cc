// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Changes of the key on many devices, while requests and answers are lost, devices come and go, the plugin is killed at any moment
// and the administrator is in a hurry: whatever key a device has, it is on disk.
#include <gtest/gtest.h>

#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "keys_support.hpp"

namespace {

using plugin_test::Contents;
using plugin_test::KeyedDevice;
using plugin_test::KeysTest;

class KeysModelTest : public KeysTest {
 protected:
  struct Device : KeyedDevice {
    ibcc_key_state state{};
    bool present = true;
  };

  static std::string Hex(std::uint64_t key) {
    char text[24];
    std::snprintf(text, sizeof(text), "0x%016llx", static_cast<unsigned long long>(key));
    return text;
  }
  // Keys are numbered from 1, so that each is another.
  std::string FreshKey() { return Hex(0xA0000000'00000000 + ++last_key_); }

  void ExpectNobodyIsLockedOut() {
    const std::string on_disk = Contents(temp_ / "state/keys");
    for (const Device& device : devices_) {
      if (device.key) {
        ASSERT_NE(on_disk.find(Hex(device.key)), std::string::npos) << Hex(device.key) << " is not in\n" << on_disk;
      }
    }
  }

  // The administrator begins a change, ends one early or late, breaks one off, or looks up an old key.
  void EditFile() {
    switch (random_() % 4) {
      case 0:
        if (next_.empty()) next_ = FreshKey();
        break;
      case 1:
        if (!next_.empty()) {
          previous_ = current_;
          current_ = next_;
          next_.clear();
        }
        break;
      case 2: next_.clear(); break;
      default: previous_.clear();
    }
    std::string text = "current: " + current_ + "\n";
    if (!next_.empty()) text += "next: " + next_ + "\n";
    if (!previous_.empty()) text += "previous: " + previous_ + "\n";
    WriteKeys(text);
    if (random_() % 2) {
      ccp_error error{};
      ASSERT_EQ(ibcc_keys_reload(keys_.get(), &error), 0) << error.message;
    }  // else the plugin has not noticed yet
  }

  // The plugin is killed: what it knew of devices is gone, what is on disk stays.
  void Restart() {
    Open();
    for (Device& device : devices_) device.state = {};
  }

  void Talk(Device& device, unsigned loss_percent) {
    const ibcc_key_step step = Next(device.state);
    if (step.action == IBCC_KEY_SETTLED) return;
    if (step.action == IBCC_KEY_STUCK) {
      ibcc_keys_retry(&device.state);
      return;
    }
    std::optional<ccp_congestion_key_info> info;
    if (device.present && random_() % 100 >= loss_percent) info = device.Do(step);
    if (loss_percent && random_() % 400 == 0) {
      Restart();  // between the request and its answer
      return;
    }
    if (random_() % 100 < loss_percent) info.reset();
    ibcc_keys_handle_answer(keys_.get(), &device.state, &step, info ? &*info : nullptr);
  }

  void Run(unsigned seed) {
    random_.seed(seed);
    last_key_ = 0;
    previous_.clear();
    next_.clear();
    current_ = FreshKey();
    plugin_test::fs::remove(temp_ / "state/keys");
    WriteKeys("current: " + current_ + "\n");
    Open();
    devices_.assign(20, {});
    for (Device& device : devices_) device.answers_wrong_keys = random_() % 4;
    // No more changes than keys are remembered.
    for (unsigned step = 0; step < 4000; ++step) {
      Device& device = devices_[random_() % devices_.size()];
      const unsigned what = random_() % 200;
      if (what == 0 && last_key_ < IBCC_MAX_KEYS) {
        ASSERT_NO_FATAL_FAILURE(EditFile());
      } else if (what == 1) {
        Restart();
      } else if (what == 2) {
        device.present = !device.present;
        if (device.present) device.state = {};
      } else if (what == 3) {
        static_cast<KeyedDevice&>(device) = {.answers_wrong_keys =
                                                 device.answers_wrong_keys};  // a reset; nobody tells the plugin
      } else {
        Talk(device, 30);
      }
      ASSERT_NO_FATAL_FAILURE(ExpectNobodyIsLockedOut()) << "step " << step;
    }
    // When all is well again, all have the key that they should.
    Restart();
    for (Device& device : devices_) {
      device.present = true;
      Converge(device.state, device);
      ASSERT_EQ(Next(device.state).action, IBCC_KEY_SETTLED);
      ASSERT_EQ(Hex(device.key), next_.empty() ? current_ : next_);
      ASSERT_TRUE(device.protect);
    }
  }

  std::mt19937 random_;
  std::vector<Device> devices_;
  std::uint64_t last_key_ = 0;
  std::string current_, next_, previous_;
};

TEST_F(KeysModelTest, NoDeviceIsLockedOut) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(seed);
    ASSERT_NO_FATAL_FAILURE(Run(seed));
  }
}

}  // namespace

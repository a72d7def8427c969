// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Revision 0 on devices with NVIDIA's attributes: where there is no base, they end as they were found.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "manager_nvidia_support.hpp"

namespace ibcc_test {
namespace {

class ManagerFoundNvidia : public ManagerNvidia {
 protected:
  void Meet() {
    std::filesystem::remove(folder_ + "/profile.yaml");
    Open();
    Sweep();
  }
};

// It has nothing of annex A10's that could be read, which is no reason to wait.
TEST_F(ManagerFoundNvidia, ATrialRunEndsOnADeviceOfNvidiasAlone) {
  Meet();
  Try(Nvidia(std::string(kSwitch) + kDcqcn));
  ASSERT_TRUE(Reacts(2));
  EndTrial();
  EXPECT_FALSE(Reacts(2));
  EXPECT_EQ(State(2), "unsupported");
  EXPECT_FALSE(Device(2).nvidia.written);
  EXPECT_STREQ(ibcc_manager_job(manager_)->message, "all devices that support congestion control hold the wanted values");
}

}  // namespace
}  // namespace ibcc_test

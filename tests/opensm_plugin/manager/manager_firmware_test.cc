// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include <gtest/gtest.h>

#include "manager_support.hpp"

namespace ibcc_test {
namespace {

// Two leaves (nodes 4 and 5) with two hosts each (0 to 3), and a spine (6); all of Mellanox but host 3.
class ManagerFirmware : public ManagerBed {
 protected:
  ManagerFirmware() : ManagerBed(2, 2) {
    for (auto& node : fabric_.nodes()) node.vendor = 0x2C9;
    fabric_.host(3).vendor = 0x66A;
  }

  const ibcc_device& Device(unsigned node) {
    const auto& one = fabric_.nodes()[node];
    return *ibcc_devices_find(ibcc_manager_devices(manager_), one.guid, one.is_switch ? 0 : 1);
  }
  std::string Said(unsigned node) {
    char text[IBCC_FIRMWARE_TEXT_BYTES];
    const ibcc_device_firmware& firmware = Device(node).firmware;
    const char* reason = ibcc_firmware_reasons[firmware.state];
    return reason == nullptr ? ibcc_firmware_text(text, &firmware.latest) : reason;
  }
  bool AllAsked() {
    const ibcc_devices* devices = ibcc_manager_devices(manager_);
    for (std::uint32_t i = 0; i < devices->count; ++i)
      if (devices->list[i]->firmware.to_ask || devices->list[i]->firmware.in_flight) return false;
    return true;
  }
  void BringUp() {
    Open();
    fabric_.Sweep(manager_);
    ASSERT_TRUE(fabric_.Run(manager_, [this] { return AllAsked(); }));
  }
};

TEST_F(ManagerFirmware, EachIsAskedOnce) {
  BringUp();
  EXPECT_TRUE(AllApplied());
  EXPECT_EQ(Said(0), "31.1.1");
  EXPECT_EQ(Said(6), "31.7.1");
  EXPECT_EQ(Said(3), "devices of its vendor are not asked");
  EXPECT_EQ(fabric_.firmware_mads, 6u);
  fabric_.Sweep(manager_);
  ibcc_manager_verify(manager_);
  EXPECT_FALSE(fabric_.Run(manager_, [] { return false; }, 2000)) << "three audits";
  EXPECT_EQ(fabric_.firmware_mads, 6u);
}

TEST_F(ManagerFirmware, TheLastWriteComesFirst) {
  fabric_.latency_ns = 1'000'000;
  Open();
  fabric_.Sweep(manager_);
  ASSERT_TRUE(fabric_.Run(manager_, [this] { return fabric_.firmware_mads > 0; }));
  EXPECT_TRUE(AllApplied()) << "a device was asked while another was not set yet";
}

// All are silent, again and again: nothing fails, nothing is restored, and the devices are well.
TEST_F(ManagerFirmware, SilenceIsNoFailure) {
  options_.max_errors = 1;
  for (auto& node : fabric_.nodes()) node.tells_firmware = false;
  BringUp();
  EXPECT_EQ(Said(0), "no answer to two requests");
  EXPECT_EQ(fabric_.firmware_mads, 12u);
  for (unsigned i = 0; i < 3; ++i) {
    for (auto& node : fabric_.nodes()) node.was_reset = true;
    fabric_.Sweep(manager_);
    ASSERT_TRUE(fabric_.Run(manager_, [this] { return AllAsked(); }));
  }
  EXPECT_EQ(fabric_.firmware_mads, 48u);
  EXPECT_TRUE(AllApplied());
  EXPECT_EQ(Device(0).timeouts, 0u);
  EXPECT_EQ(ibcc_manager_role(manager_), IBCC_ROLE_MASTER);
}

// A write goes out at once, though the window of these requests is full of silent devices.
TEST_F(ManagerFirmware, NoWriteWaits) {
  options_.max_outstanding = 1;
  for (auto& node : fabric_.nodes()) node.tells_firmware = false;
  Open();
  fabric_.Sweep(manager_);
  ASSERT_TRUE(fabric_.Run(manager_, [this] { return fabric_.firmware_mads == 1; }));
  const std::int64_t began_ns = fabric_.now_ns;
  ccp_error error{};
  const std::string text = ProfileOf(2);
  ASSERT_EQ(ibcc_profiles_begin_experiment(profiles_, text.data(), text.size(), 60, nullptr, 0, fabric_.now_ns, &error),
            IBCC_PROFILES_OK)
      << error.message;
  ASSERT_NE(ibcc_manager_converge(manager_, "apply"), 0u);
  ASSERT_TRUE(fabric_.Run(manager_, [this] { return ibcc_manager_job(manager_)->state == IBCC_JOB_DONE; }));
  EXPECT_LT(fabric_.now_ns - began_ns, 50'000'000) << "less than one time-out";
  EXPECT_EQ(fabric_.firmware_mads, 1u);
}

TEST_F(ManagerFirmware, OneThatComesBackIsAskedAgain) {
  BringUp();
  fabric_.host(1).present = false;
  fabric_.Sweep(manager_);
  ASSERT_TRUE(fabric_.RunUntilIdle(manager_));
  EXPECT_EQ(Said(1), "31.2.1") << "as it was last known";
  fabric_.host(1).present = true;
  fabric_.host(1).firmware = 2;
  fabric_.Sweep(manager_);
  ASSERT_TRUE(fabric_.Run(manager_, [this] { return Said(1) == "31.2.2"; }));
  EXPECT_EQ(fabric_.firmware_mads, 7u);
}

// The answer comes in a sweep that gives the LIDs to others: it is not believed.
TEST_F(ManagerFirmware, AnAnswerInASweepMayBeAnothers) {
  Open();
  fabric_.latency_ns = 50'000'000;
  fabric_.Sweep(manager_);
  ASSERT_TRUE(fabric_.Run(manager_, [this] { return fabric_.firmware_mads > 0; }));
  ibcc_inbox_content begins{};
  begins.notices = IBCC_NOTICE_SWEEP_BEGINS;
  begins.sweeping = true;
  ibcc_manager_handle_inbox(manager_, &begins);
  const std::uint64_t before = fabric_.firmware_mads;
  EXPECT_FALSE(fabric_.Run(manager_, [] { return false; }, 1));
  EXPECT_EQ(fabric_.firmware_mads, before) << "nothing is sent in a sweep";
  for (unsigned i = 0; i < 7; ++i) EXPECT_NE(Device(i).firmware.state, IBCC_FIRMWARE_KNOWN) << i;
  fabric_.ExchangeLids(0, 1);
  fabric_.Sweep(manager_);
  ASSERT_TRUE(fabric_.Run(manager_, [this] { return AllAsked(); }));
  EXPECT_EQ(Said(0), "31.1.1");
  EXPECT_EQ(Said(1), "31.2.1");
}

TEST_F(ManagerFirmware, TheTopologyHasIt) {
  BringUp();
  const ibcc_topology* topology = ibcc_manager_topology(manager_);
  ASSERT_TRUE(fabric_.Run(manager_, [this] { return ibcc_firmware_is_known(&Device(6).firmware.told); }));
  const std::uint64_t epoch = topology->epoch;
  fabric_.host(0).firmware = 9;
  fabric_.host(0).was_reset = true;
  fabric_.Sweep(manager_);
  ASSERT_TRUE(fabric_.Run(manager_, [&] { return topology->epoch > epoch; }));
  EXPECT_EQ(topology->epoch, epoch + 1);
  EXPECT_EQ(topology->node_epochs[0], epoch + 1);
  EXPECT_EQ(topology->node_epochs[1], epoch) << "all answers came with one epoch";
  EXPECT_EQ(Device(0).firmware.told.sub_minor, 9u);
}

TEST_F(ManagerFirmware, NobodyIsAskedOnceOpenSmStops) {
  Open();
  fabric_.Sweep(manager_);
  ASSERT_TRUE(fabric_.Run(manager_, [this] { return fabric_.firmware_mads > 0; }));
  ibcc_inbox_content stop{};
  stop.notices = IBCC_NOTICE_STOP;
  ibcc_manager_handle_inbox(manager_, &stop);
  const std::uint64_t before = fabric_.firmware_mads;
  EXPECT_FALSE(fabric_.Run(manager_, [] { return false; }, 5));
  EXPECT_EQ(fabric_.firmware_mads, before);
}

}  // namespace
}  // namespace ibcc_test

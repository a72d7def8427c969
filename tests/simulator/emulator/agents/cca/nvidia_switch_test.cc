// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/agents/cca/nvidia.hpp"

namespace ccsim::emulator {
namespace cca_nvidia_switch_test {

using testing::Asked;
using testing::NvidiaSubnet;
using testing::Packed;
using testing::Read;
using testing::SmallSubnet;
using testing::Thresholds;
using General = ccp_congestion_switch_general_settings;
using Profiles = ccp_congestion_port_profile_settings;
using Mapping = ccp_congestion_sl_mapping_settings;

constexpr Place kAt = SmallSubnet::kAtSwitch;
constexpr std::uint32_t kModifierOfVl3 = 3u << 16;

struct Bed : NvidiaSubnet {
  Bed() : NvidiaSubnet(CcDialect::NvidiaDcqcn) {}
  Asked SetProfiles(const Profiles& settings, std::uint32_t modifier = 1) {
    return Set(kAt, CCP_CONGESTION_PORT_PROFILE_SETTINGS, settings, modifier);
  }
  Profiles GetProfiles(std::uint32_t modifier, std::uint16_t vl_mask) {
    const Asked asked = Get(kAt, 0xFF09, modifier, Packed(CCP_CONGESTION_PORT_PROFILE_SETTINGS, Thresholds(vl_mask, 0, 0, 0)));
    EXPECT_EQ(asked.status, kOk);
    return Read<Profiles>(CCP_CONGESTION_PORT_PROFILE_SETTINGS, asked);
  }
  void Clip(std::uint8_t step_kb = 1) {
    SetFirmware(kSwitch, {.clips = true, .port_buffer_bytes = 1000, .profile_step_kb = step_kb});
  }
};

TEST(NvidiaSwitch, GeneralSettingsKeepTheirReadOnlyFields) {
  Bed s;
  s.SetFirmware(SmallSubnet::kSwitch, {.port_buffer_bytes = 1000, .profile_step_kb = 4});
  const auto fresh = Read<General>(CCP_CONGESTION_SWITCH_GENERAL_SETTINGS, s.Get(kAt, 0xFF08));
  EXPECT_FALSE(fresh.en);
  EXPECT_EQ(fresh.cap_total_buffer_size, 36'000u);
  const Asked set =
      s.Set(kAt, CCP_CONGESTION_SWITCH_GENERAL_SETTINGS,
            General{.en = true, .aqs_weight = 3, .aqs_time = 24, .cap_total_buffer_size = 5, .cap_cc_profile_step_size = 6});
  EXPECT_EQ(set.bytes(12), (std::vector<std::uint8_t>{1, 0, 3, 24, 0, 0, 0x8C, 0xA0, 0, 0, 0, 4}));
  EXPECT_EQ(s.Get(kAt, 0xFF08).bytes(), set.bytes());
  EXPECT_EQ(
      s.Set(kAt, CCP_CONGESTION_SWITCH_GENERAL_SETTINGS,
            General{.en = false, .aqs_weight = 0, .aqs_time = 25, .cap_total_buffer_size = 0, .cap_cc_profile_step_size = 0})
          .status,
      kInvalidField);
  EXPECT_EQ(s.Get(kAt, 0xFF08).bytes(), set.bytes()) << "a refused Set changes nothing";
  s.Clip();
  EXPECT_EQ(s.Set(kAt, CCP_CONGESTION_SWITCH_GENERAL_SETTINGS,
                  General{.en = true, .aqs_weight = 1, .aqs_time = 99, .cap_total_buffer_size = 0, .cap_cc_profile_step_size = 0})
                .bytes(4),
            (std::vector<std::uint8_t>{1, 0, 1, 24}));
}

TEST(NvidiaSwitch, AMaskNamesTheVlsOfASet) {
  Bed s;
  EXPECT_EQ(s.GetProfiles(1, 1).vl_mask, 0xFFFF) << "all VLs of a new switch are alike";
  const Profiles wanted = Thresholds(0b1010, 100, 200, 30);
  EXPECT_EQ(s.SetProfiles(wanted).bytes(), Packed(CCP_CONGESTION_PORT_PROFILE_SETTINGS, wanted));
  for (const std::uint16_t asked : {0b0010, 0b1000, 0b1010}) {
    EXPECT_EQ(Packed(CCP_CONGESTION_PORT_PROFILE_SETTINGS, s.GetProfiles(1, asked)),
              Packed(CCP_CONGESTION_PORT_PROFILE_SETTINGS, wanted));
  }
  EXPECT_EQ(s.GetProfiles(1, 0).vl_mask, 0xFFFF & ~0b1010) << "VL 0";
  EXPECT_EQ(s.GetProfiles(1, 0).profiles[0].max, 0u);
  EXPECT_EQ(s.GetProfiles(2, 0b10).profiles[0].max, 0u) << "another port";
  EXPECT_EQ(s.SetProfiles(Thresholds(0xFFFF, 0, 0, 0)).status, kOk);
  EXPECT_EQ(s.GetProfiles(1, 0b10).vl_mask, 0xFFFF);
  EXPECT_EQ(s.Get(kAt, 0xFF09, kModifierOfVl3 | 1).status, kInvalidField);
}

TEST(NvidiaSwitch, OrTheModifierNamesTheVl) {
  Bed s;
  s.SetFirmware(SmallSubnet::kSwitch, {.vl_reading = VlReading::Modifier});
  EXPECT_EQ(s.SetProfiles(Thresholds(0xFFFF, 100, 200, 30), kModifierOfVl3 | 1).status, kOk);
  const Profiles held = s.GetProfiles(kModifierOfVl3 | 1, 1);
  EXPECT_EQ(held.vl_mask, 1u << 3);
  EXPECT_EQ(held.profiles[0].max, 200u);
  EXPECT_EQ(s.GetProfiles(1, 1u << 3).profiles[0].max, 0u) << "VL 0, by the modifier";
  EXPECT_EQ(s.SetProfiles(Thresholds(1, 7, 8, 9), kModifierOfVl3 | 1).status, kOk);
  EXPECT_EQ(s.GetProfiles(kModifierOfVl3 | 1, 0).profiles[0].max, 200u) << "the mask has not the VL of the modifier";
  EXPECT_EQ(s.Get(kAt, 0xFF09, 16u << 16 | 1).status, kInvalidField);
  EXPECT_EQ(s.Get(kAt, 0xFF09, kModifierOfVl3 | 37).status, kInvalidField);
}

TEST(NvidiaSwitch, ThresholdsHaveTheirRange) {
  Bed s;
  s.SetFirmware(SmallSubnet::kSwitch, {.capability_mask = 0, .port_buffer_bytes = 1000});
  const auto percentage = [](std::uint32_t max) {
    Profiles settings = Thresholds(1, 0, max, 100);
    settings.mode = CCP_THRESHOLD_PERCENTAGE;
    return settings;
  };
  Profiles kilobytes = Thresholds(1, 0, 30, 1);
  kilobytes.granularity = 1;
  EXPECT_EQ(s.SetProfiles(Thresholds(1, 36'000, 36'000, 100)).status, kOk);
  EXPECT_EQ(s.SetProfiles(Thresholds(1, 0, 36'001, 1)).status, kInvalidField);
  EXPECT_EQ(s.SetProfiles(Thresholds(1, 0, 1, 101)).status, kInvalidField);
  EXPECT_EQ(s.SetProfiles(percentage(100)).status, kOk);
  EXPECT_EQ(s.SetProfiles(percentage(101)).status, kInvalidField);
  EXPECT_EQ(s.SetProfiles(kilobytes).status, kInvalidField) << "the mask has no granularity";
  s.SetFirmware(SmallSubnet::kSwitch, {.port_buffer_bytes = 1024});
  EXPECT_EQ(s.SetProfiles(kilobytes).status, kOk);
  kilobytes.profiles[2].min = 37;
  EXPECT_EQ(s.SetProfiles(kilobytes).status, kInvalidField);
}

TEST(NvidiaSwitch, OrItClipsAndRounds) {
  Bed s;
  s.Clip(4);
  const auto held = Read<Profiles>(CCP_CONGESTION_PORT_PROFILE_SETTINGS, s.SetProfiles(Thresholds(1, 5000, 99'999, 120)));
  EXPECT_EQ(held.profiles[0].min, 4096u);
  EXPECT_EQ(held.profiles[0].max, 32'768u) << "of 36,000 bytes, by steps of 4 KB";
  EXPECT_EQ(held.profiles[0].percent, 100);
  EXPECT_EQ(s.GetProfiles(1, 1).profiles[0].max, 32'768u);
}

TEST(NvidiaSwitch, SlsHaveAProfileByPort) {
  Bed s;
  EXPECT_EQ(s.Get(kAt, 0xFF10, 1).bytes(5), (std::vector<std::uint8_t>{0x55, 0x55, 0x55, 0x55, 0}));
  Mapping mapping{.sl_profile = {3, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2}};
  const Asked set = s.Set(kAt, CCP_CONGESTION_SL_MAPPING_SETTINGS, mapping, 36);
  EXPECT_EQ(set.bytes(4), (std::vector<std::uint8_t>{0xE5, 0x55, 0x55, 0x56}));
  EXPECT_EQ(s.Get(kAt, 0xFF10, 36).bytes(), set.bytes());
  EXPECT_EQ(s.Get(kAt, 0xFF10, 35).bytes(1), (std::vector<std::uint8_t>{0x55}));
  mapping.sl_profile[7] = 0;
  EXPECT_EQ(s.Set(kAt, CCP_CONGESTION_SL_MAPPING_SETTINGS, mapping, 36).status, kInvalidField);
  s.Clip();
  EXPECT_EQ(s.Set(kAt, CCP_CONGESTION_SL_MAPPING_SETTINGS, mapping, 36).bytes(4), set.bytes(4));
}

TEST(NvidiaSwitch, APowerCycleForgetsAll) {
  Bed s;
  s.SetProfiles(Thresholds(0xFFFF, 100, 200, 30));
  s.Set(kAt, CCP_CONGESTION_SWITCH_GENERAL_SETTINGS,
        General{.en = true, .aqs_weight = 1, .aqs_time = 1, .cap_total_buffer_size = 0, .cap_cc_profile_step_size = 0});
  s.subnet.Reboot(SmallSubnet::kSwitch);
  EXPECT_EQ(s.GetProfiles(1, 1).profiles[0].max, 0u);
  EXPECT_EQ(s.Get(kAt, 0xFF08).bytes(4), std::vector<std::uint8_t>(4, 0));
}

}  // namespace cca_nvidia_switch_test
}  // namespace ccsim::emulator

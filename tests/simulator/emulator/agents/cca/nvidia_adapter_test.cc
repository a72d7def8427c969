// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/agents/cca/nvidia.hpp"

namespace ccsim::emulator {
namespace cca_nvidia_adapter_test {

using testing::Asked;
using testing::NvidiaSubnet;
using testing::Packed;
using testing::Read;
using testing::SmallSubnet;
using General = ccp_congestion_hca_general_settings;
using Rp = ccp_congestion_hca_rp_parameters;
using Np = ccp_congestion_hca_np_parameters;
using Config = ccp_congestion_hca_algo_config_support;
using Params = ccp_congestion_hca_algo_config_params;

constexpr Place kAt = SmallSubnet::kAtHost1;

struct Bed : NvidiaSubnet {
  Asked SetSlot(std::uint32_t slot, bool algo_en, std::uint16_t sls) {
    Config config{};
    config.algo_en = algo_en;
    config.sl_bitmask = sls;
    return Set(kAt, CCP_CONGESTION_HCA_ALGO_CONFIG_SUPPORT, config, slot);
  }
  Config GetSlot(std::uint32_t slot, std::uint16_t sls = 0, std::uint8_t encap_type = 0) {
    Config config{};
    config.sl_bitmask = sls;
    config.encap_type = encap_type;
    const Asked asked = Get(kAt, 0xFF24, slot, Packed(CCP_CONGESTION_HCA_ALGO_CONFIG_SUPPORT, config));
    EXPECT_EQ(asked.status, kOk);
    return Read<Config>(CCP_CONGESTION_HCA_ALGO_CONFIG_SUPPORT, asked);
  }
};

// Each of two ports has its settings.
TEST(NvidiaAdapter, GeneralSettingsBelongToAPort) {
  Bed s;
  EXPECT_EQ(s.Get(kAt, 0xFF20).bytes(4), std::vector<std::uint8_t>(4, 0));
  EXPECT_EQ(
      s.Set(kAt, CCP_CONGESTION_HCA_GENERAL_SETTINGS, General{.en_notify = true, .en_react = true, .en_cc_per_plane = false})
          .bytes(1),
      (std::vector<std::uint8_t>{0xC0}));
  EXPECT_EQ(s.Get(kAt, 0xFF20).bytes(1), (std::vector<std::uint8_t>{0xC0}));
  EXPECT_EQ(s.Get(SmallSubnet::kAtHost2, 0xFF20).bytes(1), (std::vector<std::uint8_t>{0}));
  const General per_plane{.en_notify = true, .en_react = false, .en_cc_per_plane = true};
  EXPECT_EQ(s.Set(kAt, CCP_CONGESTION_HCA_GENERAL_SETTINGS, per_plane).status, kInvalidField) << "the mask has no planes";
  s.SetFirmware(SmallSubnet::kHost, {.clips = true});
  EXPECT_EQ(s.Set(kAt, CCP_CONGESTION_HCA_GENERAL_SETTINGS, per_plane).bytes(1), (std::vector<std::uint8_t>{0x80}));
  s.SetFirmware(SmallSubnet::kHost, {.capability_mask = CCP_ENHANCED_CAP_PER_PLANE});
  EXPECT_EQ(s.Set(kAt, CCP_CONGESTION_HCA_GENERAL_SETTINGS, per_plane).bytes(1), (std::vector<std::uint8_t>{0xA0}));
}

TEST(NvidiaAdapter, StartsWithTheDocumentedParameters) {
  Bed s;
  const Rp rp = Read<Rp>(CCP_CONGESTION_HCA_RP_PARAMETERS, s.Get(kAt, 0xFF21));
  EXPECT_FALSE(rp.clamp_tgt_rate);
  EXPECT_TRUE(rp.clamp_tgt_rate_after_time_inc);
  EXPECT_EQ(rp.rpg_time_reset, 300u);
  EXPECT_EQ(rp.rpg_byte_reset, 32767u);
  EXPECT_EQ(rp.rpg_gd, 11);
  EXPECT_EQ(rp.dce_tcp_g, 1019);
  EXPECT_EQ(rp.initial_alpha_value, 1023);
  EXPECT_EQ(s.Get(kAt, 0xFF22).bytes(8), (std::vector<std::uint8_t>{0, 0, 0, 4, 0, 0, 0, 0}));
}

TEST(NvidiaAdapter, RefusesOrClipsParametersOutOfRange) {
  struct Row {
    void (*change)(Rp& rp);
    std::uint32_t (*member)(const Rp& rp);
    std::uint32_t clipped;
  };
  const Row rows[]{
      {[](Rp& rp) { rp.rpg_time_reset = 0; }, [](const Rp& rp) { return rp.rpg_time_reset; }, 1},
      {[](Rp& rp) { rp.rpg_byte_reset = 32768; }, [](const Rp& rp) { return rp.rpg_byte_reset; }, 32767},
      {[](Rp& rp) { rp.rpg_threshold = 0; }, [](const Rp& rp) -> std::uint32_t { return rp.rpg_threshold; }, 1},
      {[](Rp& rp) { rp.rpg_ai_rate = 32'001; }, [](const Rp& rp) -> std::uint32_t { return rp.rpg_ai_rate; }, 32'000},
      {[](Rp& rp) { rp.rpg_hai_rate = 0; }, [](const Rp& rp) -> std::uint32_t { return rp.rpg_hai_rate; }, 1},
      {[](Rp& rp) { rp.rpg_gd = 12; }, [](const Rp& rp) -> std::uint32_t { return rp.rpg_gd; }, 11},
      {[](Rp& rp) { rp.rpg_min_dec_fac = 101; }, [](const Rp& rp) -> std::uint32_t { return rp.rpg_min_dec_fac; }, 100},
      {[](Rp& rp) { rp.rpg_min_rate = 0; }, [](const Rp& rp) { return rp.rpg_min_rate; }, 1},
      {[](Rp& rp) { rp.rate_to_set_on_first_cnp = 1'000'000; }, [](const Rp& rp) { return rp.rate_to_set_on_first_cnp; }, 32'000},
      {[](Rp& rp) { rp.dce_tcp_rtt = 0; }, [](const Rp& rp) { return rp.dce_tcp_rtt; }, 1},
      {[](Rp& rp) { rp.initial_alpha_value = 0; }, [](const Rp& rp) -> std::uint32_t { return rp.initial_alpha_value; }, 1},
  };
  Bed s;  // of 4xQDR, 32 Gb/s
  const std::vector<std::uint8_t> fresh = s.Get(kAt, 0xFF21).bytes();
  for (const Row& row : rows) {
    Rp rp = kPowerOnRp;
    row.change(rp);
    s.SetFirmware(SmallSubnet::kHost, {});
    EXPECT_EQ(s.Set(kAt, CCP_CONGESTION_HCA_RP_PARAMETERS, rp).status, kInvalidField) << row.clipped;
    EXPECT_EQ(s.Get(kAt, 0xFF21).bytes(), fresh);
    s.SetFirmware(SmallSubnet::kHost, {.clips = true});
    const Asked taken = s.Set(kAt, CCP_CONGESTION_HCA_RP_PARAMETERS, rp);
    EXPECT_EQ(row.member(Read<Rp>(CCP_CONGESTION_HCA_RP_PARAMETERS, taken)), row.clipped);
    EXPECT_EQ(s.Get(kAt, 0xFF21).bytes(), taken.bytes());
    s.Set(kAt, CCP_CONGESTION_HCA_RP_PARAMETERS, kPowerOnRp);
  }
  Rp most = kPowerOnRp;
  most.rpg_time_reset = most.dce_tcp_rtt = 131'071;
  most.rpg_ai_rate = most.rpg_hai_rate = 32'000;
  most.rpg_min_rate = most.rate_to_set_on_first_cnp = 32'000;
  most.rpg_max_rate = 524'287;
  s.SetFirmware(SmallSubnet::kHost, {});
  EXPECT_EQ(s.Set(kAt, CCP_CONGESTION_HCA_RP_PARAMETERS, most).bytes(), Packed(CCP_CONGESTION_HCA_RP_PARAMETERS, most));
}

TEST(NvidiaAdapter, NpParametersFollowTheCapabilities) {
  Bed s;
  const Np wanted{.min_time_between_cnps = 4095, .cnp_sl_mode = true, .rtt_sl_mode = true, .rtt_resp_sl = 9, .cnp_sl = 15};
  EXPECT_EQ(s.Set(kAt, CCP_CONGESTION_HCA_NP_PARAMETERS, wanted).bytes(8),
            (std::vector<std::uint8_t>{0, 0, 0x0F, 0xFF, 0, 3, 9, 15}));
  Np out_of_range = wanted;
  out_of_range.min_time_between_cnps = 4096;
  EXPECT_EQ(s.Set(kAt, CCP_CONGESTION_HCA_NP_PARAMETERS, out_of_range).status, kInvalidField);
  s.SetFirmware(SmallSubnet::kHost, {.capability_mask = 0});
  EXPECT_EQ(s.Set(kAt, CCP_CONGESTION_HCA_NP_PARAMETERS, wanted).status, kInvalidField) << "the mask has no rtt_sl_mode";
  EXPECT_EQ(s.Get(kAt, 0xFF22).bytes(8), (std::vector<std::uint8_t>{0, 0, 0x0F, 0xFF, 0, 3, 9, 15}));
}

TEST(NvidiaAdapter, ListsItsAlgorithms) {
  Bed s;
  s.SetFirmware(SmallSubnet::kHost, {.algorithms = {{.id = {.algo_id = 1, .major = 2, .minor = 3}, .parameters = {}},
                                                    {.id = {.algo_id = 0x0405, .major = 6, .minor = 7}, .parameters = {8}}}});
  const Config config = s.GetSlot(0, 0, CCP_PPCC_ENCAP_ALGORITHMS);
  EXPECT_EQ(config.encap_type, 2);
  EXPECT_EQ(config.encap_len, 8);
  EXPECT_EQ(config.algorithms[1].algo_id, 0x0405);
  EXPECT_EQ(config.algorithms[1].minor, 7);
  EXPECT_EQ(s.GetSlot(1).encap_len, 0);
  s.SetFirmware(SmallSubnet::kHost, {.algorithms = {}});
  EXPECT_EQ(s.GetSlot(0, 0, CCP_PPCC_ENCAP_ALGORITHMS).encap_len, 0);
  EXPECT_EQ(s.Get(kAt, 0xFF24, 0).status, kInvalidField) << "there is no slot";
}

TEST(NvidiaAdapter, AnSlIsEnabledInOneSlot) {
  Bed s;
  s.SetFirmware(SmallSubnet::kHost, {.algorithms = std::vector<PpccAlgorithm>(3)});
  EXPECT_EQ(s.SetSlot(0, true, 0x00FF).status, kOk);
  EXPECT_EQ(s.SetSlot(2, true, 0x0081).status, kOk);
  EXPECT_EQ(s.GetSlot(0).sl_bitmask, 0x007E);
  EXPECT_EQ(s.GetSlot(2).sl_bitmask, 0x0081);
  EXPECT_TRUE(s.GetSlot(2, 0x80).algo_en);
  EXPECT_TRUE(s.GetSlot(2, 0x80).algo_status);
  EXPECT_FALSE(s.GetSlot(0, 0x80).algo_en);
  EXPECT_EQ(s.GetSlot(0, 0x80).sl_bitmask, 0x80);
  EXPECT_EQ(s.SetSlot(2, false, 0x0001).status, kOk);
  EXPECT_EQ(s.GetSlot(2).sl_bitmask, 0x0080);
  EXPECT_EQ(s.GetSlot(0).sl_bitmask, 0x007E) << "a slot that is disabled gives its SLs to none";
  Config two{};
  two.sl_bitmask = 3;
  EXPECT_EQ(s.Get(kAt, 0xFF24, 0, Packed(CCP_CONGESTION_HCA_ALGO_CONFIG_SUPPORT, two)).status, kInvalidField);
  EXPECT_EQ(s.SetSlot(3, true, 1).status, kInvalidField);
}

TEST(NvidiaAdapter, ASlotHasTheParametersOfItsAlgorithm) {
  Bed s;
  Params params = Read<Params>(CCP_CONGESTION_HCA_ALGO_CONFIG_PARAMS, s.Get(kAt, 0xFF25, 0));
  EXPECT_EQ(params.encap_type, 2);
  EXPECT_EQ(params.encap_len, 24);
  EXPECT_EQ(std::vector<std::uint32_t>(params.parameters, params.parameters + 7),
            (std::vector<std::uint32_t>{400, 3932, 63569, 69468, 36, 1200, 0}));
  params.encap_len = 8;
  params.parameters[0] = 200;
  params.parameters[5] = 1;
  const auto set = Read<Params>(CCP_CONGESTION_HCA_ALGO_CONFIG_PARAMS, s.Set(kAt, CCP_CONGESTION_HCA_ALGO_CONFIG_PARAMS, params));
  EXPECT_EQ(set.encap_len, 24);
  EXPECT_EQ(set.parameters[0], 200u);
  EXPECT_EQ(set.parameters[5], 1200u) << "a Set changes the parameters that it has";
  for (const std::uint8_t wrong : {3, 28, 255}) {
    params.encap_len = wrong;
    EXPECT_EQ(s.Set(kAt, CCP_CONGESTION_HCA_ALGO_CONFIG_PARAMS, params).status, kInvalidField);
  }
  params.encap_len = 24;
  params.encap_type = 1;
  EXPECT_EQ(s.Set(kAt, CCP_CONGESTION_HCA_ALGO_CONFIG_PARAMS, params).status, kInvalidField);
  s.subnet.Reboot(SmallSubnet::kHost);
  EXPECT_EQ(Read<Params>(CCP_CONGESTION_HCA_ALGO_CONFIG_PARAMS, s.Get(kAt, 0xFF25, 0)).parameters[0], 400u);
}

}  // namespace cca_nvidia_adapter_test
}  // namespace ccsim::emulator

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "ccpolicy/writer.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>

#include "support.hpp"

namespace {

using ccpolicy_test::Document;
using ccpolicy_test::Profile;
using ccpolicy_test::Read;
using ccpolicy_test::Write;

TEST(Writer, WritesEveryKeyInOneOrder) {
  const auto p =
      Read(Document("overrides:\n- match: {guid: 0x2c9, node: 'a*', role: host, ports: [2, 1]}\n  ca: {sls: [3]}\n"
                    "- match: {role: leaf, ports: ca_ports}\n  switch: {threshold: 3}\n"));
  EXPECT_EQ(Write(*p), R"(ibcc_profile: 1
name: "test"
enable: true
link:
  rate_gbps: 16
  mtu_bytes: 2048
switch:
  threshold: 15
  marking_rate: 1
  packet_size: 8
  victim_mask: ca_ports
  credit_mask: none
  cs_threshold: 0
  cs_return_delay: {shift: 0, multiplier: 0}
ca:
  level: qp
  sls: all
  ccti_timer: 150
  ccti_increase: 1
  ccti_min: 0
  trigger_threshold: 0
cct:
  ccti_limit: 127
  curve:
    kind: power
    full_scale_us: 7
    at_index: 106
    exponent: 2
  limit_mode: final
overrides:
  - match:
      guid: "0x00000000000002c9"
      node: "a*"
      role: host
      ports: [1, 2]
    ca:
      sls: [3]
  - match:
      role: leaf
      ports: ca_ports
    switch:
      threshold: 3
)");
}

TEST(Writer, WritesJson) {
  const auto p = Read("ibcc_profile: 1\nname: off\nenable: false\ncct: {entries: [{shift: 1, multiplier: 2}]}\n");
  EXPECT_EQ(
      Write(*p, CCP_FORMAT_JSON),
      R"({"ibcc_profile": 1, "name": "off", "enable": false, "cct": {"ccti_limit": 0, "entries": [{"shift": 1, "multiplier": 2}], )"
      R"("limit_mode": "final"}})");
}

// Names that would mean something else, or nothing, without quotes and escapes.
TEST(Writer, QuotesTextSafely) {
  for (const char* name :
       {"off",        "null",    "2010",   "0x1",    "~",  "- a", "a: b", "a #b",  "{",   "[x]", "&a", "*",
        "!t",         "%YAML",   "'",      "\"",     "\\", " ",   " a ",  "a\\nb", "---", "...", "? ", "日本語",
        "\U0001F600", "\uFEFFx", "\uFFFE", "\uE000", "<<", "=",   "`",    "@",     "|",   ">"}) {
    Profile p = Read(Document());
    std::free(p->name);
    p->name = strdup(name);
    for (const ccp_format format : {CCP_FORMAT_YAML, CCP_FORMAT_JSON}) {
      const auto again = Read(Write(*p, format));
      ASSERT_NE(again, nullptr) << name;
      EXPECT_STREQ(again->name, name);
    }
  }
}

TEST(Writer, RealsReadBackEqual) {
  Profile p = Read(Document());
  std::mt19937_64 random(1);
  for (int i = 0; i < 2000; ++i) {
    p->cct.curve.power.full_scale = std::exp2(std::uniform_real_distribution<double>(-60, 3)(random));
    p->cct.curve.power.exponent = std::uniform_real_distribution<double>(1e-3, 16)(random);
    p->cct.curve.power.knee_at = i % 3 ? std::uniform_real_distribution<double>(1e-3, 1)(random) : 0;
    p->cct.curve.power.end_exponent = i % 2 ? std::uniform_real_distribution<double>(1e-3, 16)(random) : 0;
    const auto again = Read(Write(*p));
    ASSERT_NE(again, nullptr) << Write(*p);
    ASSERT_TRUE(ccp_profile_equal(p.get(), again.get())) << Write(*p);
  }
  p->cct.curve.power.full_scale = 0.1;
  EXPECT_NE(Write(*p).find("full_scale_us: 0.1\n"), std::string::npos);
  p->cct.curve.power.full_scale = std::numeric_limits<double>::denorm_min();
  EXPECT_TRUE(ccp_profile_equal(p.get(), Read(Write(*p)).get()));
}

TEST(Writer, EqualMeansEveryKey) {
  const std::string overrides = "overrides:\n- match: {role: ca}\n  ca: {ccti_min: 3}\n";
  const auto p = Read(Document(overrides));
  EXPECT_TRUE(ccp_profile_equal(p.get(), Read(Document(overrides)).get()));
  const std::string text = Write(*p);
  const std::pair<const char*, const char*> changes[] = {
      {"\"test\"", "\"best\""},
      {"enable: true", "enable: false"},
      {"rate_gbps: 16", "rate_gbps: 17"},
      {"mtu_bytes: 2048", "mtu_bytes: 1024"},
      {"threshold: 15", "threshold: 14"},
      {"marking_rate: 1", "marking_rate: 2"},
      {"packet_size: 8", "packet_size: 9"},
      {"victim_mask: ca_ports", "victim_mask: [1]"},
      {"credit_mask: none", "credit_mask: all"},
      {"cs_threshold: 0", "cs_threshold: 1"},
      {"{shift: 0, multiplier: 0}", "{shift: 1, multiplier: 0}"},
      {"{shift: 0, multiplier: 0}", "{shift: 0, multiplier: 1}"},
      {"level: qp", "level: sl"},
      {"sls: all", "sls: [0]"},
      {"ccti_timer: 150", "ccti_timer: 151"},
      {"ccti_increase: 1", "ccti_increase: 2"},
      {"ccti_min: 0", "ccti_min: 1"},
      {"trigger_threshold: 0", "trigger_threshold: 1"},
      {"ccti_limit: 127", "ccti_limit: 126"},
      {"full_scale_us: 7", "full_scale_us: 8"},
      {"full_scale_us: 7", "full_scale_packet_times: 7"},
      {"at_index: 106", "at_index: 107"},
      {"exponent: 2", "exponent: 3"},
      {"exponent: 2", "exponent: 2\n    knee_at: 0.5"},
      {"exponent: 2", "exponent: 2\n    end_exponent: 2"},
      {"limit_mode: final", "limit_mode: per_block"},
      {"role: ca", "role: host"},
      {"ccti_min: 3", "ccti_min: 4"},
  };
  for (const auto& [from, to] : changes) {
    std::string changed = text;
    const std::size_t at = changed.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    changed.replace(at, std::strlen(from), to);
    EXPECT_FALSE(ccp_profile_equal(p.get(), Read(changed).get())) << to;
  }
}

}  // namespace

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "ccpolicy/keys.h"

#include <cmath>
#include <cstring>
#include <ios>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "ccpolicy/wire.h"
#include "support.hpp"

namespace {

using ccpolicy_test::Document;
using ccpolicy_test::Profile;
using ccpolicy_test::Read;
using ccpolicy_test::Write;

struct Row {
  const ccp_key_part* part;
  const ccp_key* key;
  std::string path() const { return *part->path != '\0' ? std::string(part->path) + "." + key->name : key->name; }
};

std::vector<Row> Rows() {
  std::vector<Row> rows;
  for (const ccp_key_part* const* part = ccp_key_parts; *part != nullptr; ++part) {
    for (unsigned i = 0; i < (*part)->num_keys; ++i) rows.push_back({*part, &(*part)->keys[i]});
  }
  return rows;
}

bool IsInteger(const ccp_key& key) {
  return key.type == CCP_KEY_UINT8 || key.type == CCP_KEY_UINT16 || key.type == CCP_KEY_UINT32;
}

bool IsNumber(const ccp_key& key) { return IsInteger(key) || key.type == CCP_KEY_REAL; }

const ccp_wire_field* FindField(const char* attribute, const std::string& field) {
  const ccp_wire_attribute* found = nullptr;
  for (unsigned index = 0; (found = ccp_wire_attribute_at(index)) != nullptr; ++index) {
    if (std::strcmp(found->name, attribute) != 0) continue;
    for (unsigned i = 0; i < found->num_fields; ++i) {
      const std::string name = found->fields[i].name;
      // A delay is two fields, Marking_Rate of a port has a prefix.
      if (name == field || name == field + "_Shift" || name == "Cong_Parm_" + field) return &found->fields[i];
    }
  }
  return nullptr;
}

bool HasField(const char* attribute, const std::string& field) { return FindField(attribute, field) != nullptr; }

const char* AttributeOf(const Row& row) { return row.key->attribute != nullptr ? row.key->attribute : row.part->attribute; }

const std::vector<const ccp_key_part*> kNvidiaParts = {&ccp_nvidia_switch_keys,  &ccp_nvidia_threshold_keys,
                                                       &ccp_nvidia_adapter_keys, &ccp_nvidia_rp_keys,
                                                       &ccp_nvidia_np_keys,      &ccp_nvidia_ppcc_keys};

TEST(Keys, PathsAreUniqueAndEachHasAMeaningAndASentence) {
  std::set<std::string> paths;
  for (const Row& row : Rows()) {
    EXPECT_TRUE(paths.insert(row.path()).second) << row.path();
    ASSERT_NE(row.key->meaning, nullptr) << row.path();
    ASSERT_NE(row.key->right, nullptr) << row.path();
    EXPECT_NE(std::string(row.key->meaning).back(), '.') << row.path() << ": programs put sentences together";
    EXPECT_LT(std::strlen(row.key->meaning), 110u) << row.path() << ": one line";
  }
}

TEST(Keys, SentencesNameTheRangesEnd) {
  for (const Row& row : Rows()) {
    if (!IsNumber(*row.key)) continue;
    std::ostringstream max;
    max << std::fixed;
    max.precision(0);
    max << row.key->max;
    EXPECT_NE(std::string(row.key->right).find(max.str()), std::string::npos) << row.path() << ": " << row.key->right;
    EXPECT_LT(row.key->min, row.key->max) << row.path();
    if (row.key->type == CCP_KEY_UINT8) {
      EXPECT_LE(row.key->max, UINT8_MAX) << row.path();
    }
    if (row.key->type == CCP_KEY_UINT16) {
      EXPECT_LE(row.key->max, UINT16_MAX) << row.path();
    }
  }
}

TEST(Keys, EachKeyOfASectionIsRequiredOrHasADefault) {
  for (const ccp_key_part* section : {&ccp_switch_keys, &ccp_ca_keys, &ccp_nvidia_switch_keys, &ccp_nvidia_threshold_keys,
                                      &ccp_nvidia_adapter_keys, &ccp_nvidia_rp_keys, &ccp_nvidia_np_keys}) {
    for (unsigned i = 0; i < section->num_keys; ++i) {
      const ccp_key& key = section->keys[i];
      EXPECT_EQ(key.required, key.default_value == CCP_NO_DEFAULT) << key.name;
      if (IsNumber(key) && !key.required) {
        EXPECT_GE(key.default_value, key.min) << key.name;
        EXPECT_LE(key.default_value, key.max) << key.name;
      }
    }
  }
}

TEST(Keys, FieldsAreThoseOfTheAttributes) {
  unsigned count = 0;
  for (const Row& row : Rows()) {
    if (row.key->field == nullptr) continue;
    ++count;
    ASSERT_NE(AttributeOf(row), nullptr) << row.path();
    EXPECT_TRUE(HasField(AttributeOf(row), row.key->field)) << row.path();
    if (row.key->place.port != CCP_NO_PLACE && row.part == &ccp_switch_keys) {
      EXPECT_TRUE(HasField("SwitchPortCongestionSetting", row.key->field)) << row.path();
    }
  }
  // Annex A10 has one key in no section, the CCTI_Limit. `nvidia` has two on no wire: the kind of adapter, and an algorithm's name.
  unsigned expected = ccp_switch_keys.num_keys + ccp_ca_keys.num_keys + 1;
  for (const ccp_key_part* part : kNvidiaParts) expected += part->num_keys;
  EXPECT_EQ(count, expected - 2);
}

// A smaller range than the field's is one that NVIDIA's header states, or that a number below or above has no meaning.
TEST(Keys, RangesOfNvidiasKeysAreThoseOfTheirFields) {
  const std::set<std::string> narrower = {"nvidia.switch.aqs_time", "nvidia.switch.thresholds[].profile1_percent",
                                          "nvidia.switch.thresholds[].profile2_percent",
                                          "nvidia.switch.thresholds[].profile3_percent", "nvidia.adapter.rp.rpg_min_dec_fac"};
  for (const Row& row : Rows()) {
    if (row.path().rfind("nvidia.", 0) != 0 || !IsInteger(*row.key)) continue;
    const ccp_wire_field* field = FindField(AttributeOf(row), row.key->field);
    ASSERT_NE(field, nullptr) << row.path();
    const double most = std::exp2(field->width) - 1;
    if (narrower.count(row.path()) != 0) {
      EXPECT_LT(row.key->max, most) << row.path();
    } else {
      EXPECT_EQ(row.key->max, most) << row.path();
    }
    EXPECT_LE(row.key->min, 1) << row.path();
  }
}

TEST(Keys, AliasesAreOfIntegersWithAUnit) {
  unsigned count = 0;
  for (const ccp_key_part* part : kNvidiaParts) {
    for (unsigned i = 0; i < part->num_aliases; ++i, ++count) {
      const ccp_key_alias& alias = part->aliases[i];
      ASSERT_LT(alias.key, part->num_keys);
      const ccp_key& key = part->keys[alias.key];
      EXPECT_EQ(std::string(alias.name), std::string(key.name) + "_gbps");
      EXPECT_STREQ(key.unit, "Mb/s");
      EXPECT_EQ(alias.factor, 1000);
      EXPECT_TRUE(key.type == CCP_KEY_UINT16 || key.type == CCP_KEY_UINT32) << "what the reader stores";
    }
  }
  EXPECT_EQ(count, 5u) << "each rate has one";
}

TEST(Keys, TheOneNvidiaKeyOfSinglePortsHasItsBit) { EXPECT_STREQ(ccp_nvidia_switch_keys.keys[3].name, "sl_profile"); }

// The number and the text of the unit stand apart: this is where they are compared.
TEST(Keys, TheTimersUnitIsTheConstants) {
  std::ostringstream unit;
  unit << CCP_TIMER_UNIT_NS / 1000.0;
  for (const Row& row : Rows()) {
    if (row.path() != "ca.ccti_timer") continue;
    EXPECT_EQ(row.key->unit, unit.str() + " µs");
    EXPECT_NE(std::string(row.key->right).find("units of " + unit.str() + " microseconds"), std::string::npos);
  }
}

TEST(Keys, ControlMapAllIsAllItsBits) {
  EXPECT_EQ(CCP_CONTROL_MAP_ALL, CCP_CONTROL_MAP_VICTIM_MASK | CCP_CONTROL_MAP_CREDIT_MASK | CCP_CONTROL_MAP_THRESHOLD |
                                     CCP_CONTROL_MAP_STARVATION | CCP_CONTROL_MAP_MARKING_RATE);
}

// Another valid value of a key, in a document.
std::string OtherValue(const ccp_key& key) {
  switch (key.type) {
    case CCP_KEY_MASK: return "[1, 254]";
    case CCP_KEY_SLS: return "[0, 15]";
    case CCP_KEY_ENTRY: return "{shift: 1, multiplier: 9}";
    case CCP_KEY_WORD: return key.words[1];
    default: return std::to_string(static_cast<unsigned>(key.max) - 2);
  }
}

// Each row is enough for a key to be read, written, compared and left alone by others: in an override that gives this key only.
TEST(Keys, EachIsReadWrittenAndCompared) {
  for (const ccp_key_part* section : {&ccp_switch_keys, &ccp_ca_keys}) {
    for (unsigned i = 0; i < section->num_keys; ++i) {
      const ccp_key& key = section->keys[i];
      SCOPED_TRACE(key.name);
      const std::string line = std::string(key.name) + ": " + OtherValue(key);
      const Profile p = Read(Document("overrides:\n- match: {guid: 1}\n  " + std::string(section->path) + ": {" + line + "}\n"));
      ASSERT_NE(p, nullptr);
      const ccp_override& o = p->overrides[0];
      EXPECT_EQ(section == &ccp_switch_keys ? o.sw.present : o.ca.present, 1u << i);
      EXPECT_EQ(section == &ccp_switch_keys ? o.ca.present : o.sw.present, 0u);
      EXPECT_NE(Write(*p).find("      " + line + "\n"), std::string::npos) << Write(*p);
      EXPECT_TRUE(ccp_profile_equal(p.get(), Read(Write(*p)).get()));
      Profile other = Read(Write(*p));
      auto* member = reinterpret_cast<unsigned char*>(section == &ccp_switch_keys ? static_cast<void*>(&other->overrides[0].sw)
                                                                                  : static_cast<void*>(&other->overrides[0].ca));
      member[key.place.profile] ^= 1;
      EXPECT_FALSE(ccp_profile_equal(p.get(), other.get()));
    }
  }
}

}  // namespace

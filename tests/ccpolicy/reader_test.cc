// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "ccpolicy/reader.h"

#include <clocale>
#include <filesystem>
#include <fstream>
#include <istream>
#include <map>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "support.hpp"

namespace {

using ccpolicy_test::Document;
using ccpolicy_test::PortsOf;
using ccpolicy_test::Read;
using ccpolicy_test::Refusal;
using ccpolicy_test::Write;

// The documents of tests/ccpolicy/corpus/KIND.txt by their names: a line "==== NAME" stands before each.
std::map<std::string, std::string> Corpus(const std::string& kind) {
  std::ifstream file(std::filesystem::path(IBCC_SOURCE_DIR) / "tests/ccpolicy/corpus" / (kind + ".txt"), std::ios::binary);
  std::map<std::string, std::string> found;
  std::string* text = nullptr;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("==== ")) {
      text = &found[line.substr(5)];
    } else if (text) {
      *text += line + "\n";
    }
  }
  EXPECT_GT(found.size(), 10u) << kind;
  return found;
}

TEST(Reader, ReadsTheGoodCorpusAndWhatTheWriterMakesOfIt) {
  for (const auto& [name, document] : Corpus("good")) {
    SCOPED_TRACE(name);
    const auto profile = Read(document);
    if (!profile) continue;
    for (const ccp_format format : {CCP_FORMAT_YAML, CCP_FORMAT_JSON}) {
      const std::string text = Write(*profile, format);
      const auto again = Read(text);
      ASSERT_NE(again, nullptr) << text;
      EXPECT_TRUE(ccp_profile_equal(profile.get(), again.get())) << text;
      EXPECT_EQ(Write(*again, format), text);
    }
  }
}

// The first line of a bad document says where and how it is refused: "# expect LINE:COLUMN words of the sentence", or "-" for a
// place that does not matter.
TEST(Reader, RefusesTheBadCorpusAtTheRightPlace) {
  for (const auto& [name, text] : Corpus("bad")) {
    SCOPED_TRACE(name);
    std::istringstream header(text);
    std::string hash, expect, place, words;
    header >> hash >> expect >> place >> std::ws;
    std::getline(header, words);
    ASSERT_EQ(hash + expect, "#expect");
    ASSERT_NE(words, "");
    const std::string refusal = Refusal(text);
    EXPECT_NE(refusal.find(words), std::string::npos) << refusal;
    if (place != "-") {
      EXPECT_EQ(refusal.substr(0, refusal.find(": ")), place) << refusal;
    }
    EXPECT_EQ(refusal.find('\n'), std::string::npos) << "not one line";
    EXPECT_NE(refusal.back(), '.') << "sentences are put together by programs";
  }
}

TEST(Reader, TakesEachKey) {
  const auto p = Read(Corpus("good")["every-key.yaml"]);
  ASSERT_NE(p, nullptr);
  EXPECT_STREQ(p->name, "every key: ½ \U0001F600");
  EXPECT_TRUE(p->enable);
  EXPECT_EQ(p->rate_gbps, 16);
  EXPECT_EQ(p->mtu_bytes, 4096u);
  EXPECT_EQ(p->sw.threshold, 15);
  EXPECT_EQ(p->sw.marking_rate, 15);
  EXPECT_EQ(p->sw.packet_size, 255);
  EXPECT_EQ(p->sw.victim_mask.kind, CCP_MASK_CA_PORTS);
  EXPECT_EQ(p->sw.credit_mask.kind, CCP_MASK_PORTS);
  EXPECT_EQ(PortsOf(p->sw.credit_mask.ports), (std::vector<unsigned>{1, 36, 254}));
  EXPECT_EQ(p->sw.cs_threshold, 15);
  EXPECT_EQ(p->sw.cs_return_delay.shift, 3);
  EXPECT_EQ(p->sw.cs_return_delay.multiplier, 16383);
  EXPECT_EQ(p->ca.level, CCP_LEVEL_SL);
  EXPECT_EQ(p->ca.sls, 1 << 0 | 1 << 7 | 1 << 15);
  EXPECT_EQ(p->ca.ccti_timer, 65535);
  EXPECT_EQ(p->ca.ccti_increase, 255);
  EXPECT_EQ(p->ca.ccti_min, 5);
  EXPECT_EQ(p->ca.trigger_threshold, 255);
  EXPECT_EQ(p->cct.source, CCP_CCT_GEOMETRIC);
  EXPECT_EQ(p->cct.ccti_limit, 63);
  EXPECT_EQ(p->cct.curve.geometric.first, 0.125);
  EXPECT_EQ(p->cct.curve.geometric.last, 16383);
  EXPECT_EQ(p->cct.limit_mode, CCP_LIMIT_PER_BLOCK);
  ASSERT_EQ(p->num_overrides, 8u);
  EXPECT_EQ(p->overrides[0].match.guid, 0x0002c90300a1b2c3u);
  EXPECT_EQ(p->overrides[0].sw.present, 1u << 0) << "threshold has the first row";
  EXPECT_EQ(p->overrides[1].match.guid, UINT64_MAX);
  EXPECT_STREQ(p->overrides[1].match.node, "*");
  EXPECT_EQ(p->overrides[1].match.role, CCP_ROLE_SWITCH);
  EXPECT_EQ(p->overrides[1].match.port_match, CCP_PORTS_LISTED);
  EXPECT_EQ(PortsOf(p->overrides[1].match.ports), (std::vector<unsigned>{1, 2}));
  EXPECT_EQ(p->overrides[2].match.port_match, CCP_PORTS_CA);
  EXPECT_EQ(p->overrides[3].match.port_match, CCP_PORTS_SWITCH);
  EXPECT_EQ(p->overrides[5].cct.source, CCP_CCT_ABSENT);
  EXPECT_TRUE(p->overrides[5].cct.has_limit_mode);
  EXPECT_EQ(p->overrides[6].cct.source, CCP_CCT_ENTRIES);
  EXPECT_EQ(p->overrides[6].cct.ccti_limit, 1);
  EXPECT_FALSE(p->overrides[6].cct.has_limit_mode);
  EXPECT_EQ(p->overrides[7].cct.source, CCP_CCT_POWER);
  EXPECT_EQ(p->overrides[7].cct.curve.power.unit, CCP_FULL_SCALE_PACKET_TIMES);
}

TEST(Reader, LeavesOutMeansTheDefault) {
  const auto p = Read(Document());
  EXPECT_TRUE(p->enable);
  EXPECT_EQ(p->sw.credit_mask.kind, CCP_MASK_NONE);
  EXPECT_EQ(p->sw.cs_threshold, 0);
  EXPECT_EQ(p->ca.level, CCP_LEVEL_QP);
  EXPECT_EQ(p->ca.sls, 0xFFFF);
  EXPECT_EQ(p->ca.ccti_min, 0);
  EXPECT_EQ(p->cct.limit_mode, CCP_LIMIT_FINAL);
  EXPECT_EQ(p->num_overrides, 0u);
}

std::string EntriesDocument(unsigned count) {
  std::string cct = "entries:\n";
  for (unsigned i = 0; i < count; ++i)
    cct += "  - {shift: " + std::to_string(i % 4) + ", multiplier: " + std::to_string(i) + "}\n";
  return Document("", cct);
}

TEST(Reader, TakesTablesUpToTheLargest) {
  for (const unsigned count : {1u, 2u, 64u, 65u, 128u, 129u, CCP_CCTI_LIMIT_MAX + 1}) {
    const auto p = Read(EntriesDocument(count));
    ASSERT_NE(p, nullptr);
    EXPECT_EQ(p->cct.ccti_limit, count - 1);
    EXPECT_EQ(p->cct.entries[count - 1].multiplier, count - 1);
    EXPECT_TRUE(ccp_profile_equal(p.get(), Read(Write(*p)).get()));
  }
  EXPECT_EQ(Refusal(EntriesDocument(CCP_CCTI_LIMIT_MAX + 2)), "8:3: cct.entries has 16321 entries, and must have 1 to 16320");
}

TEST(Reader, BoundsSizeAndDepth) {
  EXPECT_EQ(Refusal(std::string(CCP_DOCUMENT_MAX_BYTES + 1, ' ')),
            "0:0: the text has 1048577 bytes, and a profile has at most 1048576");
  EXPECT_NE(Refusal(std::string(100000, '[')).find("nested more than 16 deep"), std::string::npos);
  std::string map;
  for (int i = 0; i < 5000; ++i) map += std::string(i, ' ') + "a:\n";
  EXPECT_NE(Refusal(map.substr(0, CCP_DOCUMENT_MAX_BYTES)).find("nested more than 16 deep"), std::string::npos);
}

TEST(Reader, ReadsOtherEncodingsAndRefusesNone) {
  const std::string text = "ibcc_profile: 1\nname: x\nenable: false\n";
  std::string utf16 = "\xFF\xFE";
  for (const char c : text) utf16 += {c, '\0'};
  EXPECT_STREQ(Read(utf16)->name, "x");
  EXPECT_STREQ(Read("\xEF\xBB\xBF" + text)->name, "x");
  EXPECT_EQ(Refusal("name: \xFF"), "0:0: the text is not UTF-8 at byte 6: invalid leading UTF-8 octet");
  EXPECT_NE(Refusal(std::string("name: a\0b", 9)).find("control characters are not allowed"), std::string::npos);
}

TEST(Reader, SentencesStayShortAndWhole) {
  const std::string refusal = Refusal(Document("\"" + std::string(300, 'k') + "\": 1\n"));
  EXPECT_NE(refusal.find("kkk\xE2\x80\xA6' is not a key"), std::string::npos) << refusal;
  std::string long_key;
  for (int i = 0; i < 300; ++i) long_key += "é";
  const std::string utf8 = Refusal(Document("\"" + long_key + "\": 1\n"));
  EXPECT_NE(utf8.find("é…' is not a key"), std::string::npos) << utf8;
}

TEST(Reader, DoesNotDependOnTheLocale) {
  const std::string before = std::setlocale(LC_ALL, nullptr);
  for (const char* name : {"de_DE.UTF-8", "C.UTF-8"}) {
    if (!std::setlocale(LC_ALL, name)) continue;
    const auto p = Read(Document("", "ccti_limit: 3\n  curve: {kind: power, full_scale_us: 1.25, exponent: 1.5}"));
    EXPECT_EQ(p->cct.curve.power.full_scale, 1.25) << name;
    EXPECT_NE(Write(*p).find("full_scale_us: 1.25\n"), std::string::npos) << name;
    EXPECT_STREQ(std::setlocale(LC_ALL, nullptr), name);
  }
  std::setlocale(LC_ALL, before.c_str());
}

TEST(Reader, ErrorMayBeNull) { EXPECT_EQ(ccp_profile_read("[", 1, nullptr), nullptr); }

TEST(Reader, ThreadsDoNotDisturbEachOther) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t] {
      for (int i = 0; i < 50; ++i) {
        const auto p = Read(Document("", "ccti_limit: " + std::to_string(t) + "\n  curve: {kind: geometric, first: 1, last: 2}"));
        EXPECT_EQ(p->cct.ccti_limit, t);
        EXPECT_EQ(Refusal("name: "),
                  "1:1: this is not a profile: it lacks the key ibcc_profile, which is 1 or 2, the version of the format");
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace

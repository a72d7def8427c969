// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/options.h"

#include <gtest/gtest.h>

#include <iterator>
#include <random>
#include <set>
#include <string>

#include "refused_memory.hpp"

namespace {

// Options of a line that must be right.
class Parsed {
 public:
  explicit Parsed(const char* line) {
    ccp_error error{};
    EXPECT_EQ(ibcc_options_parse(&options_, line, &error), 0) << error.message;
  }
  ~Parsed() { ibcc_options_destroy(&options_); }
  Parsed(const Parsed&) = delete;
  Parsed& operator=(const Parsed&) = delete;
  const ibcc_options* operator->() const { return &options_; }

 private:
  ibcc_options options_{};
};

std::string Refusal(const std::string& line) {
  ibcc_options options{};
  ccp_error error{};
  if (ibcc_options_parse(&options, line.c_str(), &error) == 0) {
    ibcc_options_destroy(&options);
    return "(accepted)";
  }
  EXPECT_EQ(options.socket, nullptr);
  EXPECT_EQ(error.line, 0U);
  return error.message;
}

TEST(Options, AreTheDefaultsWithoutALine) {
  for (const char* line : {static_cast<const char*>(nullptr), "", " \t\n", "ibcc", "(null)", "osmeventplugin --socket"}) {
    const Parsed options(line);
    EXPECT_EQ(options->profile, nullptr);
    EXPECT_STREQ(options->socket, "/run/ibcc/opensm.sock");
    EXPECT_EQ(options->group, nullptr);
    EXPECT_STREQ(options->state_dir, "/var/lib/ibcc/opensm");
    EXPECT_EQ(options->key_file, nullptr);
    EXPECT_EQ(options->max_outstanding, 256U);
    EXPECT_EQ(options->max_mads_per_s, 0U);
    EXPECT_EQ(options->timeout_ms, 200U);
    EXPECT_EQ(options->max_timeout_ms, 2000U);
    EXPECT_EQ(options->retries, 7U);
    EXPECT_EQ(options->max_errors, 20U);
    EXPECT_EQ(options->error_window_s, 5U);
    EXPECT_EQ(options->audit_interval_s, 600U);
    EXPECT_EQ(options->when_sweep_failed, static_cast<std::uint32_t>(IBCC_ACT));
    EXPECT_EQ(options->audit_mads_per_s, 500U);
    EXPECT_EQ(options->log_interval_s, 0U);
    EXPECT_EQ(options->sl, 0U);
    EXPECT_EQ(options->restore_on_exit_ms, 5000U);
  }
}

TEST(Options, OfEachKindAreTaken) {
  const Parsed options(
      "ibcc --profile /etc/ibcc/p.yaml --socket=/run/x.sock --group ops --state_dir /var/lib/x --key_file /etc/ibcc/keys "
      "--max_outstanding 4096 --max-mads-per-s=0 --timeout-ms 1 --max_timeout_ms 60000 --retries 0 --max_errors 000 "
      "--error_window_s 86400 --audit_interval_s 0 --audit_mads_per_s 1 --log_interval_s 30 --sl 15 --restore_on_exit_ms 60000");
  EXPECT_STREQ(options->profile, "/etc/ibcc/p.yaml");
  EXPECT_STREQ(options->socket, "/run/x.sock");
  EXPECT_STREQ(options->group, "ops");
  EXPECT_STREQ(options->state_dir, "/var/lib/x");
  EXPECT_STREQ(options->key_file, "/etc/ibcc/keys");
  EXPECT_EQ(options->max_outstanding, 4096U);
  EXPECT_EQ(options->max_mads_per_s, 0U);
  EXPECT_EQ(options->timeout_ms, 1U);
  EXPECT_EQ(options->max_timeout_ms, 60000U);
  EXPECT_EQ(options->retries, 0U);
  EXPECT_EQ(options->max_errors, 0U);
  EXPECT_EQ(options->error_window_s, 86400U);
  EXPECT_EQ(options->audit_interval_s, 0U);
  EXPECT_EQ(options->audit_mads_per_s, 1U);
  EXPECT_EQ(options->log_interval_s, 30U);
  EXPECT_EQ(options->sl, 15U);
  EXPECT_EQ(options->restore_on_exit_ms, 60000U);
}

TEST(Options, OfOtherPluginsAreLeftAlone) {
  for (const char* line :
       {"ccmgr --conf_file /a --retries x ibcc --retries 3 osmperf --retries 9", "ibcc --retries=3 osmperf --no-such 1",
        "--retries 3", "\t--retries\t3 osmperf \"--retries\" 9", "ibcc --retries 3 \"a bare word\" --retries"}) {
    const Parsed options(line);
    EXPECT_EQ(options->retries, 3U) << line;
  }
}

TEST(Options, KeepBlanksInQuotes) {
  EXPECT_STREQ(Parsed("ibcc --profile \"/a b/c.yaml\"")->profile, "/a b/c.yaml");
  EXPECT_STREQ(Parsed("ibcc --profile=\"/a b/c.yaml\" --retries 1")->profile, "/a b/c.yaml");
  EXPECT_STREQ(Parsed("ibcc --profile /a\" \"b")->profile, "/a b");
  EXPECT_STREQ(Parsed(R"(ibcc --profile "/a \"b\" \\ \n")")->profile, R"(/a "b" \ \n)");
  EXPECT_STREQ(Parsed(R"(ibcc --profile /a\b)")->profile, R"(/a\b)");
  EXPECT_STREQ(Parsed("ibcc --group a=b=c")->group, "a=b=c");
}

TEST(Options, ThatAreWrongAreRefusedInOneSentence) {
  const std::string refusal = Refusal("ibcc --retires 3");
  EXPECT_EQ(refusal.find("ibcc has no option '--retires'; it has --profile, --socket, --group, "), 0U) << refusal;
  EXPECT_NE(refusal.find(", --restore-on-exit-ms"), std::string::npos) << refusal;
  EXPECT_EQ(Refusal("ibcc --ret 3").substr(0, 28), "ibcc has no option '--ret'; ");
  EXPECT_EQ(Refusal("ibcc -- 3").substr(0, 25), "ibcc has no option '--'; ");
  EXPECT_EQ(Refusal("ibcc --retriesx=3").substr(0, 30), "ibcc has no option '--retriesx");

  EXPECT_EQ(Refusal("ibcc --profile"), "--profile lacks its value: write --profile FILE");
  EXPECT_EQ(Refusal("ibcc --retries --profile /a"), "--retries lacks its value: write --retries N");
  EXPECT_EQ(Refusal("--retries 1 --retries 2"), "--retries is given twice, but must be given once");

  for (const char* number : {"5x", "-1", "+1", "101", "0x5", "5.", "4294967296", "99999999999999999999999"}) {
    EXPECT_EQ(Refusal(std::string("ibcc --retries ") + number),
              std::string("--retries is '") + number + "', but must be a number from 0 to 100");
  }
  EXPECT_EQ(Refusal("ibcc --retries="), "--retries is '', but must be a number from 0 to 100");
  EXPECT_EQ(Refusal("ibcc --max_outstanding 0"), "--max-outstanding is '0', but must be a number from 1 to 4096");
  EXPECT_EQ(Refusal("ibcc --timeout_ms 2001"), "--max-timeout-ms is 2000, but must be at least 2001, which is --timeout-ms");

  EXPECT_EQ(Refusal("ibcc --profile p.yaml"),
            "--profile is 'p.yaml', but must be an absolute path, one that begins with /, of at most 4095 bytes");
  EXPECT_EQ(Refusal("ibcc --socket /" + std::string(106, 's')), "(accepted)");
  EXPECT_NE(Refusal("ibcc --socket /" + std::string(107, 's')).find("of at most 107 bytes"), std::string::npos);
  EXPECT_EQ(Refusal("ibcc --group \"\""), "--group is '', but must be the name of a system group, of at most 255 bytes");
  EXPECT_EQ(Refusal("ibcc --profile \"/a b"), "event_plugin_options has a \" that is not closed by another");
  EXPECT_EQ(Refusal("\""), "event_plugin_options has a \" that is not closed by another");
}

TEST(Options, AreListedWithDefaultsThatHold) {
  std::uint32_t count = 0;
  const ibcc_option* list = ibcc_option_list(&count);
  const Parsed defaults(nullptr);
  std::set<std::string> names;
  for (std::uint32_t i = 0; i < count; ++i) {
    SCOPED_TRACE(list[i].name);
    EXPECT_TRUE(names.insert(list[i].name).second);
    EXPECT_GT(std::string(list[i].help).size(), 10U);
    if (!list[i].default_value) continue;
    // Said again, the default changes nothing.
    const Parsed again((std::string("ibcc --") + list[i].name + "=" + list[i].default_value).c_str());
    const auto* a = reinterpret_cast<const char*>(defaults.operator->()) + list[i].offset;
    const auto* b = reinterpret_cast<const char*>(again.operator->()) + list[i].offset;
    if (list[i].max) {
      EXPECT_EQ(*reinterpret_cast<const std::uint32_t*>(a), *reinterpret_cast<const std::uint32_t*>(b));
    } else {
      EXPECT_STREQ(*reinterpret_cast<char* const*>(a), *reinterpret_cast<char* const*>(b));
    }
  }
  EXPECT_EQ(names.size(), 21U);
}

TEST(Options, ASwitchNeedsNoValue) {
  EXPECT_EQ(Parsed("ibcc --sl 1")->nvidia_write, 0U);
  EXPECT_EQ(Parsed("ibcc --nvidia-write")->nvidia_write, 1U);
  EXPECT_EQ(Parsed("ibcc --nvidia-write --sl 3")->sl, 3U);
  EXPECT_EQ(Parsed("ibcc --nvidia_write=no")->nvidia_write, 0U);
  EXPECT_EQ(Parsed("ibcc --nvidia-write other --sl 3")->sl, 0U) << "the word after it is another plugin's name";
  EXPECT_EQ(Refusal("ibcc --nvidia-write=on"), "--nvidia-write is 'on', but must be no or yes");
}

TEST(Options, AChoiceIsOneOfItsWords) {
  EXPECT_EQ(Parsed("ibcc --when-sweep-failed wait")->when_sweep_failed, static_cast<std::uint32_t>(IBCC_WAIT));
  EXPECT_EQ(Parsed("ibcc --when_sweep_failed=act")->when_sweep_failed, static_cast<std::uint32_t>(IBCC_ACT));
  EXPECT_EQ(Refusal("ibcc --when-sweep-failed wai"), "--when-sweep-failed is 'wai', but must be wait or act");
  EXPECT_EQ(Refusal("ibcc --when-sweep-failed 1"), "--when-sweep-failed is '1', but must be wait or act");
}

TEST(Options, OfAnyTextAreRightOrRefused) {
  const std::string parts[] = {"ibcc",   " ",  " --", "\"", "\\", "=", "retries", "profile",
                               "socket", "/a", "7",   "-",  "_",  "x", "\t",      "\xFF"};
  std::mt19937 random(11);
  unsigned right = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string line = random() % 2 ? "ibcc" : "";
    for (unsigned n = random() % 12; n > 0; --n) line += parts[random() % std::size(parts)];
    ibcc_options options{};
    ccp_error error{};
    if (ibcc_options_parse(&options, line.c_str(), &error) == 0) {
      ++right;
      ASSERT_LE(options.retries, 100U);
      ASSERT_EQ(options.socket[0], '/');
      ibcc_options_destroy(&options);
    } else {
      ASSERT_NE(error.message[0], '\0');
    }
  }
  EXPECT_GT(right, 1000U);
  EXPECT_LT(right, 19000U);
}

TEST(Options, SayThatMemoryIsRefused) {
  unsigned refused = 0;
  for (unsigned nth = 1;; ++nth) {
    ibcc_options options{};
    ccp_error error{};
    RefusedMemory refusal(nth);
    const int result = ibcc_options_parse(&options, "ibcc --profile /a --socket /b --group c", &error);
    if (!refusal.Happened()) {
      EXPECT_EQ(result, 0);
      ibcc_options_destroy(&options);
      break;
    }
    ++refused;
    EXPECT_EQ(result, -1);
    EXPECT_STREQ(error.message, "out of memory");
  }
  EXPECT_EQ(refused, 6U);  // two defaults, the line, three values
}

}  // namespace

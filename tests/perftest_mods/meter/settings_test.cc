// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "settings.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <map>
#include <memory>
#include <string>
#include <utility>

namespace {

std::map<std::string, std::string> environment;

const char* lookup(const char* name) {
  const auto found = environment.find(name);
  return found == environment.end() ? nullptr : found->second.c_str();
}

struct Read {
  bool right;
  std::string error;
  std::unique_ptr<meter_settings> settings = std::make_unique<meter_settings>();
};

Read read(std::map<std::string, std::string> variables) {
  environment = std::move(variables);
  Read result{};
  char error[METER_ERROR_MAX] = "";
  result.right = meter_settings_read(result.settings.get(), lookup, error);
  result.error = error;
  return result;
}

TEST(Settings, HaveDefaults) {
  const Read got = read({});
  ASSERT_TRUE(got.right) << got.error;
  EXPECT_STREQ(got.settings->output, "fd:2");
  EXPECT_EQ(got.settings->interval_ns, 100'000'000);
  EXPECT_EQ(got.settings->per, METER_PER_SUM);
  EXPECT_FALSE(got.settings->has_start);
  EXPECT_FALSE(got.settings->has_stop);
  EXPECT_EQ(got.settings->schedule.count, 1u);
  EXPECT_EQ(got.settings->schedule.steps[0].ps_per_byte, 0);
}

TEST(Settings, AreReadAsTheyAreWritten) {
  const Read got = read({{"IBCC_METER_OUTPUT", "/tmp/lines"},
                         {"IBCC_METER_INTERVAL_MS", "10"},
                         {"IBCC_METER_PER", "qp"},
                         {"IBCC_METER_ID", "a.B_3:x-9"},
                         {"IBCC_METER_START_NS", "1795333333123456789"},
                         {"IBCC_METER_STOP_S", "2.5"},
                         {"IBCC_METER_SCHEDULE", "0=off,0.25=100,1.5=max"}});
  ASSERT_TRUE(got.right) << got.error;
  EXPECT_EQ(got.settings->interval_ns, 10'000'000);
  EXPECT_EQ(got.settings->per, METER_PER_QP);
  EXPECT_STREQ(got.settings->id, "a.B_3:x-9");
  EXPECT_EQ(got.settings->start_wall_ns, 1795333333123456789);
  EXPECT_EQ(got.settings->stop_ns, 2'500'000'000);
  const meter_schedule& schedule = got.settings->schedule;
  ASSERT_EQ(schedule.count, 3u);
  EXPECT_EQ(schedule.steps[1].at_ns, 250'000'000);
  EXPECT_EQ(schedule.steps[1].ps_per_byte, 80 << METER_PS_SHIFT);
  EXPECT_EQ(meter_schedule_at(&schedule, -1), &schedule.steps[0]);
  EXPECT_EQ(meter_schedule_at(&schedule, 249'999'999), &schedule.steps[0]);
  EXPECT_EQ(meter_schedule_at(&schedule, 250'000'000), &schedule.steps[1]);
  EXPECT_EQ(meter_schedule_at(&schedule, 1LL << 60), &schedule.steps[2]);
  EXPECT_EQ(meter_schedule_next_ns(&schedule, &schedule.steps[1]), 1'500'000'000);
  EXPECT_EQ(meter_schedule_next_ns(&schedule, &schedule.steps[2]), METER_NEVER);
}

TEST(Settings, ThatAreWrongAreToldInOneSentenceWithTheirValue) {
  const std::pair<const char*, std::string> wrong[] = {
      {"IBCC_METER_OUTPUT", "fd:x"},
      {"IBCC_METER_OUTPUT", std::string(5000, 'x')},
      {"IBCC_METER_INTERVAL_MS", "9"},
      {"IBCC_METER_INTERVAL_MS", "60001"},
      {"IBCC_METER_INTERVAL_MS", "99999999999999999999"},
      {"IBCC_METER_INTERVAL_MS", "1e2"},
      {"IBCC_METER_PER", "QP"},
      {"IBCC_METER_ID", "a b"},
      {"IBCC_METER_ID", std::string(65, 'x')},
      {"IBCC_METER_START_NS", "-1"},
      {"IBCC_METER_START_NS", "1.5"},
      {"IBCC_METER_STOP_S", "0"},
      {"IBCC_METER_STOP_S", "1.2.3"},
      {"IBCC_METER_STOP_S", "1000000001"},
      {"IBCC_METER_SCHEDULE", "1=max"},
      {"IBCC_METER_SCHEDULE", "0=max,0=off"},
      {"IBCC_METER_SCHEDULE", "0=max,2=off,1=max"},
      {"IBCC_METER_SCHEDULE", "0=0"},
      {"IBCC_METER_SCHEDULE", "0=-5"},
      {"IBCC_METER_SCHEDULE", "0=10001"},
      {"IBCC_METER_SCHEDULE", "0=max,"},
      {"IBCC_METER_SCHEDULE", "max"},
      {"IBCC_METER_SCHEDULE", "=max"},
  };
  for (const auto& [name, value] : wrong) {
    const Read got = read({{name, value}});
    EXPECT_FALSE(got.right) << name << "=" << value;
    EXPECT_EQ(got.error.find(name), 0u) << got.error;
    EXPECT_EQ(got.error.find('\n'), std::string::npos);
    EXPECT_NE(got.error.find('\'' + value.substr(value.rfind(',') == std::string::npos ? 0 : value.rfind(',') + 1, 4)),
              std::string::npos)
        << got.error;
  }
}

TEST(Settings, OpenOnlyWhatCanBeWritten) {
  char error[METER_ERROR_MAX] = "";
  Read got = read({{"IBCC_METER_OUTPUT", "fd:987"}});
  EXPECT_EQ(meter_settings_open(got.settings.get(), error), -1);
  EXPECT_NE(std::string(error).find("fd:987"), std::string::npos);
  got = read({{"IBCC_METER_OUTPUT", "/nowhere/at/all"}});
  EXPECT_EQ(meter_settings_open(got.settings.get(), error), -1);
  EXPECT_NE(std::string(error).find("/nowhere/at/all"), std::string::npos);
  got = read({{"IBCC_METER_OUTPUT", "fd:1"}});
  EXPECT_EQ(meter_settings_open(got.settings.get(), error), 1);
}

}  // namespace

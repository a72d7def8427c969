// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A manager of 24 hosts and 5 switches that is patient, and the log of changes in words.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "changes/change_log.h"
#include "manager/manager.h"
#include "manager_support.hpp"
#include "rpc/support.hpp"

namespace ibcc_test {

class PatientManager : public ManagerBed {
 protected:
  PatientManager() : ManagerBed(4, 6) {
    options_.retries = 5;
    options_.max_errors = 3;
    Open();
  }
  void Begin(const std::string& text, unsigned ttl_s = 60) {
    ccp_error error{};
    ASSERT_EQ(ibcc_profiles_begin_experiment(profiles_, text.data(), text.size(), ttl_s, nullptr, 0, fabric_.now_ns, &error),
              IBCC_PROFILES_OK)
        << error.message;
    EXPECT_NE(ibcc_manager_converge(manager_, "apply"), 0u);
  }
  // All devices' states, for messages.
  std::string States() {
    std::string text = ibcc_manager_role_text(manager_);
    const ibcc_devices* devices = ibcc_manager_devices(manager_);
    for (uint32_t i = 0; i < devices->count; ++i) {
      const ibcc_device* device = devices->list[i];
      text += std::string("\n") + device->description + (device->present ? " " : " (away) ") +
              ibcc_device_states[ibcc_manager_device_state(manager_, device)].name + (device->in_flight ? ", in flight" : "");
    }
    return text + "\n" + ibcc_manager_job(manager_)->kind + ": " + ibcc_manager_job(manager_)->message;
  }
  unsigned MarkingRate(FakeFabric::Node& node) { return node.agent.held[{CCP_SWITCH_CONGESTION_SETTING, 0}][75]; }
  std::uint64_t Sets() {
    std::uint64_t sets = 0;
    for (const auto& node : fabric_.nodes()) sets += node.agent.sets;
    return sets;
  }
  // The log of changes: what each line is of; of a job also its kind, how it ended, and its Sets.
  std::vector<std::string> Changes() {
    ccp_error error{};
    const Json lines(ibcc_change_log_read(ibcc_profiles_changes(profiles_), 0, 100, &error));
    std::vector<std::string> told;
    for (std::size_t i = 0; i < json_array_size(lines.get()); ++i) {
      const json_t* line = json_array_get(lines.get(), i);
      if (std::string(json_string_value(json_object_get(line, "what"))) == "drift") continue;
      const auto text = [&](const char* key) { return std::string(json_string_value(json_object_get(line, key))); };
      told.push_back(text("what"));
      if (told.back() == "job")
        told.back() +=
            " " + text("kind") + " " + text("result") + " " + std::to_string(json_integer_value(json_object_get(line, "sets")));
    }
    return told;
  }
  // Its lines on devices that have drifted, as JSON.
  std::vector<std::string> Drifts() {
    ccp_error error{};
    const Json lines(ibcc_change_log_read(ibcc_profiles_changes(profiles_), 0, 1000, &error));
    std::vector<std::string> told;
    for (std::size_t i = 0; i < json_array_size(lines.get()); ++i) {
      char* text = json_dumps(json_array_get(lines.get(), i), JSON_COMPACT | JSON_PRESERVE_ORDER);
      if (std::string(text).find(R"("what":"drift")") != std::string::npos) told.emplace_back(text);
      std::free(text);
    }
    return told;
  }
};

}  // namespace ibcc_test

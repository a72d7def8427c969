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
  // Takes each of the last lines of the log of changes.
  template <typename Take>
  void EachChange(std::uint32_t most, Take take) {
    ccp_error error{};
    const Json lines(ibcc_change_log_read(ibcc_profiles_changes(profiles_), 0, most, &error));
    for (std::size_t i = 0; i < json_array_size(lines.get()); ++i) take(json_array_get(lines.get(), i));
  }
  // What each line is of; of a job also its kind, how it ended, and its Sets.
  std::vector<std::string> Changes() {
    std::vector<std::string> told;
    EachChange(100, [&](const json_t* line) {
      const auto text = [&](const char* key) { return std::string(json_string_value(json_object_get(line, key))); };
      if (text("what") == "drift") return;
      told.push_back(text("what"));
      if (told.back() == "job")
        told.back() +=
            " " + text("kind") + " " + text("result") + " " + std::to_string(json_integer_value(json_object_get(line, "sets")));
    });
    return told;
  }
  // Its lines on devices that have drifted, as JSON.
  std::vector<std::string> Drifts() {
    std::vector<std::string> told;
    EachChange(1000, [&](const json_t* line) {
      char* text = json_dumps(line, JSON_COMPACT | JSON_PRESERVE_ORDER);
      if (std::string(text).find(R"("what":"drift")") != std::string::npos) told.emplace_back(text);
      std::free(text);
    });
    return told;
  }
};

}  // namespace ibcc_test

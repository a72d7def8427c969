// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A subscriber that keeps up: it has the topology by differences alone, and once more by events alone.
#pragma once

#include <jansson.h>

#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <string>

#include "manager/manager.h"
#include "opensm_plugin/rpc/support.hpp"

namespace ibcc_test::simulation {

class Live {
 public:
  // Answers a call: its whole answer.
  using Ask = std::function<Json(const std::string& params)>;

  explicit Live(std::uint64_t seed) : random_(seed) {}

  // A former process is gone: its epochs mean nothing to the next one.
  void Restart();
  void TakeEvent(const std::string& event, const json_t* params);
  // After each step. Returns what is wrong; "": nothing.
  std::string Check(const ibcc_manager* manager, const Ask& ask, const std::map<std::string, std::string>& found_nodes,
                    const std::set<std::string>& found_links);
  std::string CheckRest(const std::set<std::string>& applied) const;  // devices, as "0x…/port"
  std::uint64_t Changes() const { return changes_; }
  std::uint64_t Events() const { return events_; }

 private:
  struct Rows {
    std::map<std::string, std::string> nodes, links;  // by GUID, by ends
    bool operator==(const Rows& other) const { return nodes == other.nodes && links == other.links; }
  };

  void Fail(const std::string& what) {
    if (finding_.empty()) finding_ = what;
  }
  void TakeNodeEvent(bool is_back, const json_t* params);
  void TakeLinkEvent(const std::string& event, const json_t* params);
  // Calls `topology` page by page, and puts what it returns into `rows`; its epoch. `is_next`: there is one
  // epoch between, so whatever is removed was there.
  std::uint64_t Read(const Ask& ask, std::uint64_t since, Rows& rows, bool is_next = false);
  void CompareWhole(const Ask& ask, std::uint64_t epoch);
  void CompareEvents();
  void CompareFound(const std::map<std::string, std::string>& nodes, const std::set<std::string>& links);

  std::mt19937_64 random_;
  std::string finding_;
  Rows kept_, slow_;                          // by differences; the other now and then
  std::uint64_t epoch_ = 0, slow_epoch_ = 0;  // of these; 0: none
  std::uint64_t seen_ = 0;                    // the last epoch that was compared with events
  std::set<std::string> nodes_, links_;       // by events, as of `seen_`
  std::set<std::string> drifted_;
  std::string role_ = "starting";
  std::uint64_t changes_ = 0, events_ = 0;
};

}  // namespace ibcc_test::simulation

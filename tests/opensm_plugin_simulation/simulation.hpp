// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The plugin's sources, all but its threads, descriptors and OpenSM's headers, in a World: one thread, one seed, virtual time. A step is one event
// that is delivered to them; after each, what must hold is looked at.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "manager.h"
#include "rpc/client.h"
#include "rpc/server.h"
#include "world.hpp"

namespace ibcc_test::simulation {

class Simulation {
 public:
  Simulation(std::uint64_t seed, const std::string& folder);
  ~Simulation();
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  // So many steps, or fewer where something does not hold. False: it does not, and Finding() says what.
  bool Run(std::uint64_t steps);
  const std::string& Finding() const { return finding_; }
  std::string Trace() const;  // the last events
  std::uint64_t Steps() const { return steps_; }
  const std::map<std::string, unsigned>& Edges() const { return world_->edges; }

 private:
  void Open();
  void Close();
  void Crash();
  void Loop();     // what the worker's does after an event
  void Perturb();  // one fault, call or event from outside
  void Calm();     // all is well for a while: what must be so at rest
  void Call(const std::string& method, const std::string& params);
  void WriteFile(unsigned profile);
  std::string Profile(unsigned number) const;
  void CheckSend(std::uint16_t lid, const std::uint8_t* mad);
  void CheckStep();
  void CheckDevices();
  void CheckRest(const char* when);
  void Fail(const std::string& what);
  void Note(const std::string& what);

  struct Log : ::ibcc_log {
    Log() : ::ibcc_log{[](ibcc_log* log, ibcc_log_level, const char* line) { static_cast<Log*>(log)->owner->Note(line); }} {}
    Simulation* owner = nullptr;
  };

  std::uint64_t seed_, steps_ = 0;
  std::string folder_, finding_;
  Log log_;
  ibcc_options options_{};
  ibcc_notices* notices_ = nullptr;
  std::unique_ptr<World> world_;
  ibcc_profiles* profiles_ = nullptr;
  ibcc_manager* manager_ = nullptr;
  ibcc_server_settings settings_{};
  ibcc_service service_{};
  ibcc_client client_{};
  std::deque<std::string> trace_;
  std::int64_t timer_ns_ = INT64_MAX;
  std::int64_t experiment_over_ns_ = INT64_MAX;
  bool is_calm_ = false;
  std::int64_t last_ns_ = 0;
  unsigned unmoved_ = 0;
};

}  // namespace ibcc_test::simulation

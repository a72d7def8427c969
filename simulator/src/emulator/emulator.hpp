// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// emulator.hpp: one emulated fabric: the subnet, the server of its clients, and the traffic, all in one thread of their own.
//
// Behaviour   other threads post work, which is done between MADs; while a workload runs, MADs and posted work are served between
//             its events
// Data        everything below belongs to the emulator's thread
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "emulator/server.hpp"
#include "emulator/subnet.hpp"

namespace ccsim::emulator {

struct EmulatorOptions {
  std::string name = "sim";                      // of the sockets, as IBSIM_SOCKNAME gives it to clients
  std::uint64_t seed = 1;                        // of faults
  std::uint32_t timeout_ms = 200;                // until a lost request comes back to its sender
  std::uint32_t client_timeout_ms = 4000;        // until one that another client leaves unanswered does
  std::function<void(const std::string&)> warn;  // of clients that are turned away; by default to standard error
};

class Emulator {
 public:
  // Binds the sockets. Throws std::system_error if the name is taken, std::invalid_argument on an option that makes no sense.
  Emulator(const Fabric& fabric, const EmulatorOptions& options);
  ~Emulator();  // Stop()

  void Start();
  void Stop();  // from another thread; a workload that runs is ended

  // Does `work` in the emulator's thread, between MADs, and returns when it is done; rethrows what it throws. Throws
  // std::runtime_error if the emulator does not run, or is stopped before the work is begun.
  void Do(const std::function<void(Subnet&)>& work);

  // Serves what has come, waiting no longer than so many milliseconds (-1: until something comes). For the emulator's thread only:
  // a running workload calls it between events, and ends when it returns false: the emulator is being stopped.
  bool Serve(int wait_ms);

  // The programs that are attached. From any thread.
  std::vector<ClientSummary> Clients();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ccsim::emulator

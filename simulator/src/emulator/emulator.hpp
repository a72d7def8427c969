// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// emulator.hpp: an emulated fabric: the subnet, the server of its clients, and the traffic, in one thread.
//
// Behaviour   other threads post work, which runs between MADs; while a workload runs, MADs and posted work are served between its
//             events
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
  std::string name = "sim";                                              // name of the sockets: IBSIM_SOCKNAME of clients
  std::uint64_t seed = 1;                                                // random seed of faults
  std::uint32_t timeout_ms = 200;                                        // time-out of lost requests
  std::uint32_t client_timeout_ms = 4000;                                // time-out of requests to other clients
  std::uint8_t vl_cap = kVlCap;                                          // VLCap of all ports
  std::uint32_t port_buffer_bytes = NvidiaFirmware{}.port_buffer_bytes;  // of a switch; it has as much for each port
  std::function<void(const std::string&)> warn;  // called for each refused client; by default it writes to standard error
};

class Emulator {
 public:
  // Binds the sockets. Throws std::system_error if the name is in use, std::invalid_argument if an option is out of range.
  Emulator(const Fabric& fabric, const EmulatorOptions& options);
  ~Emulator();  // Stop()

  void Start();
  void Stop();  // call it from another thread; it ends a running workload

  // Runs `work` in the emulator's thread, between MADs, and returns when it has finished; rethrows its exception. Throws
  // std::runtime_error if the emulator does not run, or stops before the work begins.
  void Do(const std::function<void(Subnet&)>& work);

  // Serves what has arrived; if nothing has, waits for `wait_ms` at most (-1: without limit). Only the emulator's thread may call it: a
  // running workload does so between events, and ends when it returns false, as the emulator then stops.
  bool Serve(int wait_ms);

  // The attached programs. Any thread may call it.
  std::vector<ClientSummary> Clients();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ccsim::emulator

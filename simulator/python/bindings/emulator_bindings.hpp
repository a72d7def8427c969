// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// emulator_bindings.hpp: the class ccsim.Emulator, and the access of the files that bind its parts to the emulated fabric.
#pragma once

#include <pybind11/pybind11.h>

#include <atomic>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "emulator/emulator.hpp"
#include "fabric.hpp"
#include "model.hpp"

namespace ccsim {

// The Python class Emulator. Its methods may be called by any thread that holds the GIL.
class PyEmulator {
 public:
  // Throws what emulator::Emulator throws.
  PyEmulator(std::shared_ptr<const Fabric> fabric, const Model& model, const emulator::EmulatorOptions& options);
  ~PyEmulator();

  void Start();
  void Stop();

  const std::shared_ptr<const Fabric>& fabric() const { return fabric_; }
  const Model& model() const { return model_; }

  // Runs `work` in the emulator's thread, without the GIL; at once if called in that thread (by a callback of a running workload).
  void Do(const std::function<void(emulator::Subnet&)>& work);
  // As Do, for `work` that runs a workload, of which there is one at a time. Call it without the GIL.
  void DoWorkload(const std::function<void(emulator::Subnet&)>& work);
  // emulator::Emulator::Serve, for such `work`.
  bool Serve(int wait_ms) { return emulator_->Serve(wait_ms); }
  std::vector<emulator::ClientSummary> Clients();

 private:
  const std::shared_ptr<const Fabric> fabric_;
  const Model model_;
  std::atomic<bool> busy_ = false;         // a workload runs
  std::atomic<std::thread::id> thread_{};  // in this thread
  std::unique_ptr<emulator::Emulator> emulator_;
};

using EmulatorClass = pybind11::class_<PyEmulator>;

void BindEmulator(pybind11::module_& m);

// Throws std::invalid_argument with a sentence if the fabric has no such node.
void CheckNode(const Fabric& fabric, std::uint32_t node);

// Each binds some methods, in its own file.
void BindEmulatorRun(EmulatorClass& emulator);    // run
void BindEmulatorState(EmulatorClass& emulator);  // tables, counters, clients
void BindEmulatorFirmware(EmulatorClass& emulator);
void BindEmulatorFaults(pybind11::module_& m, EmulatorClass& emulator);

}  // namespace ccsim

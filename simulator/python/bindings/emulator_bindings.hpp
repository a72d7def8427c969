// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// emulator_bindings.hpp: ccsim's class Emulator, and how the files that bind its parts reach the emulated fabric.
#pragma once

#include <pybind11/pybind11.h>

#include <atomic>
#include <functional>
#include <memory>
#include <thread>

#include "emulator/emulator.hpp"
#include "fabric.hpp"
#include "model.hpp"

namespace ccsim {

// The Python class Emulator. Its methods may be called by any thread that holds the GIL.
class PyEmulator {
 public:
  // Throws as emulator::Emulator.
  PyEmulator(std::shared_ptr<const Fabric> fabric, const Model& model, emulator::EmulatorOptions options);
  ~PyEmulator();

  void Start();
  void Stop();

  const std::shared_ptr<const Fabric>& fabric() const { return fabric_; }
  const Model& model() const { return model_; }

  // Does `work` in the emulator's thread, without the GIL. From that thread itself (a callback of a running workload): at once.
  void Do(const std::function<void(emulator::Subnet&)>& work);
  // For `work` that runs a workload: only one at a time, which a Stop() asks to end. `work` is given what keeps it going.
  void DoWorkload(const std::function<void(emulator::Subnet&, const std::function<bool()>& keep_going)>& work);

 private:
  // True in a callback of a running workload.
  bool InWorkload() const { return subnet_ != nullptr && thread_.load() == std::this_thread::get_id(); }

  const std::shared_ptr<const Fabric> fabric_;
  const Model model_;
  std::atomic<bool> busy_ = false;
  std::atomic<bool> stopping_ = false;
  std::atomic<emulator::Subnet*> subnet_ = nullptr;  // of the running workload; so is its thread
  std::atomic<std::thread::id> thread_;
  std::unique_ptr<emulator::Emulator> emulator_;
};

using EmulatorClass = pybind11::class_<PyEmulator>;

void BindEmulator(pybind11::module_& m);

// Each binds some methods, in a file of its own.
void BindEmulatorRun(EmulatorClass& emulator);    // run
void BindEmulatorState(EmulatorClass& emulator);  // tables, counters
void BindEmulatorFaults(pybind11::module_& m, EmulatorClass& emulator);

}  // namespace ccsim

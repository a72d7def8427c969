// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// emulator_run_bindings.cpp: Emulator.run: runs a workload in the emulator's thread, while the caller waits and checks for signals. The
// emulator's thread holds the GIL only in a callback.
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <atomic>
#include <chrono>
#include <exception>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "emulator/data_plane.hpp"
#include "emulator_bindings.hpp"
#include "result_bindings.hpp"
#include "traffic_bindings.hpp"

namespace py = pybind11;

namespace ccsim {
namespace {

using namespace std::chrono_literals;
using emulator::DataPlane;
using emulator::Pace;
using emulator::WorkloadOptions;

Pace PaceOf(const std::string& name) {
  if (name == "fast") return Pace::Fast;
  if (name == "real") return Pace::Real;
  throw std::invalid_argument("pace '" + name + "' is not known; there are 'fast' and 'real'");
}

// The calls of a running workload into Python.
class Callbacks {
 public:
  Callbacks(const py::object& on_sample, const py::object& should_stop, Time sample_interval)
      : on_sample_(on_sample), should_stop_(should_stop), sample_interval_(sample_interval) {}

  // Returns false if the workload must end.
  bool Call(const Engine& engine) {
    const bool new_samples = !on_sample_.is_none() && told_ < engine.record().num_samples;
    const auto now = std::chrono::steady_clock::now();
    const bool asks = !should_stop_.is_none() && now - asked_ >= 100ms;
    if (!new_samples && !asks) return true;
    py::gil_scoped_acquire gil;
    if (new_samples) ReportSamples(engine);
    if (!asks) return true;
    asked_ = now;
    return !should_stop_().cast<bool>();
  }

 private:
  void ReportSamples(const Engine& engine) {
    const std::size_t flows = engine.num_flows();
    for (; told_ < engine.record().num_samples; ++told_) {
      const py::array_t<std::uint64_t> bytes(static_cast<py::ssize_t>(flows), &engine.record().received_bytes[told_ * flows]);
      on_sample_(AsSeconds(static_cast<Time>(told_ + 1) * sample_interval_), bytes);
    }
  }

  const py::object& on_sample_;
  const py::object& should_stop_;
  const Time sample_interval_;
  std::size_t told_ = 0;
  std::chrono::steady_clock::time_point asked_ = std::chrono::steady_clock::now();
};

PyResult RunWorkload(PyEmulator& self, const std::vector<Flow>& flows, double duration_s, double sample_interval_s,
                     std::uint64_t seed, const std::string& pace, bool allow_credit_loops, const Judged& judged_s,
                     const py::object& on_sample, const py::object& should_stop, std::vector<HostLoad> host_loads) {
  WorkloadOptions options;
  options.host_loads = std::move(host_loads);
  options.seed = seed;
  options.duration = CheckedSeconds("duration_s", duration_s);
  options.sample_interval = CheckedSeconds("sample_interval_s", sample_interval_s);
  options.pace = PaceOf(pace);
  options.allow_credit_loops = allow_credit_loops;
  std::tie(options.judged_from, options.judged_until) = JudgedTimes(judged_s);

  auto run = std::make_shared<FinishedRun>();
  run->fabric = self.fabric();
  std::atomic<bool> interrupted = false;
  Callbacks callbacks(on_sample, should_stop, options.sample_interval);
  const auto work = [&](emulator::Subnet& subnet) {
    DataPlane plane(subnet, self.model());
    const double before = ThreadCpuSeconds();
    emulator::WorkloadRun done = plane.Run(flows, options, [&](const Engine& engine, int wait_ms) {
      return self.Serve(wait_ms) && !interrupted && callbacks.Call(engine);
    });
    run->cpu_s = ThreadCpuSeconds() - before;
    run->options = done.options;
    run->engine = std::move(done.engine);
    run->complete = done.complete;
    if (run->complete) callbacks.Call(*run->engine);
  };
  bool signalled = false;
  {
    py::gil_scoped_release release;
    // Another thread waits for the emulator's, so that this one can check for signals, which only Python's main thread may.
    std::future<void> done = std::async(std::launch::async, [&] { self.DoWorkload(work); });
    while (!signalled && done.wait_for(100ms) != std::future_status::ready) {
      py::gil_scoped_acquire gil;
      signalled = PyErr_CheckSignals() != 0;
    }
    interrupted = signalled;
    done.wait();
    if (!signalled) done.get();
  }
  if (signalled) throw py::error_already_set();
  return PyResult{run};
}

}  // namespace

void BindEmulatorRun(EmulatorClass& emulator) {
  emulator.def("run", &RunWorkload, py::arg("flows"), py::kw_only(), py::arg("duration_s"), py::arg("sample_interval_s") = 0.01,
               py::arg("seed") = 1, py::arg("pace") = "fast", py::arg("allow_credit_loops") = false,
               py::arg("judged_s") = py::none(), py::arg("on_sample") = py::none(), py::arg("should_stop") = py::none(),
               py::arg("host_loads") = std::vector<HostLoad>{});
}

}  // namespace ccsim

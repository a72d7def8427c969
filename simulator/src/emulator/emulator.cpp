// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/emulator.hpp"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>

namespace ccsim::emulator {
namespace {

ServerOptions OptionsOfServer(const EmulatorOptions& options) {
  if (options.timeout_ms < 1 || options.timeout_ms > 60'000) {
    throw std::invalid_argument("timeout_ms is " + std::to_string(options.timeout_ms) + "; it must be from 1 to 60000");
  }
  if (options.client_timeout_ms < options.timeout_ms || options.client_timeout_ms > 600'000) {
    throw std::invalid_argument("client_timeout_ms is " + std::to_string(options.client_timeout_ms) +
                                "; it must be from timeout_ms to 600000");
  }
  return {options.name, options.timeout_ms, options.client_timeout_ms, options.warn};
}

}  // namespace

struct Emulator::Impl {
  // Lives in the thread that waits for it.
  struct Posted {
    const std::function<void(Subnet&)>& work;
    bool done = false;
    std::exception_ptr error = nullptr;
  };

  Impl(const Fabric& fabric, const EmulatorOptions& options)
      : subnet(fabric, options.seed, {}, options.vl_cap), server(subnet, OptionsOfServer(options)) {
    for (std::uint32_t node = 0; node < subnet.num_devices(); ++node)
      subnet.device(node).cca.firmware.nvidia.port_buffer_bytes = options.port_buffer_bytes;
  }

  void Run();
  bool Serve(int wait_ms);
  void DoPosted();
  void Finish(Posted& posted, std::exception_ptr error);

  Subnet subnet;
  Server server;
  std::atomic<bool> stopping = false;
  std::atomic<std::thread::id> thread_id;  // the emulator's thread while it runs

  std::mutex lifetime;  // guards `thread`
  std::thread thread;

  std::mutex mutex;  // guards what follows
  std::condition_variable changed;
  bool running = false;
  std::deque<Posted*> posted;
};

void Emulator::Impl::Run() {
  thread_id = std::this_thread::get_id();
  while (Serve(-1)) {
  }
  thread_id = std::thread::id();
  const std::lock_guard lock(mutex);
  running = false;
  for (Posted* left : posted) {
    left->error = std::make_exception_ptr(std::runtime_error("the emulator has stopped"));
    left->done = true;
  }
  posted.clear();
  changed.notify_all();
}

bool Emulator::Impl::Serve(int wait_ms) {
  server.Serve(wait_ms);
  DoPosted();
  return !stopping;
}

void Emulator::Impl::DoPosted() {
  for (;;) {
    Posted* next = nullptr;
    {
      const std::lock_guard lock(mutex);
      if (posted.empty() || stopping) return;
      next = posted.front();
      posted.pop_front();
    }
    std::exception_ptr error;
    try {
      next->work(subnet);
    } catch (...) {
      error = std::current_exception();
    }
    const std::lock_guard lock(mutex);
    next->error = std::move(error);
    next->done = true;
    changed.notify_all();
  }
}

Emulator::Emulator(const Fabric& fabric, const EmulatorOptions& options) : impl_(std::make_unique<Impl>(fabric, options)) {}

Emulator::~Emulator() { Stop(); }

void Emulator::Start() {
  const std::lock_guard lifetime(impl_->lifetime);
  if (impl_->thread.joinable()) throw std::logic_error("the emulator is already running");
  impl_->stopping = false;
  {
    const std::lock_guard lock(impl_->mutex);
    impl_->running = true;
  }
  impl_->thread = std::thread([impl = impl_.get()] { impl->Run(); });
}

void Emulator::Stop() {
  const std::lock_guard lifetime(impl_->lifetime);
  impl_->stopping = true;
  impl_->server.Wake();
  if (impl_->thread.joinable()) impl_->thread.join();
}

void Emulator::Do(const std::function<void(Subnet&)>& work) {
  if (impl_->thread_id == std::this_thread::get_id()) return work(impl_->subnet);
  Impl::Posted posted{work};
  std::unique_lock lock(impl_->mutex);
  if (!impl_->running) throw std::runtime_error("the emulator is not running");
  impl_->posted.push_back(&posted);
  impl_->server.Wake();
  impl_->changed.wait(lock, [&] { return posted.done; });
  if (posted.error) std::rethrow_exception(posted.error);
}

bool Emulator::Serve(int wait_ms) { return impl_->Serve(wait_ms); }

std::vector<ClientSummary> Emulator::Clients() {
  std::vector<ClientSummary> list;
  Do([&](Subnet&) { list = impl_->server.clients(); });
  return list;
}

}  // namespace ccsim::emulator

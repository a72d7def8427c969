// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core_host_models.cpp: the hosts' models and loads, as they are found at the start of a run.
#include <algorithm>
#include <stdexcept>
#include <string>

#include "engine/core.hpp"

namespace ccsim {

void EngineCore::FindHostModels(const Fabric& fabric) {
  if (FirstModelledHost(fabric) != nullptr) {
    for (const Endport& endport : fabric.endports()) host_models_.push_back(fabric.nodes()[endport.node].host_model);
  }
  CheckHostLoads();
}

// A buffer has room for a packet of the MTU at least.
std::int32_t EngineCore::HostBufferBlocks(std::uint32_t host) const {
  const HostModel* model = host_models_[host].get();
  if (model == nullptr || model->receive_buffer_bytes == 0) return static_cast<std::int32_t>(model_.ca.input_buffer_bytes / 64);
  return std::max<std::int32_t>(static_cast<std::int32_t>(model->receive_buffer_bytes / 64), mtu_blocks_);
}

void EngineCore::CheckHostLoads() const {
  for (std::size_t i = 0; i < options_.host_loads.size(); ++i) {
    const HostLoad& load = options_.host_loads[i];
    const std::string which = "host load " + std::to_string(i + 1);
    if (load.endport >= host_models_.size() || !host_models_[load.endport]) {
      throw std::invalid_argument(which + " is on a host without a host model; give the host a host_model, or remove the load");
    }
    const HostModel& model = *host_models_[load.endport];
    if (!(load.cores >= 0 && load.cores <= model.cores)) {
      throw std::invalid_argument(which + " has " + std::to_string(load.cores) + " cores; the host's memory node has " +
                                  std::to_string(model.cores));
    }
    if (!(load.gbytes_per_s >= 0 && load.gbytes_per_s < model.memory_gbytes_per_s)) {
      throw std::invalid_argument(which + " takes " + std::to_string(load.gbytes_per_s) +
                                  " GB/s; it must leave some of the memory's " + std::to_string(model.memory_gbytes_per_s) +
                                  " GB/s");
    }
    if (load.start < 0 || load.stop <= load.start) throw std::invalid_argument(which + " stops before it starts");
    for (std::size_t j = 0; j < i; ++j) {
      const HostLoad& other = options_.host_loads[j];
      if (other.endport != load.endport || other.remote != load.remote) continue;
      if (other.start < load.stop && load.start < other.stop) {
        throw std::invalid_argument(which + " overlaps host load " + std::to_string(j + 1) +
                                    " on the same memory of the same host; loads of one memory follow each other");
      }
    }
  }
}

}  // namespace ccsim

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "engine/host_drain.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "engine/run_dry.hpp"
#include "engine/running.hpp"
#include "rng.hpp"

namespace ccsim {
namespace host_drain_test {

using namespace testing;

// A switch with hosts, of which some have a model.
Fabric RandomFabric(Rng& rng, unsigned hosts) {
  Fabric fabric(2048);
  const std::uint32_t hub = fabric.AddNode("S", NodeKind::Switch, 1, static_cast<std::uint16_t>(hosts));
  for (unsigned h = 1; h <= hosts; ++h) {
    const std::uint32_t node = fabric.AddNode("H" + std::to_string(h), NodeKind::Host, 100 + h, 1);
    fabric.Connect(node, 1, hub, static_cast<std::uint16_t>(h), ParseLinkRate("4xEDR"), FromNs(25));
    fabric.SetForward(hub, fabric.endport_index(node, 1), static_cast<std::uint8_t>(h));
  }
  for (std::uint32_t e = 0; e < hosts; ++e) fabric.SetForward(hub, e, static_cast<std::uint8_t>(e + 1));
  for (std::uint32_t e = 0; e < hosts; ++e) {
    if (e != 0 && rng.Below(2) == 0) continue;
    HostModel model;
    model.memory_gbytes_per_s = 20 + static_cast<double>(rng.Below(100));
    model.receive_buffer_bytes = rng.Below(2) == 0 ? 0 : 100000;
    model.mark_buffer_bytes = rng.Below(2) == 0 ? 0 : 20000;
    model.hostcc.enabled = rng.Below(2) == 0;
    fabric.SetHostModel(fabric.endports()[e].node, std::make_shared<const HostModel>(model));
  }
  return fabric;
}

TEST(HostDrain, EveryPacketArrivesAndAllRoomComesBack) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed, 9);
    const Fabric fabric = RandomFabric(rng, 5);
    RunOptions options = Options(0.002, 1e-4);
    options.seed = seed;
    std::vector<Flow> flows;
    for (std::uint32_t src = 0; src < 5; ++src) {
      const auto dst = static_cast<std::uint32_t>(rng.Below(5));
      if (dst == src) continue;
      flows.push_back(MakeFlow(src, dst));
      flows.back().stop = FromSeconds(0.0005);
      flows.back().message_bytes = static_cast<std::uint32_t>(1 + rng.Below(20000));
    }
    flows.push_back(MakeFlow(1, 0));
    flows.back().stop = FromSeconds(0.0005);
    for (int i = 0; i < 4; ++i) {
      options.host_loads.push_back({.endport = 0,
                                    .start = FromSeconds(1e-4 * i),
                                    .stop = FromSeconds(1e-4 * (i + 1) - 1e-5),
                                    .cores = static_cast<double>(rng.Below(28))});
    }
    Engine engine(fabric, Model{}, flows, nullptr, options);
    ASSERT_NO_FATAL_FAILURE(RunDry(engine));
    const ModelledHost& host = engine.record().modelled_hosts.front();
    double received = 0;
    for (std::size_t f = 0; f < flows.size(); ++f) {
      if (flows[f].dst == 0) received += static_cast<double>(engine.flow_counters()[f].received_bytes);
    }
    EXPECT_NEAR(host.drained_bytes, received, 1 + 1e-6 * received);
  }
}

}  // namespace host_drain_test
}  // namespace ccsim

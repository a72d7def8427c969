// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// prefetch_test.cc: guesses about events to come must not go beyond what there is, whatever the switches. The sanitizers judge.
#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "engine/engine.hpp"
#include "testing.hpp"

namespace ccsim {
namespace prefetch_test {

using namespace testing;

// Fabrics of some thousand ports are fetched ahead for; masks of switches with more than 64 ports have several words, and small
// switches' packets are old news for large ones. Schemes whose queues hold packets for several outputs fetch other things.
TEST(EngineFetch, SwitchesOfAllSizesInOneLargeFabric) {
  Bed bed{Fabric(2048), {}};
  Fabric& f = bed.fabric;
  const LinkRate rate = ParseLinkRate("4xDDR");
  const std::uint16_t sizes[] = {3, 200, 200, 200};
  std::uint64_t guid = 1;
  const std::uint32_t root = f.AddNode("root", NodeKind::Switch, guid++, 4);
  for (std::uint16_t i = 0; i < 4; ++i) {
    const std::uint32_t leaf = f.AddNode("leaf", NodeKind::Switch, guid++, sizes[i] + 1);
    f.Connect(root, i + 1, leaf, 1, rate, FromNs(25));
    for (std::uint16_t port = 2; port <= sizes[i] + 1; ++port) {
      const std::uint32_t host = f.AddNode("H", NodeKind::Host, guid++, 1);
      f.Connect(host, 1, leaf, port, rate, FromNs(25));
      bed.hosts.push_back(f.endport_index(host, 1));
    }
  }
  RouteBy(f, "minhop");
  auto everybody = std::make_shared<Destinations>();
  everybody->endports = bed.hosts;
  std::vector<Flow> flows;
  for (const std::uint32_t host : bed.hosts) {
    Flow flow;
    flow.src = host;
    flow.destinations = everybody;
    flow.message_bytes = 4096;
    flows.push_back(std::move(flow));
  }
  UniformTables settings;
  settings.threshold = 15;
  const Tables tables = MakeTables(f, settings);
  RunOptions options;
  options.duration = options.sample_interval = FromSeconds(4e-5);
  for (const char* scheme : {"voqsw", "1q", "fbicm", "hfdi"}) {
    SCOPED_TRACE(scheme);
    Model model;
    model.scheme.name = scheme;
    Engine engine(f, model, flows, tables.get(), options);
    engine.Run([](Time) { return true; });
    engine.CheckInvariants();
    EXPECT_GT(engine.record().packet_hops, 5000u);
  }
}

}  // namespace prefetch_test
}  // namespace ccsim

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "schemes/switch_memory.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "model.hpp"
#include "testing.hpp"

namespace ccsim {
namespace switch_memory_test {

Model Of(const char* scheme) {
  Model model;
  model.scheme.name = scheme;
  return model;
}

// Paper VI, section 4.1: 64 packets for each host.
TEST(SwitchMemory, OfVoqnetIsAQueueForEachHost) {
  const Fabric fabric = testing::OneSwitch(64).fabric;
  const SwitchMemory memory = MemoryOfSwitches(fabric, Of("voqnet"));
  EXPECT_EQ(memory.port.buffer_bytes, 64U * 64 * 2112);  // 8 MB without headers
  EXPECT_EQ(memory.input_ports, 64U);
  EXPECT_EQ(memory.buffer_bytes, 64 * memory.port.buffer_bytes);
  EXPECT_EQ(memory.port.lines, 0U);
  Model small = Of("voqnet");
  small.scheme.values["queue_packets"] = 2;
  EXPECT_EQ(MemoryOfSwitches(fabric, small).port.buffer_bytes, 64U * 2 * 2112);
}

// Paper VI, section 8: an 8-port switch in a network of 64 hosts, and Table 5.
TEST(SwitchMemory, OfEcoccIsThatOfThePaper) {
  Fabric fabric = testing::OneSwitch(64).fabric;
  const std::uint32_t sw = fabric.AddNode("S2", NodeKind::Switch, 2, 8);
  for (std::uint16_t port = 1; port <= 8; ++port) {
    const std::uint32_t other = fabric.AddNode("S", NodeKind::Switch, 10u + port, 1);
    fabric.Connect(sw, port, other, 1, ParseLinkRate("4xDDR"), 0);
  }
  const SwitchMemory memory = MemoryOfSwitches(fabric, Of("ecocc"));
  EXPECT_EQ(memory.port.line, (MemoryCells{64, 35}));
  EXPECT_EQ(memory.port.lines, 63U + 2);  // of the larger switch
  EXPECT_EQ(memory.port.buffer_bytes, Model{}.switches.input_buffer_bytes);
  EXPECT_EQ(memory.input_ports, 64U + 8 + 8);
  const std::uint64_t lines = 64 * 65 + 8 * 9 + 8 * 2;
  EXPECT_EQ(memory.cells, (MemoryCells{lines * 64, lines * 35}));
}

TEST(SwitchMemory, OfCfqsIsALineForEach) {
  Model model = Of("fbicm");
  model.scheme.values["special_queues"] = 3;
  const PortMemory port = MemoryOfSwitches(testing::OneSwitch(16).fabric, model).port;
  EXPECT_EQ(port.lines, 3U);
  EXPECT_EQ(port.line, (MemoryCells{16 + 4, 35}));
}

TEST(SwitchMemory, WithoutLinesIsTheBufferOfEachVl) {
  const Fabric fabric = testing::OneSwitch(4).fabric;
  Model model;
  model.num_vls = 3;
  EXPECT_EQ(MemoryOfSwitches(fabric, model).port, (PortMemory{.buffer_bytes = 3ull * model.switches.input_buffer_bytes}));
  model.switches.buffer_sharing = BufferSharing::Shared;
  EXPECT_EQ(MemoryOfSwitches(fabric, model).port, (PortMemory{.buffer_bytes = model.switches.input_buffer_bytes}));
  EXPECT_EQ(MemoryOfSwitches(Fabric(2048), model), SwitchMemory{});
}

TEST(SwitchMemory, RefusesAnUnknownScheme) {
  EXPECT_THROW(MemoryOfSwitches(testing::OneSwitch(4).fabric, Of("pigeons")), std::invalid_argument);
}

}  // namespace switch_memory_test
}  // namespace ccsim

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/agents/pma/state.hpp"

#include <functional>
#include <string>
#include <tuple>

#include "emulator/agents/asking.hpp"
#include "libibmad.hpp"

namespace ccsim::emulator {
namespace pma_counters_test {

using ibcc::testing::LibIbmad;
using testing::Ask;
using testing::Asked;
using testing::Question;
using testing::SmallSubnet;

constexpr std::uint16_t kPortCounters = 0x0012, kExtended = 0x001D, kVlXmitWait = 0x001C;

// A request's data up to CounterSelect, with what stands at some bytes behind.
std::vector<std::uint8_t> Data(std::uint8_t port, std::uint16_t select = 0, std::uint32_t select2 = 0, bool extended = false) {
  std::vector<std::uint8_t> data(192);
  data[1] = port;
  Put16(data.data() + 2, select);
  if (extended) {
    Put32(data.data() + 4, select2);
  } else {
    data[18] = static_cast<std::uint8_t>(select2);
  }
  return data;
}

class PmaCounters : public ::testing::Test {
 protected:
  PmaPort& Port(std::uint32_t node, unsigned port) { return s_.subnet.device(node).pma.ports[port]; }
  Asked Get(Place at, std::uint16_t attribute, std::uint8_t port) {
    return Ask(s_.subnet, at, {.mgmt_class = kPerformance, .attribute = attribute, .data = Data(port)});
  }
  Asked Set(Place at, std::uint16_t attribute, const std::vector<std::uint8_t>& data) {
    return Ask(s_.subnet, at, {.mgmt_class = kPerformance, .method = kSet, .attribute = attribute, .data = data});
  }
  SmallSubnet s_;
};

TEST_F(PmaCounters, DataIsCountedInWordsAndWaitingInTicks) {
  PmaPort& port = Port(SmallSubnet::kHost, 1);
  port.CountXmit(3, 4 * 1000, 0);
  port.CountRcv(5, 4 * 2000 + 3, 0, 0);
  port.xmit_wait_ns = 4000;
  const Asked asked = Get(SmallSubnet::kAtHost1, kPortCounters, 1);
  ASSERT_EQ(asked.status, kOk);
  EXPECT_EQ(asked.data()[1], 1);
  EXPECT_EQ(Get32(asked.data() + 24), 1000u);
  EXPECT_EQ(Get32(asked.data() + 28), 2000u);
  EXPECT_EQ(Get32(asked.data() + 32), 3u);
  EXPECT_EQ(Get32(asked.data() + 36), 5u);
  EXPECT_EQ(Get32(asked.data() + 40), 1000u);
}

TEST_F(PmaCounters, StayAtTheirLargestValue) {
  PmaPort& port = Port(SmallSubnet::kHost, 1);
  port.xmit_bytes = 4 * 0x1'0000'0000;
  port.xmit_packets = 0xFFFF'FFFF;
  port.link_downed = 300;
  port.vl15_dropped = 70000;
  port.BySlVl().vl_xmit_wait_ns[3] = 4 * 65536;
  Asked asked = Get(SmallSubnet::kAtHost1, kPortCounters, 1);
  EXPECT_EQ(Get32(asked.data() + 24), 0xFFFF'FFFFu);
  EXPECT_EQ(Get32(asked.data() + 32), 0xFFFF'FFFFu);
  EXPECT_EQ(asked.data()[7], 255);
  EXPECT_EQ(Get16(asked.data() + 22), 0xFFFF);
  asked = Get(SmallSubnet::kAtHost1, kExtended, 1);
  EXPECT_EQ(Get64(asked.data() + 8), 0x1'0000'0000u);
  EXPECT_EQ(Get64(asked.data() + 88), 300u);
  EXPECT_EQ(Get16(Get(SmallSubnet::kAtHost1, kVlXmitWait, 1).data() + 4 + 6), 0xFFFF);
}

TEST_F(PmaCounters, ASetWritesWhatCounterSelectNames) {
  PmaPort& port = Port(SmallSubnet::kHost, 1);
  port.xmit_bytes = 400;
  port.rcv_bytes = 800;
  port.xmit_wait_ns = 1200;
  auto data = Data(1, 1 << 12);
  Put32(data.data() + 24, 7);  // PortXmitData: a value that is no zero
  Put32(data.data() + 28, 9);  // PortRcvData is not named
  const Asked asked = Set(SmallSubnet::kAtHost1, kPortCounters, data);
  ASSERT_EQ(asked.status, kOk);
  EXPECT_EQ(port.xmit_bytes, 28u);
  EXPECT_EQ(port.rcv_bytes, 800u);
  EXPECT_EQ(port.xmit_wait_ns, 1200u);
  EXPECT_EQ(Get32(asked.data() + 28), 200u);  // the answer shows what is held
  Set(SmallSubnet::kAtHost1, kPortCounters, Data(1, 0, 1));
  EXPECT_EQ(port.xmit_wait_ns, 0u);  // CounterSelect2
  EXPECT_EQ(port.rcv_bytes, 800u);
  Set(SmallSubnet::kAtHost1, kPortCounters, Data(1, 0xFFFF, 0xFF));
  EXPECT_EQ(port.rcv_bytes, 0u);
  // 64 bits, and its own CounterSelect2.
  port.link_downed = 5;
  port.xmit_packets = 6;
  Set(SmallSubnet::kAtHost1, kExtended, Data(1, 0, 1 << 2, true));
  EXPECT_EQ(port.link_downed, 0u);
  EXPECT_EQ(port.xmit_packets, 6u);
}

TEST_F(PmaCounters, AnAdaptersPortAnswersForItselfOnly) {
  EXPECT_EQ(Get(SmallSubnet::kAtHost1, kPortCounters, 1).status, kOk);
  EXPECT_EQ(Get(SmallSubnet::kAtHost2, kPortCounters, 2).status, kOk);
  for (const int port : {0, 2, 3, 255}) {
    EXPECT_EQ(Get(SmallSubnet::kAtHost1, kPortCounters, static_cast<std::uint8_t>(port)).status, kInvalidField) << port;
  }
}

TEST_F(PmaCounters, ASwitchAnswersForAllItsPorts) {
  for (unsigned port = 0; port <= 36; ++port) {
    Port(SmallSubnet::kSwitch, port).xmit_packets = port == 0 ? 1000 : port;
    EXPECT_EQ(Get32(Get(SmallSubnet::kAtSwitch, kPortCounters, static_cast<std::uint8_t>(port)).data() + 32),
              port == 0 ? 1000 : port);
  }
  EXPECT_EQ(Get(SmallSubnet::kAtSwitch, kPortCounters, 37).status, kInvalidField);
  EXPECT_EQ(Get(SmallSubnet::kAtSwitch, kPortCounters, 254).status, kInvalidField);
  EXPECT_EQ(Get32(Get(SmallSubnet::kAtSwitch, kPortCounters, 255).data() + 32), 36u * 37 / 2);  // external ports
  const Asked asked = Set(SmallSubnet::kAtSwitch, kPortCounters, Data(255, 0xFFFF));
  EXPECT_EQ(Get32(asked.data() + 32), 0u);
  for (unsigned port = 1; port <= 36; ++port) EXPECT_EQ(Port(SmallSubnet::kSwitch, port).xmit_packets, 0u);
  EXPECT_EQ(Port(SmallSubnet::kSwitch, 0).xmit_packets, 1000u);
  EXPECT_EQ(Set(SmallSubnet::kAtSwitch, kPortCounters, Data(37, 0xFFFF)).status, kInvalidField);
}

TEST_F(PmaCounters, BringsTheCountersUpToThePresentFirst) {
  struct Counting : Traffic {
    std::vector<std::uint32_t> asked;
    std::function<void()> count;
    void Refresh(std::uint32_t node) override {
      asked.push_back(node);
      count();
    }
  } traffic;
  traffic.count = [this] { Port(SmallSubnet::kHost, 2).xmit_packets += 5; };
  s_.subnet.set_traffic(&traffic);
  EXPECT_EQ(Get32(Get(SmallSubnet::kAtHost2, kPortCounters, 2).data() + 32), 5u);
  EXPECT_EQ(traffic.asked, (std::vector<std::uint32_t>{SmallSubnet::kHost}));
  // Before a Set as well: what came before it is cleared with the rest.
  EXPECT_EQ(Get32(Set(SmallSubnet::kAtHost2, kPortCounters, Data(2, 0xFFFF)).data() + 32), 0u);
}

TEST_F(PmaCounters, AModifierOrAnUnknownAttributeIsRefused) {
  EXPECT_EQ(Ask(s_.subnet, SmallSubnet::kAtHost1,
                {.mgmt_class = kPerformance, .attribute = kPortCounters, .modifier = 1, .data = Data(1)})
                .status,
            kInvalidField);
  // PortSamplesControl: sampling is a mechanism that this agent does not have.
  EXPECT_EQ(Get(SmallSubnet::kAtHost1, 0x0010, 1).status, kUnsupportedMethodAttribute);
}

// All fields that libibmad has of the attribute, counted from the one named, against the counters behind them.
struct Witness {
  std::uint16_t attribute;
  const char* anchor;  // a field before, or ""
  std::vector<std::pair<std::string, std::function<std::uint64_t&(PmaPort&)>>> fields;
  std::uint64_t unit = 1;
};

std::vector<Witness> Witnesses() {
  const auto by_sl_vl = [](std::uint16_t attribute, const std::string& name, int count, PmaSlVlCounters PmaBySlVl::* member,
                           std::uint64_t unit) {
    Witness w{attribute, "", {}, unit};
    for (int i = 0; i < count; ++i) {
      w.fields.emplace_back(name + std::to_string(i), [member, i](PmaPort& port) -> std::uint64_t& {
        return (port.BySlVl().*member)[static_cast<std::size_t>(i)];
      });
    }
    return w;
  };
  const auto one = [](std::uint64_t PmaPort::* member) {
    return [member](PmaPort& port) -> std::uint64_t& { return port.*member; };
  };
  return {
      {kPortCounters,
       "CounterSelect",
       {{"LinkDownedCounter", one(&PmaPort::link_downed)},
        {"PortRcvSwitchRelayErrors", one(&PmaPort::rcv_switch_relay_errors)},
        {"PortXmitDiscards", one(&PmaPort::xmit_discards)},
        {"VL15Dropped", one(&PmaPort::vl15_dropped)},
        {"PortXmitPkts", one(&PmaPort::xmit_packets)},
        {"PortRcvPkts", one(&PmaPort::rcv_packets)}}},
      {kPortCounters,
       "CounterSelect",
       {{"PortXmitData", one(&PmaPort::xmit_bytes)},
        {"PortRcvData", one(&PmaPort::rcv_bytes)},
        {"PortXmitWait", one(&PmaPort::xmit_wait_ns)}},
       4},
      {0x0015,
       "PortLocalPhysicalErrors",
       {{"PortDLIDMappingErrors", one(&PmaPort::dlid_mapping_errors)},
        {"PortVLMappingErrors", one(&PmaPort::vl_mapping_errors)},
        {"PortLoopingErrors", one(&PmaPort::looping_errors)}}},
      {0x0016,
       "",
       {{"PortInactiveDiscards", one(&PmaPort::inactive_discards)},
        {"PortSwHOQLifetimeLimitDiscards", one(&PmaPort::hoq_lifetime_discards)}}},
      {0x0017, "", {{"PortOpRcvPkts", one(&PmaPort::rcv_packets)}}},
      {0x0017, "", {{"PortOpRcvData", one(&PmaPort::rcv_bytes)}}, 4},
      by_sl_vl(0x0019, "PortVLOpPackets", 16, &PmaBySlVl::vl_rcv_packets, 1),
      by_sl_vl(0x001A, "PortVLOpData", 16, &PmaBySlVl::vl_rcv_bytes, 4),
      by_sl_vl(0x001C, "PortVLXmitWait", 16, &PmaBySlVl::vl_xmit_wait_ns, 4),
      {0x0031, "", {{"PortPktRcvFECN", one(&PmaPort::rcv_fecn)}, {"PortPktRcvBECN", one(&PmaPort::rcv_becn)}}},
      by_sl_vl(0x0032, "PortSLRcvFECN", 16, &PmaBySlVl::sl_rcv_fecn, 1),
      by_sl_vl(0x0033, "PortSLRcvBECN", 16, &PmaBySlVl::sl_rcv_becn, 1),
      {0x0034, "", {{"PortXmitTimeCong", one(&PmaPort::congested_ns)}}, 4},
      by_sl_vl(0x0035, "PortVLXmitTimeCong", 15, &PmaBySlVl::vl_congested_ns, 4),
      by_sl_vl(0x0036, "XmtDataSL", 16, &PmaBySlVl::sl_xmit_bytes, 4),
      by_sl_vl(0x0037, "RcvDataSL", 16, &PmaBySlVl::sl_rcv_bytes, 4),
  };
}

TEST_F(PmaCounters, StandWhereLibibmadLooksForThem) {
  const LibIbmad libibmad;
  if (!libibmad.installed()) GTEST_SKIP() << "libibmad is not installed (Debian: libibmad5)";
  for (const Witness& w : Witnesses()) {
    PmaPort& port = Port(SmallSubnet::kHost, 1);
    port = {};
    std::uint64_t value = 1;
    for (const auto& [name, counter] : w.fields) counter(port) = value++ * w.unit;
    const Asked asked = Get(SmallSubnet::kAtHost1, w.attribute, 1);
    ASSERT_EQ(asked.status, kOk) << w.attribute;
    const int from = *w.anchor ? libibmad.Field(w.anchor) : 1;
    value = 1;
    for (const auto& [name, counter] : w.fields) {
      EXPECT_EQ(libibmad.Get(asked.data(), libibmad.Field(name, from)), value++) << w.attribute << " " << name;
    }
    // And each is cleared by its own bit: all at once leave nothing.
    Set(SmallSubnet::kAtHost1, w.attribute, Data(1, 0xFFFF, w.attribute == kPortCounters ? 0xFF : 0));
    for (const auto& [name, counter] : w.fields) EXPECT_EQ(counter(port), 0u) << w.attribute << " " << name;
  }
}

TEST_F(PmaCounters, ExtendedOnesStandWhereLibibmadLooksForThem) {
  const LibIbmad libibmad;
  if (!libibmad.installed()) GTEST_SKIP() << "libibmad is not installed (Debian: libibmad5)";
  PmaPort& port = Port(SmallSubnet::kHost, 1);
  const int first = libibmad.Field("PortUnicastXmitPkts") - 4, errors = libibmad.Field("SymbolErrorCounter", first);
  const std::tuple<const char*, int, std::uint64_t PmaPort::*, std::uint64_t> fields[] = {
      {"PortXmitData", first, &PmaPort::xmit_bytes, 4},
      {"PortRcvData", first, &PmaPort::rcv_bytes, 4},
      {"PortXmitPkts", first, &PmaPort::xmit_packets, 1},
      {"PortRcvPkts", first, &PmaPort::rcv_packets, 1},
      {"PortUnicastXmitPkts", first, &PmaPort::unicast_xmit_packets, 1},
      {"PortUnicastRcvPkts", first, &PmaPort::unicast_rcv_packets, 1},
      {"PortMulticastXmitPkts", first, &PmaPort::multicast_xmit_packets, 1},
      {"PortMulticastRcvPkts", first, &PmaPort::multicast_rcv_packets, 1},
      {"LinkDownedCounter", errors, &PmaPort::link_downed, 1},
      {"PortRcvSwitchRelayErrors", errors, &PmaPort::rcv_switch_relay_errors, 1},
      {"PortXmitDiscards", errors, &PmaPort::xmit_discards, 1},
      {"VL15Dropped", errors, &PmaPort::vl15_dropped, 1},
      {"PortXmitWait", errors, &PmaPort::xmit_wait_ns, 4},
  };
  std::uint64_t value = 0x1'0000'0000;
  for (const auto& [name, from, counter, unit] : fields) port.*counter = value++ * unit;
  const Asked asked = Get(SmallSubnet::kAtHost1, kExtended, 1);
  value = 0x1'0000'0000;
  for (const auto& [name, from, counter, unit] : fields) {
    EXPECT_EQ(libibmad.Get64(asked.data(), libibmad.Field(name, from)), value++) << name;
  }
  // performance_reset_via() puts the upper half of its mask where libibmad has CounterSelect2.
  std::uint8_t data[192] = {};
  data[1] = 1;
  libibmad.Set(data, libibmad.Field("CounterSelect", first - 2), 0xFFFF);
  libibmad.Set(data, libibmad.Field("CounterSelect2", errors - 1), 0xFFFF);
  Set(SmallSubnet::kAtHost1, kExtended, {data, data + 192});
  for (const auto& [name, from, counter, unit] : fields) EXPECT_EQ(port.*counter, 0u) << name;
}

TEST_F(PmaCounters, EachFieldIsClearedByItsOwnBit) {
  for (const Witness& w : Witnesses()) {
    PmaPort& port = Port(SmallSubnet::kHost, 1);
    for (const auto& [name, counter] : w.fields) {
      unsigned cleared = 0;
      for (unsigned bit = 0; bit < 24; ++bit) {
        for (const auto& [other, count] : w.fields) count(port) = 100 * w.unit;
        Set(SmallSubnet::kAtHost1, w.attribute,
            Data(1, bit < 16 ? static_cast<std::uint16_t>(1u << bit) : 0, bit < 16 ? 0 : 1u << (bit - 16)));
        cleared += counter(port) == 0;
      }
      EXPECT_EQ(cleared, 1u) << w.attribute << " " << name;
    }
  }
}

}  // namespace pma_counters_test
}  // namespace ccsim::emulator

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// diags_test.cc: infiniband-diags of the distribution, unmodified, against the agents: ibccconfig writes and ibccquery reads every
// attribute of class 0x21, perfquery reads and clears those of class 0x04.
#include <glob.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <tuple>
#include <vector>

#include "ccpolicy/wire.h"
#include "emulator/agents/cca/state.hpp"
#include "emulator/emulator.hpp"
#include "emulator/management.hpp"
#include "emulator/test_client.hpp"

namespace ccsim::emulator {
namespace diags_test {

using testing::BringUp;
using testing::UniqueName;

constexpr std::uint32_t kSwitch = 0, kHost = 1;
// Programs for administrators are not on a plain user's path.
constexpr const char* kPath = "PATH=$PATH:/usr/sbin:/sbin; ";

// A switch of 64 ports, so that tools go wrong where they do, and two hosts. BringUp gives them LIDs 1, 2 and 3.
Fabric MakeFabric() {
  Fabric fabric(2048);
  fabric.AddNode("S1", NodeKind::Switch, 0x5100, 64);
  fabric.AddNode("H1", NodeKind::Host, 0x4100, 1);
  fabric.AddNode("H2", NodeKind::Host, 0x4200, 1);
  const LinkRate rate = ParseLinkRate("4xQDR");
  fabric.Connect(kHost, 1, kSwitch, 1, rate, 0);
  fabric.Connect(2, 1, kSwitch, 64, rate, 0);
  return fabric;
}

std::string Preload() {
  glob_t found{};
  std::string path;
  if (glob("/usr/lib/*/umad2sim/libumad2sim.so", 0, nullptr, &found) == 0) path = found.gl_pathv[0];
  globfree(&found);
  return path;
}

EmulatorOptions Options(const std::string& name) {
  EmulatorOptions options;
  options.name = name;
  return options;
}

struct Output {
  int status = -1;
  std::string text;
  // What stands behind a name and its dots; "" if the name is not there. `after`: only behind this.
  std::string Value(const std::string& name, const std::string& after = "") const {
    const std::size_t from = after.empty() ? 0 : text.find(after);
    if (from == std::string::npos) return "";
    const std::size_t at = text.find("\n" + name + ":.", from);
    if (at == std::string::npos) return "";
    const std::size_t value = text.find_first_not_of('.', at + name.size() + 2);
    return text.substr(value, text.find('\n', value) - value);
  }
};

class Diags : public ::testing::Test {
 protected:
  void SetUp() override {
    preload_ = Preload();
    if (preload_.empty() ||
        std::system((kPath + std::string("command -v ibccquery ibccconfig perfquery >/dev/null")).c_str()) != 0) {
      GTEST_SKIP() << "infiniband-diags and libumad2sim0 are not both installed";
    }
    emulator_.Start();
    emulator_.Do([](Subnet& subnet) { BringUp(subnet, {kHost, 1}); });
  }

  Output Run(const std::string& command) {
    const std::string line = std::string(kPath) + "timeout 60 env LD_PRELOAD=" + preload_ + " IBSIM_SOCKNAME=" + name_ +
                             " SIM_HOST=H1 " + command + " 2>&1";
    Output output;
    FILE* pipe = popen(line.c_str(), "r");
    if (pipe == nullptr) return output;
    char buffer[4096];
    std::size_t got = 0;
    while ((got = fread(buffer, 1, sizeof(buffer), pipe)) > 0) output.text.append(buffer, got);
    const int status = pclose(pipe);
    output.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return output;
  }
  Output Succeed(const std::string& command) {
    Output output = Run(command);
    EXPECT_EQ(output.status, 0) << command << "\n" << output.text;
    return output;
  }
  template <typename Read>
  auto Look(Read read) {
    decltype(read(std::declval<Device&>(), std::declval<Device&>())) result{};
    emulator_.Do([&](Subnet& subnet) { result = read(subnet.device(kSwitch), subnet.device(kHost)); });
    return result;
  }

  std::string preload_;
  std::string name_ = UniqueName();
  Fabric fabric_ = MakeFabric();
  Emulator emulator_{fabric_, Options(name_)};
};

TEST_F(Diags, SwitchCongestionSetting) {
  Succeed("ibccconfig SS 1 0x1F 0x8000000000000003 0x4 15 8 7 2:9 300");
  const ccp_switch_setting held = Look([](Device& sw, Device&) { return sw.cca.switch_tables.setting; });
  EXPECT_TRUE(ccp_port_mask_test(held.victim_mask, 0) && ccp_port_mask_test(held.victim_mask, 63));
  EXPECT_EQ(held.cs_return_delay.shift, 2);
  EXPECT_EQ(held.cs_return_delay.multiplier, 9);
  const Output read = Succeed("ibccquery SS 1");
  EXPECT_EQ(read.Value("Control_Map"), "0x0000001f") << read.text;
  EXPECT_EQ(read.Value("Victim_Mask"), "0000000000000000000000000000000000000000000000008000000000000003");
  EXPECT_EQ(read.Value("Credit_Mask"), "0000000000000000000000000000000000000000000000000000000000000004");
  EXPECT_EQ(read.Value("Threshold"), "0x0f");
  EXPECT_EQ(read.Value("Packet_Size"), "8");
  EXPECT_EQ(read.Value("CS_Threshold"), "0x07");
  EXPECT_EQ(read.Value("CS_ReturnDelay"), "0x8009");
  EXPECT_EQ(read.Value("Marking_Rate"), "300");
  EXPECT_NE(Run("ibccquery SS 2").status, 0);  // a host has none
}

TEST_F(Diags, SwitchPortCongestionSetting) {
  Succeed("ibccconfig SP 1 3 1 0 4 5 6");
  Succeed("ibccconfig SP 1 31 1 1 12 0 16391");
  const Output three = Succeed("ibccquery SP 1 3"), all = Succeed("ibccquery SP 1");
  for (const Output& read :
       {Output{0, "\n" + three.text}, Output{0, all.text.substr(all.text.find("Port:............................3\n"))}}) {
    EXPECT_EQ(read.Value("Valid"), "1") << read.text;
    EXPECT_EQ(read.Value("Control_Type"), "0");
    EXPECT_EQ(read.Value("Threshold"), "0x04");
    EXPECT_EQ(read.Value("Packet_Size"), "5");
    EXPECT_EQ(read.Value("Cong_Parm_Marking_Rate"), "6");
  }
  EXPECT_EQ(all.Value("Cong_Parm_Marking_Rate", "Port:............................31\n"), "16391");
  EXPECT_EQ(Look([](Device& sw, Device&) { return sw.cca.switch_tables.ports[31].starvation.threshold; }), 12);
}

// The tools' own fault: elements are 32 a block, they take 48. What is meant for port 33 is written over port 1.
TEST_F(Diags, ToolsGoWrongAbovePort31) {
  Succeed("ibccconfig SP 1 1 1 0 4 5 6");
  Succeed("ibccconfig SP 1 33 1 0 9 8 7");
  const auto ports = Look([](Device& sw, Device&) { return sw.cca.switch_tables.ports; });
  EXPECT_FALSE(ports[33].congestion.valid);
  EXPECT_EQ(ports[1].congestion.threshold, 9);
  // A tool that counts as the specification does finds every port.
  const std::string port64 = Succeed("ibccquery SP 1 64").text;  // 64 / 48: block 1, where element 16 is port 48's
  EXPECT_NE(port64.find("Valid:...........................0"), std::string::npos) << port64;
}

TEST_F(Diags, CaCongestionSetting) {
  Succeed("ibccconfig CS 2 1 0x8005 150 2 3 4");
  const Output read = Succeed("ibccquery CS 2");
  EXPECT_EQ(read.Value("Port_Control"), "0x0001") << read.text;
  EXPECT_EQ(read.Value("Control_Map"), "0x8005");
  for (const int sl : {0, 1, 2, 14, 15}) {
    const bool set = sl == 0 || sl == 2 || sl == 15;
    const std::string at = "SL:.............................." + std::to_string(sl) + "\n";
    EXPECT_EQ(read.Value("CCTI_Timer", at), set ? "150" : "0") << sl;
    EXPECT_EQ(read.Value("CCTI_Increase", at), set ? "2" : "0") << sl;
    EXPECT_EQ(read.Value("Trigger_Threshold", at), set ? "3" : "0") << sl;
    EXPECT_EQ(read.Value("CCTI_Min", at), set ? "4" : "0") << sl;
  }
  EXPECT_NE(Run("ibccconfig CS 1 1 0x8005 150 2 3 4").status, 0);  // a switch has none
}

TEST_F(Diags, CongestionControlTableOfTwoBlocks) {
  for (int block = 0; block < 2; ++block) {
    std::string command = "ibccconfig CT 2 " + std::to_string(64 * block + 63) + " " + std::to_string(block);
    for (int i = 64 * block; i < 64 * block + 64; ++i) {
      command += " " + std::to_string(i % 4) + ":" + std::to_string(100 * i + 1);
    }
    Succeed(command);
  }
  const Output read = Succeed("ibccquery CT 2");
  EXPECT_EQ(read.Value("CCTI_Limit"), "127") << read.text;
  for (int i = 0; i < 128; ++i) {
    const std::string at = "Entry:..........................." + std::to_string(i) + "\n";
    EXPECT_EQ(read.Value("CCT_Shift", at), std::to_string(i % 4)) << i;
    EXPECT_EQ(read.Value("CCT_Multiplier", at), std::to_string(100 * i + 1)) << i;
  }
}

TEST_F(Diags, ATableLargerThanTheDeviceIsRefused) {
  emulator_.Do([](Subnet& subnet) { subnet.device(kHost).cca.firmware.cct_blocks = 1; });
  EXPECT_EQ(Succeed("ibccquery CI 2").Value("ControlTableCap"), "1");
  EXPECT_EQ(Run("ibccconfig CT 2 64 1 0:1").status, 255);
  Succeed("ibccconfig CT 2 1 0 0:1 0:2");
}

TEST_F(Diags, CongestionKeyInfo) {
  Succeed("ibccconfig CK 2 0x1122334455667788 1 60 0");
  EXPECT_EQ(Run("ibccquery CS 2").status, 255);  // without the key: no answer
  EXPECT_EQ(Run("ibccconfig -c 0x1 CS 2 1 0xFFFF 1 1 1 1").status, 255);
  Succeed("ibccquery -c 0x1122334455667788 CS 2");
  Output read = Succeed("ibccquery -c 0x1122334455667788 CK 2");
  EXPECT_EQ(read.Value("CC_Key"), "0x1122334455667788") << read.text;
  EXPECT_EQ(read.Value("CC_KeyProtectBit"), "1");
  EXPECT_EQ(read.Value("CC_KeyLeasePeriod"), "60");
  EXPECT_EQ(read.Value("CC_KeyViolations"), "6");                              // each of the two has asked three times
  EXPECT_EQ(Succeed("ibccquery CK 2").Value("CC_Key"), "0x0000000000000000");  // hidden
  Succeed("ibccconfig -c 0x1122334455667788 CK 2 0 0 0 0");
  Succeed("ibccquery CS 2");
}

TEST_F(Diags, ClassPortInfoCongestionInfoAndTimestamp) {
  const Output port_info = Succeed("ibccquery CP 1");
  EXPECT_EQ(port_info.Value("ClassVersion"), "2") << port_info.text;
  EXPECT_EQ(port_info.Value("CapabilityMask"), "0x0001");
  EXPECT_EQ(Succeed("ibccquery CI 1").Value("CongestionInfo"), "0x0001");
  EXPECT_EQ(Succeed("ibccquery CI 2").Value("ControlTableCap"), "255");
  const std::string first = Succeed("ibccquery TI 1").Value("Timestamp"), second = Succeed("ibccquery TI 1").Value("Timestamp");
  EXPECT_LT(std::stoul(first), std::stoul(second));
}

TEST_F(Diags, CongestionLogs) {
  emulator_.Do([](Subnet& subnet) {
    subnet.device(kSwitch).cca.ports[0].log.Add(SwitchLogEvent{.slid = 2, .dlid = 3, .sl = 4, .at_ns = 1024 * 77});
    subnet.device(kSwitch).cca.ports[0].log.ports.set(64);
    subnet.device(kHost).cca.firmware.log_layout = CaLogLayout::Libibmad;
    subnet.device(kHost).cca.ports[1].log.Add(CaLogEvent{
        .local_qp = 5, .remote_qp = 6, .sl = 7, .service_type = 0, .local_lid = 2, .remote_lid = 3, .at_ns = 1024 * 88});
  });
  const Output of_switch = Succeed("ibccquery CL 1");
  EXPECT_EQ(of_switch.Value("LogType"), "1") << of_switch.text;
  EXPECT_EQ(of_switch.Value("LogEventsCounter"), "1");
  EXPECT_EQ(of_switch.Value("PortMap"), "0000000000000000000000000000000000000000000000010000000000000000");
  EXPECT_EQ(of_switch.Value("SLID"), "2");
  EXPECT_EQ(of_switch.Value("DLID"), "3");
  EXPECT_EQ(of_switch.Value("SL"), "4");
  EXPECT_EQ(of_switch.Value("Timestamp"), "77");
  const Output of_host = Succeed("ibccquery CL 2");
  EXPECT_EQ(of_host.Value("LogType"), "2") << of_host.text;
  EXPECT_EQ(of_host.Value("ThresholdCongestionEventMap"), "0x0080");
  EXPECT_EQ(of_host.Value("Local_QP_CN_Entry"), "5");
  EXPECT_EQ(of_host.Value("Remote_QP_Number_CN_Entry"), "6");
  EXPECT_EQ(of_host.Value("Remote_LID_CN_Entry"), "3");
  EXPECT_EQ(of_host.Value("Timestamp_CN_Entry"), "88");
}

TEST_F(Diags, PerfqueryReadsAndClears) {
  emulator_.Do([](Subnet& subnet) {
    PmaPort& port = subnet.device(2).pma.ports[1];
    port = {};
    port.CountXmit(1000, 4'000'000, 3);
    port.CountRcv(2000, 0x4'0000'0000 * 4, 3, 1);
    port.xmit_wait_ns = 4 * 555;
  });
  Output read = Succeed("perfquery 3 1");
  EXPECT_EQ(read.Value("PortXmitWait"), "555") << read.text;
  EXPECT_EQ(read.Value("PortRcvData"), "4294967295");
  read = Succeed("perfquery -x 3 1");
  // The question and its answer crossed the port themselves. What libumad2sim hands on ends before the last 32 bytes of a MAD, where
  // the attribute has PortXmitWait: it reads the MAD and its own header into a buffer that has room for a smaller header.
  EXPECT_GE(std::stoull(read.Value("PortRcvData")), 0x4'0000'0000u) << read.text;
  EXPECT_GE(std::stoull(read.Value("PortXmitPkts")), 1000u);
  EXPECT_LT(std::stoull(read.Value("PortXmitPkts")), 1100u);
  EXPECT_EQ(read.Value("PortMulticastXmitPkts"), "0");
  EXPECT_EQ(Succeed("perfquery -X 3 1").Value("XmtDataSL3"), "1000000");
  EXPECT_EQ(Succeed("perfquery --vloppackets 3 1").Value("PortVLOpPackets1"), "2000");
  Succeed("perfquery -R 3 1 0xFFFFF");
  read = Succeed("perfquery 3 1");
  EXPECT_EQ(read.Value("PortXmitWait"), "0");
  EXPECT_LT(std::stoul(read.Value("PortXmitPkts")), 100u);
}

TEST_F(Diags, PerfquerySumsASwitchsPorts) {
  emulator_.Do([](Subnet& subnet) {
    for (unsigned port = 1; port <= 64; ++port) subnet.device(kSwitch).pma.ports[port].xmit_wait_ns = 4 * 10;
  });
  EXPECT_EQ(Succeed("perfquery -a 1").Value("PortXmitWait"), "640");
  EXPECT_EQ(Succeed("perfquery 1 255").Value("PortXmitWait"), "640");
  EXPECT_EQ(Succeed("perfquery -l 1 1-64").Value("PortXmitWait", "port 64"), "10");
  EXPECT_NE(Run("perfquery 1 65").status, 0);
  EXPECT_NE(Run("perfquery 2 2").status, 0);  // a host of one port
}

TEST_F(Diags, PerfqueryHasEveryAttributeOfCounters) {
  const std::tuple<const char*, const char*> options[] = {
      {"-X", "XmtDataSL15"},
      {"-S", "RcvDataSL15"},
      {"-D", "PortSwHOQLifetimeLimitDiscards"},
      {"-E", "PortLoopingErrors"},
      {"--oprcvcounters", "PortOpRcvData"},
      {"--flowctlcounters", "PortRcvFlowPkts"},
      {"--vloppackets", "PortVLOpPackets15"},
      {"--vlopdata", "PortVLOpData15"},
      {"--vlxmitflowctlerrors", "PortVLXmitFlowCtlUpdateErrors15"},
      {"--vlxmitcounters", "PortVLXmitWait15"},
      {"--swportvlcong", "SWPortVLCongestion15"},
      {"--rcvcc", "PortPktRcvBECN"},
      {"--slrcvfecn", "PortSLRcvFECN15"},
      {"--slrcvbecn", "PortSLRcvBECN15"},
      {"--xmitcc", "PortXmitTimeCong"},
      {"--vlxmittimecc", "PortVLXmitTimeCong14"},
  };
  for (const auto& [option, field] : options) {
    for (const char* mode : {"", "-r ", "-R "}) {
      const Output read = Succeed(std::string("perfquery ") + mode + option + " 1 1");
      EXPECT_EQ(read.Value(field).empty(), std::string(mode) == "-R ") << option << mode << read.text;
    }
  }
  // Sampling, and what only links with other encodings count, are refused with an error.
  for (const char* option : {"-c", "-T"}) EXPECT_NE(Run(std::string("perfquery ") + option + " 1 1").status, 0) << option;
}

}  // namespace diags_test
}  // namespace ccsim::emulator

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "port_counters.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>

namespace {

class PortCounters : public testing::Test {
 protected:
  PortCounters() {
    std::string name = "/tmp/ibcc-port-counters-XXXXXX";
    folder = mkdtemp(name.data());
    meter_port_counters_clear(folder.c_str());
  }
  ~PortCounters() override {
    meter_port_counters_clear("/sys/class/infiniband");
    std::filesystem::remove_all(folder);
  }
  void write(const std::string& path, const std::string& value) {
    const std::filesystem::path file = folder / path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << value << "\n";
  }
  static std::map<std::string, uint64_t> read() {
    meter_counter counters[METER_COUNTERS_MAX];
    std::map<std::string, uint64_t> all;
    const unsigned int count = meter_port_counters_read(counters);
    for (unsigned int i = 0; i < count; ++i) all[counters[i].name] = counters[i].more;
    return all;
  }

  std::filesystem::path folder;
};

using Counts = std::map<std::string, uint64_t>;

TEST_F(PortCounters, GrowFromWhenThePortCameInUse) {
  write("mlx5_0/ports/1/hw_counters/np_cnp_sent", "100");
  write("mlx5_0/ports/1/counters/port_xmit_wait", "7");
  write("mlx5_0/ports/1/counters/port_xmit_data", "1");
  write("mlx5_0/ports/1/hw_counters/rp_cnp_handled", "N/A (no PMA)");
  meter_port_counters_add("mlx5_0", 1);
  meter_port_counters_add("mlx5_0", 1);
  write("mlx5_0/ports/1/hw_counters/np_cnp_sent", "130");
  EXPECT_EQ(read(), (Counts{{"np_cnp_sent", 30}, {"port_xmit_wait", 0}}));
  write("mlx5_0/ports/1/hw_counters/np_cnp_sent", "131");
  EXPECT_EQ(read()["np_cnp_sent"], 31u) << "nothing was reported yet";
  meter_port_counters_commit();
  EXPECT_EQ(read()["np_cnp_sent"], 0u);
  write("mlx5_0/ports/1/hw_counters/np_cnp_sent", "5");
  EXPECT_EQ(read()["np_cnp_sent"], 5u) << "somebody reset it";
}

TEST_F(PortCounters, OfSeveralPortsAreAddedUp) {
  for (const char* port : {"a/ports/1", "a/ports/2", "b/ports/1"}) write(std::string(port) + "/hw_counters/rx_cnp_pkts", "10");
  meter_port_counters_add("a", 1);
  meter_port_counters_add("a", 2);
  meter_port_counters_add("b", 1);
  for (const char* port : {"a/ports/1", "a/ports/2", "b/ports/1"}) write(std::string(port) + "/hw_counters/rx_cnp_pkts", "11");
  EXPECT_EQ(read(), (Counts{{"rx_cnp_pkts", 3}}));
}

TEST_F(PortCounters, NoneAreNone) {
  meter_port_counters_add("nothing", 1);
  meter_port_counters_add("../../etc", 1);
  EXPECT_EQ(read(), Counts{});
}

}  // namespace

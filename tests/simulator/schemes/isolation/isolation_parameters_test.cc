// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "schemes/isolation/isolation_parameters.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>

namespace ccsim {
namespace isolation_parameters_test {

template <typename F>
std::string ErrorOf(F f) {
  try {
    f();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(IsolationParameters, OfAllSchemesPass) {
  for (const IsolationScheme& scheme : IsolationSchemes()) {
    EXPECT_EQ(ErrorOf([&] { Check(scheme.parameters); }), "") << scheme.name;
    EXPECT_EQ(IsolationDefaults(scheme.name), scheme.parameters);
  }
  EXPECT_TRUE(std::is_sorted(IsolationSchemes().begin(), IsolationSchemes().end(),
                             [](const auto& a, const auto& b) { return a.name < b.name; }));
}

// Paper V, section IV.A, and Paper VI, section 4.1.
TEST(IsolationParameters, AreThePapers) {
  const IsolationParameters ccfit = IsolationDefaults("CCFIT"), ecocc = IsolationDefaults("EcoCC");
  EXPECT_EQ(ccfit.special_queues, 2U);
  EXPECT_EQ(ccfit.stop_packets, 10U);
  EXPECT_EQ(ccfit.go_packets, 4U);
  EXPECT_EQ(ccfit.high_packets, 4U);
  EXPECT_EQ(ccfit.low_packets, 2U);
  EXPECT_EQ(ecocc.special_queues, 2U);
  for (const unsigned hth : {ecocc.detection_packets, ecocc.propagation_packets, ecocc.stop_packets, ecocc.high_packets}) {
    EXPECT_EQ(hth, 6U);
  }
  for (const unsigned lth : {ecocc.go_packets, ecocc.low_packets}) EXPECT_EQ(lth, 4U);
  EXPECT_EQ(LineDestinations(64), 8U);
  EXPECT_EQ(LineDestinations(65), 16U);
  EXPECT_EQ(LineDestinations(256), 16U);
  EXPECT_EQ(LineDestinations(1024), 32U);
}

TEST(IsolationParameters, OfHybridsDifferInThrottlingAlone) {
  for (const auto& [hybrid, isolation] : {std::pair{"CCFIT", "FBICM"}, {"EcoCC", "HFDI"}}) {
    IsolationParameters p = IsolationDefaults(isolation);
    EXPECT_FALSE(p.throttles);
    p.throttles = true;
    EXPECT_EQ(p, IsolationDefaults(hybrid));
  }
}

TEST(IsolationParameters, AreThoseOfTheDocument) {
  std::ifstream file(std::string(IBCC_SOURCE_DIR) + "/docs/research/flow-isolation.md");
  const std::string document{std::istreambuf_iterator<char>(file), {}};
  const IsolationParameters one = IsolationDefaults("CCFIT"), per_output = IsolationDefaults("EcoCC");
  const auto has = [&](const std::string& name, const auto& first, const auto& second, const std::string& more = "") {
    std::ostringstream row;
    row << "| " << name << " | " << first << " | " << second << more << " |";
    EXPECT_NE(document.find(row.str()), std::string::npos) << row.str();
  };
  const auto pair = [](unsigned a, unsigned b) { return std::to_string(a) + ", " + std::to_string(b); };
  has("`special_queues`", one.special_queues, per_output.special_queues);
  has("`line_destinations`", one.line_destinations, LineDestinations(64), "; 16 above 64 hosts, 32 above 256");
  has("`detection_packets`", one.detection_packets, per_output.detection_packets, " (HTh)");
  has("`propagation_packets`", one.propagation_packets, per_output.propagation_packets, " (HTh)");
  has("`stop_packets`, `go_packets`", pair(one.stop_packets, one.go_packets),
      pair(per_output.stop_packets, per_output.go_packets), " (HTh, LTh)");
  has("`high_packets`, `low_packets`", pair(one.high_packets, one.low_packets),
      pair(per_output.high_packets, per_output.low_packets), " (HTh, LTh)");
  has("`life_time_ns`", one.life_time_ns, per_output.life_time_ns);
}

TEST(IsolationParameters, AnUnknownSchemeIsNamed) {
  EXPECT_EQ(ErrorOf([] { IsolationDefaults("RECN"); }), "scheme 'RECN' is unknown; flow isolation has CCFIT, EcoCC, FBICM, HFDI");
}

TEST(IsolationParameters, AnErrorNamesValueAndRange) {
  const auto error = [](const char* scheme, auto change) {
    IsolationParameters p = IsolationDefaults(scheme);
    change(p);
    return ErrorOf([&] { Check(p); });
  };
  EXPECT_EQ(error("CCFIT", [](auto& p) { p.special_queues = 17; }), "special_queues is 17; it must be from 1 to 16");
  EXPECT_EQ(error("CCFIT", [](auto& p) { p.detection_packets = 0; }), "detection_packets is 0; it must be from 1 to 65536");
  EXPECT_EQ(error("HFDI", [](auto& p) { p.line_destinations = 33; }), "line_destinations is 33; it must be from 1 to 32");
  EXPECT_EQ(error("FBICM", [](auto& p) { p.line_destinations = 2; }),
            "line_destinations is 2; it must be 1 where an input port has one normal queue");
  EXPECT_EQ(error("HFDI", [](auto& p) { p.life_time_ns = -1; }), "life_time_ns is -1; it must be from 0 to 1e+09");
  EXPECT_EQ(error("CCFIT", [](auto& p) { p.go_packets = 10; }),
            "go_packets is 10; it must be less than stop_packets, which is 10");
  EXPECT_EQ(error("CCFIT", [](auto& p) { p.propagation_packets = 11; }),
            "propagation_packets is 11; it must be at most stop_packets, which is 10");
  EXPECT_EQ(error("CCFIT", [](auto& p) { p.low_packets = 4; }),
            "low_packets is 4; it must be less than high_packets, which is 4");
  EXPECT_EQ(error("CCFIT", [](auto& p) { p.high_packets = 11; }),
            "high_packets is 11; it must be at most stop_packets, which is 10");
}

}  // namespace isolation_parameters_test
}  // namespace ccsim

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// support.hpp: profiles and small fabrics in the words of the tests.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ccpolicy/fabric_view.h"
#include "ccpolicy/profile.h"
#include "ccpolicy/reader.h"
#include "ccpolicy/resolve.h"
#include "ccpolicy/writer.h"

namespace ccpolicy_test {

struct ProfileDeleter {
  void operator()(ccp_profile* p) const { ccp_profile_destroy(p); }
};
struct TablesDeleter {
  void operator()(ccp_tables* t) const { ccp_tables_destroy(t); }
};
using Profile = std::unique_ptr<ccp_profile, ProfileDeleter>;
using Tables = std::unique_ptr<ccp_tables, TablesDeleter>;

// The profile in `text`; a test that expects one fails with the reader's sentence.
inline Profile Read(const std::string& text) {
  ccp_error error{};
  Profile profile(ccp_profile_read(text.data(), text.size(), &error));
  EXPECT_NE(profile, nullptr) << error.line << ":" << error.column << ": " << error.message;
  return profile;
}

// What the reader says of a text that it must refuse, as "line:column: sentence".
inline std::string Refusal(const std::string& text) {
  ccp_error error{};
  const Profile profile(ccp_profile_read(text.data(), text.size(), &error));
  if (profile) return "(accepted)";
  return std::to_string(error.line) + ":" + std::to_string(error.column) + ": " + error.message;
}

inline std::string Write(const ccp_profile& profile, ccp_format format = CCP_FORMAT_YAML) {
  std::size_t length = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(ccp_profile_write(&profile, format, &length), std::free);
  return {text.get(), length};
}

// A valid profile; `more` is appended, as overrides mostly.
inline std::string Document(const std::string& more = "", const std::string& cct =
                                                              "ccti_limit: 127\n  curve: {kind: power, "
                                                              "full_scale_us: 7, at_index: 106, exponent: 2}") {
  return "ibcc_profile: 1\nname: test\nlink: {rate_gbps: 16, mtu_bytes: 2048}\n"
         "switch: {threshold: 15, marking_rate: 1, packet_size: 8, victim_mask: ca_ports}\n"
         "ca: {ccti_timer: 150, ccti_increase: 1}\n"
         "cct:\n  " +
         cct + "\n" + more;
}

// A fabric that is built link by link.
class TestFabric {
 public:
  std::uint32_t Add(const std::string& name, ccp_node_kind kind, std::uint32_t num_ports) {
    names_.push_back(std::make_unique<std::string>(name));
    kinds_.push_back(kind);
    peers_.emplace_back(num_ports + 1, CCP_NO_PEER);
    return static_cast<std::uint32_t>(kinds_.size() - 1);
  }
  void Connect(std::uint32_t a, std::uint32_t port_a, std::uint32_t b, std::uint32_t port_b) {
    peers_.at(a).at(port_a) = b;
    peers_.at(b).at(port_b) = a;
  }
  static std::uint64_t Guid(std::uint32_t node) { return 0x100 + node; }

  Tables Resolve(const ccp_profile& profile, ccp_error* error = nullptr) const {
    std::vector<ccp_fabric_node> nodes;
    for (std::size_t i = 0; i < kinds_.size(); ++i) {
      nodes.push_back({.guid = Guid(static_cast<std::uint32_t>(i)),
                       .description = names_[i]->c_str(),
                       .kind = kinds_[i],
                       .num_ports = static_cast<std::uint32_t>(peers_[i].size() - 1),
                       .peer_nodes = peers_[i].data()});
    }
    const ccp_fabric_view view{.num_nodes = static_cast<std::uint32_t>(nodes.size()), .nodes = nodes.data()};
    return Tables(ccp_resolve(&profile, &view, error));
  }

 private:
  std::vector<std::unique_ptr<std::string>> names_;
  std::vector<ccp_node_kind> kinds_;
  std::vector<std::vector<std::uint32_t>> peers_;
};

inline std::vector<unsigned> PortsOf(const std::uint8_t* mask) {
  std::vector<unsigned> ports;
  for (unsigned port = 0; port < 256; ++port) {
    if (ccp_port_mask_test(mask, port)) ports.push_back(port);
  }
  return ports;
}

inline std::vector<std::string> WarningsOf(const ccp_tables& tables) {
  return {tables.warnings, tables.warnings + tables.num_warnings};
}

}  // namespace ccpolicy_test

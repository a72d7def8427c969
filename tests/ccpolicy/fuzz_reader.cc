// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Any bytes are safe to read, and what is read can be written, read back equal, encoded and resolved.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "ccpolicy/cct.h"
#include "ccpolicy/fabric_view.h"
#include "ccpolicy/nvidia.h"
#include "ccpolicy/profile.h"
#include "ccpolicy/reader.h"
#include "ccpolicy/resolve.h"
#include "ccpolicy/wire.h"
#include "ccpolicy/writer.h"

namespace {

void Require(bool condition) {
  if (!condition) std::abort();
}

void CheckSentence(const ccp_error& error) {
  const std::size_t length = strnlen(error.message, sizeof(error.message));
  Require(length > 0 && length < sizeof(error.message));
  Require(std::memchr(error.message, '\n', length) == nullptr);
  Require((error.line == 0) == (error.column == 0));
}

void CheckTable(const ccp_profile_cct& cct, double packet_time_ns) {
  if (cct.source == CCP_CCT_ABSENT) return;
  std::vector<ccp_cct_row> rows(cct.ccti_limit + std::size_t{1});
  Require(ccp_cct_evaluate(&cct, packet_time_ns, rows.data(), nullptr) == 0);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Require(rows[i].entry.shift <= CCP_SHIFT_MAX && rows[i].entry.multiplier <= CCP_MULTIPLIER_MAX);
    if (cct.source != CCP_CCT_ENTRIES && i > 0) Require(rows[i].ird >= rows[i - 1].ird);
  }
}

void CheckPacks(ccp_attribute_id id, const void* host) {
  std::uint8_t payload[CCP_ATTRIBUTE_BYTES];
  Require(ccp_pack_set(id, host, payload, nullptr) == 0);
}

void CheckNvidia(const ccp_switch_tables& sw) {
  CheckPacks(CCP_CONGESTION_SWITCH_GENERAL_SETTINGS, &sw.nvidia->general);
  for (std::uint32_t port = 1; port <= sw.num_ports; ++port) {
    const ccp_nvidia_switch_port& p = sw.nvidia->ports[port];
    for (std::uint32_t i = 0; i < p.num_profiles; ++i) CheckPacks(CCP_CONGESTION_PORT_PROFILE_SETTINGS, &p.profiles[i]);
    CheckPacks(CCP_CONGESTION_SL_MAPPING_SETTINGS, &p.sl_mapping);
  }
}

void CheckNvidia(const ccp_nvidia_ca_tables& ca) {
  CheckPacks(CCP_CONGESTION_HCA_GENERAL_SETTINGS, &ca.general);
  CheckPacks(CCP_CONGESTION_HCA_RP_PARAMETERS, &ca.rp);
  CheckPacks(CCP_CONGESTION_HCA_NP_PARAMETERS, &ca.np);
  unsigned sls = 0;
  for (std::uint32_t i = 0; i < ca.num_slots; ++i) {
    Require((sls & ca.slots[i].sls) == 0 && ca.slots[i].parameters.count <= CCP_PPCC_PARAMETERS_MAX);
    sls |= ca.slots[i].sls;
  }
}

void CheckTables(const ccp_tables& tables) {
  std::uint8_t payload[CCP_ATTRIBUTE_BYTES];
  for (std::uint32_t i = 0; i < tables.num_switches; ++i) {
    Require(ccp_pack(CCP_SWITCH_CONGESTION_SETTING, &tables.switches[i].setting, payload, nullptr) == 0);
    if (tables.switches[i].nvidia != nullptr) CheckNvidia(tables.switches[i]);
    ccp_switch_port_block block;
    ccp_switch_port_get_block(&tables.switches[i], 0, &block);
    Require(ccp_pack(CCP_SWITCH_PORT_CONGESTION_SETTING, &block, payload, nullptr) == 0);
  }
  for (std::uint32_t i = 0; i < tables.num_cas; ++i) {
    Require(ccp_pack(CCP_CA_CONGESTION_SETTING, &tables.cas[i].setting, payload, nullptr) == 0);
    if (tables.cas[i].nvidia != nullptr) CheckNvidia(*tables.cas[i].nvidia);
    ccp_cct_block block;
    ccp_cct_get_block(&tables.cas[i].cct, ccp_cct_num_blocks(tables.cas[i].cct.ccti_limit) - 1, &block);
    Require(ccp_pack(CCP_CONGESTION_CONTROL_TABLE, &block, payload, nullptr) == 0);
  }
}

void CheckResolves(const ccp_profile& profile) {
  // A switch with a host, an aggregation node and a router.
  static const std::uint32_t switch_peers[] = {CCP_NO_PEER, 1, 2, 3, CCP_NO_PEER};
  static const std::uint32_t ca_peers[] = {CCP_NO_PEER, 0};
  static const ccp_fabric_node nodes[] = {
      {.guid = 1, .description = "leaf-1", .kind = CCP_NODE_SWITCH, .num_ports = 4, .peer_nodes = switch_peers},
      {.guid = 2, .description = "node1 mlx5_0", .kind = CCP_NODE_HOST, .num_ports = 1, .peer_nodes = ca_peers},
      {.guid = 3, .description = "", .kind = CCP_NODE_AGGREGATION, .num_ports = 1, .peer_nodes = ca_peers},
      {.guid = 4, .description = "r", .kind = CCP_NODE_ROUTER, .num_ports = 1, .peer_nodes = ca_peers},
  };
  const ccp_fabric_view view{.num_nodes = 4, .nodes = nodes};
  ccp_error error{};
  ccp_tables* tables = ccp_resolve(&profile, &view, &error);
  if (tables != nullptr) {
    CheckTables(*tables);
  } else {
    Require(error.message[0] != '\0');
  }
  ccp_tables_destroy(tables);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const char* text = reinterpret_cast<const char*>(data);
  ccp_error error{};
  ccp_profile* profile = ccp_profile_read(text, size, &error);
  if (profile == nullptr) {
    CheckSentence(error);
    return 0;
  }
  for (const ccp_format format : {CCP_FORMAT_YAML, CCP_FORMAT_JSON}) {
    std::size_t length = 0;
    char* written = ccp_profile_write(profile, format, &length);
    Require(written != nullptr);
    if (length <= CCP_DOCUMENT_MAX_BYTES) {
      ccp_profile* again = ccp_profile_read(written, length, &error);
      Require(again != nullptr && ccp_profile_equal(profile, again));
      ccp_profile_destroy(again);
    }
    std::free(written);
  }
  const double packet_time_ns = profile->rate_gbps > 0 ? ccp_packet_time_ns(profile->rate_gbps, profile->mtu_bytes) : 0;
  CheckTable(profile->cct, packet_time_ns);
  for (std::uint32_t i = 0; i < profile->num_overrides; ++i) CheckTable(profile->overrides[i].cct, packet_time_ns);
  CheckResolves(*profile);
  ccp_profile_destroy(profile);
  return 0;
}

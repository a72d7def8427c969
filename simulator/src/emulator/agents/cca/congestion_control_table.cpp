// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cca/congestion_control_table.cpp: CongestionControlTable (IBA A10.4.3.9): delays by CCTI, a block of 64 entries from index 64 times
// the attribute modifier.
//
// Senders have two ways with CCTI_Limit in a table of several blocks: OpenSM writes the final limit in every block, ibccconfig the
// limit reached with each block. Firmware that goes by the latest Set serves both; firmware that counts a block's entries by its
// limit, as the open qib driver does, needs the second (CctiLimitReading).
#include <algorithm>
#include <cstddef>

#include "emulator/agents/cca/attribute.hpp"

namespace ccsim::emulator {
namespace {

constexpr std::size_t kBlock = CCP_CCT_ENTRIES_PER_BLOCK;

void SetBlock(CaTables& tables, const CcaFirmware& firmware, std::size_t first, std::uint16_t limit,
              const ccp_cct_entry (&entries)[kBlock]) {
  // Never smaller: the data plane may still look at what it was given.
  const std::size_t needed = std::max<std::size_t>(first + kBlock, std::size_t{limit} + 1);
  if (tables.cct.size() < needed) tables.cct.resize(needed);
  const std::size_t taken = firmware.limit_reading == CctiLimitReading::PerBlock ? limit % kBlock + 1 : kBlock;
  std::copy_n(entries, taken, tables.cct.begin() + static_cast<std::ptrdiff_t>(first));
  tables.ccti_limit = limit;
  tables.has_cct = true;
}

ccp_cct_block Block(const CaTables& tables, const CcaFirmware& firmware, std::size_t first) {
  ccp_cct_block block{};
  block.ccti_limit = tables.ccti_limit;
  if (firmware.limit_reading == CctiLimitReading::PerBlock) {
    block.ccti_limit = static_cast<std::uint16_t>(std::min<std::size_t>(first + kBlock - 1, tables.ccti_limit));
  }
  if (first < tables.cct.size()) {
    std::copy_n(tables.cct.begin() + static_cast<std::ptrdiff_t>(first), std::min(kBlock, tables.cct.size() - first),
                block.entries);
  }
  return block;
}

MadStatus HandleCongestionControlTable(Request& request) {
  const CcaFirmware& firmware = CcaOf(request).firmware;
  if (!IsCa(request) || firmware.cct_blocks == 0) return kUnsupportedMethodAttribute;
  if (request.modifier() >= firmware.cct_blocks) return kInvalidField;
  const std::size_t first = std::size_t{request.modifier()} * kBlock;
  CaTables& tables = AgentOf(request).tables;
  if (request.is_set()) {
    const auto set = Unpacked<ccp_cct_block>(CCP_CONGESTION_CONTROL_TABLE, request.data);
    const auto last = static_cast<std::uint16_t>(firmware.cct_blocks * kBlock - 1);
    if (set.ccti_limit > last && !firmware.clamps_ccti_limit) return kInvalidField;
    NoteSet(request);
    SetBlock(tables, firmware, first, std::min(set.ccti_limit, last), set.entries);
  }
  PackInto(request.data, CCP_CONGESTION_CONTROL_TABLE, Block(tables, firmware, first));
  return kOk;
}

const CcaRegistration kRegistered(CCP_CONGESTION_CONTROL_TABLE, kGetAndSet, ForDialect<KnowsA10, HandleCongestionControlTable>);

}  // namespace
}  // namespace ccsim::emulator

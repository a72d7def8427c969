// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Any bytes are safe to unpack, as any attribute; what is unpacked packs into bytes that unpack as the same values, and prints.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "ccpolicy/wire.h"

namespace {

using Payload = std::array<std::uint8_t, CCP_CONGESTION_LOG_BYTES>;

void Require(bool condition) {
  if (!condition) std::abort();
}

}  // namespace

// The first byte chooses the attribute; the others are the payload, with zeros behind.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  unsigned count = 0;
  while (ccp_wire_attribute_at(count) != nullptr) ++count;
  const ccp_wire_attribute* attribute = ccp_wire_attribute_at(data[0] % count);
  const ccp_attribute_id id = attribute->id;
  Require(ccp_find_attribute(id) == attribute);
  Payload payload{}, packed{}, again{}, set{};
  std::copy_n(data + 1, std::min<std::size_t>(size - 1, attribute->bytes), payload.begin());

  alignas(8) std::array<unsigned char, 512> host{}, host2{};
  Require(ccp_unpack(id, payload.data(), host.data()) == 0);
  Require(ccp_pack(id, host.data(), packed.data(), nullptr) == 0);
  for (std::size_t i = 0; i < packed.size(); ++i) Require((packed[i] & ~payload[i]) == 0);
  Require(ccp_unpack(id, packed.data(), host2.data()) == 0 && host == host2);
  Require(ccp_pack(id, host2.data(), again.data(), nullptr) == 0 && packed == again);
  Require(ccp_pack_set(id, host.data(), set.data(), nullptr) == 0);
  for (std::size_t i = 0; i < set.size(); ++i) Require((set[i] & ~packed[i]) == 0);

  std::array<char, 8192> text;
  const std::size_t length = ccp_wire_dump(id, payload.data(), text.data(), text.size());
  Require(length > 0 && length < text.size() && std::strlen(text.data()) == length);
  return 0;
}

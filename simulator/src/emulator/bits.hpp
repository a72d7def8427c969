// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// bits.hpp: reads and writes numbers in a MAD. Offsets count bits from the start, the most significant bit first, as in the
// specification.
#pragma once

#include <cstdint>

namespace ccsim::emulator {

inline std::uint16_t Get16(const std::uint8_t* at) { return static_cast<std::uint16_t>(at[0] << 8 | at[1]); }
inline std::uint32_t Get32(const std::uint8_t* at) { return std::uint32_t{Get16(at)} << 16 | Get16(at + 2); }
inline std::uint64_t Get64(const std::uint8_t* at) { return std::uint64_t{Get32(at)} << 32 | Get32(at + 4); }

inline void Put16(std::uint8_t* at, std::uint16_t value) {
  at[0] = static_cast<std::uint8_t>(value >> 8);
  at[1] = static_cast<std::uint8_t>(value);
}
inline void Put32(std::uint8_t* at, std::uint32_t value) {
  Put16(at, static_cast<std::uint16_t>(value >> 16));
  Put16(at + 2, static_cast<std::uint16_t>(value));
}
inline void Put64(std::uint8_t* at, std::uint64_t value) {
  Put32(at, static_cast<std::uint32_t>(value >> 32));
  Put32(at + 4, static_cast<std::uint32_t>(value));
}

// Reads a field that starts at any bit. REQUIRES: 1 <= width <= 32.
inline std::uint32_t GetBits(const std::uint8_t* data, unsigned bit, unsigned width) {
  const unsigned first = bit / 8, last = (bit + width - 1) / 8;
  std::uint64_t value = 0;
  for (unsigned i = first; i <= last; ++i) value = value << 8 | data[i];
  return static_cast<std::uint32_t>(value >> ((last + 1) * 8 - bit - width) & ((std::uint64_t{1} << width) - 1));
}

// Writes a field and keeps the bits around it. A value that is too large loses its high bits.
inline void PutBits(std::uint8_t* data, unsigned bit, unsigned width, std::uint32_t value) {
  const unsigned first = bit / 8, last = (bit + width - 1) / 8;
  const unsigned shift = (last + 1) * 8 - bit - width;
  const std::uint64_t mask = ((std::uint64_t{1} << width) - 1) << shift;
  const std::uint64_t bits = std::uint64_t{value} << shift & mask;
  for (unsigned i = first; i <= last; ++i) {
    const unsigned down = (last - i) * 8;
    data[i] = static_cast<std::uint8_t>((data[i] & ~(mask >> down)) | bits >> down);
  }
}

}  // namespace ccsim::emulator

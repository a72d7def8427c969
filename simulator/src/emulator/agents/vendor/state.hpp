// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// vendor/state.hpp: who made a node, and how it answers the vendor's management class (0x0A).
#pragma once

#include <cstdint>
#include <string>

namespace ccsim::emulator {

// How a node answers GeneralInfo. Real devices of one vendor differ here: some lack the class, and a few misbehave.
enum class GeneralInfoAnswer : std::uint8_t {
  Unsupported,  // status 0x000C
  Answered,
  Silent,          // requests of the class time out
  OtherAttribute,  // the answer has the number of another attribute
  Zeros,           // the answer has status 0 and no content
};

// Set from outside; a reboot leaves it. All zeros: nothing is known of the maker.
struct Hardware {
  std::uint32_t vendor_id = 0;  // OUI, 24 bits
  std::uint16_t device_id = 0;
  std::uint32_t firmware[3] = {};  // major, minor, sub-minor
  std::string psid;                // board, at most 16 characters
  GeneralInfoAnswer general_info = GeneralInfoAnswer::Unsupported;
};

}  // namespace ccsim::emulator

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// mad.hpp: the management datagram: 256 bytes with the header of all classes (IBA vol. 1, 13.4.2) and that of directed-route SMPs
// (14.2.1.2).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "emulator/bits.hpp"

namespace ccsim::emulator {

inline constexpr std::size_t kMadBytes = 256;
using MadBytes = std::array<std::uint8_t, kMadBytes>;

inline constexpr std::uint16_t kPermissiveLid = 0xFFFF;
inline constexpr std::uint16_t kFirstMulticastLid = 0xC000;

enum MgmtClass : std::uint8_t {
  kSmpLid = 0x01,  // subnet management, LID routed
  kSubnetAdministration = 0x03,
  kPerformance = 0x04,
  kMellanoxVendor = 0x0A,
  kCongestionControl = 0x21,
  kSmpDirected = 0x81,  // subnet management, directed route
};

// Both kinds of SMPs are one class to the agents.
constexpr std::uint8_t CanonicalClass(std::uint8_t mgmt_class) {
  return mgmt_class == kSmpDirected ? static_cast<std::uint8_t>(kSmpLid) : mgmt_class;
}

enum MadMethod : std::uint8_t {
  kGet = 0x01,
  kSet = 0x02,
  kSend = 0x03,
  kTrap = 0x05,
  kReport = 0x06,
  kTrapRepress = 0x07,
  kGetResp = 0x81,
};
inline constexpr std::uint8_t kResponseBit = 0x80;

inline constexpr std::uint16_t kNotice = 0x0002;  // the attribute that a trap carries

// Status field of the header (IBA vol. 1, table 117).
enum MadStatus : std::uint16_t {
  kOk = 0x0000,
  kBusy = 0x0001,
  kUnsupportedVersion = 0x0004,  // of the base, of the class, or of their combination
  kUnsupportedMethod = 0x0008,
  kUnsupportedMethodAttribute = 0x000C,
  kInvalidField = 0x001C,  // in the attribute or its modifier
};

// Reads and writes a MAD's header in place. The bytes must outlive it.
class Mad {
 public:
  explicit Mad(std::uint8_t* bytes) : bytes_(bytes) {}
  explicit Mad(MadBytes& bytes) : bytes_(bytes.data()) {}

  std::uint8_t* bytes() const { return bytes_; }
  std::uint8_t base_version() const { return bytes_[0]; }
  std::uint8_t mgmt_class() const { return bytes_[1]; }
  std::uint8_t class_version() const { return bytes_[2]; }
  std::uint8_t method() const { return bytes_[3]; }
  std::uint16_t status() const { return Get16(bytes_ + 4); }
  std::uint64_t transaction_id() const { return Get64(bytes_ + 8); }
  std::uint16_t attribute() const { return Get16(bytes_ + 16); }
  std::uint32_t modifier() const { return Get32(bytes_ + 20); }
  bool is_smp() const { return mgmt_class() == kSmpLid || mgmt_class() == kSmpDirected; }
  bool is_directed() const { return mgmt_class() == kSmpDirected; }
  // True for GetResp and the like. A TrapRepress is a request without an answer.
  bool is_response() const { return (method() & kResponseBit) != 0 || (is_directed() && direction()); }

  void set_method(std::uint8_t method) const { bytes_[3] = method; }
  // Keeps the direction bit of a directed route.
  void set_status(std::uint16_t status) const {
    Put16(bytes_ + 4, is_directed() ? static_cast<std::uint16_t>((bytes_[4] & 0x80) << 8 | (status & 0x7FFF)) : status);
  }
  void set_transaction_id(std::uint64_t id) const { Put64(bytes_ + 8, id); }

  // Directed routes only.
  bool direction() const { return (bytes_[4] & 0x80) != 0; }  // set: on the way back
  std::uint8_t hop_pointer() const { return bytes_[6]; }
  std::uint8_t hop_count() const { return bytes_[7]; }
  std::uint16_t dr_slid() const { return Get16(bytes_ + 32); }
  std::uint16_t dr_dlid() const { return Get16(bytes_ + 34); }
  std::uint8_t* initial_path() const { return bytes_ + 128; }  // 64 ports, element 0 unused
  std::uint8_t* return_path() const { return bytes_ + 192; }
  void set_direction(bool back) const { bytes_[4] = static_cast<std::uint8_t>((bytes_[4] & 0x7F) | (back ? 0x80 : 0)); }
  void set_hop_pointer(std::uint8_t pointer) const { bytes_[6] = pointer; }

 private:
  std::uint8_t* bytes_;
};

// A MAD and its addresses, in host byte order.
struct Datagram {
  std::uint16_t slid = 0;
  std::uint16_t dlid = 0;
  std::uint32_t sqp = 0;
  std::uint32_t dqp = 0;
  MadBytes mad{};
};

// A port of a node. Port 0 of a switch is its management port, where its agents are and programs are attached.
struct Place {
  std::uint32_t node = 0;
  std::uint8_t port = 0;
  friend bool operator==(const Place&, const Place&) = default;
};

}  // namespace ccsim::emulator

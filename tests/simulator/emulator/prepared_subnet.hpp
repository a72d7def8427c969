// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// prepared_subnet.hpp: a subnet that begins anew as often as wanted, for fuzzers: to make one and bring it up takes longer than to use it.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "emulator/subnet.hpp"

namespace ccsim::emulator::testing {

// REQUIRES: nobody gives the subnet faults or traffic, which stay.
class PreparedSubnet {
 public:
  // `prepare` changes the new subnet into what Fresh() gives, without a MAD: counters are 0 and no trap is pending.
  PreparedSubnet(const Fabric& fabric, std::function<std::int64_t()> clock_ns, const std::function<void(Subnet&)>& prepare)
      : subnet_(fabric, 1, std::move(clock_ns)) {
    prepare(subnet_);
    for (std::uint32_t n = 0; n < subnet_.num_devices(); ++n) {
      const Device& device = subnet_.device(n);
      saved_.push_back({device.cable_pulled, device.sma, device.cca});
    }
  }

  // As it was after `prepare`, whatever has happened since. Vectors keep their memory, of which ASan sees what lies behind their ends
  // if the library tells it (_GLIBCXX_SANITIZE_VECTOR), as the fuzzers' preset has it.
  Subnet& Fresh() {
    for (std::uint32_t n = 0; n < subnet_.num_devices(); ++n) {
      Device& device = subnet_.device(n);
      device.present = true;
      device.cable_pulled = saved_[n].cable_pulled;
      device.sma = saved_[n].sma;
      device.pma.PowerOn(device.sma.ports.size());
      device.cca = saved_[n].cca;
    }
    subnet_.outbox().clear();
    subnet_.traps() = {};
    subnet_.versions() = {};
    subnet_.mad_counts().Clear();
    return subnet_;
  }

 private:
  struct Saved {
    std::vector<std::uint8_t> cable_pulled;
    SmaNode sma;
    CcaNode cca;
  };

  Subnet subnet_;
  std::vector<Saved> saved_;
};

}  // namespace ccsim::emulator::testing

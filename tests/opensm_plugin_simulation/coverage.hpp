// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What has happened in which state of the plugin: event x role x whether devices are to hold what they were found with. Events are the
// perturbations and the edges of OpenSM's automaton.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "manager/roles.h"

namespace ibcc_test::simulation {

class Coverage {
 public:
  void Note(const std::string& event, ibcc_role role, bool as_found) { ++cells_[event][Column(role, as_found)]; }
  bool Has(const std::string& event, ibcc_role role, bool as_found) const;
  bool Lacks(ibcc_role role, bool as_found) const;  // some event has to be reached in that state, and was not
  void Add(const Coverage& other);
  void Print(std::ostream& out) const;     // a row an event; of each role "with a profile/as found"; "-": it need not be reached
  std::vector<std::string> Empty() const;  // "event, role, as found": cells that have to be reached, and were not

 private:
  static constexpr unsigned kColumns = 2 * IBCC_NUM_ROLES;
  static unsigned Column(ibcc_role role, bool as_found) { return 2U * role + as_found; }
  template <typename Take>
  void ForEach(Take take) const;
  std::map<std::string, std::array<std::uint64_t, kColumns>> cells_;
};

}  // namespace ibcc_test::simulation

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "coverage.hpp"

#include <algorithm>
#include <iomanip>
#include <ios>
#include <set>

#include "perturbations.hpp"
#include "world.hpp"

namespace ibcc_test::simulation {

namespace {

constexpr int kEventWidth = 44, kCellWidth = 15;

// The plugin knows that its OpenSM is no master as soon as its thread has its turn, so that it is still master for it only where that is late.
// Nor does it take its OpenSM for one that is no master any more for longer than until the next sweep has ended.
bool HasToBeReached(const std::string& event, ibcc_role role) {
  const bool is_of_no_master = event == "a standby discovers" || event == "discovery completed: master";
  const bool is_of_a_master = event == "handed over: standby, not told";
  return ibcc_roles[role].is_master ? !is_of_no_master : !is_of_a_master;
}

}  // namespace

template <typename Take>
void Coverage::ForEach(Take take) const {
  std::vector<std::string> events = World::AllEdges();
  for (const Perturbation& kind : Perturbations()) events.push_back(kind.name);
  for (const std::string& event : events) {
    const auto row = cells_.find(event);
    for (unsigned role = 0; role < IBCC_NUM_ROLES; ++role)
      for (const bool as_found : {false, true})
        take(event, static_cast<ibcc_role>(role), as_found,
             row == cells_.end() ? 0 : row->second[Column(static_cast<ibcc_role>(role), as_found)]);
  }
}

bool Coverage::Has(const std::string& event, ibcc_role role, bool as_found) const {
  const auto row = cells_.find(event);
  return row != cells_.end() && row->second[Column(role, as_found)] != 0;
}

bool Coverage::Lacks(ibcc_role role, bool as_found) const {
  bool lacks = false;
  ForEach([&](const std::string& event, ibcc_role of_role, bool of_found, std::uint64_t times) {
    lacks |= of_role == role && of_found == as_found && times == 0 && HasToBeReached(event, role);
  });
  return lacks;
}

void Coverage::Add(const Coverage& other) {
  for (const auto& [event, row] : other.cells_)
    for (unsigned column = 0; column < kColumns; ++column) cells_[event][column] += row[column];
}

void Coverage::Print(std::ostream& out) const {
  out << std::left << std::setw(kEventWidth) << "event";
  for (const ibcc_role_rules& role : ibcc_roles) out << std::setw(kCellWidth) << role.text;
  out << "(with a profile/as found)";
  ForEach([&](const std::string& event, ibcc_role role, bool as_found, std::uint64_t times) {
    if (role == 0 && !as_found) out << "\n" << std::setw(kEventWidth) << event;
    static std::string cell;
    if (!as_found) cell.clear();
    cell += (as_found ? "/" : "") + (times == 0 && !HasToBeReached(event, role) ? "-" : std::to_string(times));
    if (as_found) out << std::setw(kCellWidth) << cell;
  });
  out << std::right << "\n";
}

std::vector<std::string> Coverage::Empty() const {
  std::vector<std::string> cells;
  ForEach([&](const std::string& event, ibcc_role role, bool as_found, std::uint64_t times) {
    if (times == 0 && HasToBeReached(event, role))
      cells.push_back(event + ", " + ibcc_roles[role].text + (as_found ? ", as found" : ""));
  });
  return cells;
}

}  // namespace ibcc_test::simulation

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/requests_in_flight.hpp"

#include <algorithm>

namespace ccsim::emulator {

void RequestsInFlight::Add(const Request& request) {
  by_transaction_.emplace(request.transaction_id, requests_.insert(requests_.end(), request));
}

const RequestsInFlight::Request* RequestsInFlight::Find(ClientRef by, std::uint64_t transaction_id,
                                                        std::uint8_t mgmt_class) const {
  const Request* oldest = nullptr;
  const auto [first, last] = by_transaction_.equal_range(transaction_id);
  for (auto at = first; at != last; ++at) {
    const Request& request = *at->second;
    if (request.to != by || request.packet.mad[1] != mgmt_class) continue;
    if (oldest == nullptr || request.due_ns < oldest->due_ns) oldest = &request;
  }
  return oldest;
}

void RequestsInFlight::Remove(const Request& request) {
  const auto [first, last] = by_transaction_.equal_range(request.transaction_id);
  const auto found = std::find_if(first, last, [&](const auto& entry) { return &*entry.second == &request; });
  const List::iterator at = found->second;
  by_transaction_.erase(found);
  requests_.erase(at);
}

std::vector<RequestsInFlight::Request> RequestsInFlight::TakeOf(ClientRef to) {
  std::vector<Request> taken;
  for (auto at = requests_.begin(); at != requests_.end();) {
    const Request& request = *at++;
    if (request.to != to) continue;
    taken.push_back(request);
    Remove(request);
  }
  return taken;
}

}  // namespace ccsim::emulator

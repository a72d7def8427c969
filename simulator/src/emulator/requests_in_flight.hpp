// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// requests_in_flight.hpp: requests that went to a client and whose answers are awaited.
#pragma once

#include <cstdint>
#include <list>
#include <optional>
#include <unordered_map>
#include <vector>

#include "emulator/client.hpp"

namespace ccsim::emulator {

class RequestsInFlight {
 public:
  struct Request {
    ClientRef from;
    ClientRef to;
    std::uint64_t transaction_id = 0;  // as the client received it
    std::int64_t due_ns = 0;
    ibsim::Packet packet;  // as it was sent
  };

  // REQUIRES: it is due no earlier than those added before.
  void Add(const Request& request);
  // The oldest request that a response with this transaction ID and class from `by` answers; nullptr: none.
  const Request* Find(ClientRef by, std::uint64_t transaction_id, std::uint8_t mgmt_class) const;
  void Remove(const Request& request);

  bool empty() const { return requests_.empty(); }
  // REQUIRES: not empty.
  const Request& oldest() const { return requests_.front(); }
  // Removes and returns all requests to a client.
  std::vector<Request> TakeOf(ClientRef to);

 private:
  using List = std::list<Request>;  // by due time
  List requests_;
  std::unordered_multimap<std::uint64_t, List::iterator> by_transaction_;
};

}  // namespace ccsim::emulator

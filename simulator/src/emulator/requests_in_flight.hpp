// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// outstanding_requests.hpp: requests that went to a client and have not been answered.
#pragma once

#include <cstdint>
#include <list>
#include <optional>
#include <unordered_map>
#include <vector>

#include "emulator/client.hpp"

namespace ccsim::emulator {

class OutstandingRequests {
 public:
  struct Request {
    ClientRef from;
    ClientRef to;
    std::uint64_t transaction_id = 0;  // as it went to the client
    std::int64_t due_ns = 0;
    ibsim::Packet packet;  // as it was sent
  };

  // REQUIRES: due no earlier than what was added before.
  void Add(const Request& request);
  // The oldest that a response with this transaction ID and class, sent by `by`, answers.
  const Request* Find(ClientRef by, std::uint64_t transaction_id, std::uint8_t mgmt_class) const;
  void Remove(const Request& request);

  bool empty() const { return requests_.empty(); }
  // REQUIRES: not empty.
  const Request& oldest() const { return requests_.front(); }
  // All that were for a client.
  std::vector<Request> TakeOf(ClientRef to);

 private:
  using List = std::list<Request>;  // by due time
  List requests_;
  std::unordered_multimap<std::uint64_t, List::iterator> by_transaction_;
};

}  // namespace ccsim::emulator

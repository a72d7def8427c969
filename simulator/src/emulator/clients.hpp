// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// clients.hpp: the programs that are attached, and which of them gets a MAD that arrives at a place.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "emulator/client.hpp"
#include "emulator/mad.hpp"

namespace ccsim::emulator {

class Clients {
 public:
  // The lowest free id, or ibsim::kMaxClients if there is none.
  std::uint32_t FreeId() const;
  ClientRef NextRef(std::uint32_t id) { return {id, ++last_serial_}; }
  // REQUIRES: its id was free.
  Client& Add(std::unique_ptr<Client> client);
  void Remove(const Client& client);

  Client* Find(std::uint32_t id) { return id < by_id_.size() ? by_id_[id].get() : nullptr; }
  Client* Find(ClientRef ref) {
    Client* client = Find(ref.id);
    return client != nullptr && client->ref() == ref ? client : nullptr;
  }
  Client* FindPid(std::uint32_t pid);

  // Returns false if the client has too much unread; the packet is then dropped.
  bool Send(Client& client, const ibsim::Packet& packet);
  // The clients to which something was sent since the last call.
  void TakeSentTo(std::vector<ClientRef>& refs) {
    refs.clear();
    refs.swap(sent_to_);
  }

  void MakeSm(Client& client, bool is_sm);
  // The SM at a place that registered first; nullptr: none.
  Client* Sm(Place at);
  // The client that gets a MAD that is not a response.
  Client* ForUnsolicited(Place at, const Mad& mad);

  std::size_t size() const { return size_; }
  template <class Function>
  void ForEach(const Function& function) {
    // The loop goes by id, as the function may remove the client that it gets.
    for (std::size_t i = 0; i < by_id_.size(); ++i) {
      if (by_id_[i]) function(*by_id_[i]);
    }
  }

 private:
  std::vector<std::unique_ptr<Client>> by_id_;
  std::vector<ClientRef> sent_to_;
  std::size_t size_ = 0;
  std::uint64_t last_serial_ = 0;
  std::uint64_t times_made_sm_ = 0;
};

}  // namespace ccsim::emulator

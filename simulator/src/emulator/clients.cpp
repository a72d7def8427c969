// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/clients.hpp"

#include <algorithm>
#include <utility>

namespace ccsim::emulator {

std::uint32_t Clients::FreeId() const {
  const auto free = std::find(by_id_.begin(), by_id_.end(), nullptr);
  return std::min(static_cast<std::uint32_t>(free - by_id_.begin()), ibsim::kMaxClients);
}

Client& Clients::Add(std::unique_ptr<Client> client) {
  const std::uint32_t id = client->ref().id;
  if (id >= by_id_.size()) by_id_.resize(id + 1);
  by_id_[id] = std::move(client);
  ++size_;
  return *by_id_[id];
}

void Clients::Remove(const Client& client) {
  by_id_[client.ref().id].reset();
  while (!by_id_.empty() && !by_id_.back()) by_id_.pop_back();
  --size_;
}

Client* Clients::FindPid(std::uint32_t pid) {
  for (const auto& client : by_id_) {
    if (client && client->pid() == pid) return client.get();
  }
  return nullptr;
}

bool Clients::Send(Client& client, const ibsim::Packet& packet) {
  if (!client.Enqueue(packet)) return false;
  if (!client.listed) sent_to_.push_back(client.ref());
  client.listed = true;
  return true;
}

void Clients::MakeSm(Client& client, bool is_sm) {
  if (is_sm && !client.is_sm) client.sm_since = ++times_made_sm_;
  client.is_sm = is_sm;
}

Client* Clients::Sm(Place at) {
  Client* oldest = nullptr;
  for (const auto& client : by_id_) {
    if (!client || !client->is_sm || client->at() != at) continue;
    if (oldest == nullptr || client->sm_since < oldest->sm_since) oldest = client.get();
  }
  return oldest;
}

Client* Clients::ForUnsolicited(Place at, const Mad& mad) {
  Client* sm = Sm(at);
  if (mad.mgmt_class() == kSubnetAdministration && mad.method() == kReport) {
    for (const auto& client : by_id_) {
      if (client && client->subscribed && client->at() == at) return client.get();
    }
  }
  if (mad.is_smp() || mad.mgmt_class() == kSubnetAdministration) return sm;
  return sm != nullptr && sm->used_classes[mad.mgmt_class()] ? sm : nullptr;
}

}  // namespace ccsim::emulator

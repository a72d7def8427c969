// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/kernel.hpp"

#include <algorithm>

namespace ccsim::emulator {
namespace {

constexpr std::uint64_t kAgentBits = 0x0000'FFFF'0000'0000;   // libumad2sim.so sets them in whatever is not a response
constexpr std::uint64_t kClientBits = 0xFFFF'0000'0000'0000;  // set here while a request is in flight to another client
constexpr std::uint64_t kClientTrapBit = 1ULL << 63;          // set in a client's trap: the IDs of nodes' traps fit 32 bits
constexpr std::uint16_t kInformInfo = 0x0003;                 // of the SA
constexpr std::uint8_t kGetTableResp = 0x92;                  // of the SA
constexpr std::uint64_t kShownBytes = 224;                    // of a MAD that libumad2sim.so gives a program; random bytes follow

bool WantsAnswer(const Mad& mad) {
  if (mad.is_response()) return false;
  return mad.method() != kSend && mad.method() != kTrapRepress;
}

// A program counts the records of a table by the length of the answer, which must therefore not cover missing records.
std::uint64_t LengthFor(const Mad& response, const ibsim::Packet& sent) {
  if (response.mgmt_class() != kSubnetAdministration || response.method() != kGetTableResp) return kMadBytes;
  return std::min(be64toh(sent.length), kShownBytes);
}

}  // namespace

Kernel::Kernel(Subnet& subnet, Clients& clients, std::uint32_t timeout_ms, std::uint32_t client_timeout_ms)
    : subnet_(subnet), clients_(clients), timeout_ns_(timeout_ms * kNsPerMs), client_timeout_ns_(client_timeout_ms * kNsPerMs) {}

void Kernel::Send(Client& from, const ibsim::Packet& packet, std::int64_t now_ns) {
  Datagram datagram = ibsim::ToDatagram(packet);
  const Mad mad(datagram.mad);
  if (datagram.slid == 0) datagram.slid = subnet_.sma_port(from.at()).lid;
  from.used_classes.set(mad.mgmt_class());
  if (mad.mgmt_class() == kSubnetAdministration && mad.method() == kSet && mad.attribute() == kInformInfo) from.subscribed = true;
  // A kernel takes a TrapRepress for a response and does not change its ID, by which the trap's sender knows it.
  if (mad.method() == kTrapRepress) mad.set_transaction_id(mad.transaction_id() & ~kAgentBits);

  const bool is_response = mad.is_response();
  const Delivery delivery = subnet_.Send(from.at(), datagram);
  switch (delivery.fate) {
    case Fate::Answered: Answered(from, packet, datagram, delivery.delay_ms, now_ns); return;
    case Fate::ForClient:
      if (is_response) return Respond(from, packet, datagram, delivery, now_ns);
      if (Forward(from, packet, datagram, delivery, now_ns)) return;
      break;
    case Fate::Consumed:
      return Respond(from, packet, datagram, delivery, now_ns);  // an answer to a client's trap, not to a node's
    case Fate::Lost: break;
  }
  TimeOut(from, packet, now_ns);
}

void Kernel::Answered(Client& from, const ibsim::Packet& request, const Datagram& response, std::uint32_t delay_ms,
                      std::int64_t now_ns) {
  // With a longer delay the request times out first, and the response is dropped.
  const bool in_time = delay_ms * kNsPerMs < timeout_ns_;
  const bool taken = in_time && SendOrDefer(from, ibsim::ToPacket(response), delay_ms, now_ns);
  // A response with another ID (a fault) leaves the request without an answer.
  if (!taken || Get64(response.mad.data() + 8) != Get64(request.mad.data() + 8)) TimeOut(from, request, now_ns);
}

bool Kernel::Forward(Client& from, const ibsim::Packet& request, Datagram& datagram, const Delivery& delivery,
                     std::int64_t now_ns) {
  const Mad mad(datagram.mad);
  Client* to = clients_.ForUnsolicited(delivery.at, mad);
  if (to == nullptr) return false;
  if (!WantsAnswer(mad)) {
    SendOrDefer(*to, ibsim::ToPacket(datagram), delivery.delay_ms, now_ns);
    return true;
  }
  std::uint64_t id = (mad.transaction_id() & ~kClientBits) | std::uint64_t{from.ref().id} << 48;
  if (mad.method() == kTrap) id = (id & ~kAgentBits) | kClientTrapBit;  // a TrapRepress does not return these bits
  mad.set_transaction_id(id);
  const ibsim::Packet packet = ibsim::ToPacket(datagram);
  if (!SendOrDefer(*to, packet, delivery.delay_ms, now_ns)) return false;
  in_flight_.Add({from.ref(), to->ref(), id, now_ns + client_timeout_ns_, request});
  ++from.pending;
  return true;
}

void Kernel::Respond(const Client& from, const ibsim::Packet& sent, Datagram& response, const Delivery& delivery,
                     std::int64_t now_ns) {
  const Mad mad(response.mad);
  const RequestsInFlight::Request* request = in_flight_.Find(from.ref(), mad.transaction_id(), mad.mgmt_class());
  if (request == nullptr) return;
  Client* to = clients_.Find(request->from);
  if (to != nullptr) {
    if (to->at() != delivery.at) return;
    mad.set_transaction_id(Get64(request->packet.mad.data() + 8));
    ibsim::Packet packet = ibsim::ToPacket(response);
    packet.length = htobe64(LengthFor(mad, sent));
    if (!SendOrDefer(*to, packet, delivery.delay_ms, now_ns)) return;  // the request times out
    --to->pending;
  }
  in_flight_.Remove(*request);
}

void Kernel::TimeOut(Client& from, const ibsim::Packet& request, std::int64_t now_ns) {
  MadBytes bytes = request.mad;
  if (WantsAnswer(Mad(bytes))) Defer(from, ibsim::ToTimedOut(request), now_ns + timeout_ns_);
}

bool Kernel::SendOrDefer(Client& to, const ibsim::Packet& packet, std::uint32_t delay_ms, std::int64_t now_ns) {
  if (delay_ms == 0) return clients_.Send(to, packet);
  Defer(to, packet, now_ns + delay_ms * kNsPerMs);
  return true;
}

void Kernel::Defer(Client& to, const ibsim::Packet& packet, std::int64_t due_ns) {
  deferred_.Add(to.ref(), due_ns, packet);
  ++to.pending;
}

void Kernel::CarryOutbox() {
  while (!subnet_.outbox().empty()) {
    Unsolicited next = subnet_.outbox().front();
    subnet_.outbox().pop_front();
    const Delivery delivery = subnet_.Send(next.from, next.datagram);
    if (delivery.fate != Fate::ForClient) continue;
    Client* to = clients_.ForUnsolicited(delivery.at, Mad(next.datagram.mad));
    if (to != nullptr) clients_.Send(*to, ibsim::ToPacket(next.datagram));
  }
}

void Kernel::SetIsSm(Client& client, bool is_sm) {
  clients_.MakeSm(client, is_sm);
  subnet_.SetIsSm(client.at(), clients_.Sm(client.at()) != nullptr);
}

void Kernel::Remove(Client& client, std::int64_t now_ns) {
  if (client.is_sm) SetIsSm(client, false);
  for (const RequestsInFlight::Request& request : in_flight_.TakeOf(client.ref())) {
    Client* from = clients_.Find(request.from);
    if (from == nullptr || from == &client) continue;
    --from->pending;
    TimeOut(*from, request.packet, now_ns);
  }
  clients_.Remove(client);
}

std::int64_t Kernel::next_deadline_ns() const {
  std::int64_t next = kNever;
  if (!deferred_.empty()) next = deferred_.next_due_ns();
  if (!in_flight_.empty()) next = std::min(next, in_flight_.oldest().due_ns);
  return next;
}

void Kernel::RunTimers(std::int64_t now_ns) {
  while (!deferred_.empty() && deferred_.next_due_ns() <= now_ns) {
    const DeferredPackets::Entry entry = deferred_.Take();
    Client* to = clients_.Find(entry.to);
    if (to == nullptr) continue;
    --to->pending;
    clients_.Send(*to, entry.packet);
  }
  while (!in_flight_.empty() && in_flight_.oldest().due_ns <= now_ns) {
    const RequestsInFlight::Request& request = in_flight_.oldest();
    Client* from = clients_.Find(request.from);
    if (from != nullptr) {
      --from->pending;
      clients_.Send(*from, ibsim::ToTimedOut(request.packet));
    }
    in_flight_.Remove(request);
  }
}

}  // namespace ccsim::emulator

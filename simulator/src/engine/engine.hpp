// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// engine.hpp: one run of a fabric, packet by packet.
//
// This is the face of a run: its functions are called once a run, once a Set, or when somebody looks, never for a packet. Behind it
// stands an engine that the model's scheme names (schemes/registry.hpp): a class composed at compile time of policies (engine_of.hpp)
// over the state that all of them share (core.hpp). docs/inside/simulator-internals.md follows a packet through the files.
//
// One engine is one thread's; engines share nothing that changes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "ccpolicy/tables.h"
#include "congestion/log.hpp"
#include "engine/big_vector.hpp"
#include "engine/run_record.hpp"
#include "engine/state.hpp"
#include "fabric.hpp"
#include "flow.hpp"
#include "model.hpp"

namespace ccsim {

class EngineCore;

class Engine {
 public:
  // Copies what it needs of `tables` (may be null: CC off everywhere) and of the fabric. Throws std::invalid_argument with a
  // sentence on flows or options that make no sense, on a flow without a route, and on a scheme that cannot carry the fabric.
  Engine(const Fabric& fabric, const Model& model, std::span<const Flow> flows, const ccp_tables* tables,
         const RunOptions& options);
  ~Engine();

  // Runs to the end, or until `keep_going`, asked now and then with the time reached, returns false. True if it reached the end.
  // `when`: how often it asks.
  struct Questions {
    std::uint64_t events = 1 << 15;  // after so many at most
    Time time = kNever;              // and after so much time at most, events or none
  };
  bool Run(const std::function<bool(Time)>& keep_going, const Questions& when);
  bool Run(const std::function<bool(Time)>& keep_going) { return Run(keep_going, Questions{}); }

  // Sets tables between events: from within `keep_going`, or before the run. State is carried over: a port VL is in the congestion
  // state if its fill level says so, a CCTI stays where it is within the new bounds, and a delay that has begun ends when it would
  // have (unless Port_Control changes: then it ends at once). Throws std::invalid_argument on tables of another fabric.
  void Program(const ccp_tables& tables);

  // Forwarding, service levels and links, set between events likewise (core_tables.cpp). A packet that is in a VOQ goes on as it
  // was queued; one that arrives afterwards meets the new tables. Where there is no way on for it, it is lost: there is no
  // retransmission. References to what has been recorded are not valid any more after these. REQUIRES: nodes and ports of the
  // fabric that the engine was made for.
  //
  // By switch ordinal and endport, the port to leave by; kNoRoute, or a port without a link: none.
  void SetForward(std::uint32_t ordinal, std::uint32_t endport, std::uint8_t port);
  // The link on a connected port, which is up before the first call. What is queued for a link that goes down is lost, and what is
  // on its wire, but for a packet whose way to an adapter has begun. A link that comes up carries packets from the time on at which
  // the last one lost would have arrived.
  void SetLink(std::uint32_t node, std::uint16_t port, bool up);
  // SL-to-VL and VL arbitration, as the fabric has them now. What stands queued for a VL that nothing serves any more is lost.
  // Throws std::invalid_argument where the scheme carries fewer VLs than the fabric now needs.
  void SetServiceLevels(const Fabric& fabric);

  // What a switch (by ordinal) and an adapter's port (by endport) have logged; `clear` as a manager's Get does.
  SwitchCongestionLog SwitchLog(std::uint32_t ordinal) const;
  CaCongestionLog CaLog(std::uint32_t endport) const;
  void ClearSwitchLog(std::uint32_t ordinal);
  void ClearCaLog(std::uint32_t endport);

  Time now() const;
  const RunRecord& record() const;
  std::size_t num_flows() const;
  const BigVector<FlowCounters>& flow_counters() const;
  std::vector<PortCounters> port_counters() const;
  PortCounters port_counters(std::uint32_t port) const;  // of one, by dense index
  std::size_t num_endports() const;
  const std::vector<Hop>& port_names() const;  // (node, port number) by dense index
  // Not yet on their last link.
  std::uint64_t packets_in_flight() const;

  // Throws std::logic_error if credits, queues and packets do not add up. For tests: it walks everything.
  void CheckInvariants() const;
  // True if every port has all the credits that its far end's buffer stands for, as on a fabric that has run dry.
  bool AllCreditsReturned() const;

 private:
  void Disturb();

  std::unique_ptr<EngineCore> core_;
};

}  // namespace ccsim

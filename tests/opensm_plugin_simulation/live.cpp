// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "live.hpp"

#include <algorithm>

namespace ibcc_test::simulation {

namespace {

constexpr unsigned kWholes = 8;  // the whole topology is a third of a step's cost: it is compared in each so many epochs

std::string Text(const json_t* object, const char* key) {
  const json_t* value = json_object_get(object, key);
  return json_is_string(value) ? json_string_value(value) : std::to_string(json_integer_value(value));
}

// As `removed_links` and rows of `links` have them.
std::string Ends(const json_t* row) {
  return Text(row, "guid") + "/" + Text(row, "port") + " " + Text(row, "peer_guid") + "/" + Text(row, "peer_port");
}

// The link of a node that was lost or is back, whose first end may be the other.
std::string EndsOf(const std::string& guid, const json_t* link) {
  const std::string here = guid + "/" + Text(link, "port");
  const std::string there = Text(link, "peer_guid") + "/" + Text(link, "peer_port");
  const bool is_first = guid <= Text(link, "peer_guid");
  return is_first ? here + " " + there : there + " " + here;
}

}  // namespace

void Live::Restart() {
  epoch_ = slow_epoch_ = seen_ = 0;
  kept_ = slow_ = Rows{};
  nodes_.clear();
  links_.clear();
  drifted_.clear();
  role_ = "starting";
}

void Live::TakeNodeEvent(bool is_back, const json_t* params) {
  const std::string guid = Text(params, "guid");
  const json_t* links = json_object_get(params, "links");
  if (is_back ? !nodes_.insert(guid).second : nodes_.erase(guid) == 0)
    Fail("an event says that " + guid + (is_back ? " is back, which was there" : " is lost, which was not there"));
  for (std::size_t i = 0; i < json_array_size(links); ++i) {
    const std::string ends = EndsOf(guid, json_array_get(links, i));
    // A link of two nodes that both came, or left, is in the events of both.
    if (is_back)
      links_.insert(ends);
    else
      links_.erase(ends);
  }
  if (is_back) return;
  drifted_.erase(guid + "/0");
  drifted_.erase(guid + "/1");
}

void Live::TakeLinkEvent(const std::string& event, const json_t* params) {
  const std::string ends = Ends(params);
  if (event == "link.up" && !links_.insert(ends).second) Fail("an event says that a link is up which was: " + ends);
  if (event == "link.down" && links_.erase(ends) == 0) Fail("an event says that a link is down which was not up: " + ends);
  if (event == "link.changed" && links_.count(ends) == 0) Fail("an event says that a link has changed which is not up: " + ends);
}

void Live::TakeEvent(const std::string& event, const json_t* params) {
  if (event.find('.') == std::string::npos) return;
  ++events_;
  const std::string device = Text(params, "guid") + "/" + Text(params, "port");
  if (event == "device.lost" || event == "device.back") TakeNodeEvent(event == "device.back", params);
  if (event.rfind("link.", 0) == 0) TakeLinkEvent(event, params);
  if (event == "device.drifted" && !drifted_.insert(device).second) Fail(device + " has drifted twice, and was not repaired");
  if (event == "device.repaired" && drifted_.erase(device) == 0) Fail(device + " is repaired, and had not drifted");
  if (event == "sm.changed") {
    if (Text(params, "former_role") != role_)
      Fail("the role is said to have been " + Text(params, "former_role") + ", not " + role_);
    role_ = Text(params, "role");
  }
}

std::uint64_t Live::Read(const Ask& ask, std::uint64_t since, Rows& rows, bool is_next) {
  const std::string limit = random_() % 3 != 0 ? "" : R"(, "limit": )" + std::to_string(1 + random_() % 3);
  std::string after;
  for (;;) {
    std::string params = since == 0 ? "" : R"("since": )" + std::to_string(since);
    params += limit.substr(params.empty() && !limit.empty() ? 2 : 0);
    if (!after.empty()) params += (params.empty() ? "" : ", ") + (R"("after": ")" + after + "\"");
    const Json answer = ask("{" + params + "}");
    const json_t* result = json_object_get(answer.get(), "result");
    if (result == nullptr) {
      Fail("topology was refused: " + Show(answer.get()));
      return 0;
    }
    const auto each = [&](const char* key, const auto& take) {
      const json_t* list = json_object_get(result, key);
      for (std::size_t i = 0; i < json_array_size(list); ++i) take(json_array_get(list, i));
    };
    if (after.empty() && json_is_true(json_object_get(result, "full"))) rows = Rows{};
    each("removed_nodes", [&](const json_t* guid) {
      if (rows.nodes.erase(json_string_value(guid)) == 0 && is_next) Fail("a node is removed that was not there");
    });
    each("removed_links", [&](const json_t* link) {
      if (rows.links.erase(Ends(link)) == 0 && is_next) Fail("a link is removed that was not there");
    });
    each("nodes", [&](const json_t* row) { rows.nodes[Text(row, "guid")] = Show(row); });
    each("links", [&](const json_t* row) { rows.links[Ends(row)] = Show(row); });
    const json_t* next = json_object_get(result, "next");
    if (!json_is_string(next)) return static_cast<std::uint64_t>(json_integer_value(json_object_get(result, "epoch")));
    after = json_string_value(next);
  }
}

void Live::CompareEvents() {
  std::set<std::string> nodes, links;
  for (const auto& row : kept_.nodes) nodes.insert(row.first);
  for (const auto& row : kept_.links) links.insert(row.first);
  if (seen_ != 0 && nodes != nodes_) Fail("by its events the topology has other nodes than it has");
  if (seen_ != 0 && links != links_) Fail("by its events the topology has other links than it has");
  nodes_ = nodes;
  links_ = links;
}

void Live::CompareFound(const std::map<std::string, std::string>& nodes, const std::set<std::string>& links) {
  if (kept_.nodes.size() != nodes.size() || kept_.links.size() != links.size())
    Fail("the topology has " + std::to_string(kept_.nodes.size()) + " nodes and " + std::to_string(kept_.links.size()) +
         " links, but the last sweep has found " + std::to_string(nodes.size()) + " and " + std::to_string(links.size()));
  for (const auto& [guid, description] : nodes) {
    const auto found = kept_.nodes.find(guid);
    if (found == kept_.nodes.end() || found->second.find("'" + description + "'") == std::string::npos)
      Fail("the topology has no node " + guid + " " + description);
  }
  for (const std::string& ends : links)
    if (kept_.links.count(ends) == 0) Fail("the topology has no link " + ends);
}

void Live::CompareWhole(const Ask& ask, std::uint64_t epoch) {
  Rows whole, unknown = kept_;
  if (Read(ask, 0, whole) != epoch) Fail("the whole topology is of another epoch than the plugin's");
  if (!(kept_ == whole)) Fail("the differences do not lead to the whole");
  slow_epoch_ = Read(ask, slow_epoch_, slow_);
  if (!(slow_ == whole)) Fail("the differences of several epochs do not lead to the whole");
  Read(ask, epoch + 1, unknown);
  if (!(unknown == whole)) Fail("an unknown epoch is not answered with the whole");
}

std::string Live::Check(const ibcc_manager* manager, const Ask& ask, const std::map<std::string, std::string>& found_nodes,
                        const std::set<std::string>& found_links) {
  const ibcc_topology* topology = ibcc_manager_topology(manager);
  if (role_ != ibcc_manager_role_text(manager)) Fail("by its events the role is " + role_);
  const bool is_new = topology->epoch != seen_;
  if (topology->epoch == 0 || !ibcc_roles[ibcc_manager_role(manager)].is_master || (!is_new && random_() % 500 != 0))
    return finding_;
  if (topology->epoch < seen_) Fail("epochs go backwards");
  changes_ += is_new;
  epoch_ = Read(ask, epoch_, kept_, epoch_ + 1 == topology->epoch);
  if (epoch_ != topology->epoch) Fail("the topology is of another epoch than the plugin's");
  if (random_() % kWholes == 0) CompareWhole(ask, topology->epoch);
  CompareFound(found_nodes, found_links);
  CompareEvents();
  seen_ = topology->epoch;
  return finding_;
}

std::string Live::CheckRest(const std::set<std::string>& applied) const {
  for (const std::string& device : drifted_)
    if (applied.count(device) != 0) return device + " is applied, and by its events still drifted";
  return finding_;
}

}  // namespace ibcc_test::simulation

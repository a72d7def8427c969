// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// traffic_bindings.cpp: ccsim.Destinations, ccsim.Generator and ccsim.Flow.
#include "traffic_bindings.hpp"

#include <pybind11/stl.h>

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "flow.hpp"

namespace py = pybind11;

namespace ccsim {

// Nine quintillion femtoseconds are 2.5 hours: what the clock can hold, and more than anybody simulates.
Time CheckedSeconds(const char* name, double seconds) {
  if (!(seconds >= 0 && seconds <= 9000)) {
    throw std::invalid_argument(std::string(name) + " is " + std::to_string(seconds) + "; it must be 0 to 9000 s");
  }
  return FromSeconds(seconds);
}

std::pair<Time, Time> JudgedTimes(const Judged& judged_s) {
  if (!judged_s) return {0, kNever};
  const Time from = CheckedSeconds("the begin of judged_s", judged_s->first);
  const Time until = CheckedSeconds("the end of judged_s", judged_s->second);
  if (from > until) {
    throw std::invalid_argument("judged_s goes from " + std::to_string(judged_s->first) + " to " +
                                std::to_string(judged_s->second) + " s; it must end after it begins");
  }
  return {from, until};
}

namespace {

using SharedDestinations = std::shared_ptr<Destinations>;

SharedDestinations MakeDestinations(Destinations::Order order, std::vector<std::uint32_t> endports, double period_s) {
  if (endports.empty()) throw std::invalid_argument("the list of destinations is empty; name at least one endport");
  auto d = std::make_shared<Destinations>();
  d->order = order;
  d->endports = std::move(endports);
  d->period = CheckedSeconds("period_s", period_s);
  if (order == Destinations::Order::Moving && d->period == 0) {
    throw std::invalid_argument("period_s is 0; it must be above 0 for moving destinations");
  }
  return d;
}

using SharedGenerator = std::shared_ptr<Generator>;

SharedGenerator MakeGenerator(Generator::Kind kind, std::uint32_t queue_messages) {
  if (queue_messages < 1) throw std::invalid_argument("queue_messages is 0; a destination's queue holds at least 1");
  return std::make_shared<Generator>(Generator{.kind = kind, .queue_messages = queue_messages});
}

std::shared_ptr<const std::vector<TracedMessage>> Traced(const std::vector<std::pair<double, std::uint32_t>>& messages) {
  auto traced = std::make_shared<std::vector<TracedMessage>>();
  traced->reserve(messages.size());
  for (const auto& [time_s, bytes] : messages) traced->push_back({CheckedSeconds("the time of a message", time_s), bytes});
  return traced;
}

Time Positive(const char* name, double seconds) {
  const Time time = CheckedSeconds(name, seconds);
  if (time == 0) throw std::invalid_argument(std::string(name) + " is " + std::to_string(seconds) + " s; it must be above 0");
  return time;
}

Flow MakeFlow(std::uint32_t src, const std::variant<std::uint32_t, SharedDestinations>& dst, double start_s,
              std::optional<double> stop_s, std::uint32_t message_bytes, std::uint32_t qps, std::uint8_t sl,
              std::optional<double> rate_gbps, std::optional<std::pair<double, double>> bursts, bool random_bursts,
              std::optional<std::uint32_t> window, std::vector<std::uint32_t> grants, double think_s, std::uint16_t needs,
              const std::optional<std::vector<std::pair<double, std::uint32_t>>>& messages, const SharedGenerator& generator) {
  Flow flow;
  flow.src = src;
  if (const auto* one = std::get_if<std::uint32_t>(&dst)) {
    flow.dst = *one;
  } else {
    flow.destinations = std::get<SharedDestinations>(dst);
  }
  flow.start = CheckedSeconds("start_s", start_s);
  flow.stop = stop_s ? CheckedSeconds("stop_s", *stop_s) : kNever;
  flow.message_bytes = message_bytes;
  flow.queue_pairs = qps;
  flow.sl = sl;
  if (rate_gbps && !(*rate_gbps > 0)) {
    throw std::invalid_argument("rate_gbps is " + std::to_string(*rate_gbps) + "; it must be above 0");
  }
  flow.rate_gbps = rate_gbps.value_or(0);
  if (bursts) {
    flow.on = Positive("the length of a burst", bursts->first);
    flow.off = Positive("the length of a pause", bursts->second);
  }
  flow.random_bursts = random_bursts;
  flow.closed = window.has_value();
  flow.window = window.value_or(0);
  flow.grants = std::move(grants);
  flow.think = CheckedSeconds("think_s", think_s);
  flow.needs = needs;
  if (messages) flow.messages = Traced(*messages);
  flow.generator = generator;
  return flow;
}

}  // namespace

void BindTraffic(py::module_& m) {
  py::class_<Destinations, SharedDestinations>(m, "Destinations")
      .def_static(
          "uniform", [](std::vector<std::uint32_t> e) { return MakeDestinations(Destinations::Order::Uniform, std::move(e), 0); },
          py::arg("endports"))
      .def_static(
          "cyclic", [](std::vector<std::uint32_t> e) { return MakeDestinations(Destinations::Order::Cyclic, std::move(e), 0); },
          py::arg("endports"))
      .def_static(
          "moving",
          [](std::vector<std::uint32_t> e, double period_s) {
            return MakeDestinations(Destinations::Order::Moving, std::move(e), period_s);
          },
          py::arg("endports"), py::kw_only(), py::arg("period_s"));

  py::class_<Generator, SharedGenerator>(m, "Generator")
      .def_static("independent", [] { return MakeGenerator(Generator::Kind::Independent, 1); })
      .def_static(
          "strict", [](std::uint32_t queue_messages) { return MakeGenerator(Generator::Kind::Strict, queue_messages); },
          py::kw_only(), py::arg("queue_messages"));

  py::class_<Flow>(m, "Flow")
      .def(py::init(&MakeFlow), py::kw_only(), py::arg("src"), py::arg("dst"), py::arg("start_s") = 0.0,
           py::arg("stop_s") = py::none(), py::arg("message_bytes") = 65536, py::arg("qps") = 1, py::arg("sl") = 0,
           py::arg("rate_gbps") = py::none(), py::arg("bursts") = py::none(), py::arg("random_bursts") = false,
           py::arg("window") = py::none(), py::arg("grants") = std::vector<std::uint32_t>{}, py::arg("think_s") = 0.0,
           py::arg("needs") = 1, py::arg("messages") = py::none(), py::arg("generator") = py::none())
      .def_readonly("src", &Flow::src)
      .def_property_readonly("dst", [](const Flow& flow) -> py::object {
        if (!flow.destinations) return py::int_(flow.dst);
        return py::cast(std::const_pointer_cast<Destinations>(flow.destinations));
      });
}

}  // namespace ccsim

# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The flows of a workload, as the simulator takes them."""

from typing import Any

import ccsim
from tuner.documents.expanded_flow import Destinations, ExpandedFlow, Generator
from tuner.documents.flow import Flow
from tuner.documents.workload import Workload
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import BuiltFabric


def simulated_flows(built: BuiltFabric, workload: Workload, *, require_routes: bool = True) -> list[ccsim.Flow]:
    """In the workload's order; its patterns must be expanded. Raises BadInputError if a flow does not fit the fabric.

    `require_routes`: the fabric's own routes count, and a flow without one is refused here, where there is more to say of it.
    """
    maker = _Maker(built, workload, require_routes=require_routes)
    flows = []
    for i, flow in enumerate(workload.flows):
        try:
            flows.append(maker.make(flow))
        except BadInputError as error:
            raise workload.bad_flow(i, error.sentence) from error
        except ValueError as error:
            raise workload.bad_flow(i, str(error)) from error
    return flows


class _Maker:
    """Looks each host up once, and hands a set of destinations over once for all flows that share it."""

    def __init__(self, built: BuiltFabric, workload: Workload, *, require_routes: bool) -> None:
        self._built = built
        self._require_routes = require_routes
        self._indices = {flow.name: i for i, flow in enumerate(workload.flows)}
        self._endports: dict[str, int] = {}
        self._destinations: dict[Destinations, ccsim.Destinations] = {}
        self._one_of_each_subnet: dict[Destinations, dict[int, str]] = {}
        self._generators: dict[Generator, ccsim.Generator] = {}

    def make(self, flow: Flow) -> ccsim.Flow:
        """Raises BadInputError or ValueError."""
        drawn = flow.destinations if isinstance(flow, ExpandedFlow) else None
        if drawn is None and self._require_routes:
            self._built.require_route(flow.src, flow.dst)
        if drawn is not None:  # the simulator itself looks at all routes
            self._require_subnet(flow.src, drawn)
        return ccsim.Flow(
            src=self._endport(flow.src),
            dst=self._endport(flow.dst) if drawn is None else self._shared(drawn),
            start_s=flow.start_s,
            stop_s=flow.stop_s,
            message_bytes=flow.message_bytes,
            qps=flow.qps,
            sl=flow.sl,
            rate_gbps=flow.rate_gbps,
            **(self._extras(flow) if isinstance(flow, ExpandedFlow) else {}),
        )

    def _require_subnet(self, src: str, drawn: Destinations) -> None:
        """Hosts of one set are looked up once."""
        if drawn not in self._one_of_each_subnet:
            subnets = self._built.document.subnets
            ends = {host: self._built.hosts.find(host) for host in reversed(drawn.hosts)}
            self._one_of_each_subnet[drawn] = {subnets[end.node, end.port]: host for host, end in ends.items()}
        for host in self._one_of_each_subnet[drawn].values():
            self._built.require_subnet(src, host)

    def _extras(self, flow: ExpandedFlow) -> dict[str, Any]:
        extras: dict[str, Any] = {}
        if flow.bursts is not None:
            extras |= {"bursts": (flow.bursts.on_s, flow.bursts.off_s), "random_bursts": flow.bursts.random}
        if flow.loop is not None:
            grants = [self._indices[name] for name in flow.loop.grants]
            extras |= {"window": flow.loop.window, "grants": grants, "think_s": flow.loop.think_us * 1e-6}
            extras["needs"] = flow.loop.needs
        if flow.generator is not None:
            extras["generator"] = self._generator(flow.generator)
        if flow.messages is not None:
            extras["messages"] = flow.messages
        return extras

    def _generator(self, generator: Generator) -> ccsim.Generator:
        if generator not in self._generators:
            messages = generator.queue_messages
            made = ccsim.Generator.independent() if messages is None else ccsim.Generator.strict(queue_messages=messages)
            self._generators[generator] = made
        return self._generators[generator]

    def _endport(self, reference: str) -> int:
        if reference not in self._endports:
            self._endports[reference] = self._built.endport(reference)
        return self._endports[reference]

    def _shared(self, destinations: Destinations) -> ccsim.Destinations:
        if destinations not in self._destinations:
            endports = [self._endport(host) for host in destinations.hosts]
            match destinations.order:
                case "uniform":
                    made = ccsim.Destinations.uniform(endports)
                case "cyclic":
                    made = ccsim.Destinations.cyclic(endports)
                case "moving":
                    made = ccsim.Destinations.moving(endports, period_s=destinations.period_s)
            self._destinations[destinations] = made
        return self._destinations[destinations]

# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The schemes that the papers compare, and what each sets on the devices."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from experiments._common.run import Run
from experiments.flow_isolation.configurations import Configuration, Paper
from tuner.documents.workload import Workload

WITHOUT = "voqsw"
"""The switch of Paper VI without isolation and throttling."""


@dataclass(frozen=True, kw_only=True)
class Scheme:
    name: str
    """As `model.scheme.name` has it."""
    labels: Mapping[Paper, str]
    """Names in the papers; a paper that is not here does not compare it."""
    throttles: bool = False
    """True if sources obey BECNs: it needs tables of congestion control."""
    queue_for_each_host: bool = False
    """True if an input port has a queue for each host, with room of its own."""

    def run(self, configuration: Configuration, workload: Workload, *, seed: int = 1) -> Run:
        """`workload` names the configuration's fabric by path."""
        model: dict[str, Any] = {
            **configuration.devices,
            "scheme.name": self.name,
            "scheme.crossbar_gbps": configuration.crossbar_gbps,
        }
        if self.queue_for_each_host:
            model["scheme.queue_packets"] = configuration.rules.voqnet_queue_packets
        if self.throttles:
            model |= configuration.throttling_devices
        return Run(workload=workload, profile=configuration.profile if self.throttles else "off", model=model, seed=seed)


SCHEMES = (
    Scheme(name="1q", labels={"V": "1Q"}),
    Scheme(name="voqsw", labels={"V": "VOQsw", "VI": "1VL", "VI single": "1VL"}),
    Scheme(name="ith", labels={"V": "ITh", "VI": "IB-ITh", "VI single": "IB-ITh"}, throttles=True),
    Scheme(name="fbicm", labels={"V": "FBICM", "VI single": "HFDI"}),
    Scheme(name="hfdi", labels={"VI": "HFDI"}),
    Scheme(name="ccfit", labels={"V": "CCFIT", "VI single": "CCFIT"}, throttles=True),
    Scheme(name="ecocc", labels={"VI": "EcoCC"}, throttles=True),
    Scheme(name="voqnet", labels={"V": "VOQnet", "VI": "VOQnet", "VI single": "VOQnet"}, queue_for_each_host=True),
)


def compared(paper: Paper) -> Sequence[Scheme]:
    """Returns the schemes that a paper compares, in the order of SCHEMES."""
    return [scheme for scheme in SCHEMES if paper in scheme.labels]

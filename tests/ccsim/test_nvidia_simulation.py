# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Runs under profiles with the section `nvidia`, from Python: what is refused, and what a result has of rates."""

from typing import Any

import numpy as np
import pytest

import ccsim
from ccsim.policy import Profile

DCQCN: dict[str, Any] = {
    "ibcc_profile": 2,
    "name": "dcqcn",
    "nvidia": {
        "switch": {
            "aqs_time": 0,
            "aqs_weight": 0,
            "thresholds": [{"unit": "bytes", "profile1_min": 10000, "profile1_max": 50000, "profile1_percent": 10}],
        },
        "adapter": {"type": "dcqcn"},
    },
}
PPCC: dict[str, Any] = {
    "ibcc_profile": 2,
    "name": "ppcc",
    "nvidia": {"adapter": {"type": "ppcc", "ppcc": [{"algorithm": "ztr", "sls": "all"}]}},
}


def star(dialects: tuple[str, ...]) -> ccsim.Fabric:
    """S1 with a host for each dialect but the first, which is the switch's."""
    fabric = ccsim.Fabric(mtu_bytes=2048)
    fabric.add_node("S1", "switch", guid=1, num_ports=len(dialects) - 1)
    for port in range(1, len(dialects)):
        node = fabric.add_node(f"H{port}", "host", guid=100 + port, num_ports=1)
        fabric.connect(node, 1, 0, port, rate="4xEDR")
    for node, dialect in enumerate(dialects):
        fabric.set_dialect(node, dialect)  # type: ignore[arg-type]
    fabric.route_by("minhop")
    return fabric


def simulation(fabric: ccsim.Fabric, profile: dict[str, Any]) -> ccsim.Simulation:
    flows = [ccsim.Flow(src=0, dst=2), ccsim.Flow(src=1, dst=2)]
    tables = Profile.from_dict(profile).resolve(fabric)
    return ccsim.Simulation(fabric, flows, tables=tables, duration_s=0.002, sample_interval_s=0.0001, trace_ccti=True)


def test_rates_and_alpha_are_those_of_adapters_that_react_by_rates() -> None:
    result = simulation(star(("nvidia-dcqcn", "nvidia-dcqcn", "a10", "nvidia-dcqcn")), DCQCN).run()
    rate, alpha = result.rate_gbps, result.alpha
    assert rate is not None
    assert alpha is not None
    assert rate.shape == alpha.shape == result.received_bytes.shape
    assert rate[0].min() < 60
    assert rate[0].max() <= 100
    assert 0 < alpha[0].max() <= 1
    assert np.isnan(rate[1]).all()
    assert np.isnan(alpha[1]).all()
    assert result.flows["becn_received"].min() > 0


def test_a_fabric_of_annex_a10_has_no_rates() -> None:
    profile = {"ibcc_profile": 1, "name": "off", "enable": False}
    result = simulation(star(("a10",) * 4), profile).run()
    assert result.ccti is not None
    assert result.rate_gbps is None
    assert result.alpha is None


def test_a_profile_that_no_device_understands_is_refused() -> None:
    for dialect in ("a10", "none"):
        with pytest.raises(ValueError, match="no device of the fabric has NVIDIA's congestion control; leave the section out"):
            simulation(star((dialect,) * 4), DCQCN)
    simulation(star(("a10",) * 4), {**DCQCN, "enable": False})


@pytest.mark.parametrize(("dialect", "profile"), [("nvidia-dcqcn", PPCC), ("both", PPCC), ("nvidia-ppcc", DCQCN)])
def test_algorithms_of_firmware_are_refused_with_the_reason(dialect: str, profile: dict[str, Any]) -> None:
    fabric = star(("nvidia-dcqcn", "a10", dialect, "a10"))
    with pytest.raises(
        ValueError, match=f"adapter 'H2' .{dialect}. would react by an algorithm of its firmware .PPCC., which is"
    ):
        simulation(fabric, profile)
    quiet = {**profile["nvidia"]["adapter"], "react": False}
    simulation(fabric, {**profile, "nvidia": {**profile["nvidia"], "adapter": quiet}}).run()

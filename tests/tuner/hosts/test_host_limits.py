# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
from typing import Any

import pytest

from tuner.documents.workload import load_workload
from tuner.errors import BadInputError
from tuner.hosts.host_limits import HostLimits, limits_of, require_within
from tuner.hosts.plan import Seat, plan

SEATS = {f"H{n}": Seat(node=f"n{n}", address=f"n{n}-ib", device="mlx5_0") for n in range(1, 8)}
PLANNED = plan(load_workload("scenario-1"), SEATS)  # four of whose flows end at H5
EACH = 2 * (128 + 512) * 512  # what the queues of two programs have at least
ALL = {"max_bytes": 1 << 40, "max_qps": 1000, "max_processes": 100, "max_seconds": 100}


@pytest.mark.parametrize(
    ("name", "most", "told"),
    [
        ("max_bytes", EACH, "bytes of memory, and its agent allows at most 655360"),
        ("max_qps", 3, "node 'n5' would need 4 queue pairs, and its agent allows at most 3"),
        ("max_processes", 3, "node 'n5' would need 4 programs, and its agent allows at most 3"),
        ("max_seconds", 20, "node 'n5' would need 22 seconds, and its agent allows at most 20"),
    ],
)
def test_the_node_and_the_limit_are_named(name: str, most: int, told: str) -> None:
    with pytest.raises(BadInputError) as refused:
        require_within(PLANNED, {"n5": HostLimits(**{**ALL, name: most})}, lead_s=5)
    assert told in refused.value.sentence
    assert f"raise {name} in that host's /etc/ibcc/agent.json" in refused.value.sentence
    assert "\n" not in refused.value.sentence


def test_what_is_within_and_what_is_not_known_is_let_through() -> None:
    require_within(PLANNED, dict.fromkeys((seat.node for seat in SEATS.values()), HostLimits(**ALL)), lead_s=5)
    require_within(PLANNED, {"n5": HostLimits()}, lead_s=5)
    require_within(PLANNED, {}, lead_s=5)


@pytest.mark.parametrize(
    ("check", "shown"),
    [
        ({}, "not known"),
        ({"limits": {"memlock_bytes": None, "nofile": 1024}}, "not known"),  # an agent from before them
        ({"limits": 7}, "not known"),
        ({"limits": {"max_bytes": True, "max_qps": "9", "max_processes": -1, "max_seconds": 5.5}}, "not known"),
        ({"limits": {"max_bytes": 3 << 29, "max_seconds": 60}}, "1.5 GiB, 60 s"),
    ],
)
def test_what_an_agent_tells(check: dict[str, Any], shown: str) -> None:
    assert str(limits_of(check)) == shown

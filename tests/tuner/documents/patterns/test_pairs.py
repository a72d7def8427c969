# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
from tuner.documents.fabric import load_fabric
from tuner.documents.hosts import HostDirectory
from tuner.documents.patterns.pairs import Pairs


def pairs(**changes: object) -> list[tuple[str, str, str]]:
    values = {"kind": "pairs", "name": "p", "sources": ("H[123]",), "destinations": ("H4", "H3", "H6")}
    flows = Pairs.model_validate(values | changes).expand(HostDirectory(load_fabric("two-switch")), 5.0)
    return [(flow.src, flow.dst, flow.role) for flow in flows]


def test_hosts_are_paired_by_position() -> None:
    assert pairs() == [("H1", "H4", "victim"), ("H2", "H3", "victim"), ("H3", "H6", "victim")]


def test_the_longer_list_is_cut_and_no_host_sends_to_itself() -> None:
    assert pairs(sources=("H1", "H3"), destinations=("H*",), role="other") == [("H3", "H2", "other")]

# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import pytest

from tuner.documents.fabric import load_fabric
from tuner.documents.hosts import HostDirectory
from tuner.documents.patterns.incast import Incast
from tuner.errors import BadInputError


@pytest.fixture(scope="module")
def hosts() -> HostDirectory:
    return HostDirectory(load_fabric("two-switch"))


def incast(**changes: object) -> Incast:
    values = {"kind": "incast", "name": "in", "sources": ("H*",), "destination": "H5"}
    return Incast.model_validate(values | changes)


def test_every_source_but_the_destination_sends_to_it(hosts: HostDirectory) -> None:
    flows = incast().expand(hosts, 5.0)
    assert [(flow.name, flow.src) for flow in flows] == [
        ("in-1", "H1"),
        ("in-2", "H2"),
        ("in-3", "H3"),
        ("in-4", "H4"),
        ("in-5", "H6"),
        ("in-6", "H7"),
    ]
    assert {flow.dst for flow in flows} == {"H5"}
    assert {flow.role for flow in flows} == {"contributor"}


def test_sources_named_twice_count_once(hosts: HostDirectory) -> None:
    assert [flow.src for flow in incast(sources=("H3", "H[123]")).expand(hosts, 5.0)] == ["H3", "H1", "H2"]


def test_count_takes_the_first(hosts: HostDirectory) -> None:
    assert [flow.src for flow in incast(count=2).expand(hosts, 5.0)] == ["H1", "H2"]


def test_too_few_sources_are_an_error(hosts: HostDirectory) -> None:
    with pytest.raises(BadInputError, match="pattern 'in' finds 6 flows on this fabric; it must find 32"):
        incast(count=32).expand(hosts, 5.0)
    with pytest.raises(BadInputError, match="no host of fabric 'two-switch' has a description like 'X\\*'"):
        incast(sources=("X*",)).expand(hosts, 5.0)


def test_the_destination_is_one_host(hosts: HostDirectory) -> None:
    with pytest.raises(BadInputError, match="'H\\*' matches 7 hosts; it must match one"):
        incast(destination="H*").expand(hosts, 5.0)

# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What loop-back tests have found inside hosts, as evidence beside the ports to them."""

import json
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.tuner.cli.conftest import Command
from tests.tuner.cli.conftest import command as command
from tests.tuner.diagnosis.test_of_hosts import watched
from tests.tuner.hostping.test_ping import Site, slow_node1
from tuner.diagnosis.of_hosts import evidence_of_hosts
from tuner.diagnosis.of_paths import read_host_links
from tuner.diagnosis.verdict import diagnose
from tuner.errors import BadInputError
from tuner.hostping.ping_document import fleet_document, host_document


@pytest.fixture
def tested(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Five hosts, of which H1 has a slow memory."""
    site = Site(tmp_path, monkeypatch)
    site.rates["n1"] = slow_node1
    path = tmp_path / "ping.json"
    path.write_text(json.dumps(fleet_document("s", [host_document(row) for row in site.rows(5)])))
    return path


def test_a_slow_link_inside_explains_a_host_that_withholds(tested: Path) -> None:
    links = read_host_links(tested)
    found = diagnose(evidence_of_hosts({"H1": watched((0.4, 30.0))}, host_links=links))
    assert found.verdict == "host-link-failed"
    (fault,) = found.faults
    assert fault.place == "H1: the memory of node node1"
    assert fault.sentence == "inside host H1, the memory of node node1 is slow"
    assert fault.evidence[0] == "2 of its paths are slow in loop-back tests"
    assert "waits 40.0% of the time" in fault.evidence[1]
    assert "memory errors" in fault.next_step
    assert diagnose(evidence_of_hosts({"H1": watched((0.4, 30.0))})).verdict == "slow-receiver"


def test_the_slow_link_of_another_host_explains_nothing_here(tested: Path) -> None:
    other = json.loads(tested.read_text())
    other["hosts"][0]["host"] = "H9"
    tested.write_text(json.dumps(other))
    found = diagnose(evidence_of_hosts({"H1": watched((0.4, 30.0))}, host_links=read_host_links(tested)))
    assert [fault.kind for fault in found.faults] == ["host-link-failed", "slow-receiver"]


def test_tests_of_another_day_are_refused(tested: Path) -> None:
    assert read_host_links(tested, datetime.now(UTC) + timedelta(hours=23))
    with pytest.raises(BadInputError, match=r"more than a day ago; test again"):
        read_host_links(tested, datetime.now(UTC) + timedelta(hours=25))


@pytest.mark.parametrize(
    "broken", ["", "[]", "{}", '{"measured_at": 3, "hosts": []}', '{"measured_at": "2026-01-01", "hosts": 4}']
)
def test_other_files_are_refused_with_what_would_be_right(tmp_path: Path, broken: str) -> None:
    (tmp_path / "ping.json").write_text(broken)
    with pytest.raises(BadInputError, match=r"ping\.json has no loop-back tests .*ibcc hosts ping … --output json"):
        read_host_links(tmp_path / "ping.json")


def test_any_value_in_any_place_is_read_or_refused(tested: Path) -> None:
    whole = json.loads(tested.read_text())

    def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        return [path, *(place for key, inner in items for place in places(inner, (*path, key)))]

    for path in places(whole)[1:]:
        odds: tuple[Any, ...] = (None, -1, "odd", [], {})
        for odd in odds:
            changed = json.loads(json.dumps(whole))
            holder = changed
            for key in path[:-1]:
                holder = holder[key]
            holder[path[-1]] = odd
            tested.write_text(json.dumps(changed))
            with suppress(BadInputError):  # Any other error fails.
                read_host_links(tested)


def test_the_command_refuses_it_without_hosts(command: Command, tested: Path) -> None:
    done = command("fabric", "diagnose", "scenario-1", "--paths", tested)
    assert (done.code, "only --hosts takes what is inside hosts" in done.err) == (2, True)
    done = command("fabric", "diagnose", "--hosts", "site.yaml", "--paths", "absent.json")
    assert (done.code, "cannot read absent.json" in done.err) == (2, True)

# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What every launcher owes, tried on each kind with real agents."""

import json
import subprocess
import sys
import time
import uuid
from pathlib import Path

import pytest

from tests.perftest_mods.agent.agent_process import PATIENCE_S, process, require_begun, require_gone, tagged
from tests.tuner.hosts.launchers.conftest import Site
from tuner.hosts.clocks import measure_clocks
from tuner.hosts.launchers.base import AgentSet, Event, Request, open_launcher

pytestmark = pytest.mark.long


def run(*processes: dict[str, object]) -> Request:
    return {"op": "run", "processes": list(processes)}


def all_events(agents: AgentSet) -> dict[str, list[Event]]:
    found: dict[str, list[Event]] = {}
    for item in agents.events():
        if item is not None:
            found.setdefault(item[0], []).append(item[1])
    return found


def until(agents: AgentSet, kind: str, nodes: set[str]) -> None:
    """Reads on until each of the nodes has told an event of that kind."""
    waiting, limit = set(nodes), time.monotonic() + PATIENCE_S
    for item in agents.events():
        if item is not None and item[1]["event"] == kind:
            waiting.discard(item[0])
        if not waiting:
            return
        assert time.monotonic() < limit, f"no {kind} from {waiting}; {agents.failed}"
    raise AssertionError(f"all ended before {kind} came from {waiting}; {agents.failed}")


@pytest.fixture
def tag() -> str:
    return f"t{uuid.uuid4().hex}"


def test_each_node_gets_its_own_request_and_tells_under_its_own_name(site: Site, tag: str) -> None:
    before_ns = time.time_ns()
    agents = site.launcher().start({node: run(process(id=f"{tag}.{node}")) for node in ("n1", "n2", "n3")})
    found = all_events(agents)
    assert sorted(found) == ["n1", "n2", "n3"]
    for node, events in found.items():
        assert [event["id"] for event in events if event["event"] == "started"] == [f"{tag}.{node}"]
        assert {event["line"]["id"] for event in events if event["event"] == "meter"} == {f"{tag}.{node}"}
        assert (events[0]["event"], events[-1]["event"]) == ("hello", "done")
        arrivals = [event["received_mono_ns"] for event in events]
        assert arrivals == sorted(arrivals)
        assert all(before_ns <= event["received_wall_ns"] <= time.time_ns() for event in events)
    assert dict(agents.failed) == {}
    assert agents.stop() == frozenset()
    assert list(agents.events()) == []


def test_more_nodes_than_come_up_at_a_time(site: Site) -> None:
    inventory = site.inventory()
    launcher = open_launcher(inventory.launcher.model_copy(update={"fanout": 2}), inventory.agent.command)
    agents = launcher.start({f"n{i}": {"op": "check"} for i in range(1, 6)})
    assert len(all_events(agents)) == 5
    assert dict(agents.failed) == {}


def test_stop_ends_everything_before_it_returns(site: Site, tag: str) -> None:
    requests = {"n1": run(process(id=tag, program="stubborn", stop_s=600)), "n2": run(process(id=tag, stop_s=600))}
    agents = site.launcher().start(requests)
    until(agents, "meter", {"n1", "n2"})
    require_begun(tag, 1)
    assert agents.stop() == frozenset()
    assert tagged(tag) == set()
    assert agents.stop() == frozenset()
    assert dict(agents.failed) == {}


def test_events_let_whoever_waits_look_up(site: Site, tag: str) -> None:
    agents = site.launcher().start({"n1": run(process(id=tag, program="stubborn", stop_s=600))})
    until(agents, "meter", {"n1"})
    began = time.monotonic()
    assert next(agents.events()) is None
    assert time.monotonic() - began < 1 + PATIENCE_S  # on an idle machine, half a second
    agents.stop()


def test_an_agent_that_refuses_has_not_failed(site: Site) -> None:
    agents = site.launcher().start({"n1": run(process(program="sh")), "n2": {"op": "check"}})
    found = all_events(agents)
    assert [event["event"] for event in found["n1"]] == ["hello", "error", "done"]
    assert dict(agents.failed) == {}
    assert agents.stop() == frozenset()


def test_sets_run_beside_each_other(site: Site, tag: str) -> None:
    launcher = site.launcher()
    first = launcher.start({"n1": run(process(id=tag, stop_s=600))})
    until(first, "meter", {"n1"})
    assert "n1" in all_events(launcher.start({"n1": {"op": "check"}}))
    require_begun(tag, 1)
    assert first.stop() == frozenset()


def test_clocks_are_measured(site: Site) -> None:
    clocks = measure_clocks(site.launcher(), ["n1", "n2"], round_trips=5, patience_s=PATIENCE_S)
    assert dict(clocks.failed) == {}
    for clock in clocks.offsets.values():
        # It is one clock. NTP may turn it a little between two readings.
        assert abs(clock.offset_ns) <= clock.uncertainty_ns + 100_000
        assert clock.remote_ns(clock.local_ns(12345)) == 12345


COORDINATOR = """
import json, sys
from tuner.documents.inventory import Inventory
from tuner.document_base.model import build_model
from tuner.hosts.launchers.base import open_launcher

document, requests = json.loads(sys.stdin.readline())
inventory = build_model(Inventory, document)
agents = open_launcher(inventory.launcher, inventory.agent.command).start(requests)
waiting = set(requests)
for item in agents.events():
    if item is not None and item[1]["event"] == "meter":
        waiting.discard(item[0])
    if not waiting:
        print("runs", flush=True)
"""


def test_a_coordinator_that_is_killed_leaves_nothing(site: Site, tag: str) -> None:
    requests = {f"n{i}": run(process(id=tag, program="stubborn", stop_s=600)) for i in (1, 2)}
    coordinator = subprocess.Popen([sys.executable, "-c", COORDINATOR], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert coordinator.stdin is not None
    assert coordinator.stdout is not None
    coordinator.stdin.write(json.dumps([site.document, requests]).encode() + b"\n")
    coordinator.stdin.flush()
    assert coordinator.stdout.readline() == b"runs\n"
    require_begun(tag, 4)
    coordinator.kill()
    coordinator.wait(PATIENCE_S)
    coordinator.stdin.close()
    coordinator.stdout.close()
    require_gone(tag)


def test_the_nodes_name_is_no_option_and_no_command(site: Site, tmp_path: Path) -> None:
    """Names are checked by the inventory; but even one that was not does no harm."""
    witness = tmp_path / "witness"
    agents = site.launcher().start({"$(touch witness)": {"op": "check"}})
    all_events(agents)
    agents.stop()
    assert not witness.exists()

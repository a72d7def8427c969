# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc fabric diagnose`: the sentence, the evidence, the next step, and exit codes."""

import csv
import json
from pathlib import Path

import pytest

from tests.perftest_mods.agent.made_up_sysfs import MadeUpHost
from tests.tuner.checks.nights import night
from tests.tuner.cli.conftest import Command
from tests.tuner.diagnosis.beds import fabric, workload
from tests.tuner.diagnosis.test_of_hosts import watched
from tests.tuner.hostping.scripted import ScriptedLauncher, topology_event, use_event
from tuner.checks.cause import Cause
from tuner.checks.store.history import History
from tuner.checks.store.night_run import NightRun
from tuner.diagnosis.of_night import diagnosis_of_night
from tuner.documents.fabric_text import fabric_text
from tuner.hosts.launchers.base import Event, Request


@pytest.fixture
def documents(tmp_path: Path) -> tuple[Path, Path]:
    """A workload and a fabric whose H5 takes 20 Gb/s."""
    files = tmp_path / "pairs.yaml", tmp_path / "bed.yaml"
    files[0].write_text(json.dumps(workload().model_dump(mode="json", exclude_unset=True)))
    files[1].write_text(fabric_text(fabric({"H5": {"receive_gbps": 20.0}})))
    return files


def test_a_fault_is_one_sentence_with_evidence_and_a_next_step(command: Command, documents: tuple[Path, Path]) -> None:
    finished = command("fabric", "diagnose", documents[0], "--fabric", documents[1])
    lines = finished.out.splitlines()
    assert (finished.code, finished.err) == (1, "")
    assert lines[0] == "Host H5 is slow to receive, and withholds credits."
    assert lines[1].startswith("Evidence at H5: L2/1 waits ")
    assert lines[2] == "Evidence at H5: its inside was not read, so that it may be loaded or misconfigured."
    assert lines[3] == "Next step for H5: ibcc hosts ping INVENTORY --nodes H5 --triggered"


def test_json_and_csv_have_the_row_of_the_causes(command: Command, documents: tuple[Path, Path]) -> None:
    asked = ("fabric", "diagnose", documents[0], "--fabric", documents[1], "--output")
    document = json.loads(command(*asked, "json").out)
    assert (document["verdict"], document["faults"][0]["cause"]) == ("slow-receiver", "slow-receiver")
    (row,) = csv.DictReader(command(*asked, "csv").out.splitlines())
    assert (row["kind"], row["place"]) == ("slow-receiver", "H5")


def test_what_is_usual_is_no_fault(command: Command, documents: tuple[Path, Path]) -> None:
    run, faulty = documents
    run.write_text(run.read_text().replace("60.0", "15.0"))
    finished = command("fabric", "diagnose", run, "--fabric", faulty, "--usual", faulty)
    assert finished.code == 0
    assert finished.out.startswith("Nothing holds traffic")


def test_a_profile_that_is_not_the_wanted_one_is_told_by_device(command: Command, documents: tuple[Path, Path]) -> None:
    changed = ("--profile", "gran-2010", "--set", "profile.switch.threshold=3", "--wanted", "gran-2010")
    document = json.loads(command("fabric", "diagnose", documents[0], "--fabric", documents[1], *changed, "--output", "json").out)
    drifted = [fault["place"] for fault in document["faults"] if fault["kind"] == "drifted-table"]
    assert drifted == ["L1", "L2", "T1", "T2"]


@pytest.mark.parametrize("arguments", [(), ("scenario-1", "--night", "nightly")])
def test_a_workload_or_a_night_is_asked_for(arguments: tuple[str, ...], command: Command) -> None:
    finished = command("fabric", "diagnose", *arguments)
    assert finished.code == 2
    assert "of a workload, --night and --hosts one is needed" in finished.err


def a_night(state: str, *names: str) -> NightRun:
    causes = tuple(
        Cause(name=name, sentence=f"{name} at H5", place="H5", evidence=("seen",), next_step="ibcc look", weight=1.0)
        for name in names
    )
    return NightRun(
        check="nightly",
        date=night(0),
        number=0,
        started="2026-01-01T01:00:00+00:00",
        ended="2026-01-01T01:10:00+00:00",
        entries=(),
        state=state,
        headline="",
        remarks=(),
        causes=causes,
        judged={},
        baseline=None,
    )


@pytest.mark.parametrize(
    ("run", "verdict"),
    [
        (a_night("pass"), "none"),
        (a_night("fail"), "cannot-tell"),
        (a_night("fail", "slow-receiver", "degraded-link"), "slow-receiver"),
        (a_night("fail", "host-misconfigured"), "host-misconfigured"),
        (a_night("fail", "aggressive-tenant"), "hotspot"),
        (a_night("fail", "wrong-tables"), "drifted-table"),
        (a_night("fail", "changed-profile"), "cannot-tell"),
    ],
)
def test_a_night_gives_its_likeliest_cause(run: NightRun, verdict: str) -> None:
    assert diagnosis_of_night(run).verdict == verdict


def test_the_last_night_of_a_check_is_diagnosed(command: Command, tmp_path: Path) -> None:
    History(tmp_path, "nightly").add(a_night("fail", "slow-sender"))
    finished = command("fabric", "diagnose", "--night", "nightly", "--history", tmp_path)
    assert finished.code == 1
    assert finished.out.splitlines() == ["Slow-sender at H5.", "Evidence at H5: seen.", "Next step for H5: ibcc look"]


@pytest.mark.parametrize(
    ("asked", "said", "sentence"),
    [
        ((), {"memory_gbps": {"mon_L3_00": 8.0}}, "it is misconfigured."),
        ((), {"memory_gbps": {"mon_L3_00": 480.0}}, "and withholds credits."),
        (("--inside", "none"), {"memory_gbps": {"mon_L3_00": 8.0}}, "and withholds credits."),
        ((), None, "and withholds credits."),
    ],
    ids=["idle memory", "busy memory", "not asked", "silent"],
)
def test_agents_of_hosts_that_withhold_are_asked_for_their_inside(
    asked: tuple[str, ...],
    said: dict[str, object] | None,
    sentence: str,
    command: Command,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    machine = topology_event(tmp_path, MadeUpHost(sockets=(0,), adapters=(0,), gpus=(), has_switches=False))
    stalled = {"cards": {"ib0": {"outbound_pci_stalled_wr_events": 1}}}

    def answer(node: str, request: Request) -> list[Event] | str:
        if said is None:
            return "no route to host"
        return [machine if request["op"] == "topology" else use_event(seconds=1.0, **stalled, **said)]

    launcher = ScriptedLauncher(answer)
    monkeypatch.setattr("tuner.cli.diagnoses.open_launcher", lambda *given: launcher)
    slow, sound = watched((0.4, 30.0)), watched((0.0, 30.0))
    monkeypatch.setattr("tuner.cli.diagnoses.watched_ports", lambda *given, **more: {"H1": slow, "H2": sound})
    finished = command("fabric", "diagnose", "--hosts", "two-switch", *asked)
    assert finished.code == 1
    assert finished.out.splitlines()[0].endswith(sentence)
    nodes = {node for node, _ in launcher.asked}
    assert nodes == (set() if asked else {"node1"}), "H2 withholds nothing"
    assert ("host H1: no route to host" in finished.err) == (said is None)

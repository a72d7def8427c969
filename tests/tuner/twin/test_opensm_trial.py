# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A real OpenSM tries the advised line, and its tables are read back."""

import tempfile
from pathlib import Path

import pytest

from tests.tuner.fabric.strange_fabrics import disguised, fabric_of
from tuner.documents.fabric import FabricDocument, Host, HostPort
from tuner.fabric.built_fabric import build
from tuner.fabric.importers.base import import_fabric
from tuner.fabric.opensm_line import OpensmLine, opensm_line
from tuner.fabric.served_rates import capped
from tuner.fabric.shapes.base import recognize
from tuner.fabric.shapes.switch_graph import SwitchGraph
from tuner.fabric.subnets import of_subnet
from tuner.fabric.topologies.base import generate
from tuner.twin import opensm_trial
from tuner.twin.opensm_trial import Trial, try_line


def tried(fabric: FabricDocument, line: OpensmLine | None = None) -> Trial:
    shape = recognize(SwitchGraph(fabric))
    return try_line(fabric, shape, line or opensm_line(fabric, shape))


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of temporary files, in which nothing may stay."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_what_came_out_is_read_back(infiniband_programs: None, temporary: Path) -> None:
    fabric = disguised(generate("leaf-spine", leaves=3, spines=2, hosts_per_leaf=3, host_rate="4xNDR"), 4)
    trial = tried(fabric)
    assert (trial.engine, trial.as_advised, trial.good, trial.errors) == (trial.advised[0], True, True, ())
    assert trial.capped == ("NDR",)
    assert "the routing alone was tried" in trial.sentence
    assert trial.fabric is not None
    assert {link.rate for link in trial.fabric.links} == {link.rate for link in fabric.links}, "rates are the fabric's own"
    built = build(trial.fabric)
    assert built.unreachable() == []
    assert trial.loads is not None
    assert trial.loads.uniform_share == pytest.approx(1, abs=0.35)
    assert list(temporary.iterdir()) == []


def test_adapters_with_several_ports_get_a_lid_a_port(infiniband_programs: None, temporary: Path) -> None:
    fabric = fabric_of([(0, 1)], [3, 3])
    first, *others = fabric.hosts
    twin_port = Host(name=first.name, ports=2, endports=(HostPort(port=1, guid=0xABC1), HostPort(port=2, guid=0xABC2)))
    trial = tried(fabric.model_copy(update={"hosts": (twin_port, *others)}))
    assert trial.good, trial.sentence
    assert trial.fabric is not None
    assert [(one.port, one.guid, one.lid is not None) for one in trial.fabric.hosts[0].endports] == [
        (1, 0xABC1, True),
        (2, 0xABC2, False),
    ]


def test_another_engine_and_credit_loops_are_not_good(infiniband_programs: None, temporary: Path) -> None:
    ring = generate("torus", dims=[5], hosts_per_switch=2)
    trial = tried(ring, OpensmLine({"routing_engine": "minhop"}, {}))
    assert (trial.engine, trial.as_advised, trial.good) == ("minhop", False, False)
    assert trial.credit_loop is not None
    assert "which is none of the advised" in trial.sentence
    assert "a credit loop is possible" in trial.sentence


@pytest.mark.parametrize(
    ("script", "why"),
    [("echo no such option; exit 3", "OpenSM has ended with 3"), ("kill -9 $$", "OpenSM has ended with -9")],
)
def test_an_opensm_that_ends_leaves_a_sentence(
    tmp_path: Path, temporary: Path, infiniband_programs: None, monkeypatch: pytest.MonkeyPatch, script: str, why: str
) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "opensm").write_text(f"#!/bin/sh\n{script}\n")
    (programs / "opensm").chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")
    trial = tried(fabric_of([(0, 1)], [2, 2]))
    assert trial.sentence.startswith(f"Nobody has tried this line: {why}")
    assert [path.name for path in temporary.iterdir()] == ["bin"]


def test_ports_that_no_program_reaches_are_named(infiniband_programs: None, shared: Path) -> None:
    """OpenSM ends there with "SM MAD Controller bind failed"."""
    planes = import_fabric(shared / "cases/c06-planes.net").fabric
    assert tried(of_subnet(planes, 2)).good
    assert "adapters are linked here by port 3 or later" in tried(of_subnet(planes, 3)).sentence


def test_without_opensm_nobody_has_tried_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opensm_trial, "client_path", lambda: "/nowhere")
    trial = tried(fabric_of([(0, 1)], [2, 2]))
    assert (trial.engine, trial.good) == (None, False)
    assert trial.sentence == ("Nobody has tried this line: opensm is not installed here; Debian's package opensm has it.")
    assert trial.to_json()["uniform_share"] is None


@pytest.mark.parametrize(
    ("rate", "tried_at", "beyond"), [("4xNDR", "4xHDR", ("NDR",)), ("2xXDR", "2xHDR", ("XDR",)), ("4xEDR", "4xEDR", ())]
)
def test_rates_are_capped_at_what_the_open_opensm_serves(rate: str, tried_at: str, beyond: tuple[str, ...]) -> None:
    fabric = fabric_of([(0, 1)], [1, 1])
    fabric = fabric.model_copy(update={"links": tuple(link.model_copy(update={"rate": rate}) for link in fabric.links)})
    limited, generations = capped(fabric)
    assert ({link.rate for link in limited.links}, generations) == ({tried_at}, beyond)

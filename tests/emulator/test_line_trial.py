# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What came out when a real OpenSM ran with a line; and that nothing of a trial stays, whatever ends it."""

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import pytest

from tests.tuner.fabric.strange_fabrics import disguised, fabric_of, storage_above, without
from tuner.documents.fabric import FabricDocument, Host, HostPort
from tuner.emulator import line_trial
from tuner.emulator.line_trial import try_advised, try_line
from tuner.errors import InterruptedRunError, UnreachableError
from tuner.fabric.built_fabric import build
from tuner.fabric.capacity import capacity
from tuner.fabric.importers.base import import_fabric
from tuner.fabric.opensm_line import engines_line, opensm_line
from tuner.fabric.routing_advice import advise, suited_shape
from tuner.fabric.served_rates import capped
from tuner.fabric.subnets import of_subnet
from tuner.fabric.topologies.base import generate

pytestmark = pytest.mark.usefixtures("infiniband_programs")


def damaged() -> FabricDocument:
    return disguised(without(generate("leaf-spine", leaves=9, spines=4, hosts_per_leaf=5), links=[2, 9, 30]), 6)


def test_the_line_that_suits_the_shape_comes_up_and_carries_what_was_forecast() -> None:
    fabric = damaged()
    advice = advise(fabric)
    line = opensm_line(fabric, advice.shape)
    trial = try_line(fabric, line)
    assert trial.asked == ("updn", "ftree")
    assert (trial.engine, trial.fell_back, trial.good, trial.credit_loop) == ("updn", False, True, None)
    forecast = next(one.loads for one in advice.engines if one.routing == "updown")
    assert forecast is not None
    assert trial.share == pytest.approx(forecast.uniform_share)
    assert trial.mean_hops == pytest.approx(2 * 40 / 44)  # of 44 other hosts, 40 are on other leaves
    assert set(line.files) == {"root_guid_file", "cn_guid_file"}
    assert next(trial.sentences()).startswith("OpenSM came up with engine updn on the emulated twin in ")


def test_an_engine_that_carries_a_tenth_more_is_taken_and_simulated_by_its_tables() -> None:
    fabric = damaged()
    line, trial = try_advised(fabric)
    assert trial.instead_of is not None
    assert trial.instead_of.engine == "updn"
    assert trial.share >= 1.1 * trial.instead_of.share
    assert trial.engine in ("nue", "dfsssp")
    assert trial.asked == (trial.engine, "updn", "ftree")
    assert line.options["routing_engine"] == ",".join(trial.asked)
    assert f"engine {trial.engine} is taken, since it carries" in list(trial.sentences())[-1]
    carried = capacity(build(trial.fabric))
    assert carried is not None
    assert carried.share == pytest.approx(trial.share)


def test_an_engine_with_a_credit_loop_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether the advice knew of the loop or a real OpenSM shows it."""
    fabric = next(
        one for one in (storage_above(random.Random(seed)) for seed in range(30)) if suited_shape(one).opensm[0] == "nue"
    )
    trial = try_line(fabric, opensm_line(fabric, suited_shape(fabric)))
    assert (trial.asked, trial.engine, trial.good, trial.credit_loop) == (("nue", "updn"), "nue", True, None)
    unaware = replace(suited_shape(fabric), opensm=("ftree", "updn"))
    monkeypatch.setattr(line_trial, "suited_shape", lambda _: unaware)
    line, trial = try_advised(fabric)
    assert trial.instead_of is not None
    assert trial.instead_of.credit_loop is not None
    assert trial.good
    assert line.options["routing_engine"] == f"{trial.engine},ftree,updn"
    assert (
        f"{trial.engine} is taken, since ftree, which suits the shape, closes a credit loop there" in list(trial.sentences())[-1]
    )


def test_a_line_that_gives_way_says_what_opensm_complains_of() -> None:
    """Without the files, OpenSM's ftree refuses a tree that misses links."""
    trial = try_line(damaged(), engines_line(["ftree"]))
    assert (trial.engine, trial.fell_back) == ("minhop", True)
    sentences = list(trial.sentences())
    assert "gave way with engine minhop" in sentences[0]
    assert sentences[1].startswith("engine ftree of the line cannot be used there: ")


def test_a_credit_loop_is_told_but_not_of_engines_with_vls() -> None:
    ring = generate("torus", dims=[5], hosts_per_switch=1)
    trial = try_line(ring, engines_line(["minhop"]))
    assert trial.credit_loop is not None
    assert not trial.good
    assert "a credit loop: " in next(trial.sentences())
    by_vls = try_line(ring, engines_line(["dfsssp"]))
    assert (by_vls.engine, by_vls.own_vls, by_vls.good) == ("dfsssp", True, True)
    assert by_vls.credit_loop is not None, "on one VL"
    assert "by VLs, which tables do not show" in next(by_vls.sentences())


def test_generations_that_opensm_does_not_serve_have_lower_rates_on_the_twin() -> None:
    fabric = fabric_of([(leaf, spine) for leaf in range(3) for spine in (3, 4)], [4, 4, 4, 0, 0])
    trial = try_advised(fabric)[1]
    assert trial.capped == ("NDR",)
    assert any("the twin ran at HDR, so the routing alone was tried" in sentence for sentence in trial.sentences())
    assert trial.loads.uniform_gbps > 200  # by the fabric's own rates


def test_it_stops_when_asked() -> None:
    with pytest.raises(InterruptedRunError):
        try_line(damaged(), engines_line(["minhop"]), should_stop=lambda: True)


def test_without_opensm_the_reason_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda program, path: None)
    with pytest.raises(UnreachableError, match="opensm is not installed"):
        try_advised(damaged())


def test_devices_have_the_lids_and_tables_of_opensm_at_their_own_rates() -> None:
    fabric = fabric_of([(0, 1)], [3, 3])
    first, *others = fabric.hosts
    two_ports = Host(name=first.name, ports=2, endports=(HostPort(port=1, guid=0xABC1), HostPort(port=2, guid=0xABC2)))
    fabric = fabric.model_copy(update={"hosts": (two_ports, *others)})
    trial = try_line(fabric, opensm_line(fabric, suited_shape(fabric)))
    assert trial.good
    assert [(one.port, one.guid, one.lid is not None) for one in trial.fabric.hosts[0].endports] == [
        (1, 0xABC1, True),
        (2, 0xABC2, False),
    ]
    assert trial.fabric.links == fabric.links
    assert build(trial.fabric).unreachable() == []


@pytest.mark.parametrize(
    ("script", "why"),
    [("echo no such option; exit 3", "OpenSM has ended with 3"), ("kill -9 $$", "OpenSM has ended with -9")],
)
def test_an_opensm_that_ends_leaves_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, why: str) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "opensm").write_text(f"#!/bin/sh\n{script}\n")
    (programs / "opensm").chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with pytest.raises(UnreachableError, match=why):
        try_line(fabric_of([(0, 1)], [2, 2]), engines_line(["minhop"]))
    assert [path.name for path in tmp_path.iterdir()] == ["bin"]


def test_ports_that_no_program_reaches_are_named(shared: Path) -> None:
    """OpenSM ends there with "SM MAD Controller bind failed"."""
    planes = import_fabric(shared / "cases/c06-planes.net").fabric
    assert try_line(of_subnet(planes, 2), engines_line(["minhop"])).good
    with pytest.raises(UnreachableError, match="adapters are linked here by port 3 or later"):
        try_line(of_subnet(planes, 3), engines_line(["minhop"]))


@pytest.mark.parametrize(
    ("rate", "tried_at", "beyond"), [("4xNDR", "4xHDR", ("NDR",)), ("2xXDR", "2xHDR", ("XDR",)), ("4xEDR", "4xEDR", ())]
)
def test_rates_are_capped_at_what_the_open_opensm_serves(rate: str, tried_at: str, beyond: tuple[str, ...]) -> None:
    fabric = fabric_of([(0, 1)], [1, 1])
    fabric = fabric.model_copy(update={"links": tuple(link.model_copy(update={"rate": rate}) for link in fabric.links)})
    limited, generations = capped(fabric)
    assert ({link.rate for link in limited.links}, generations) == ({tried_at}, beyond)


PROGRAM = """
import sys
from tests.emulator.test_line_trial import damaged
from tuner.emulator import line_trial
from tuner.fabric.opensm_line import engines_line
line_trial.OpenSm.await_subnet_up = lambda self, **more: (print(self.pid, flush=True), sys.stdin.read())
line_trial.try_line(damaged(), engines_line(["minhop"]))
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_nothing_stays_whatever_ends_it(root: Path, tmp_path: Path, number: signal.Signals) -> None:
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM], cwd=root, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        opensm = int(process.stdout.readline())
        assert len(list(tmp_path.glob("ibcc-trial-*"))) == 1
        process.send_signal(number)
        process.wait(30)
    deadline = time.monotonic() + 30
    while (Path(f"/proc/{opensm}").exists() or list(tmp_path.iterdir())) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not Path(f"/proc/{opensm}").exists()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.thorough
def test_on_a_real_fabric_an_engine_that_wins_by_a_tenth_is_taken(shared: Path) -> None:
    """The tree's engines carry 32 % there."""
    trial = try_advised(import_fabric(shared / "data/fabrics/superpod-ndr-40sw-582ca.ibnetdiscover").fabric)[1]
    assert not trial.fell_back
    assert trial.loads.unreachable_pairs == 0
    assert trial.engine in ("dfsssp", "nue")
    assert trial.instead_of is not None
    assert trial.share >= 1.1 * trial.instead_of.share
    assert trial.credit_loop is None

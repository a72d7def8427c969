# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What came out when a real OpenSM ran with a line; and that nothing of a trial stays, whatever ends it."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.tuner.fabric.strange_fabrics import disguised, fabric_of, without
from tuner.documents.fabric import FabricDocument
from tuner.emulator.line_trial import try_advised, try_line
from tuner.errors import InterruptedRunError, UnreachableError
from tuner.fabric.importers.base import import_fabric
from tuner.fabric.opensm_line import engines_line
from tuner.fabric.routing_advice import advise
from tuner.fabric.topologies.base import generate

pytestmark = pytest.mark.usefixtures("infiniband_programs")


def damaged() -> FabricDocument:
    return disguised(without(generate("leaf-spine", leaves=9, spines=4, hosts_per_leaf=5), links=[2, 9, 30]), 6)


def test_the_advised_line_comes_up_and_carries_what_was_forecast() -> None:
    fabric = damaged()
    line, trial = try_advised(fabric)
    assert trial.asked == ("updn", "ftree")
    assert (trial.engine, trial.fell_back, trial.credit_loop) == ("updn", False, None)
    forecast = next(one.loads for one in advise(fabric).engines if one.routing == "updown")
    assert forecast is not None
    assert trial.share == pytest.approx(forecast.uniform_share)
    assert trial.mean_hops == pytest.approx(2 * 40 / 44)  # of 44 other hosts, 40 are on other leaves
    assert set(line.files) == {"root_guid_file", "cn_guid_file"}
    assert next(trial.sentences()).startswith("OpenSM came up with engine updn on the emulated twin in ")


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
    assert "a credit loop: " in next(trial.sentences())
    by_vls = try_line(ring, engines_line(["dfsssp"]))
    assert (by_vls.engine, by_vls.credit_loop, by_vls.own_vls) == ("dfsssp", None, True)
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
def test_on_a_real_fabric_engines_that_win_by_a_tenth_are_named(shared: Path) -> None:
    """The tree's engines carry 32 % there."""
    trial = try_advised(import_fabric(shared / "data/fabrics/superpod-ndr-40sw-582ca.ibnetdiscover").fabric)[1]
    assert not trial.fell_back
    assert trial.loads.unreachable_pairs == 0
    for other in trial.others:
        assert other.engine in ("dfsssp", "nue")
        assert other.share >= 1.1 * trial.share
    assert trial.others
    assert any("loses its VLs" in sentence for sentence in trial.sentences())

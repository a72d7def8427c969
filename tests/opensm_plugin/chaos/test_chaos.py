# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Chaos in short: some phases, one seed. `make chaos` has all of them, for as long as it is told."""

import shutil
import tempfile
from pathlib import Path

import pytest

from tests.opensm_plugin.chaos.ground import HEADERS, Ground
from tests.opensm_plugin.chaos.kinds import kinds
from tests.opensm_plugin.chaos.phases import phase_of
from tests.opensm_plugin.chaos.run import run, shown
from tests.opensm_plugin.conftest import library
from tuner.fabric.topologies.base import generate

__all__ = ["library"]

SEED = 19
SHORT = {
    "a10": (13.0, ("sick host", "sick switch, waiting", "LIDs exchanged", "refuse 20 % of Sets")),
    "mixed": (10.0, ("dead hosts, kill -9", "first contact, kill -9", "two OpenSMs")),
}
"""By kind of devices: seconds, and phases."""


@pytest.mark.timing("real OpenSM and its threads, and what must hold again within seconds")
@pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.thorough] if name != "a10" else []) for name in SHORT])
def test_every_phase_ends_in_the_profile_that_is_wanted(name: str, library: Path, infiniband_programs: None) -> None:
    if shutil.which("cc") is None or not (HEADERS / "opensm").exists():
        pytest.skip("a C compiler or OpenSM's headers not installed: Debian's packages gcc and libopensm-dev have them")
    seconds, phases = SHORT[name]
    folder = Path(tempfile.mkdtemp(prefix="ibcc-chaos-"))  # short enough for sockets; it stays if anything is wrong
    with Ground(generate("k-ary-n-tree", k=4, n=2), kinds()[name], library, folder, SEED) as ground:
        rows = run(ground, [phase_of(phase) for phase in phases], seconds, lambda row: print(shown(row)))
    assert len(rows) == len(phases)
    shutil.rmtree(folder)


def test_each_kind_of_devices_has_phases_here() -> None:
    assert set(SHORT) == set(kinds())

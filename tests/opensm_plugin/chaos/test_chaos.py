# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Chaos in short: some phases, one seed. `make chaos` has all of them, for as long as it is told."""

import shutil
import tempfile
from pathlib import Path

import pytest

from tests.opensm_plugin.chaos.ground import HEADERS, Ground
from tests.opensm_plugin.chaos.phases import phase_of
from tests.opensm_plugin.chaos.run import run, shown
from tests.opensm_plugin.conftest import library
from tuner.fabric.topologies.base import generate

__all__ = ["library"]

SEED = 19
SECONDS = 13.0
SHORT = ("sick host", "sick switch, waiting", "LIDs exchanged", "refuse 20 % of Sets")


@pytest.mark.timing("real OpenSM and its threads, and what must hold again within seconds")
def test_every_phase_ends_in_the_profile_that_is_wanted(library: Path, infiniband_programs: None) -> None:
    if shutil.which("cc") is None or not (HEADERS / "opensm").exists():
        pytest.skip("a C compiler or OpenSM's headers not installed: Debian's packages gcc and libopensm-dev have them")
    folder = Path(tempfile.mkdtemp(prefix="ibcc-chaos-"))  # short enough for sockets; it stays if anything is wrong
    with Ground(generate("k-ary-n-tree", k=4, n=2), library, folder, SEED) as ground:
        rows = run(ground, [phase_of(name) for name in SHORT], SECONDS, lambda row: print(shown(row)))
    assert len(rows) == len(SHORT)
    shutil.rmtree(folder)

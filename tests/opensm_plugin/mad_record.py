# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What a process hands to libibumad, and when: a library of the tests' own (mad_recorder.c) writes it down."""

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.opensm_plugin.plugin_process import PluginBed
from tuner.opensm.preload import client_environment


@dataclass(frozen=True)
class SentMad:
    """A MAD that was sent."""

    at_s: float
    """Time by the system's clock."""
    mgmt_class: int
    sl: int


@dataclass(frozen=True)
class Recorder:
    """The library, and the file that it writes."""

    library: Path
    record: Path

    def environment(self, bed: PluginBed) -> dict[str, str]:
        """Returns what to add to the environment of the process whose MADs are wanted."""
        preloads = client_environment(bed.bed.emulated.name)["LD_PRELOAD"]
        return {"LD_PRELOAD": f"{self.library} {preloads}", "IBCC_MAD_RECORD": str(self.record)}

    def sent(self, mgmt_class: int) -> list[SentMad]:
        """Returns the MADs of that class up to now."""
        rows = [line.split() for line in self.record.read_text().splitlines()]
        found = [SentMad(float(row[0]), int(row[1], 16), int(row[4])) for row in rows]
        return [mad for mad in found if mad.mgmt_class == mgmt_class]


@pytest.fixture
def recorder(root: Path, tmp_path: Path) -> Recorder:
    """Compiled; skipped without a compiler or libibumad-dev, as its failure under continuous integration is test_umad_port's."""
    compiler = shutil.which("cc")
    if compiler is None or not Path("/usr/include/infiniband/umad.h").exists():
        pytest.skip("a C compiler or umad.h not installed: Debian's packages gcc and libibumad-dev have them")
    library = tmp_path / "mad_recorder.so"
    source = root / "tests/opensm_plugin/mad_recorder.c"
    flags = ["-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]
    subprocess.run([compiler, *flags, str(source), "-o", str(library)], check=True)
    return Recorder(library, tmp_path / "mads.txt")

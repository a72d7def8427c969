# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import re
import shutil
import subprocess
from importlib import metadata
from pathlib import Path

import pytest

from build_tools.man_pages import pages, write
from tuner.cli import main
from tuner.documents.schemas import published_texts

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("man")
    (folder / "ibcc-gone.1").touch()
    write(folder, pages())
    return folder


def test_there_is_a_page_of_each_program_command_and_format(written: Path) -> None:
    commands = {f"ibcc-{entry.name}.1" for entry in metadata.entry_points(group=main.GROUP)}
    formats = {f"ibcc-{kind}.5" for kind in [*published_texts(), "profile"]}
    there = {path.name for path in written.iterdir()}
    assert there == {"ibcc.1", "ibcc-worker.1", "ccsimd.1", "ibcc-opensm-plugin.8"} | commands | formats
    listed = (written / "ibcc.1").read_text().partition(".SH SEE ALSO")[2].replace("\\-", "-")
    assert set(re.findall(r"\\fB([\w-]+)\\fR\((\d)\)", listed)) == {tuple(name.rsplit(".", 1)) for name in there - {"ibcc.1"}}


@pytest.mark.parametrize(
    ("page", "says"),
    [
        ("ibcc-tune.1", r"--dask ADDRESS"),
        ("ibcc-check.1", r"ibcc check alarms"),
        ("ibcc-worker.1", r"--slots"),
        ("ibcc-workload.5", r"duration_s"),
        ("ibcc-profile.5", r"marking_rate"),
        ("ibcc-opensm-plugin.8", r"--restore-on-exit-ms N"),
    ],
)
def test_a_page_has_the_words_of_its_subject(written: Path, page: str, says: str) -> None:
    assert says in (written / page).read_text().replace("\\-", "-")


def test_man_takes_them_without_a_warning(written: Path) -> None:
    if shutil.which("groff") is None:
        pytest.skip("groff is not installed")
    # -ww: all warnings; -z: nothing is printed.
    command = ["groff", "-k", "-t", "-man", "-ww", "-z", "-Tutf8", "-rLL=78n", *map(str, sorted(written.iterdir()))]
    assert subprocess.run(command, capture_output=True, text=True).stderr == ""

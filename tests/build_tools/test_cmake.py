# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`make -j2 plugin meter` builds what `make plugin meter` builds."""

import os
import subprocess
from pathlib import Path


def test_jobs_of_make_do_not_stop_ninja(meter: Path, root: Path) -> None:
    """A program that make starts is told of pipes that are closed there; ninja 1.13 ends with an error where it is told so."""
    assert meter.exists()
    environment = {**os.environ, "MAKEFLAGS": " -j2 --jobserver-auth=98,99"}
    built = subprocess.run(
        [root / "build_tools/cmake.sh", "meter", "ibcc_meter"], env=environment, capture_output=True, text=True, check=False
    )
    assert (built.returncode, built.stderr) == (0, "")

# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The package for hosts in bare Debians: installed, used over ssh, before a job and after a boot, removed, and gone."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.packaging.test_debian import host_package, packages, require

__all__ = ["host_package", "packages"]


@pytest.mark.slow
@pytest.mark.parametrize("release", ["12", "13"])
def test_it_is_installed_used_and_removed(root: Path, host_package: Path, release: str) -> None:
    require(os.geteuid() == 0, "debootstrap needs root")
    environment = {
        **os.environ,
        "CHROOT_FILES": str(host_package.parent),
        "CHROOT_COMMANDS": "tests/packaging/host_package.sh build/files/ibcc-host_*.deb",
    }
    ended = subprocess.run(
        [root / "tests/packaging/chroot_test.sh", "--debian", release, "root"],
        check=False,
        capture_output=True,
        text=True,
        env=environment,
        stdin=subprocess.DEVNULL,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert f"host_package.sh: installed, used and removed in Debian {release}" in ended.stdout


def test_a_system_that_is_not_thrown_away_is_not_changed(root: Path, tmp_path: Path) -> None:
    (tmp_path / "ibcc-host.deb").touch()
    require(not Path("/ibcc/tests").exists(), "this is a system of chroot_test.sh")
    ended = subprocess.run(
        [root / "tests/packaging/host_package.sh", tmp_path / "ibcc-host.deb"], check=False, capture_output=True, text=True
    )
    assert (ended.returncode, "it would be changed" in ended.stderr) == (2, True)

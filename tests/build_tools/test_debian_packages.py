# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Missing Debian packages are named, whatever else is missing with them; a broken one keeps no other away."""

import shutil
import subprocess
from pathlib import Path

import pytest


@pytest.mark.parametrize(
    ("group", "packages"),
    [
        ("vm", {"qemu-system-x86", "cpio", "busybox-static", "perftest", "ibverbs-utils"}),
        ("emulator", {"ibutils", "valgrind"}),
        ("package", {"build-essential", "dpkg-dev", "debhelper", "cmake", "git"}),
        ("browser", {"chromium-headless-shell"}),
    ],
)
def test_on_a_machine_with_next_to_nothing(group: str, packages: set[str], root: Path, tmp_path: Path) -> None:
    """apt-get is not there either, so that nothing is installed."""
    for program in ("bash", "id"):
        (tmp_path / program).symlink_to(shutil.which(program) or program)
    asked = subprocess.run(
        ["bash", root / "build_tools/debian_packages.sh", group], env={"PATH": str(tmp_path)}, capture_output=True, text=True
    )
    assert asked.returncode == 1, asked.stderr
    sentence, _, words = asked.stderr.strip().partition("An administrator installs them with: apt-get install ")
    assert sentence.startswith(f"Missing Debian packages ({group}): ")
    assert set(words.split()) >= packages


TOOLS = ("bash", "chmod", "comm", "env", "mktemp", "rm", "sed", "sort", "tail", "touch")
APT_GET = """#!/bin/bash
# Fails at whatever it installs, as apt-get does where dpkg cannot configure a package; brings what is not in $ABSENT.
here=${0%/*}
[ "${*: -1}" != update ] || exit 0
for word; do [[ " $ABSENT " != *" $word "* || -n $PARTLY ]] || { echo "E: Unable to locate package $word" >&2; exit 100; }; done
for word; do
  case $word in
  -* | Dpkg::* | install) continue ;;
  dpkg-dev) program=dpkg-buildpackage ;;
  debhelper) program=dh ;;
  prometheus) program=promtool ;;
  *) program=$word ;;
  esac
  [[ " $ABSENT " == *" $word "* ]] || touch "$here/$program"
done
chmod +x "$here"/*
echo appstream >"$here/broken"
echo "dpkg: error processing package appstream (--configure)" >&2
exit 100
"""
DPKG_QUERY = """#!/bin/bash
here=${0%/*}
case ${*: -1} in
build-essential) test -e "$here/build-essential" ;;
*) echo 'ii  bash'; [ ! -e "$here/broken" ] || echo 'iU  appstream' ;;
esac
"""


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """A folder of programs: all that the script takes, of root's on a machine whose apt-get always fails."""
    for program in TOOLS:
        (tmp_path / program).symlink_to(shutil.which(program) or program)
    for name, text in {"apt-get": APT_GET, "dpkg-query": DPKG_QUERY, "id": "#!/bin/bash\necho 0\n"}.items():
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    return tmp_path


def installed(root: Path, machine: Path, group: str, *, absent: str = "", partly: bool = True) -> tuple[int, list[str]]:
    """The exit code, and what is said after the line that names what is installed."""
    asked = subprocess.run(
        ["bash", root / "build_tools/debian_packages.sh", group],
        env={"PATH": str(machine), "ABSENT": absent, "PARTLY": "1" if partly else ""},
        capture_output=True,
        text=True,
    )
    said = asked.stderr.splitlines()
    assert said[0].startswith(f"Installing Debian packages ({group}): "), asked.stderr
    return asked.returncode, said[1:]


def test_a_package_that_cannot_be_configured_is_named_once_and_nothing_else_fails(root: Path, machine: Path) -> None:
    assert installed(root, machine, "package") == (
        0,
        ["dpkg could not configure: appstream. `dpkg --configure --pending` says why."],
    )
    assert installed(root, machine, "monitoring") == (0, [])


def test_only_what_is_missing_after_installing_is_named(root: Path, machine: Path) -> None:
    code, said = installed(root, machine, "package", absent="git")
    assert code == 1
    assert said[-1] == "Still missing (package): git. apt-get could not install what is missing."


def test_a_package_that_does_not_exist_keeps_no_other_away(root: Path, machine: Path) -> None:
    code, said = installed(root, machine, "package", absent="cmake", partly=False)
    assert code == 1
    assert said[-1] == "Still missing (package): cmake. apt-get could not install what is missing."
    assert (machine / "dh").exists()

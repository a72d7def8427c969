# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import subprocess

import pytest

from tuner.errors import BadInputError
from tuner.opensm import preload


@pytest.fixture
def installed() -> None:
    try:
        preload.find_umad2sim()
    except BadInputError:
        pytest.skip("libumad2sim0 is not installed")


@pytest.mark.usefixtures("installed")
def test_a_program_is_attached_by_two_libraries_and_two_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LD_PRELOAD", "/lib/other.so")
    monkeypatch.setenv("SIM_HOST", "from outside")
    environment = preload.client_environment("fabric-7", "H2")
    ours, debians, other = environment["LD_PRELOAD"].split()
    assert "_umad_classes" in ours
    assert debians.endswith("umad2sim/libumad2sim.so")
    assert other == "/lib/other.so"
    assert (environment["IBSIM_SOCKNAME"], environment["SIM_HOST"]) == ("fabric-7", "H2")
    assert "SIM_HOST" not in preload.client_environment("fabric-7")


def test_our_library_does_no_harm_to_a_program_without_infiniband() -> None:
    environment = {"LD_PRELOAD": str(preload.find_umad_classes())}
    done = subprocess.run(["/bin/echo", "as ever"], env=environment, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("as ever\n", "")


def test_its_absence_is_said_with_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preload, "_candidates", lambda folder: [])
    with pytest.raises(BadInputError, match="Debian's package libumad2sim0 has it"):
        preload.client_environment("fabric-7")

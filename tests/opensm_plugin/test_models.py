# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Hosts of one model whose lists of PPCC algorithms differ, under stock OpenSM: each is set by its own list, whatever happens."""

from collections.abc import Iterator
from typing import Any

import pytest

from ccsim.policy import Profile
from tests.emulator.conftest import Emulate
from tests.opensm_plugin.plugin_process import NO_RETRIES, Load, PluginBed
from tests.opensm_plugin.test_faults import node
from tests.opensm_plugin.test_nvidia import await_that, nvidia_of, rows_of
from tests.tuner.cli.conftest import Command, command
from tuner.documents.congestion_control import Algorithm, CongestionControlRow
from tuner.documents.fabric import load_fabric
from tuner.documents.hardware import HardwareRow
from tuner.opensm.plugin_client import PluginClient

__all__ = ["command"]

pytestmark = pytest.mark.long

HOSTS = tuple(f"H{number}" for number in range(1, 17))
SEVEN = Algorithm(algo_id=7, parameters=(1, 2, 3))
NINE = Algorithm(algo_id=9, parameters=(11, 12, 13))
LISTS = {name: (SEVEN, NINE) if number < 8 else (NINE, SEVEN) for number, name in enumerate(HOSTS)}
"""By host: the algorithms of its slots."""
OPTIONS = f"--nvidia-write --audit-interval-s 0 {NO_RETRIES}"
DIFFER = "differ in the list of PPCC algorithms, as "


def profile_of(algorithm: int, parameters: dict[int, int]) -> Profile:
    given = ", ".join(f"{index}: {value}" for index, value in parameters.items())
    return Profile.from_text(
        "ibcc_profile: 2\nname: ppcc\nnvidia:\n"
        f"  adapter: {{type: ppcc, ppcc: [{{algo_id: {algorithm}, major: 1, minor: 0, parameters: {{{given}}}}}]}}\n"
    )


@pytest.fixture
def bed(load: Load, emulate: Emulate) -> PluginBed:
    """Two switches of annex A10 and sixteen hosts of one model, firmware and board."""
    rows = tuple(CongestionControlRow(nodes=(name,), dialect="nvidia-ppcc", algorithms=LISTS[name]) for name in HOSTS)
    hardware = (HardwareRow(kind="host", vendor_id=0x2C9, device_id=0x101B, firmware="20.39.1002", psid="MT_0000000224"),)
    return load(emulate(load_fabric("two-switch-16").model_copy(update={"congestion_control": rows, "hardware": hardware})))


def differences(bed: PluginBed, algorithm: int, parameters: dict[int, int]) -> Iterator[str]:
    """In what hosts do not hold the parameters under the algorithm, or hold others than at power-on under the other one."""
    for name in HOSTS:
        slots: dict[int, Any] = {slot["algo_id"]: slot for slot in nvidia_of(bed, name)["ppcc"]}
        if list(slots) != [algorithm]:
            yield f"{name} runs {sorted(slots)}"
            continue
        at_power_on = dict(enumerate(next(one.parameters for one in LISTS[name] if one.algo_id == algorithm)))
        held = {int(index): value for index, value in dict(slots[algorithm]["parameters"]).items()}
        if held != at_power_on | parameters:
            yield f"{name} holds {held}"


def test_each_host_is_set_by_its_own_list(bed: PluginBed, command: Command) -> None:
    first, second = {0: 400, 1: 3932}, {0: 555, 1: 666}
    with bed.opensm(profile_of(7, first), options=OPTIONS) as process:
        process.await_done()
        assert not list(differences(bed, 7, first))
        bed.bed.emulated.emulator.reboot(node(bed, "H10"))
        process.opensm.sweep()
        await_that(lambda: not list(differences(bed, 7, first)))
        assert rows_of(process)["H10"]["state"] == "applied"
        bed.write_profile(profile_of(7, second))
        await_that(lambda: not list(differences(bed, 7, second)))
        assert [line for line in process.errors if DIFFER in line and "H1 (" in line and "H9 (" in line]
    with bed.opensm(options=OPTIONS) as process:
        sets = bed.count_mads("set")
        process.await_done()
        assert sets() == 0, "what was set before the restart is what is wanted"
        assert not list(differences(bed, 7, second))
        with PluginClient(process.setup.socket) as client:
            assert [sentence for sentence in client.status()["warnings"] if DIFFER in sentence]
        shown = command("fabric", "status", "--socket", process.setup.socket)
        assert DIFFER in " ".join((shown.out + shown.err).split())
        asked = command("fabric", "dialects", "--socket", process.setup.socket)
        assert "differ: PPCC algorithms of H1: 7 (1.0) 9 (1.0), PPCC algorithms of H9: 9 (1.0) 7 (1.0)" in " ".join(
            asked.err.split()
        )
        # Another algorithm: the parameters of the former one are as they were, each under its own algorithm.
        bed.write_profile(profile_of(9, {}))
        await_that(lambda: not list(differences(bed, 9, {})))
        bed.write_profile(profile_of(7, {}))
        await_that(lambda: not list(differences(bed, 7, {})))
    with bed.opensm(profile_of(9, first), options=OPTIONS) as process:
        process.await_done()
        assert not list(differences(bed, 9, first))
        assert command("profile", "verify", "--socket", process.setup.socket).code == 0

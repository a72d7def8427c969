# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A second OpenSM waits as standby, and takes over when the first is killed."""

from pathlib import Path

from tests.emulator.conftest import Bed


def test_the_standby_takes_over_when_the_master_is_killed(two_switch: Bed, root: Path) -> None:
    polling = (root / "configs/opensm/standby.conf").read_text()
    clients = two_switch.clients
    with clients.opensm(more_options=polling, node="H1") as first:
        master = clients.output("sminfo")
        assert "SMINFO_MASTER" in master
        with clients.opensm(more_options=polling, node="H7", up=False) as second:
            second.await_line("Entering STANDBY state")
            assert clients.output("sminfo").split("activity")[0] == master.split("activity")[0]
            first.kill()
            second.await_line("Entering MASTER state")
            second.await_subnet_up()
            successor = clients.output("sminfo", node="H3")
            assert "SMINFO_MASTER" in successor
            assert successor.split("activity")[0] != master.split("activity")[0]

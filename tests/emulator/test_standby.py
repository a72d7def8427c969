# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A second OpenSM waits as standby, and takes over when the first is killed."""

from tests.emulator.conftest import Bed

POLLING = {"sminfo_polling_timeout": 200, "polling_retry_number": 2}
"""The standby asks the master every 200 ms whether it lives, and takes over after two questions without an answer."""


def test_the_standby_takes_over_when_the_master_is_killed(two_switch: Bed) -> None:
    clients = two_switch.clients
    with clients.opensm(POLLING, node="H1") as first:
        master = clients.output("sminfo")
        assert "SMINFO_MASTER" in master
        with clients.opensm(POLLING, node="H7", up=False) as second:
            second.await_line("Entering STANDBY state")
            assert clients.output("sminfo").split("activity")[0] == master.split("activity")[0]
            first.kill()
            second.await_line("Entering MASTER state")
            second.await_subnet_up()
            successor = clients.output("sminfo", node="H3")
            assert "SMINFO_MASTER" in successor
            assert successor.split("activity")[0] != master.split("activity")[0]

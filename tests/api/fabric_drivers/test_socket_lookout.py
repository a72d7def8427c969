# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The lookout of a real plugin: it hears when a look is worth while, and of what two looks alone would not show."""

import select
from contextlib import ExitStack, closing

from api.fabric_drivers.sight import NOTHING_BETWEEN
from api.fabric_drivers.socket_lookout import SocketLookout
from tests.opensm_plugin.conftest import emulate, library, load, plugin_bed, two_switch
from tests.opensm_plugin.plugin_process import PluginBed
from tuner.opensm.plugin_client import PluginClient

__all__ = ["emulate", "library", "load", "plugin_bed", "two_switch"]


def test_a_host_that_is_lost_and_back_between_two_looks_is_seen(plugin_bed: PluginBed) -> None:
    fabric, emulator = plugin_bed.bed.fabric, plugin_bed.bed.emulated.emulator
    host, trunk = fabric.hosts[4], fabric.switches[0]
    number = plugin_bed.bed.emulated.built.hosts.find(host.name).node
    guid = f"0x{fabric.guid_of(number):016x}"
    with plugin_bed.opensm("off") as running, PluginClient(running.setup.socket) as other, ExitStack() as ends:
        running.await_done()
        other.subscribe(["device.lost", "device.back", "link.down"])
        events = other.events()
        lookout = ends.enter_context(closing(SocketLookout(running.setup.socket)))
        before = lookout.look()
        descriptor = lookout.descriptor()
        assert descriptor is not None
        news = select.poll()
        news.register(descriptor, select.POLLIN)
        assert before.between == NOTHING_BETWEEN
        assert lookout.look() is before, "nothing has happened"
        assert not news.poll(0)

        emulator.set_present(number, False)
        assert next(events)["event"] == "device.lost"
        emulator.set_present(number, True)
        assert next(events)["event"] == "device.back"
        assert news.poll(10_000), "there is news"
        after = lookout.look()
        assert after.between.nodes == {guid: [False, True]}
        assert after.devices[guid, 1].condition in ("present", "unknown")
        assert not news.poll(0), "a look reads all news"

        emulator.set_link(number, 1, False)
        assert next(events)["guid"] == guid, f"{host.name} of {trunk.name} has one link"
        last = lookout.look()
        assert last.devices[guid, 1].condition == "missing"
        assert last.between.nodes == {guid: [False]}
        assert not last.between.links, "the link of a host that is lost is no news"

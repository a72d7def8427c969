# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A watcher hears of a fault from the plugin: it would look by itself an hour later."""

import time
from collections.abc import Callable
from functools import partial

from sqlalchemy import select

from api.access.principal import system
from api.background.fabric_watcher import FabricWatcher
from api.database.models.event import Event
from api.services.fabrics import create_fabric
from tests.api.service import Service
from tests.opensm_plugin.conftest import emulate, library, load, plugin_bed, two_switch
from tests.opensm_plugin.plugin_process import PluginBed

__all__ = ["emulate", "library", "load", "plugin_bed", "two_switch"]

HOUR_S = 3600.0
LONG_S = 120.0


def test_a_fault_is_told_without_another_look(service: Service, plugin_bed: PluginBed) -> None:
    emulator, hosts = plugin_bed.bed.emulated.emulator, plugin_bed.bed.emulated.built.hosts
    watcher = FabricWatcher(service.database, interval_s=HOUR_S)
    with plugin_bed.opensm("off") as running:
        running.await_done()
        with service.database.writing() as session:
            options = {"socket": str(running.setup.socket), "fabric": "two-switch"}
            create_fabric(session, system("test"), "site", "plugin", options)
        for look in watcher.tick():
            look.result(LONG_S)
        watcher.start()
        emulator.set_present(hosts.find("H5").node, False)
        _until(lambda: _told(service)[-1:] == ["device.lost"])
        emulator.set_present(hosts.find("H5").node, True)
        _until(lambda: "device.back" in _told(service))
        for kind in ("device.lost", "device.back", "device.flapping"):
            before = _told(service)
            emulator.set_present(hosts.find("H5").node, kind == "device.back")
            _until(partial(_has_more, service, before))
            assert _told(service) == [*before, kind]
        watcher.stop()
    assert _told(service) == [*["device.lost", "device.back"] * 2, "device.flapping"]


def _told(service: Service) -> list[str]:
    with service.database.reading() as session:
        query = select(Event.kind).where(Event.topic == "fabric:site", Event.kind.like("device.%")).order_by(Event.id)
        return list(session.scalars(query))


def _has_more(service: Service, before: list[str]) -> bool:
    return len(_told(service)) > len(before)


def _until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + LONG_S
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.1)

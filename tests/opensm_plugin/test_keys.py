# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""CC_Keys on devices that check them, and other people's tools with and without them."""

import re
import time

from tests.emulator.topology import discovered
from tests.opensm_plugin.devices import wanted
from tests.opensm_plugin.plugin_process import PluginBed, PluginProcess
from tests.opensm_plugin.test_faults import WITHIN_S, await_held, node


def write_keys(bed: PluginBed, text: str) -> str:
    """At once, as a careful hand does it. The plugin's option that names the file."""
    path = bed.folder / "keys.yaml"
    fresh = path.with_suffix(".new")
    fresh.touch(mode=0o600)
    fresh.write_text(text)
    fresh.rename(path)
    return f"--key-file {path}"


def key_of(bed: PluginBed, lid: int, key: int) -> str:
    """CC_Key as ibccquery reads it with this key."""
    output = bed.bed.clients.output("ibccquery", "-c", str(key), "CongestionKeyInfo", str(lid))
    (shown,) = (match[1] for match in re.finditer(r"CC_Key:\.+(\S+)", output))
    return shown


def lids(bed: PluginBed) -> dict[str, int]:
    found = discovered(bed.bed.clients.output("ibnetdiscover")).nodes
    return {node.name: node.lid for node in found if node.lid is not None}


def await_key(bed: PluginBed, key: int) -> None:
    deadline = time.monotonic() + WITHIN_S
    while any(int(key_of(bed, lid, key), 0) != key for lid in lids(bed).values()):
        assert time.monotonic() < deadline, f"not all devices have key {key}"


def never_logged(process: PluginProcess, *keys: str) -> bool:
    log = "\n".join(line.text for line in process.opensm.lines).lower()
    return not any(key in log for key in keys)


def test_devices_are_given_the_key_and_then_the_profile(plugin_bed: PluginBed) -> None:
    options = write_keys(plugin_bed, "current: 0x1234\nprotect: yes\nlease_period_s: 0\n")
    with plugin_bed.opensm("gran-2010", options=options) as process:
        process.await_done()
        assert plugin_bed.held() == wanted(plugin_bed.wanted("gran-2010"))
        lid = lids(plugin_bed)["H3"]
        assert int(key_of(plugin_bed, lid, 0x1234), 0) == 0x1234
        assert int(key_of(plugin_bed, lid, 0), 0) == 0, "protected: who does not know it is not shown it"
        assert plugin_bed.bed.clients.run("ibccquery", "CongestionInfo", str(lid)).returncode != 0
        assert process.errors == []
        assert never_logged(process, "0x1234", "4660")


def test_a_change_of_keys_reaches_all_and_those_that_were_away(plugin_bed: PluginBed) -> None:
    emulator = plugin_bed.bed.emulated.emulator
    options = write_keys(plugin_bed, "current: 0x1111\n")
    with plugin_bed.opensm("gran-2010", options=options) as process:
        process.await_done()
        emulator.set_link(node(plugin_bed, "H5"), 1, False)  # keeps its key, unlike one that is switched off
        process.opensm.sweep()
        write_keys(plugin_bed, "current: 0x1111\nnext: 0x2222\n")
        process.opensm.sweep()
        await_key(plugin_bed, 0x2222)
        write_keys(plugin_bed, "current: 0x2222\n")
        emulator.set_link(node(plugin_bed, "H5"), 1, True)
        process.opensm.sweep()
        await_key(plugin_bed, 0x2222)
        await_held(plugin_bed, "gran-2010")
        assert process.errors == []


def test_the_successor_has_the_keys_from_its_own_copy_of_the_file(plugin_bed: PluginBed) -> None:
    options = write_keys(plugin_bed, "current: 0x1111\n")
    with plugin_bed.opensm("gran-2010", options=options, state="first") as first:
        first.await_done()
        first.opensm.kill()
    with plugin_bed.opensm("gran-2012", options=options, state="second") as second:
        second.await_done()
        assert plugin_bed.held() == wanted(plugin_bed.wanted("gran-2012"))

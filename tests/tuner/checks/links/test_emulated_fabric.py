# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The kind `links` on emulated fabrics that run, with a real OpenSM, the real plugin and libibumad."""

import itertools
import time
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import pytest

from tests.emulator.conftest import Bed, Emulate
from tests.opensm_plugin.plugin_process import Load
from tests.tuner.backends.standing import SILENCE_S, SITE
from tests.tuner.checks.test_kinds import NIGHT
from tuner.checks.kind import GoodRecord
from tuner.checks.observe import observed
from tuner.checks.run_check import run_check
from tuner.checks.store.history import History
from tuner.checks.store.night_run import EntryRun
from tuner.documents.check import Check
from tuner.documents.check_kinds import Links
from tuner.documents.fabric import load_fabric
from tuner.emulator.client import ControlClient
from tuner.emulator.names import control_socket
from tuner.emulator.server import ControlServer
from tuner.fabric.importers.base import import_fabric
from tuner.opensm.plugin_client import PluginClient

ODD_NAMES = Path(__file__).parents[2] / "fabric/importers/corpus/ibnetdiscover/every-kind.txt"
"""Switches and adapters of several widths and speeds, a router, two nodes of one name, and names with all signs."""
LEAF, SPINE, OTHER_LEAF = "MF0;leaf/1:MQM9700/U1", "the 'spine' {x=1}", "rack2#leaf 1"


def test_a_fabric_without_the_plugin_is_discovered(two_switch: Bed) -> None:
    name = two_switch.emulated.name
    with two_switch.clients.opensm({"sweep_interval": 0}), ControlServer(two_switch.emulated):
        seen, by_path = (
            observed(Links(topology="discover", emulated=where), NIGHT) for where in (name, str(control_socket(name)))
        )
    assert seen.record is not None
    assert by_path.record is not None
    sent, later = ({(node, port): words for node, port, words in one["sent"]} for one in (seen.record, by_path.record))
    assert sent.keys() == later.keys()
    assert all(words <= later[port] for port, words in sent.items()), "MADs are counted too"
    assert replace(seen, record={**seen.record, "sent": None}) == replace(by_path, record={**by_path.record, "sent": None})
    assert seen.not_run is None
    values = {metric.name: value for metric, value in seen.metrics}
    assert (values["links"], values["slow_links"], values["unread_ports"]) == (8, 0, 0)
    assert seen.findings == ()


@pytest.mark.slow
def test_the_port_to_a_slow_host_waits_out_of_proportion(emulate: Emulate) -> None:
    fabric = load_fabric("two-switch")
    hosts = tuple(host.model_copy(update={"receive_gbps": 2.0}) if host.name == "H2" else host for host in fabric.hosts)
    bed = emulate(fabric.model_copy(update={"hosts": hosts}))
    flows = [{"name": a + b, "src": a, "dst": b, "rate_gbps": 3} for a, b in itertools.permutations(("H1", "H2", "H3"), 2)]
    options = Links(topology="discover", emulated=bed.emulated.name)
    with bed.clients.opensm({"sweep_interval": 0}), ControlServer(bed.emulated), ControlClient(bed.emulated.name) as control:
        before = observed(options, NIGHT)
        assert before.record is not None
        control.run_workload({"ibcc_workload": 1, "name": "all", "fabric": "two-switch", "duration_s": 0.5, "flows": flows})
        later = NIGHT.clock() + timedelta(seconds=0.5)  # the traffic's own time
        seen = observed(options, replace(NIGHT, latest=GoodRecord(NIGHT.date, before.record), clock=lambda: later))
        idle = replace(before, record={**before.record, "withheld": {"H1": 0.0, "H2": 0.0, "H3": 0.0}})
        assert idle.record is not None
        good = GoodRecord(NIGHT.date, idle.record)
        compared = observed(options, replace(NIGHT, latest=GoodRecord(NIGHT.date, before.record), good=good, clock=lambda: later))
    (finding,) = seen.findings
    assert (finding.code, finding.place) == ("xmit-wait", "S1/2 – H2/1")
    assert seen.symptoms is None, "there is no good night with the same"
    assert [(symptom.name, symptom.place) for symptom in compared.symptoms or ()] == [("host-withholds", "H2")]
    assert {metric.name: value for metric, value in seen.metrics}["worst_wait_share"] == pytest.approx(0.87, abs=0.1)


def await_link(plugin: Path, description: str, port: int, state: str, width: str | None) -> None:
    """Waits until OpenSM has seen it."""
    deadline = time.monotonic() + SILENCE_S
    with PluginClient(plugin) as client:
        while True:
            (row,) = (row for row in client.links() if (row["description"], row["port"]) == (description, port))
            if (row["state"], row["width"]) == (state, width):
                return
            assert time.monotonic() < deadline, row
            time.sleep(0.05)


@pytest.mark.slow
def test_nights_of_a_fabric_find_its_faults(emulate: Emulate, load: Load, tmp_path: Path) -> None:
    bed = emulate(import_fabric(ODD_NAMES).fabric)
    with ControlServer(bed.emulated), load(bed).opensm(SITE) as process, ControlClient(bed.emulated.name) as control:
        process.await_done()
        plugin = process.setup.socket
        options = Links(socket=str(plugin), emulated=bed.emulated.name)
        check, history = Check(ibcc_check=1, name="odd", fabric="two-switch", kinds=(options,)), History(tmp_path / "h", "odd")

        def night(day: int) -> EntryRun:
            outcome = run_check(check, history, date(2026, 1, day))
            assert outcome.not_stored is None
            (entry,) = outcome.run.entries
            assert entry.not_run is None
            return entry

        first = night(1)
        assert (first.findings, first.values["links"]) == ((), 14)

        control.set_link(SPINE, 4, up=False)
        await_link(plugin, LEAF, 10, "down", None)
        control.set_link(LEAF, 9, up=False)
        await_link(plugin, LEAF, 9, "down", None)
        control.set_link(LEAF, 9, up=True)
        await_link(plugin, LEAF, 9, "active", "4x")
        with PluginClient(plugin) as client:
            lid = next(row["lid"] for row in client.links() if row["description"] == LEAF)
        bed.clients.output("ibportstate", lid, 3, "width", 1)
        bed.clients.output("ibportstate", lid, 3, "reset")
        control.add_fault("drop", "rack1#x", **{"class": "PMA"})
        control.add_fault("clamp", "rack2#h", attribute="PortCounters", offset_bits=32, width_bits=16, least=9000)
        await_link(plugin, LEAF, 3, "active", "1x")

        found = {(finding.code, finding.place): finding for finding in night(2).findings}
        places = {
            ("link-gone", f"{LEAF}/10 – {SPINE}/4"),
            ("link-flapping", f"{LEAF}/9 – gate way/1"),
            ("link-flapping", f"{LEAF}/3 – rack0#dual/1"),
            ("link-narrow", f"{LEAF}/3 – rack0#dual/1"),
            ("counters-unread", "rack1#x/1"),
            ("link-errors", f"{OTHER_LEAF}/1 – rack2#h/1"),
        }
        assert set(found) == places
        assert "SymbolErrorCounter has grown by 9000" in found["link-errors", f"{OTHER_LEAF}/1 – rack2#h/1"].evidence
        for finding in found.values():
            step = bed.clients.run(*finding.next_step.split())
            assert (step.returncode == 0) == (finding.code != "counters-unread"), finding.next_step

        control.clear_faults()
        control.set_link(SPINE, 4, up=True)
        await_link(plugin, LEAF, 10, "active", "4x")
        bed.clients.output("ibportstate", lid, 3, "width", 3)
        bed.clients.output("ibportstate", lid, 3, "reset")
        await_link(plugin, LEAF, 3, "active", "4x")
        assert {finding.code for finding in night(3).findings} <= {"link-flapping"}
        assert night(4).findings == ()

# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tables, counters, cables and nodes, as real tools see them and as the control socket tells."""

import re

import pytest

from tests.tuner.emulator.conftest import Bed
from tuner.rpc import protocol as rpc
from tuner.rpc.protocol import RpcError


def states(bed: Bed, node: str) -> dict[str, str]:
    (device,) = bed.client.tables(node)
    return {port: row["state"] for port, row in device["ports"].items() if port != "0"}


def test_tables_are_what_opensm_has_set(up: Bed) -> None:
    devices = {device["node"]: device for device in up.client.tables()}
    assert set(devices) == {"S1", "S2", *(f"H{i}" for i in range(1, 8))}
    assert set(states(up, "S1").values()) == {"active"}
    lids = {name: device["ports"]["0" if name[0] == "S" else "1"]["lid"] for name, device in devices.items()}
    assert sorted(lids.values()) == list(range(1, 10))
    # The switch's own LID leaves by port 0, its host's by the host's.
    (first, ports), *_ = ((int(first), ports) for first, ports in devices["S1"]["forwarding"].items())
    assert ports[lids["S1"] - first] == 0
    assert ports[lids["H2"] - first] == 2
    assert ports[lids["H7"] - first] == 19
    assert up.output("ibtracert", lids["H2"], lids["H7"]).count("->") == 3


def test_nodes_are_found_by_description_and_by_guid(bed: Bed) -> None:
    (by_name,) = bed.client.tables("H3")
    assert bed.client.tables(f"guid:{by_name['guid']}") == [by_name]
    assert bed.client.call("tables", {"guid": int(by_name["guid"], 16)})["devices"] == [by_name]
    with pytest.raises(RpcError, match="gives both guid and node; one of them is enough"):
        bed.client.call("tables", {"guid": by_name["guid"], "node": "H3"})


def test_counters_count_the_workload(up: Bed) -> None:
    def row() -> dict[str, int]:
        (found,) = up.client.counters("H4")
        return found

    before = row()
    measurement = up.client.run_workload("scenario-1", time_scale=0.02)
    payload = measurement.gbps[0].sum() * measurement.interval_s / 8e-9  # of F1, which alone goes to H4
    grown = row()["rcv_bytes"] - before["rcv_bytes"]
    assert payload < grown < payload * 1.05  # headers
    lid = up.client.tables("H4")[0]["ports"]["1"]["lid"]
    words = re.search(r"PortRcvData:\.+(\d+)", up.output("perfquery", "-x", lid, 1))
    assert words is not None
    assert int(words[1]) * 4 == row()["rcv_bytes"]


def test_a_pulled_cable_takes_what_is_behind_it_away_and_a_plugged_one_brings_it_back(bed: Bed) -> None:
    bed.client.set_link("S1", 19, up=False)
    assert (states(bed, "S1")["19"], states(bed, "S2")["19"]) == ("down", "down")
    assert bed.tool("smpquery", "-D", "nodeinfo", "0,1,19").returncode != 0
    bed.client.set_link("S2", 19, up=True)  # either end names it
    assert bed.tool("smpquery", "-D", "nodeinfo", "0,1,19").returncode == 0


def test_opensm_sweeps_when_a_cable_is_plugged_in(bed: Bed) -> None:
    bed.client.set_link("S1", 2, up=False)
    with bed.opensm() as opensm:
        seen = opensm.await_subnet_up() + 1
        assert bed.client.tables("H2")[0]["ports"]["1"]["lid"] == 0
        bed.client.set_link("S1", 2, up=True)  # the switch says so by trap 128
        opensm.await_subnet_up(after=seen)
        assert bed.client.tables("H2")[0]["ports"]["1"]["state"] == "active"


def test_nodes_go_and_come(bed: Bed) -> None:
    bed.client.remove_node("H3")
    assert states(bed, "S1")["3"] == "down"
    assert not bed.client.tables("H3")[0]["present"]
    bed.client.add_node("H3")
    assert states(bed, "S1")["3"] == "init"
    assert bed.client.tables("H3")[0]["present"]


def test_a_reboot_forgets(bed: Bed) -> None:
    with bed.opensm() as opensm:
        opensm.await_subnet_up()
    # OpenSM has gone, so nobody gives it a LID anew.
    assert bed.client.tables("H6")[0]["ports"]["1"]["lid"] != 0
    bed.client.reboot_node("H6")
    assert re.search(r"^Lid:\.+0$", bed.output("smpquery", "-D", "portinfo", "0,1,19,3"), re.MULTILINE)
    assert states(bed, "S2")["3"] == "init"


def test_a_node_that_is_new_needs_a_document(bed: Bed) -> None:
    with pytest.raises(RpcError) as refused:
        bed.client.add_node("H8")
    assert refused.value.code == rpc.INVALID_PARAMS
    assert refused.value.message.startswith("unknown node 'H8'")
    assert "must be in the fabric document that the emulator starts with" in refused.value.message


@pytest.mark.parametrize(
    ("method", "params", "sentence"),
    [
        ("node.remove", {}, "needs a node: guid, or node with its description"),
        ("link.set", {"node": "S1", "up": True}, "port"),
        ("link.set", {"node": "S1", "port": 300, "up": True}, "port is 300; it must be from 1 to 254"),
        ("link.set", {"node": "S1", "port": 30, "up": True}, "port 30 of 'S1' has no cable"),
        ("link.set", {"node": "S1", "port": 1, "up": "yes"}, "up"),
        ("tables", {"nod": "S1"}, "unknown key 'nod'"),
    ],
)
def test_what_makes_no_sense_is_refused(bed: Bed, method: str, params: dict[str, object], sentence: str) -> None:
    with pytest.raises(RpcError) as refused:
        bed.client.call(method, params)
    assert refused.value.code == rpc.INVALID_PARAMS
    assert sentence in refused.value.message


def test_status_tells_who_is_attached(up: Bed) -> None:
    status = up.client.status()
    assert (status["switches"], status["hosts"], status["links"]) == (2, 7, 8)
    assert [(client["node"], client["port"], client["is_sm"]) for client in status["clients"]] == [("H1", 1, True)]

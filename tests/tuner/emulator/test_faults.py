# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Every fault with a real program on the other side, which shows what it makes of it."""

import re
import time

import pytest

from tests.tuner.emulator.conftest import Bed
from tuner.rpc import protocol as rpc
from tuner.rpc.protocol import RpcError

QUICK = ("-t", "500")
"""Options of libibmad's tools: milliseconds that they wait."""


def struck(bed: Bed, fault: int) -> int:
    return next(int(row["struck"]) for row in bed.client.faults() if row["id"] == fault)


def test_drop(bed: Bed) -> None:
    """smpquery is told of a time-out and tries again; three tries are lost, then it is answered."""
    assert "NodeType:" in bed.output("smpquery", "-D", "nodeinfo", "0,1")
    fault = bed.client.add_fault("drop", "S1", class_="SMA", attribute="NodeInfo")
    assert bed.tool("smpquery", "-D", "nodeinfo", "0,1").returncode != 0
    tries = struck(bed, fault)
    assert tries > 1
    assert "NodeType:" in bed.output("smpquery", "-D", "nodeinfo", "0")  # another device's
    bed.client.clear_faults(fault)
    bed.client.add_fault("drop", "S1", attribute="NodeInfo", count=tries - 1)
    assert "NodeType:" in bed.output("smpquery", "-D", "nodeinfo", "0,1")


def test_drop_by_chance_slows_opensm_and_does_not_stop_it(bed: Bed) -> None:
    fault = bed.client.add_fault("drop", class_="SMA", probability=0.1)
    with bed.opensm("-s", "1") as opensm:  # a sweep that loses the SM's own port fails, and the next one is seconds away
        opensm.await_subnet_up(timeout_s=60)
    assert struck(bed, fault) > 0


def test_drop_of_answers(up: Bed) -> None:
    """ibccconfig hears nothing, and the adapter has done as it was told all the same."""
    lid = lid_of(up, "H1")
    up.client.add_fault("drop", "H1", attribute="CongestionKeyInfo", method="set", lost="answer")
    assert up.tool("ibccconfig", *QUICK, "CK", lid, "17", "0", "0", "0").returncode != 0
    up.client.clear_faults()
    assert re.search(r"CC_Key:\.+0x0*11$", up.output("ibccquery", "-c", "17", "CK", lid), re.MULTILINE)


def test_delay(up: Bed) -> None:
    """perfquery waits. Longer than the time-out, it waits in vain."""
    up.output("perfquery", lid_of(up, "S1"), "1")
    fault = up.client.add_fault("delay", "S1", class_="PMA", attribute="PortCounters", delay_ms=40)
    begin_s = time.monotonic()
    up.output("perfquery", lid_of(up, "S1"), "1")
    assert time.monotonic() - begin_s >= 0.04
    assert struck(up, fault) == 1
    up.client.clear_faults()
    up.client.add_fault("delay", "S1", class_="PMA", attribute="PortCounters", delay_ms=60)
    assert up.tool("perfquery", lid_of(up, "S1"), "1").returncode != 0


def test_status(bed: Bed) -> None:
    bed.client.add_fault("status", "H1", attribute="NodeInfo", status=0x1C)
    done = bed.tool("smpquery", "-e", "-D", "nodeinfo", "0")
    assert done.returncode != 0
    assert "0x1c" in (done.stdout + done.stderr).lower()


def test_busy(up: Bed) -> None:
    fault = up.client.add_fault("busy", "S1", class_="PMA", attribute="PortCounters", count=1)
    done = up.tool("perfquery", lid_of(up, "S1"), "1")
    assert done.returncode != 0
    assert struck(up, fault) == 1
    up.output("perfquery", lid_of(up, "S1"), "1")


def test_unsupported_attribute(up: Bed) -> None:
    """What an adapter without congestion control says; OpenSM's manager takes it for one, and goes on with the others."""
    up.client.add_fault("unsupported", "H1", attribute="CongestionControlTable")
    assert up.tool("ibccquery", "CT", lid_of(up, "H1")).returncode != 0
    assert "CCTI_Limit" in up.output("ibccquery", "CT", lid_of(up, "H2"))


def test_clamp_before_the_device_stores(up: Bed) -> None:
    """ibccconfig sets 40 entries; the adapter keeps a limit of 9, and all its multipliers below 100."""
    lid = lid_of(up, "H2")
    up.client.add_fault("clamp", "H2", attribute="CongestionControlTable", field="CCTI_Limit", most=9)
    up.client.add_fault("clamp", "H2", attribute="CongestionControlTable", field="CCT_Multiplier[2]", least=7, most=100)
    up.output("ibccconfig", "CT", lid, "3", "0", "0:0", "0:50", "0:1000", "0:2000")
    up.client.clear_faults()
    text = up.output("ibccquery", "CT", lid)
    assert re.search(r"CCTI_Limit:\.+3$", text, re.MULTILINE)
    assert re.findall(r"CCT_Multiplier:\.+(\d+)", text)[:4] == ["0", "50", "100", "2000"]


def test_clamp_of_what_is_read(up: Bed) -> None:
    """A device that says it has room for one block only."""
    lid = lid_of(up, "H2")
    assert not re.search(r"ControlTableCap:\.+1$", up.output("ibccquery", "CI", lid), re.MULTILINE)
    up.client.add_fault("clamp", "H2", attribute="CongestionInfo", offset_bits=16, width_bits=8, most=1)
    assert re.search(r"ControlTableCap:\.+1$", up.output("ibccquery", "CI", lid), re.MULTILINE)


def test_reboot(bed: Bed) -> None:
    """A host that forgets: its LID is gone, and OpenSM, which would give it back, has ended."""
    with bed.opensm() as opensm:
        opensm.await_subnet_up()
    lid = lid_of(bed, "H7")
    assert "Timestamp" in bed.output("ibccquery", "TI", lid)
    fault = bed.client.add_fault("reboot", "H7", attribute="TimeStamp")
    assert bed.tool("ibccquery", *QUICK, "TI", lid).returncode != 0
    assert struck(bed, fault) == 1
    assert re.search(r"^Lid:\.+0$", bed.output("smpquery", "-D", "portinfo", "0,1,19,4"), re.MULTILINE)


def test_refused_cc_keys(up: Bed) -> None:
    """Silence, and the device counts a violation."""
    lid = lid_of(up, "H2")
    up.client.add_fault("refuse-key", "H2", class_="CCA")
    assert up.tool("ibccquery", *QUICK, "CI", lid).returncode != 0
    up.client.clear_faults()
    assert not re.search(r"CC_KeyViolations:\.+0$", up.output("ibccquery", "CK", lid), re.MULTILINE)


def test_refused_m_keys(bed: Bed) -> None:
    bed.client.add_fault("refuse-key", "H2", class_="SMA")
    assert bed.tool("smpquery", *QUICK, "-D", "portinfo", "0,1,2").returncode != 0
    bed.client.clear_faults()
    assert not re.search(r"MkeyViolations:\.+0$", bed.output("smpquery", "-D", "portinfo", "0,1,2"), re.MULTILINE)


@pytest.mark.parametrize("tid", ["previous", "one-less"])
def test_stale_tid(bed: Bed, tid: str) -> None:
    """smpquery drops the answer that is not its own; the next is right."""
    fault = bed.client.add_fault("stale-tid", "S1", attribute="NodeInfo", tid=tid)
    assert bed.tool("smpquery", *QUICK, "-D", "nodeinfo", "0,1").returncode != 0
    assert struck(bed, fault) > 0
    bed.client.clear_faults()
    bed.client.add_fault("stale-tid", "S1", attribute="NodeInfo", tid=tid, count=1)
    assert "NodeType:" in bed.output("smpquery", "-D", "nodeinfo", "0,1")


def test_opensm_drops_a_stale_answer(bed: Bed) -> None:
    fault = bed.client.add_fault("stale-tid", "H3", attribute="PortInfo", tid="one-less", count=1)
    with bed.opensm() as opensm:
        opensm.await_line("ERR 5413: Failed to obtain request madw for received MAD")
        opensm.await_subnet_up(timeout_s=60)
    assert struck(bed, fault) == 1


def test_ignored_tables(up: Bed) -> None:
    """ibccquery reads back what ibccconfig wrote, and the victim of scenario 1 is held back all the same."""
    program(up)

    def victim() -> float:
        gbps = up.client.run_workload("scenario-1", time_scale=0.05).metrics.victim_throughput_gbps
        assert gbps is not None
        return gbps

    assert victim() > 10
    fault = up.client.add_fault("ignore-tables")
    assert victim() < 4
    assert re.search(r"CCTI_Limit:\.+63$", up.output("ibccquery", "CT", lid_of(up, "H3")), re.MULTILINE)
    program(up)
    assert struck(up, fault) > 0
    up.client.clear_faults(fault)
    assert victim() > 10


def program(bed: Bed) -> None:
    """Congestion control for everybody, by hand."""
    mask = "0x" + "f" * 64
    for switch in ("S1", "S2"):
        bed.output("ibccconfig", "SS", lid_of(bed, switch), "0x1f", mask, "0x0", "15", "8", "0", "0:0", "1")
    table = [f"0:{i * i // 16}" for i in range(64)]
    for host in (f"H{i}" for i in range(1, 8)):
        lid = lid_of(bed, host)
        bed.output("ibccconfig", "CS", lid, "0", "0xffff", "150", "1", "0", "0")
        bed.output("ibccconfig", "CT", lid, "63", "0", *table)


def lid_of(bed: Bed, node: str) -> int:
    (device,) = bed.client.tables(node)
    return int(device["ports"]["0" if device["kind"] == "switch" else "1"]["lid"])


def test_every_kind_is_in_the_documentation_and_has_a_test_here(bed: Bed) -> None:
    tests = {name.removeprefix("test_") for name in globals()}
    kinds = {kind["name"].replace("-", "_") for kind in bed.client.fault_kinds()}
    shown = {"refuse_key": "refused_cc_keys", "clamp": "clamp_before_the_device_stores", "unsupported": "unsupported_attribute"}
    shown |= {"ignore_tables": "ignored_tables"}
    assert {shown.get(kind, kind) for kind in kinds} <= tests


def test_faults_are_listed_as_they_were_given(bed: Bed) -> None:
    bed.client.add_fault(
        "clamp", "S2", class_="CCA", attribute="0x14", method="set", probability=0.5, count=3, field="Threshold", most=7
    )
    bed.client.add_fault("drop")
    first, second = bed.client.faults()
    assert first == {
        "id": 1,
        "kind": "clamp",
        "node": "S2",
        "guid": "0x0000000000000200",
        "class": "CCA",
        "attribute": "SwitchCongestionSetting",
        "method": "set",
        "probability": 0.5,
        "count": 3,
        "field": "Threshold",
        "most": 7,
        "matched": 0,
        "struck": 0,
    }
    assert (second["id"], second["node"], second["class"], second["count"]) == (2, None, None, None)
    assert bed.client.clear_faults() == 2
    assert bed.client.faults() == []


@pytest.mark.parametrize(
    ("params", "sentence"),
    [
        ({"kind": "explode"}, "there is no fault 'explode'; there are "),
        ({"kind": "delay", "delay_ms": "long"}, "fault 'delay': delay_ms is 'long'; it must be a whole number from 1 to 600000"),
        ({"kind": "drop", "node": "H9"}, "unknown node 'H9'"),
        ({"kind": "drop", "guid": "H9"}, "guid 'H9' is not a GUID"),
        ({"kind": "drop", "guid": "0x99"}, "no node of fabric 'two-switch' has GUID 0x0000000000000099"),
        ({"kind": "drop", "attribute": "ClassPortInfo"}, "give the class too"),
        ({"kind": "drop", "probability": 0}, "probability is 0"),
        ({"kind": "drop", "count": 0}, "count is 0"),
        ({"kind": "drop", "method": "put"}, "method"),
        ({"kind": "drop", "delay_ms": 3}, "fault 'drop': has no parameter 'delay_ms'; it has lost"),
        (
            {"kind": "clamp", "attribute": "CACongestionSetting", "field": "Threshold", "most": 1},
            "CACongestionSetting has no field 'Threshold' that is a number; it has Port_Control, Control_Map, CCTI_Timer",
        ),
        (
            {"kind": "clamp", "attribute": "CACongestionSetting", "field": "CCTI_Min[16]", "most": 1},
            "'CCTI_Min[16]' is not an element; CCTI_Min has [0] to [15]",
        ),
        (
            {"kind": "clamp", "attribute": "SwitchCongestionSetting", "field": "Threshold", "most": 16},
            "most is 16; it must be a whole number from 0 to 15",
        ),
    ],
)
def test_what_makes_no_sense_is_refused(bed: Bed, params: dict[str, object], sentence: str) -> None:
    with pytest.raises(RpcError) as refused:
        bed.client.call("fault.add", params)
    assert refused.value.code == rpc.INVALID_PARAMS
    assert sentence in refused.value.message
    assert bed.client.faults() == []


def test_a_fault_that_is_not_there_cannot_be_cleared(bed: Bed) -> None:
    with pytest.raises(RpcError, match="there is no fault 3; `fault.list` lists them"):
        bed.client.clear_faults(3)

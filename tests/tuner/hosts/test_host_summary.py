# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
from typing import Any

from tuner.documents.inventory import InventoryHost
from tuner.hosts.checked_host import Finding
from tuner.hosts.clocks import ClockOffset
from tuner.hosts.host_check import HostReport
from tuner.hosts.host_summary import grouped, summary_of

METER = Finding("meter", "the meter does not work", "install it")
CLOCK = Finding("clock", "its clock is not synchronized", "run chrony", is_fault=False)
FACTS: dict[str, Any] = {
    "devices": [{"name": "mlx5_0", "port": 1, "state": "ACTIVE", "rate": "100 Gb/sec (4X EDR)"}],
    "programs": {"ib_write_bw": {"version": "6.20"}, "ib_read_bw": {"version": "6.20"}, "ib_send_bw": {"version": None}},
    "meter": {"works": True},
}


def report(node: str, *findings: Finding, facts: dict[str, Any] | None = FACTS) -> HostReport:
    host = InventoryHost(
        node=node, host=f"{node} HCA-1", address=node, device="mlx5_0", ib_port=1, gid_index=None, tcp_ports=(18515, 20000)
    )
    return HostReport(host, facts, None if facts is None else ClockOffset(-1500, 700), findings)


def test_a_host_in_short() -> None:
    one = summary_of(report("n1", CLOCK))
    assert (one.verdict, one.state, one.rate, one.meter) == ("ready", "ACTIVE", "100 Gb/sec (4X EDR)", True)
    assert one.perftest == ("6.20", "none")
    assert (one.clock_offset_ns, one.clock_uncertainty_ns, one.faults) == (-1500, 700, 0)
    assert one.limits == "not known"
    limits = {"max_bytes": 6 << 30, "max_qps": 4096, "max_processes": 128, "max_seconds": 3600, "nofile": 1024}
    assert summary_of(report("n1", facts={**FACTS, "limits": limits})).limits == "6 GiB, 4096 QPs, 128 programs, 3600 s"
    assert summary_of(report("n1", METER)).verdict == "to_mend"
    lost = summary_of(report("n1", Finding("unreachable", "no answer came", "look"), facts=None))
    assert (lost.verdict, lost.state, lost.meter, lost.clock_offset_ns) == ("unreachable", None, None, None)


def test_the_same_of_several_hosts_is_told_once_and_faults_first() -> None:
    found = grouped(summary_of(report(node, CLOCK, METER)) for node in ("n10", "n2", "n3"))
    assert [(one.what, one.is_fault, one.nodes, one.count) for one in found] == [
        ("meter", True, "n[2-3,10]", 3),
        ("clock", False, "n[2-3,10]", 3),
    ]


def test_what_an_agent_tells_can_be_stored() -> None:
    long = Finding("program", "x" * 10_000 + "\0", "a\0b")
    (found,) = summary_of(report("n1", long)).findings
    assert len(found.sentence) == 500
    assert found.remedy == "a\ufffdb"

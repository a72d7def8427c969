# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Check that hosts are ready to be measured: reports of their agents, held against the inventory and against each other."""

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tuner.documents.inventory import Inventory, InventoryHost
from tuner.errors import InterruptedRunError
from tuner.hosts.checked_host import NOT_KNOWN, PATIENCE_S, Finding
from tuner.hosts.clocks import ClockOffset, measure_clocks
from tuner.hosts.host_limits import limits_of
from tuner.hosts.host_setup import setup_findings, unreachable_remedy
from tuner.hosts.launchers.base import AgentSet, Event, Launcher, Request, open_launcher

MIN_MEMLOCK_BYTES = 64 << 20
"""Memory that a few hundred QPs with perftest's own buffers register."""
MIN_NOFILE = 1024


@dataclass(frozen=True)
class HostReport:
    host: InventoryHost
    facts: Event | None
    """Report of the agent's `check`; None for a host that was not reached."""
    clock: ClockOffset | None
    findings: tuple[Finding, ...]

    @property
    def faults(self) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if finding.is_fault)


def check_hosts(
    inventory: Inventory,
    hosts: Sequence[InventoryHost],
    *,
    patience_s: float = PATIENCE_S,
    on_progress: Callable[[float], None] = lambda fraction: None,
    should_stop: Callable[[], bool] = lambda: False,
) -> list[HostReport]:
    """Reports in the order of `hosts`. Each step gets `patience_s`. Raises UnreachableError if agents cannot be started from here
    at all, and InterruptedRunError soon after `should_stop()`, when no agent is left."""
    launcher = open_launcher(inventory.launcher, inventory.agent.command)
    facts, failed = _facts(launcher, hosts, patience_s, should_stop)
    on_progress(0.4)
    there = [host for host in hosts if host.node in facts]
    nodes = [host.node for host in there]
    clocks = measure_clocks(launcher, nodes, round_trips=10, patience_s=patience_s, should_stop=should_stop) if there else None
    on_progress(0.6)
    unreached = _reachability(launcher, there, facts, patience_s, should_stop)
    on_progress(1.0)
    usual = Counter(version for fact in facts.values() for version in _versions(fact)).most_common(1)
    reports = []
    for host in hosts:
        fact = facts.get(host.node)
        clock = clocks.offsets.get(host.node) if clocks is not None else None
        if fact is None:
            why = failed.get(host.node, "no answer came")
            findings = [Finding("unreachable", why, unreachable_remedy(why))]
        else:
            findings = _findings(host, fact, usual[0][0] if usual else None)
            findings += unreached.get(host.node, [])
        reports.append(HostReport(host, fact, clock, tuple(findings)))
    return reports


def _facts(
    launcher: Launcher, hosts: Sequence[InventoryHost], patience_s: float, should_stop: Callable[[], bool]
) -> tuple[dict[str, Event], dict[str, str]]:
    agents = launcher.start({host.node: {"op": "check"} for host in hosts})
    by_node = {host.node: host for host in hosts}
    facts, refused = {}, {}
    try:
        for node, event in _collected(agents, patience_s, should_stop):
            if event["event"] == "check" and _can_be_read(by_node[node], event):
                facts[node] = event
            elif event["event"] == "check":
                refused[node] = "its agent is of another version; install the one that `ibcc hosts agent` writes there"
            elif event["event"] == "error":
                refused[node] = str(event["sentence"])
    finally:
        agents.stop()
    return facts, {**refused, **agents.failed}


def _can_be_read(host: InventoryHost, event: Event) -> bool:
    """True if the event has everything that a check has. A host that misbehaves may send any JSON, and must not spoil the check
    of the others."""
    try:
        _findings(host, event, None)
        _free_port(host, event["ports"])
        return all(isinstance(version, str) for version in _versions(event)) and isinstance(event["meter"]["works"], bool)
    except (LookupError, TypeError, ValueError, AttributeError):
        return False


def _collected(
    agents: AgentSet,
    patience_s: float,
    should_stop: Callable[[], bool],
    *,
    until: Callable[[str, Event], bool] | None = None,
) -> list[tuple[str, Event]]:
    """Events to the end, to the time limit, or to the one that `until` is true of. Raises InterruptedRunError."""
    found = []
    limit = time.monotonic() + patience_s
    for item in agents.events():
        if should_stop():
            raise InterruptedRunError("the check of the hosts was stopped")
        if item is not None:
            found.append(item)
            if until is not None and until(*item):
                break
        if time.monotonic() > limit:
            break
    return found


def _versions(fact: Mapping[str, Any]) -> list[str]:
    return [program["version"] for program in fact["programs"].values() if program["version"]]


def _findings(host: InventoryHost, fact: Mapping[str, Any], usual: str | None) -> list[Finding]:
    findings = []
    for name, program in fact["programs"].items():
        if program["error"] is not None:
            sentence = f"{name} does not run: {program['path']}: {program['error']}"
            findings.append(Finding("program", sentence, "install perftest, or name its path in /etc/ibcc/agent.json"))
    others = sorted({version for version in _versions(fact) if version != usual})
    if others:
        sentence = f"its perftest is {', '.join(others)}; most hosts have {usual}"
        findings.append(
            Finding(
                "version",
                sentence,
                "install the same version everywhere: servers and clients of different versions may not work together",
            )
        )
    if not fact["meter"]["works"]:
        sentence = f"the meter does not work: {fact['meter']['error']}"
        findings.append(Finding("meter", sentence, "install libibcc_meter.so there, or name its path in /etc/ibcc/agent.json"))
    findings += _device_findings(host, fact["devices"])
    memlock, nofile = fact["limits"]["memlock_bytes"], fact["limits"]["nofile"]
    if memlock is not None and memlock < MIN_MEMLOCK_BYTES:
        sentence = f"memory that may be locked is limited to {memlock} bytes; {MIN_MEMLOCK_BYTES} are needed"
        findings.append(
            Finding(
                "memlock",
                sentence,
                "set memlock in /etc/security/limits.d for the agent's user to max_bytes of its configuration",
            )
        )
    if nofile is not None and nofile < MIN_NOFILE:
        sentence = f"open files are limited to {nofile}; {MIN_NOFILE} are needed"
        findings.append(Finding("nofile", sentence, "raise nofile in /etc/security/limits.d for the agent's user"))
    if str(limits_of(fact)) == NOT_KNOWN:
        sentence = "its agent is too old to report limits, and one request may take all of the host's memory"
        findings.append(Finding("limits", sentence, "install the agent that `ibcc hosts agent` writes there", is_fault=False))
    error = fact.get("run_folder", {}).get("error")  # which agents from before it do not tell
    if error is not None:
        findings.append(Finding("limits", error, "create a folder at boot that only the agent's user can write to"))
    findings += setup_findings(fact.get("setup"))
    ports = fact["ports"]
    if not (ports["first"] <= host.tcp_ports[0] and host.tcp_ports[1] <= ports["last"]):
        sentence = f"the inventory has TCP ports {_range(host.tcp_ports)}; the agent allows {ports['first']} to {ports['last']}"
        findings.append(Finding("ports", sentence, "make tcp_ports of the inventory, or ports of /etc/ibcc/agent.json, fit"))
    if fact["clock"]["is_synchronised"] is False:
        sentence = "its clock is not synchronized; the offset is measured before each run, and drifts during it"
        findings.append(Finding("clock", sentence, "run chrony or another NTP client there", is_fault=False))
    return findings


def _device_findings(host: InventoryHost, devices: Sequence[Mapping[str, Any]]) -> list[Finding]:
    name = f"{host.device}, port {host.ib_port}"
    device = next((d for d in devices if (d["name"], d["port"]) == (host.device, host.ib_port)), None)
    if device is None:
        there = ", ".join(f"{d['name']}, port {d['port']}" for d in devices) or "none"
        return [Finding("device", f"there is no {name}; there is {there}", "correct device and ib_port in the inventory")]
    findings = []
    if device["state"] != "ACTIVE":
        waits = device["state"] == "INIT"
        remedy = "start a subnet manager" if waits else "check the cable and the switch's port"
        sentence = f"{name}, is {device['state']} (physically {device['physical_state']}); it must be ACTIVE"
        findings.append(Finding("state", sentence, remedy))
    if host.host.startswith("guid:") and device["port_guid"] is not None:
        known = {int(guid, 16) for guid in (device["port_guid"], device["node_guid"]) if guid}
        if int(host.host.removeprefix("guid:"), 16) not in known:
            sentence = f"{name}, has the GUID {device['port_guid']}; the inventory says {host.host}"
            findings.append(Finding("guid", sentence, "correct host in the inventory, or check the cabling"))
    return findings


def _reachability(
    launcher: Launcher,
    hosts: Sequence[InventoryHost],
    facts: Mapping[str, Event],
    patience_s: float,
    should_stop: Callable[[], bool],
) -> dict[str, list[Finding]]:
    """Returns findings on each node that another one could not reach: each host listens, and the one before it in the inventory
    connects to it."""
    ports = {host.node: port for host in hosts if (port := _free_port(host, facts[host.node]["ports"])) is not None}
    found: dict[str, list[Finding]] = {}
    for host in hosts:
        if host.node not in ports:
            sentence = f"all TCP ports {_range(host.tcp_ports)} are taken or not allowed"
            found[host.node] = [Finding("ports", sentence, "give the inventory another range in tcp_ports, and open it")]
    ring = [host for host in hosts if host.node in ports]
    if not ring:
        return found
    waiting = {host.node for host in ring}

    def all_listen(node: str, event: Event) -> bool:
        if event["event"] in ("listening", "error", "done"):
            waiting.discard(node)
        return not waiting

    listeners = launcher.start({node: {"op": "listen", "tcp_port": port} for node, port in ports.items()})
    try:
        _collected(listeners, patience_s, should_stop, until=all_listen)
        targets = {before.node: host for before, host in zip([ring[-1], *ring[:-1]], ring, strict=True)}
        requests: dict[str, Request] = {
            node: {"op": "connect", "peer": host.address, "tcp_port": ports[host.node]} for node, host in targets.items()
        }
        agents = launcher.start(requests)
        reasons = dict.fromkeys(targets, "no answer came")
        try:
            for node, event in _collected(agents, patience_s, should_stop):
                if event["event"] == "connected":
                    reasons.pop(node, None)
                elif event["event"] == "error":
                    reasons[node] = str(event["sentence"])
        finally:
            agents.stop()
    finally:
        listeners.stop()
    for node, reason in reasons.items():
        target = targets[node]
        remedy = f"open TCP ports {_range(target.tcp_ports)} between hosts, and check address in the inventory"
        if "is no peer of this host's" in reason:
            remedy = f"add the hosts' network to peers in {node}'s /etc/ibcc/agent.json, and in that of the others"
        found.setdefault(target.node, []).append(Finding("reach", f"from {node}: {reason}", remedy))
    return found


def _free_port(host: InventoryHost, ports: Mapping[str, Any]) -> int | None:
    first, last = max(host.tcp_ports[0], ports["first"]), min(host.tcp_ports[1], ports["last"])
    taken = set(ports["taken"])
    return next((port for port in range(first, last + 1) if port not in taken), None)


def _range(ports: tuple[int, int]) -> str:
    return f"{ports[0]} to {ports[1]}"

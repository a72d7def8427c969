# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Text of a drawing of a fabric: its title, and below it the meaning of the marks and the worst ports."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping

from tuner.documents.fabric import End
from tuner.documents.printable import printable
from tuner.report.plots.fabric_congestion import Congestion
from tuner.report.plots.fabric_wiring import Wiring

_COLOURS = {
    True: "Packets go from the top to the bottom. A line has the color of the port that sends into it, a cell of a bar above "
    "that of a host's port, and below that of the switch's port to the host; ports drawn as one, that of the worst.",
    False: "A line beside a link has the color of the port that sends into it, and an arrow its direction; a cell of a bar "
    "has that of a host's port, the line to it that of the switch's ports to hosts; ports drawn as one, that of the worst.",
}
"""What the colors mean, by whether the figure is unfolded."""
_WORST = 5
_LONGEST_NAME = 28
# Managed switches describe themselves as MF0;HOSTNAME:MODEL/U1.
_MANAGED = re.compile(r"MF\d+;([^:]+):.*")


def title(wiring: Wiring) -> str:
    document = wiring.document
    hosts = sum(host.kind == "host" for host in document.hosts)
    counts = (counted(len(document.switches), "switch", "es"), counted(hosts, "host"), counted(len(document.links), "link"))
    return f"{printable(document.name)}: {', '.join(counts)}"


def caption(wiring: Wiring, congestion: Congestion | None, *, unfolded: bool, singly: bool = False) -> Iterator[str]:
    """Sentences. `singly`: each host is drawn with its name."""
    if congestion is not None:
        yield f"Profile {printable(congestion.profile)}, run of {congestion.duration_s * 1e3:g} ms. {_COLOURS[unfolded]}"
        yield f"Highest: {_listed(wiring, congestion)}."
        yield _roots(wiring, congestion)
    else:
        parallel = max((len(trunk.links) for trunk in wiring.trunks.values()), default=0)
        if not singly:
            yield f"Bars are hosts{_each(wiring)}."
        if parallel > 1:
            yield f"Up to {parallel} parallel links are drawn as one line."
    if undrawn := ", ".join(counted(count, f"{kind} node") for kind, count in sorted(wiring.undrawn.items()) if kind != "host"):
        yield f"Not drawn: {undrawn}."


def _listed(wiring: Wiring, congestion: Congestion) -> str:
    n_switches = len(wiring.level_of)
    found = []
    for of_hosts, whose in ((False, "of switches"), (True, "of hosts")):
        values = {end: value for end, value in congestion.values.items() if (end.node >= n_switches) == of_hosts}
        worst = sorted(values, key=lambda end: (-values[end], end))[: 2 if of_hosts else _WORST]
        names = [f"{_link(wiring, end)} {values[end]:.3g}" for end in worst if values[end] > 0]
        found += [f"{whose} {', '.join(names)}"] if names else []
    return f"{'; '.join(found)} ({congestion.measure.unit})" if found else "no port above 0"


def _roots(wiring: Wiring, congestion: Congestion) -> str:
    ports = congestion.roots.ports
    if congestion.roots.marked:
        shown = [f"{_link(wiring, end)} {packets:,}" for end, packets in list(ports.items())[:_WORST]]
        return f"Packets marked (FECN) by {_ports(len(ports))}, rings where there were many: {_and_more(shown, len(ports))}."
    if not ports:
        return "No port marked packets (FECN), and none was the root of a congestion tree."
    shown = [_link(wiring, end) for end in list(ports)[:_WORST]]
    return (
        f"No port marked packets (FECN). Diamonds: {_ports(len(ports))} that had a queue for as long as others waited to come "
        f"there, and no switch behind to wait for: {_and_more(shown, len(ports))}."
    )


def _each(wiring: Wiring) -> str:
    counts = {len(hosts) for hosts in wiring.hosts.values()}
    if len(counts) != 1:
        return ""
    return f", {counts.pop()} on " + (f"each of {len(wiring.hosts):,} switches" if len(wiring.hosts) > 1 else "one switch")


def counted(count: int, one: str, ending: str = "s") -> str:
    return f"{count:,} {one}{'' if count == 1 else ending}"


def _ports(count: int) -> str:
    return counted(count, "port")


def _and_more(shown: list[str], count: int) -> str:
    return ", ".join(shown) + (f" and {count - len(shown):,} more" if count > len(shown) else "")


def _link(wiring: Wiring, end: End) -> str:
    """A port and where it leads."""
    return f"{_short(wiring, end.node)}/{end.port} → {_short(wiring, wiring.peer[end].node)}"


def _short(wiring: Wiring, node: int) -> str:
    name = wiring.name(node)
    if switch := _MANAGED.fullmatch(name):
        name = switch[1]
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…"


def rates(wiring: Wiring) -> Mapping[str, int]:
    """Returns how many links run at each rate, the most common rate first."""
    return dict(Counter(wiring.rate_of[a] for a, _ in wiring.links()).most_common())

# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Findings about links that are gone, and about their speed and width."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from tuner.checks.links.ports import SPEEDS, Ability, Link, LinkKey, Port, PortKey, place_of
from tuner.checks.links.record import Gone, Past
from tuner.checks.observation import Finding
from tuner.checks.severity import Severity

ALIKE = 4
"""Hosts at one switch that are gone since the same night, from which on they are one finding: a rack is one line."""


@dataclass(frozen=True)
class GoneLink:
    """`host`: its GUID, for a link to an adapter. `since`: the first night without it."""

    key: LinkKey
    names: tuple[str, str]
    host: str | None
    since: date

    @property
    def place(self) -> str:
        """As Link has it: a host's port comes last, and of two switches' that of the first name comes first."""
        ends = sorted(zip(self.key, self.names, strict=True), key=lambda end: (end[0][0] == self.host, node_of(end[1]), end[0]))
        return place_of(*(name for _, name in ends))

    @property
    def host_name(self) -> str:
        """The description of the host, for a link to an adapter."""
        return node_of(next(name for (guid, _), name in zip(self.key, self.names, strict=True) if guid == self.host))


def gone_links(
    good: Past, latest: Past | None, links: Sequence[Link], ports: Mapping[PortKey, Port], tonight: date
) -> list[GoneLink]:
    """Returns the links of the last good night, and host links that were gone in it, that are not there tonight; those between
    switches first. One whose port had another link in that night is missed no more. `ports`: all that are known tonight."""
    now, used = {link.key for link in links}, {end for key in good.places for end in key}
    switches = good.switches | {port.guid for port in ports.values() if port.is_switch}
    before = {key: Gone((good.names[key[0]], good.names[key[1]]), tonight) for key in good.places}
    before |= {key: one for key, one in good.gone.items() if used.isdisjoint(key)}
    if latest is not None:
        before |= {key: one for key, one in latest.gone.items() if key in before}
    found = []
    for key, link in before.items():
        if key not in now:
            # A record of an earlier version does not tell hosts from switches.
            host = next((guid for guid, _ in key if guid not in switches), None) if good.switches else None
            found.append(GoneLink(key, link.names, host, min(link.since, tonight)))
    return sorted(found, key=lambda one: one.host is not None)


def gone(links: Sequence[GoneLink], ports: Mapping[PortKey, Port], tonight: date) -> Iterator[Finding]:
    """A link between switches fails each night until it is back, and so does a host's whose cable is somewhere else now. A host
    that is off is a warning: among a thousand there is always one."""
    racks: dict[tuple[str, date], list[GoneLink]] = {}
    for link in links:
        if link.host is not None:
            racks.setdefault((_switch_of(link), link.since), []).append(link)
    for link in links:
        rack = [] if link.host is None else racks[_switch_of(link), link.since]
        if len({one.host for one in rack}) < ALIKE:
            yield _gone(link, ports, tonight)
        elif link is rack[0]:
            yield _hosts_gone(rack, tonight)


def _switch_of(one: GoneLink) -> str:
    """The name of the port's node at the other end of a host's link."""
    return node_of(next(name for (guid, _), name in zip(one.key, one.names, strict=True) if guid != one.host))


def node_of(port: str) -> str:
    """The name of the node that a port's name has."""
    return port.rpartition("/")[0]


def _gone(one: GoneLink, ports: Mapping[PortKey, Port], tonight: date) -> Finding:
    evidence = "; ".join(state_of(end, name, ports) for end, name in zip(one.key, one.names, strict=True))
    known = next((ports[end] for end in one.key if end in ports and ports[end].is_switch), None)
    return Finding(
        code="link-gone",
        sentence=f"link {one.place} is gone{_since(one, tonight)}",
        place=one.place,
        evidence=evidence,
        next_step="iblinkinfo --line" if known is None else f"iblinkinfo --line -G {known.guid}",
        severity=_severity(one, ports),
    )


def _hosts_gone(rack: Sequence[GoneLink], tonight: date) -> Finding:
    names = [name for one in rack for (guid, _), name in zip(one.key, one.names, strict=True) if guid == one.host]
    count = len({one.host for one in rack})
    switch = _switch_of(rack[0])
    number = next(guid for guid, _ in rack[0].key if guid != rack[0].host)
    return Finding(
        code="hosts-gone",
        sentence=f"{count} hosts at {switch} are gone{_since(rack[0], tonight)}, such as {names[0].rpartition('/')[0]}",
        place=switch,
        evidence=", ".join(names),
        next_step=f"iblinkinfo --line -G {number}",
        severity="warn",
        nodes=(switch, *(name.rpartition("/")[0] for name in names)),
        level=float(count),
    )


def _since(one: GoneLink, tonight: date) -> str:
    return "" if one.since == tonight else f" since {one.since}"


def _severity(one: GoneLink, ports: Mapping[PortKey, Port]) -> Severity:
    active = (ports[end] for end in one.key if end in ports and ports[end].state == "active")
    moved = any(port.peer is not None and port.peer not in one.key for port in active)
    return "fail" if one.host is None or moved else "warn"


def less_than_before(good: Past, links: Sequence[Link], night: date) -> Iterator[Finding]:
    """Links that are slower or narrower than in the last good night, whatever their ends have enabled now. `night`: its date."""
    for link in links:
        before = good.abilities.get(link.key, Ability(width=None, speed=None))
        for code, what, value, _, _ in _sides(link):
            was = _rank(before.speed) if what == "speed" else before.width
            if value is not None and was is not None and value < was:
                yield _below(link, code, what, value, "fail", f"and was {_value(what, was)} on {night}")


def below(links: Sequence[Link]) -> Iterator[Finding]:
    """Links that are slower or narrower than both ends have enabled, or could have."""
    for link in links:
        for code, what, value, enabled, supported in _sides(link):
            least_enabled, least_supported = _least(enabled), _least(supported)
            if value is None:
                continue
            if least_enabled is not None and value < least_enabled:
                could = _value(what, least_enabled)
                yield _below(link, code, what, value, "fail", f"while both ends have {could} enabled")
            elif least_supported is not None and value < least_supported:
                could = _value(what, least_supported)
                why = f"while both ends support {could}, which is not enabled"
                yield _below(link, code, what, value, "warn", why)


def _sides(link: Link) -> Iterator[tuple[str, str, int | None, list[int | None], list[int | None]]]:
    ends = (link.a, link.b)
    yield (
        "link-slow",
        "speed",
        _rank(link.a.active.speed),
        [_rank(end.enabled.speed) for end in ends],
        [_rank(end.supported.speed) for end in ends],
    )
    yield (
        "link-narrow",
        "width",
        link.a.active.width,
        [end.enabled.width for end in ends],
        [end.supported.width for end in ends],
    )


def _value(what: str, value: int) -> str:
    return SPEEDS[value] if what == "speed" else f"{value}x"


def _below(link: Link, code: str, what: str, value: int, severity: Severity, why: str) -> Finding:
    adjective = "slow" if what == "speed" else "narrow"
    return Finding(
        code=code,
        sentence=f"link {link.place} is {adjective}: {_value(what, value)}, {why}",
        place=link.place,
        evidence="; ".join(
            f"{end.name}: {what} active {_show(end, 'active', what)}, enabled {_show(end, 'enabled', what)}, "
            f"supported {_show(end, 'supported', what)}"
            for end in (link.a, link.b)
        ),
        next_step=f"smpquery portinfo {link.a.lid} {link.a.number}",
        severity=severity,
        level=-float(value),
    )


def _show(end: Port, which: str, what: str) -> str:
    value = getattr(getattr(end, which), what)
    return "unknown" if value is None else str(value) if what == "speed" else f"{value}x"


def _rank(speed: str | None) -> int | None:
    return SPEEDS.index(speed) if speed in SPEEDS else None


def _least(values: list[int | None]) -> int | None:
    """Returns the least of both ends' values; None if one is unknown."""
    known = [value for value in values if value is not None]
    return min(known) if len(known) == len(values) else None


def state_of(key: PortKey, name: str, ports: Mapping[PortKey, Port]) -> str:
    port = ports.get(key)
    if port is None:
        node_is_there = any(guid == key[0] for guid, _ in ports)
        return f"{name} has no link that is up" if node_is_there else f"{name} is not on the fabric"
    if port.state == "active" and port.peer is not None:
        peer = ports.get(port.peer)
        return f"{name} is connected to {peer.name if peer is not None else f'{port.peer[0]}/{port.peer[1]}'}"
    physical = f" ({port.physical})" if port.physical else ""
    return f"{name} is {port.state or 'in an unknown state'}{physical}"

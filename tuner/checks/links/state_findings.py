# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Findings about links that are gone, and about their speed and width."""

from collections.abc import Iterator, Mapping, Sequence

from tuner.checks.links.ports import SPEEDS, Link, Port, PortKey
from tuner.checks.links.record import Past
from tuner.checks.observation import Finding, Severity


def gone(good: Past, links: Sequence[Link], ports: Mapping[PortKey, Port]) -> Iterator[Finding]:
    """Links of the last good night that are not there tonight. `ports`: all that are known tonight."""
    now = {link.key for link in links}
    for key, place in good.places.items():
        if key in now:
            continue
        evidence = "; ".join(_state_of(end, good.names[end], ports) for end in key)
        known = next((ports[end] for end in key if end in ports and ports[end].is_switch), None)
        step = "iblinkinfo --line" if known is None else f"iblinkinfo --line -G {known.guid}"
        yield Finding(code="link-gone", sentence=f"link {place} is gone", place=place, evidence=evidence, next_step=step)


def below(links: Sequence[Link]) -> Iterator[Finding]:
    """Links that are slower or narrower than both ends have enabled, or could have."""
    for link in links:
        for code, what, value, enabled, supported in _sides(link):
            least_enabled, least_supported = _least(enabled), _least(supported)
            if value is None:
                continue
            if least_enabled is not None and value < least_enabled:
                yield _below(link, code, what, value, least_enabled, "fail")
            elif least_supported is not None and value < least_supported:
                yield _below(link, code, what, value, least_supported, "warn")


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


def _below(link: Link, code: str, what: str, value: int, best: int, severity: Severity) -> Finding:
    shown, could = (SPEEDS[value], SPEEDS[best]) if what == "speed" else (f"{value}x", f"{best}x")
    enabled = f"have {could} enabled" if severity == "fail" else f"support {could}, which is not enabled"
    adjective = "slow" if what == "speed" else "narrow"
    return Finding(
        code=code,
        sentence=f"link {link.place} is {adjective}: {shown}, while both ends {enabled}",
        place=link.place,
        evidence="; ".join(
            f"{end.name}: {what} active {_show(end, 'active', what)}, enabled {_show(end, 'enabled', what)}, "
            f"supported {_show(end, 'supported', what)}"
            for end in (link.a, link.b)
        ),
        next_step=f"smpquery portinfo {link.a.lid} {link.a.number}",
        severity=severity,
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


def _state_of(key: PortKey, name: str, ports: Mapping[PortKey, Port]) -> str:
    port = ports.get(key)
    if port is None:
        node_is_there = any(guid == key[0] for guid, _ in ports)
        return f"{name} has no link that is up" if node_is_there else f"{name} is not on the fabric"
    if port.state == "active" and port.peer is not None:
        peer = ports.get(port.peer)
        return f"{name} is connected to {peer.name if peer is not None else f'{port.peer[0]}/{port.peer[1]}'}"
    physical = f" ({port.physical})" if port.physical else ""
    return f"{name} is {port.state or 'in an unknown state'}{physical}"

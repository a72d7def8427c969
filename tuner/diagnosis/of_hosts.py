# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The evidence of a real fabric: the ports of its switches to hosts, as `tuner.host_triggers` has watched them."""

from collections.abc import Iterable, Mapping

import ccsim
from tuner.checks.links.ports import Ability, Link
from tuner.diagnosis.evidence import Evidence, HostLinkSeen, InsideSeen, PortSeen
from tuner.host_triggers.switch_ports import HostPort


def evidence_of_hosts(
    ports: Mapping[str, HostPort],
    inside: Mapping[str, InsideSeen] | None = None,
    links: Iterable[Link] = (),
    drifted: Mapping[str, str] | None = None,
    host_links: tuple[HostLinkSeen, ...] = (),
) -> Evidence:
    """`ports`: by host. Of each, the window in which it withheld credits longest, or the one in which its port waited longest.
    `inside`: by the host's name on the fabric. `links`: of which those between switches are compared with what both ends can.
    `drifted`: as Evidence. `host_links`: what loop-back tests name. Flows are not known, so that the verdict is about receivers,
    links and tables alone."""
    named = {name: port.host.description for name, port in ports.items()}
    between = [_between_switches(link) for link in links if link.a.is_switch and link.b.is_switch]
    return Evidence(
        ports=(*(_seen(port) for port in ports.values()), *between),
        flows=None,
        drifted=drifted,
        inside={named.get(name, name): seen for name, seen in (inside or {}).items()},
        host_links=host_links,
    )


def _between_switches(link: Link) -> PortSeen:
    can = [_gbps(end.supported) for end in (link.a, link.b)]
    return PortSeen(
        name=link.a.name,
        peer=link.b.name,
        line_gbps=_gbps(link.a.active),
        can_gbps=None if None in can else min(gbps for gbps in can if gbps is not None),
    )


def _seen(port: HostPort) -> PortSeen:
    known = [window for window in port.windows if window.wait_share is not None]
    worst = port.withholding or max(known, key=lambda window: window.wait_share or 0.0, default=None)
    can = [_gbps(end.supported) for end in (port.switch, port.host)]
    return PortSeen(
        name=port.switch.name,
        peer=port.host.name,
        to_host=True,
        wait_share=None if worst is None else worst.wait_share,
        sent_gbps=None if worst is None else worst.received_gbps,
        line_gbps=port.line_gbps,
        can_gbps=None if None in can else min(gbps for gbps in can if gbps is not None),
    )


def _gbps(ability: Ability) -> float | None:
    if ability.width is None or ability.speed is None:
        return None
    return ccsim.link_data_gbps(f"{ability.width}x{ability.speed}")

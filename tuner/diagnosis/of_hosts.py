# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The evidence of a real fabric: the ports of its switches to hosts, as `tuner.host_triggers` has watched them."""

from collections.abc import Mapping

import ccsim
from tuner.checks.links.ports import Ability
from tuner.diagnosis.evidence import Evidence, HostLinkSeen, PortSeen
from tuner.host_triggers.switch_ports import HostPort


def evidence_of_hosts(ports: Mapping[str, HostPort], host_links: tuple[HostLinkSeen, ...] = ()) -> Evidence:
    """`ports`: by host. Of each, the window in which it withheld credits longest, or the one in which its port waited longest.
    `host_links`: what loop-back tests name. Flows are not known, so that the verdict is about receivers and their links alone."""
    return Evidence(ports=tuple(_seen(port) for port in ports.values()), flows=None, host_links=host_links)


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

# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Whether a host's counters, at its switch and its own, ask for loop-back tests of its inside."""

from dataclasses import dataclass

from tuner.documents.inventory import InventoryHost
from tuner.host_triggers.own_counters import PAUSE_SHARE, OwnCounters
from tuner.host_triggers.switch_ports import HostPort, Window


@dataclass(frozen=True, kw_only=True)
class HostTrigger:
    """One host."""

    host: InventoryHost
    port: HostPort | None
    """None if the fabric has no link to it."""
    own: OwnCounters | None
    """None if its agent was not asked."""

    @property
    def reasons(self) -> list[str]:
        """Why the host should be tested, each the end of a sentence. Empty: its counters do not ask for it."""
        found = []
        worst = None if self.port is None else self.port.withholding
        if self.port is not None and worst is not None:
            found.append(
                f"{self.port.switch.name} waits {_percent(worst.wait_share)} of a second to send to it, and it receives "
                f"{worst.received_gbps or 0.0:.1f} of {self.port.line_gbps or 0.0:.1f} Gb/s"
            )
        if self.port is not None and self.port.discards:
            found.append(f"{self.port.switch.name} discarded {self.port.discards} packets for it")
        if self.own is not None and self.own.drops:
            found.append("it drops: " + ", ".join(f"{name} {count}" for name, count in sorted(self.own.drops.items())))
        if self.own is not None and self.own.pause_share >= PAUSE_SHARE:
            found.append(f"it pauses its senders {_percent(self.own.pause_share)} of the time")
        return found

    @property
    def is_known(self) -> bool:
        """True if counters were read that can say something."""
        has_own = self.own is not None and self.own.error is None
        return has_own or (self.port is not None and any(window.wait_share is not None for window in self.port.windows))

    @property
    def worst(self) -> Window | None:
        """The window in which the switch's port waited longest."""
        windows = [] if self.port is None else [window for window in self.port.windows if window.wait_share is not None]
        return max(windows, key=lambda window: window.wait_share or 0.0, default=None)

    @property
    def sentence(self) -> str:
        if self.reasons:
            return f"{self.host.node}: {'; '.join(self.reasons)}."
        if not self.is_known:
            why = "the fabric has no link to it" if self.port is None else "its switch counts no PortXmitWait"
            more = "" if self.own is None or self.own.error is None else f", and {self.own.error}"
            return f"{self.host.node}: not known: {why}{more}."
        return f"{self.host.node}: its counters do not ask for tests."


def _percent(share: float | None) -> str:
    return f"{min(share or 0.0, 1.0) * 100:.1f} %"

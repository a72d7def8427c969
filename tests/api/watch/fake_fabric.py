# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A fabric of a test's own, looked at without a subnet manager: devices and cables that come and go."""

from dataclasses import dataclass, field

from api.fabric_drivers.sight import NOTHING_BETWEEN, Between, Condition, Key, LinkKey, SeenDevice, SeenLink, Sight, link_key


def guid(number: int) -> str:
    return f"0x{number:016x}"


def switch(number: int) -> Key:
    return guid(0x100 + number), 0


def host(number: int) -> Key:
    return guid(0x1000 + number), 1


@dataclass
class FakeFabric:
    """Two switches, joined by two cables at ports 20 and 21, with half of the hosts at each, at ports from 1."""

    hosts: int = 6
    role: str = "master"
    conditions: dict[Key, Condition] = field(default_factory=dict)
    """The devices that are not simply present."""
    drifts: dict[Key, int] = field(default_factory=dict)
    cut: set[LinkKey] = field(default_factory=set)
    rates: dict[LinkKey, str] = field(default_factory=dict)
    more_links: set[LinkKey] = field(default_factory=set)
    more_devices: dict[Key, str] = field(default_factory=dict)
    sweeping: bool = False
    names: dict[Key, str] = field(default_factory=dict)
    audited_at_s: float | None = None
    between: Between = NOTHING_BETWEEN

    def devices(self) -> list[Key]:
        return [switch(1), switch(2), *(host(n) for n in range(self.hosts)), *self.more_devices]

    def name(self, key: Key) -> str:
        if key in self.more_devices:
            return self.more_devices[key]
        return self.names.get(key) or (f"S{int(key[0], 16) - 0x100}" if key[1] == 0 else f"H{int(key[0], 16) - 0x1000}")

    def cables(self) -> set[LinkKey]:
        """All that are plugged in."""
        found = {self.trunk(20), self.trunk(21)} | {self.cable(n) for n in range(self.hosts)}
        return (found | self.more_links) - self.cut

    def cable(self, number: int) -> LinkKey:
        """That of a host."""
        return link_key(host(number), (switch(1 + number % 2)[0], 1 + number // 2))

    def trunk(self, port: int) -> LinkKey:
        return link_key((switch(1)[0], port), (switch(2)[0], port))

    def is_there(self, guid: str) -> bool:
        return any(self.conditions.get(key) != "missing" for key in self.devices() if key[0] == guid)

    def sight(self) -> Sight:
        return Sight(
            role=self.role,
            devices={
                key: SeenDevice(
                    name=self.name(key),
                    kind="ca" if key[1] else "switch",
                    condition=self.conditions.get(key, "present"),
                    drifts=self.drifts.get(key, 0),
                )
                for key in self.devices()
            },
            links=None
            if self.sweeping
            else {
                ends: SeenLink(names=(self._node(ends[0][0]), self._node(ends[1][0])), rate=self.rates.get(ends, "4xNDR"))
                for ends in self.cables()
                if self.is_there(ends[0][0]) and self.is_there(ends[1][0])
            },
            audited_at_s=self.audited_at_s,
            between=self.between,
        )

    def _node(self, guid: str) -> str:
        return next((self.name(key) for key in self.devices() if key[0] == guid), "?")

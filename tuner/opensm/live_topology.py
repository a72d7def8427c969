# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The topology that OpenSM found, as the plugin's method `topology` returns it (docs/operate/plugin-socket.md).

The plugin's events `device.*`, `link.*` and `sm.*` have the topology's `epoch` and the time `at_s`, and besides:

- `device.lost`, `device.back`: `guid`, `kind`, `description`, `lid`, and `links`, where it was or is: `port`, `peer_guid`,
  `peer_port`, `peer_description`. `device.back` also has `known`: false for a node that the plugin has not seen before;
- `device.drifted`, `device.repaired`: `guid`, `port`, `kind`, `description`, `lid`. `device.drifted` also has `attribute` and
  `reset`: it was reset, and not written to by others;
- `link.down`, `link.up`, `link.changed`: the members of a row of `links`, `description` and `peer_description`. `link.changed`
  also has `before`: the former `state`, `width`, `speed`, `rate` and `mtu`. Links of a node that is lost or back have no events;
- `sm.changed`: `role` and `former_role` of the plugin, `message`, and `subnet_managers` as TopologyChanges has them.
"""

from dataclasses import dataclass
from typing import Any, TypeAlias

LinkEnds: TypeAlias = tuple[str, int, str, int]
"""GUID and port of a link's first end, then those of the other; the first is the lower of the two."""


@dataclass(frozen=True)
class TopologyChanges:
    """All pages of one call: the whole (`full`), or the differences since the epoch that the caller named.

    A row of `nodes` or `links` is whole: it replaces the former row of the same GUID or ends."""

    epoch: int
    full: bool
    nodes: list[dict[str, Any]]
    """`guid`, `kind` (switch, ca, router), `description`, `lid` (of a switch), `num_ports`, `ports`: rows with `port`, `guid`,
    `lid`, `state`, `physical`."""
    links: list[dict[str, Any]]
    """`guid`, `port`, `peer_guid`, `peer_port`, `state`, `width`, `speed`, `rate` ("4xNDR"), `mtu`; None: not known."""
    removed_nodes: list[str]
    """GUIDs of nodes that are not there any more."""
    removed_links: list[LinkEnds]
    subnet_managers: list[dict[str, Any]]
    """The others that OpenSM found: `guid` of their ports, `priority`, `state`."""
    swept_s: int
    """Time of the last heavy sweep whose subnet was compared, in seconds since 1970."""
    complete: bool
    """Whether that sweep ended without errors."""


@dataclass(frozen=True)
class LiveTopology:
    """The whole topology at one epoch, kept by who asks for differences."""

    epoch: int
    nodes: dict[str, dict[str, Any]]
    """Rows of TopologyChanges by GUID."""
    links: dict[LinkEnds, dict[str, Any]]
    subnet_managers: list[dict[str, Any]]
    swept_s: int
    complete: bool

    @classmethod
    def of(cls, changes: TopologyChanges) -> "LiveTopology":
        """The topology that a whole answer holds. Raises ValueError for differences: there is nothing to apply them to."""
        if not changes.full:
            raise ValueError(f"these are the differences that led to epoch {changes.epoch}, and not a whole topology")
        return _at(changes, {}, {})

    def after(self, changes: TopologyChanges) -> "LiveTopology":
        """Applies the differences since this epoch; a whole answer replaces all."""
        if changes.full:
            return LiveTopology.of(changes)
        gone, cut = set(changes.removed_nodes), set(changes.removed_links)
        nodes = {guid: row for guid, row in self.nodes.items() if guid not in gone}
        links = {ends: row for ends, row in self.links.items() if ends not in cut}
        return _at(changes, nodes, links)


def link_ends(row: dict[str, Any]) -> LinkEnds:
    return row["guid"], row["port"], row["peer_guid"], row["peer_port"]


def _at(changes: TopologyChanges, nodes: dict[str, Any], links: dict[LinkEnds, Any]) -> LiveTopology:
    return LiveTopology(
        epoch=changes.epoch,
        nodes=nodes | {row["guid"]: row for row in changes.nodes},
        links=links | {link_ends(row): row for row in changes.links},
        subnet_managers=changes.subnet_managers,
        swept_s=changes.swept_s,
        complete=changes.complete,
    )

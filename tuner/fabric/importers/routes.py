# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Gives a fabric the forwarding tables that a subnet manager has put into its switches.

Switches are matched by GUID, destinations by port GUID where the tables hold it, and else by LID. A fabric without LIDs, such as
one of a net file, gets them from the tables. Both have to be of one subnet at one time: what does not fit together is refused,
since routes of another day would be plausible and wrong.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from tuner.document_base.model import build_model
from tuner.documents.fabric import End, FabricDocument, Host, HostPort
from tuner.documents.hosts import HostDirectory
from tuner.documents.lft import runs
from tuner.errors import BadInputError
from tuner.fabric.importers.lft_dump import SwitchTable


def with_routes(fabric: FabricDocument, tables: list[SwitchTable], *, source: str) -> tuple[FabricDocument, list[str]]:
    """The fabric with `lfts` and `routing: tables`, and sentences about what was left out. `source` names the tables in errors.

    Raises BadInputError.
    """
    match = _Match(fabric, tables, source)
    in_order = sorted(tables, key=lambda table: match.switches[table.guid])  # the fabric's: the same whoever printed the tables
    lfts = {match.switch_name(table): runs(match.routes(table)) for table in in_order}
    fields = {key: getattr(fabric, key) for key in FabricDocument.model_fields}
    values = fields | _nodes_with_lids(fabric, match.lids) | {"routing": "tables", "roots": (), "lfts": lfts}
    return build_model(FabricDocument, values, source=source), list(match.notes())


@dataclass(frozen=True)
class _Owner:
    """Whose a LID is by the tables. Port 0 is the switch itself."""

    end: End
    line: int


class _Match:
    """Match between forwarding tables and a fabric: its switches by GUID, and its ports by LID."""

    def __init__(self, fabric: FabricDocument, tables: list[SwitchTable], source: str) -> None:
        self._fabric = fabric
        self._source = source
        self._names = Counter(node.name for node in fabric.nodes)
        self.switches = {fabric.guid_of(i): i for i in range(len(fabric.switches))}
        """Numbers in the fabric by GUID."""
        self._linked = {end for _, *ends in fabric.ends() for end in ends}
        endports = HostDirectory(fabric).endports
        self._end_of_guid = {guid: End(i, 0) for guid, i in self.switches.items()}
        self._end_of_guid |= {endport.guids[-1]: End(endport.node, endport.port) for endport in endports}
        self._require_tables(tables)
        self._owners = self._owners_of(tables)
        given = {End(i, 0): switch.lid for i, switch in enumerate(fabric.switches)}
        given |= {End(endport.node, endport.port): endport.lid for endport in endports}
        self.lids = self._agreed({end: lid for end, lid in given.items() if lid is not None})
        """LIDs of switches, at port 0, and of connected host ports."""
        self._hosts = {lid: end for end, lid in self.lids.items() if end.port}
        self._seen = {lid for table in tables for lid in table.entries}
        self._missing = 0
        self._without_lid = len(endports) - len(self._hosts)
        if endports and not self._hosts:
            raise self._error(
                "has no port GUIDs and the fabric no LIDs, so no destination is known; take the tables without -n, "
                "or the fabric by ibnetdiscover while the subnet manager runs"
            )

    def switch_name(self, table: SwitchTable) -> str:
        node = self._fabric.nodes[self.switches[table.guid]]
        plain = self._names[node.name] == 1 and not node.name.startswith("guid:")
        return node.name if plain else f"guid:0x{table.guid:016x}"

    def routes(self, table: SwitchTable) -> dict[int, int]:
        """Port by LID, without those that no packet of a host can take."""
        node = self.switches[table.guid]
        n_ports = self._fabric.nodes[node].ports
        routes: dict[int, int] = {}
        for lid, entry in table.entries.items():
            if entry.port > n_ports and entry.port != 255:
                where = f"port {entry.port} of '{self._fabric.nodes[node].name}'"
                raise self._error(f"LID {lid} leaves by {where}, which does not exist; it has ports 1 to {n_ports}", entry.line)
            if entry.port <= n_ports and (lid not in self._hosts or End(node, entry.port) in self._linked):
                routes[lid] = entry.port
        self._missing += sum(lid not in routes for lid in self._hosts)
        return routes

    def notes(self) -> Iterator[str]:
        """Sentences about what was left out."""
        count = sum(end.port == 0 and lid in self._seen for end, lid in self.lids.items())
        yield f"{count} LIDs are those of switches, where only management goes"
        owned = {lid for lid, owner in self._owners.items() if self.lids.get(owner.end) != lid}
        if owned:
            yield f"{len(owned)} LIDs are further paths to a port (LMC), which are not simulated"
        if unknown := sorted(self._seen - owned - set(self.lids.values())):
            yield f"{len(unknown)} LIDs belong to no port of the fabric, the first is {unknown[0]}"
        if self._without_lid:
            yield f"{self._without_lid} host ports are not in the tables and cannot be reached"
        if self._missing:
            yield f"{self._missing} routes from a switch to a host are missing in the tables or lead nowhere"

    def _require_tables(self, tables: list[SwitchTable]) -> None:
        for table in tables:
            if table.guid not in self.switches:
                raise self._error(f"switch 0x{table.guid:016x} is not in the fabric; both must be of one subnet", table.line)
        lacking = [i for guid, i in self.switches.items() if guid not in {table.guid for table in tables}]
        if lacking:
            raise self._error(
                f"has no table of {len(lacking)} of the {len(self.switches)} switches, the first is "
                f"'{self._fabric.nodes[lacking[0]].name}'; ibroute prints one switch, opensm-lfts.dump and dump_fts have all"
            )

    def _owners_of(self, tables: list[SwitchTable]) -> dict[int, _Owner]:
        """Returns the owner of each LID, as far as the tables show it by GUIDs, by their headers and by what stays in a
        switch."""
        owners: dict[int, _Owner] = {}

        def add(lid: int, end: End, line: int) -> None:
            owner = owners.setdefault(lid, _Owner(end, line))
            if owner.end != end:
                names = [self._fabric.nodes[node].name for node in (end.node, owner.end.node)]
                raise self._error(f"LID {lid} is that of '{names[0]}' here, but that of '{names[1]}' on line {owner.line}", line)

        for table in tables:
            own = End(self.switches[table.guid], 0)
            if table.lid:
                add(table.lid, own, table.line)
            for lid, entry in table.entries.items():
                end = own if entry.port == 0 else self._end_of_guid.get(entry.port_guid or 0)
                if end is not None:
                    add(lid, end, entry.line)
        return owners

    def _agreed(self, given: dict[End, int]) -> dict[End, int]:
        """The fabric's LIDs, and for ports without one the first that the tables have."""
        for end, lid in given.items():
            if (owner := self._owners.get(lid)) is not None and owner.end != end:
                names = [self._fabric.nodes[node].name for node in (owner.end.node, end.node)]
                sentence = (
                    f"LID {lid} is that of '{names[0]}' here, but that of '{names[1]}' in the fabric; both must be of one sweep"
                )
                raise self._error(sentence, owner.line)
        by_end: dict[End, list[int]] = {}
        for lid, owner in sorted(self._owners.items()):
            by_end.setdefault(owner.end, []).append(lid)
        for end, lids in by_end.items():
            if given.setdefault(end, lids[0]) not in lids:
                name = self._fabric.nodes[end.node].name
                raise self._error(
                    f"LID {lids[0]} is that of '{name}' here, but the fabric has LID {given[end]}; both must be of one sweep",
                    self._owners[lids[0]].line,
                )
        return given

    def _error(self, sentence: str, line: int | None = None) -> BadInputError:
        return BadInputError(sentence, source=self._source, line=line)


def _nodes_with_lids(fabric: FabricDocument, lids: dict[End, int]) -> dict[str, object]:
    by_node: dict[int, dict[int, int]] = {}
    for end, lid in lids.items():
        by_node.setdefault(end.node, {})[end.port] = lid
    switches = [switch.model_copy(update={"lid": by_node.get(i, {}).get(0)}) for i, switch in enumerate(fabric.switches)]
    hosts = [_host_with_lids(host, by_node.get(i, {})) for i, host in enumerate(fabric.hosts, start=len(fabric.switches))]
    return {"switches": tuple(switches), "hosts": tuple(hosts)}


def _host_with_lids(host: Host, lids: dict[int, int]) -> Host:
    if host.ports == 1 and not host.endports:
        return host.model_copy(update={"lid": lids.get(1)})
    described = {endport.port: endport for endport in host.endports}
    described |= {port: HostPort(port=port) for port in lids if port not in described}
    endports = (described[port].model_copy(update={"lid": lids.get(port)}) for port in sorted(described))
    return host.model_copy(update={"endports": tuple(endports)})

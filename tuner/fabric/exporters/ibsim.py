# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Net files of ibsim, the InfiniBand fabric simulator of OpenFabrics; importers/ibsim.py tells what they look like."""

from collections import Counter
from collections.abc import Iterator

from tuner.document_base.model import listed
from tuner.documents.fabric import FabricDocument, Host
from tuner.documents.hosts import HostDirectory
from tuner.errors import BadInputError
from tuner.fabric.exporters.base import EXPORTERS, Exported
from tuner.fabric.importers.link_masks import LinkMasks

_MAX_ID = 31
"""A client names the node that it wants in 32 bytes, the last of which is 0."""


class IbsimNet:
    """The exporter. Its importer reads back the same nodes, GUIDs, cables and rates."""

    description = "net file of ibsim"

    def export(self, fabric: FabricDocument) -> Exported:
        return Exported(net_text(fabric), tuple(_notes(fabric)))


def net_text(fabric: FabricDocument) -> str:
    """The net file. Raises BadInputError for a rate that ibsim does not know."""
    ids = _ids(fabric)
    lines: list[list[tuple[int, str]]] = [[] for _ in fabric.nodes]
    for link, a, b in fabric.ends():
        try:
            LinkMasks().with_rate_of(comment := f'"" lid 0 {link.rate}')
        except ValueError as error:
            raise BadInputError(f"link {link.a} - {link.b}: {error}") from error
        for here, there in ((a, b), (b, a)):
            lines[here.node].append((here.port, f'[{here.port}]\t"{ids[there.node]}"[{there.port}]\t\t# {comment}'))
    records = []
    for i, node in enumerate(fabric.nodes):
        kind, base = {"switch": ("Switch", "switchguid"), "router": ("Rt", "rtguid")}.get(node.kind, ("Hca", "caguid"))
        header = f'{base}=0x{fabric.guid_of(i):x}\n{kind}\t{node.ports} "{ids[i]}"\t\t# "{node.name.replace(chr(34), chr(39))}"\n'
        records.append(header + "".join(f"{line}\n" for _, line in sorted(lines[i])))
    return "\n".join(records)


def _ids(fabric: FabricDocument) -> list[str]:
    """Returns an id for each node: its description where that is an id of ibsim's and nobody else's, or else its GUID."""
    times = Counter(node.name for node in fabric.nodes)
    return [
        node.name
        if times[node.name] == 1 and len(node.name.encode()) <= _MAX_ID and not set(node.name) & set('"#@\n')
        else f"guid-{fabric.guid_of(i):016x}"
        for i, node in enumerate(fabric.nodes)
    ]


def _notes(fabric: FabricDocument) -> Iterator[str]:
    guids = ((endport.guids[-1], fabric.guid_of(endport.node) + endport.port) for endport in HostDirectory(fabric).endports)
    if any(ours != ibsims for ours, ibsims in guids):
        yield "Port GUIDs are lost: ibsim gives a port its node's GUID plus the port number."
    if any(isinstance(node, Host) and (node.inject_gbps or node.receive_gbps) for node in fabric.nodes):
        yield "Limits of hosts' buses are lost, as are delays and routing."
    if fabric.modelled_hosts():
        yield "Models of hosts (host_models) are lost."
    if any(node.lids for node in fabric.nodes):
        yield "LIDs are lost: OpenSM gives the nodes of ibsim new ones."
    if fabric.congestion_control:
        yield "What congestion control devices have (congestion_control) is lost."
    quoted = [node.name for node in fabric.nodes if '"' in node.name]
    if quoted:
        yield f"Quotation marks in node descriptions become apostrophes: {listed(quoted)}."


EXPORTERS.add("ibsim", IbsimNet())

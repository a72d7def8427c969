# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Switches and adapters of a subnet as `ibnetdiscover` prints them, with maker, model and LID; links do not matter here."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from tuner.errors import BadInputError

_HEADER = re.compile(
    r'(Switch|Ca)[ \t]+([0-9]{1,4})[ \t]+"[SH]-([0-9a-f]{1,16})"[ \t]*#[ \t]*"(.*)"(?:.*\bport 0 lid ([0-9]{1,5})\b)?.*'
)
_PORT = re.compile(r'\[([0-9]{1,3})\][^"]*"[SHR]-[0-9a-f]{1,16}"\[[0-9]{1,3}\][^#]*#(?:[ \t]*lid ([0-9]{1,5})\b)?.*')
_NUMBER = re.compile(r"(vendid|devid)=0x([0-9a-f]{1,8})")
_GUIDS = re.compile(r"\b(?:sysimgguid|switchguid|caguid)=0x([0-9a-f]{1,16})|\(([0-9a-f]{1,16})\)")
_FIRST_MULTICAST_LID = 0xC000
_MOST_PORTS = 254
_KINDS = {"Switch": "switch", "Ca": "adapter"}


@dataclass(frozen=True)
class SubnetNode:
    """`kind`: switch or adapter. `port`: the first with a cable, which answers for an adapter."""

    kind: str
    guid: int
    name: str
    vendor_id: int
    device_id: int
    num_ports: int
    port: int
    lid: int

    @property
    def label(self) -> str:
        return f"{self.name} (0x{self.guid:016x})"


@dataclass(frozen=True)
class SubnetNodes:
    """`nodes`: those that have a LID. `guids`: all GUIDs of the subnet, of ports and systems too."""

    nodes: tuple[SubnetNode, ...]
    guids: frozenset[int]


@dataclass
class _Section:
    numbers: dict[str, int] = field(default_factory=dict)
    header: re.Match[str] | None = None
    ports: dict[int, int] = field(default_factory=dict)
    """LIDs by port; 0 if the line has none, as of switches."""


def read_nodes(text: str, *, source: str) -> SubnetNodes:
    """Raises BadInputError for a text without nodes."""
    nodes = [node for section in _sections(text) if (node := _node(section)) is not None]
    if not nodes:
        raise BadInputError("has no switch and no channel adapter with a LID, as ibnetdiscover prints them", source=source)
    guids = {int(match[1] or match[2], 16) for match in _GUIDS.finditer(text)} | {node.guid for node in nodes}
    return SubnetNodes(tuple(nodes), frozenset(guids - {0}))


def _sections(text: str) -> Iterator[_Section]:
    section = _Section()
    for raw in text.splitlines():
        line = raw.strip()
        if not line:
            yield section
            section = _Section()
        elif match := _NUMBER.fullmatch(line):
            section.numbers[match[1]] = int(match[2], 16)
        elif match := _HEADER.fullmatch(line):
            section.header = match
        elif section.header is not None and (match := _PORT.fullmatch(line)):
            section.ports[int(match[1])] = int(match[2] or 0)
    yield section


def _node(section: _Section) -> SubnetNode | None:
    if section.header is None or not section.ports:
        return None
    word, num_ports, guid, name, lid = section.header.groups()
    port = min(section.ports)
    found = int(lid or 0) if word == "Switch" else section.ports[port]
    if not 0 < found < _FIRST_MULTICAST_LID or not 0 < int(num_ports) <= _MOST_PORTS:
        return None
    return SubnetNode(
        kind=_KINDS[word],
        guid=int(guid, 16),
        name=name,
        vendor_id=section.numbers.get("vendid", 0) & 0xFFFFFF,
        device_id=section.numbers.get("devid", 0) & 0xFFFF,
        num_ports=int(num_ports),
        port=port,
        lid=found,
    )

# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Imports the net files of ibsim, the InfiniBand fabric simulator of OpenFabrics, as ibsim itself reads them.

A record for each node: a header with the number of ports and an id, and a line for each connected port, up to an empty line.

    switchguid=0x2c90200000001
    Switch  8 "leaf"          # "description"
    [1]     "host 1"[1]       w=2 s=4
    Hca     2 "host 1"
    [1]     "leaf"[1]

Every link stands there twice. GUIDs count up from a base (`switchguid=`, `caguid=`), LIDs are OpenSM's business. What
ibnetdiscover prints is a net file too, but one that says more: ibnetdiscover.py reads those.

What is here follows ibsim's own reader, sim_net.c of version 0.10 and later, in all that decides about a fabric. Where that
reader drops something in silence, this one refuses: two programs that look at one file must not see two fabrics.
"""

import re
from dataclasses import dataclass

from tuner.fabric.importers.base import IMPORTERS, Imported, imported
from tuner.fabric.importers.c_integer import C_INTEGER, c_integer
from tuner.fabric.importers.link_masks import LinkMasks
from tuner.fabric.importers.topology import AGGREGATION_NODE, Kind, Node, Port, Topology, numbered_lines

_MENTIONED = re.compile(r'^(Switch|Hca|Ca|Rt)[ \t]+[0-9]+[ \t]+"', re.MULTILINE)
_HEADER = re.compile(rf'(?P<word>Switch|Hca|Ca|Rt)[^0-9]*(?P<ports>{C_INTEGER})[^"]*"(?P<id>[^"]+)"(?P<rest>.*)')
_PORT = re.compile(r'\[[ \t]*(?P<port>[0-9]{1,4})\][^"]*"(?P<id>[^"]+)"(?:\[[ \t]*(?P<peer_port>[0-9]{1,4})\])?(?P<rest>.*)')
_DESCRIPTION = re.compile(r'#[ \t]*(?:"(?P<quoted>[^"]*)"?|(?P<plain>.*?)(?=$|[ \t](?:enhanced port|base port|lid|lmc)[ \t]))')
_QUOTED = re.compile('"[^"]*"?')
_LIDS = re.compile(r"lid ([0-9]{1,6})")
_VALUE = re.compile(rf"[^=+]*(?P<sign>[=+])[ \t]*(?P<number>{C_INTEGER})")
_KINDS: dict[str, Kind] = {"Switch": "switch", "Hca": "host", "Ca": "host", "Rt": "router"}
_GUID_BASES: dict[str, Kind] = {"switchguid": "switch", "hcaguids": "host", "caguid": "host", "rtguid": "router"}
_OF_NO_INTEREST = ("vendid", "devid", "sysimgguid", "pdebug")


@dataclass
class _Port(Port):
    masks: LinkMasks = LinkMasks()  # noqa: RUF009  it is immutable


class Ibsim:
    """The importer; see the module's text."""

    name = "ibsim"

    def recognises(self, text: str) -> bool:
        return _MENTIONED.search(text) is not None

    def read(self, text: str, *, source: str, name: str, mtu_bytes: int, strict: bool = True) -> Imported:
        return imported(_Topology(text, source), name, mtu_bytes, self.name)


class _Topology(Topology[_Port]):
    def __init__(self, text: str, source: str) -> None:
        super().__init__(source, strict=True)  # as ibsim itself, and as what people write
        self._prefix = ""
        self._masks = LinkMasks()
        self._base: dict[Kind, int] = {"host": 0x100000, "switch": 0x200000, "router": 0}
        self._next_guid = dict(self._base)
        self._first_with_guid: dict[int, Node[_Port]] = {}
        current: Node[_Port] | None = None
        masks = self._masks
        lines_left = 0
        for line, content in numbered_lines(text, source):
            if current is None:
                if header := _HEADER.match(content):
                    current, masks = self._header(line, header), self._masks
                    lines_left = current.n_ports
                else:
                    self._other(line, content)
            elif content.startswith("["):
                self._port(line, content, current, masks)
                lines_left -= 1
                current = current if lines_left else None  # ibsim does not look for more than the header says
            elif not content.startswith("#"):
                if content.strip():
                    raise self.error(
                        f"ends the ports of '{current.name}' and is lost to ibsim; put an empty line before it", line
                    )
                current = None

    def link_rate(self, a: Node[_Port], a_port: _Port, b: Node[_Port], b_port: _Port) -> str:
        try:
            return a_port.masks.rate_with(b_port.masks)
        except ValueError as error:
            raise self.error(f"{error}, and line {b_port.line} is the other side", a_port.line) from error

    def _header(self, line: int, match: re.Match[str]) -> Node[_Port]:
        if re.search("[#@]", match["id"]):
            raise self.error(f"id '{match['id']}' holds a # or @, which ibsim keeps for modules and aliases", line)
        kind = type_ = _KINDS[match["word"]]
        n_ports = self._number(match["ports"], line)
        guid = self._next_guid[type_]
        # A switch has one GUID for all ports; an adapter's ports have those that follow its own.
        self._next_guid[type_] = guid + (1 if kind == "switch" else n_ports + 1)
        if self._next_guid[type_] > 2**64:
            raise self.error(f"GUIDs of '{match['id']}', from 0x{guid:x} on, do not fit into 64 bits", line)
        node_id = self._qualified(match["id"])
        found = _DESCRIPTION.search(match["rest"])
        name = (found and (found["quoted"] or (found["plain"] or "").strip())) or node_id
        lid = _LIDS.search(match["rest"], found.end()) if found and kind == "switch" else None
        if kind == "host" and name == AGGREGATION_NODE:
            kind = "aggregation"
        node: Node[_Port] = Node(node_id, kind, name, line, n_ports, guid or None, int(lid[1]) if lid else None)
        self.add_node(node)
        if (other := self._first_with_guid.setdefault(guid, node)) is not node:
            raise self.error(f"GUID 0x{guid:016x} of '{name}' is also that of '{other.name}'; change a line with guid=", line)
        return node

    def _port(self, line: int, content: str, node: Node[_Port], masks: LinkMasks) -> None:
        match = _PORT.match(content)
        if match is None:
            raise self.error('is not a port\'s line, which looks like: [1] "Switch1"[3]', line)
        if "@" in match["id"]:
            raise self.error(f"'{match['id']}' is an alias, which cannot be imported; name the node and its port instead", line)
        rest = match["rest"]
        if match["peer_port"] is None and rest.lstrip().startswith("["):
            raise self.error('ibsim takes this for port 1, because of the space between "…" and […]; remove the space', line)
        number = int(match["port"])
        lid = _LIDS.search(rest) if node.kind != "switch" and " lmc " in rest else None
        try:
            masks = masks.with_options(_QUOTED.sub("", rest))
            if node.kind != "router":
                masks = masks.with_rate_of(rest)
        except ValueError as error:
            raise self.error(str(error), line) from error
        peer = self._qualified(match["id"]), int(match["peer_port"] or 1)
        guid = None if node.kind == "switch" or node.guid is None else node.guid + number
        self.add_port(node, number, _Port(line, peer, guid, int(lid[1]) if lid else None, masks=masks))

    def _other(self, line: int, content: str) -> None:
        """A line between two records."""
        word = re.match(r"\w*", content)
        key = word[0] if word else ""
        if content.startswith(("[", "@[")):
            raise self.error("is a port outside a record; does a header before it say too few ports?", line)
        if key.startswith("include"):
            raise self.error(f"{content.strip()}: put the lines of that file here; an import reads one file", line)
        if key.startswith("do"):
            raise self.error(f"{content.strip()}: commands of ibsim cannot be imported; change the records instead", line)
        if key.startswith("module"):
            module = re.search('=[^"]*"([^"]{1,20})"', content)
            if module is None:
                raise self.error('is not a module\'s line, which looks like: module="rack1"', line)
            self._prefix = f"{module[1]}#"
        elif base := next((kind for word, kind in _GUID_BASES.items() if key.startswith(word)), None):
            sign, number = self._value(line, content, relative=True)
            if sign == "=":
                self._base[base] = number
            self._next_guid[base] = number if sign == "=" else self._base[base] + number
        elif key in ("width", "speed", "extspeed"):
            try:
                self._masks = self._masks.with_default(key, self._value(line, content)[1])
            except ValueError as error:
                raise self.error(str(error), line) from error
        elif content.strip() and not content.startswith("#") and not key.startswith(_OF_NO_INTEREST):
            raise self.error(f"'{content.strip()[:40]}' is not a line of a net file; ibsim would drop it", line)

    def _value(self, line: int, content: str, *, relative: bool = False) -> tuple[str, int]:
        match = _VALUE.match(content)
        if match is None or (match["sign"] == "+" and not relative):
            example = content.split("=")[0].strip()[:20]
            raise self.error(f"'{content.strip()[:40]}' lacks its number, such as {example}=0x200000", line)
        return match["sign"], self._number(match["number"], line)

    def _number(self, text: str, line: int) -> int:
        try:
            return c_integer(text)
        except ValueError as error:
            raise self.error(str(error), line) from error

    def _qualified(self, node_id: str) -> str:
        """An id as another module may write it."""
        return node_id if "#" in node_id else self._prefix + node_id


IMPORTERS.add(Ibsim.name, Ibsim())

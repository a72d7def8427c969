# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The whole line of OpenSM that routes a fabric as advised, and the files of GUIDs that it names.

By themselves, `ftree` and `updn` look for the top of a tree by the distance from channel adapters, and are misled by those that
are not on leaves. They are told the switches at the top (`root_guid_file`), and `ftree` also the ports of hosts on leaves
(`cn_guid_file`), all other ports of adapters (`io_guid_file`) and how far routes between these may go up again.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tuner.documents.fabric import FabricDocument
from tuner.documents.hosts import HostDirectory
from tuner.fabric.built_fabric import connected
from tuner.fabric.engine_loads import LoadCounter
from tuner.fabric.levels import Levels, levels
from tuner.fabric.shapes.base import Recognized
from tuner.fabric.shapes.switch_graph import SwitchGraph

_FLAGS = {"routing_engine": "-R", "root_guid_file": "-a", "cn_guid_file": "-u", "io_guid_file": "-G", "max_reverse_hops": "-H"}
"""Flags of opensm(8) by the option of its configuration."""


@dataclass(frozen=True)
class OpensmLine:
    """Options of OpenSM. `files`: texts by option, each of which takes the path of a file."""

    options: Mapping[str, str]
    files: Mapping[str, str]

    def written_to(self, folder: Path) -> dict[str, str]:
        """Returns all options, with the paths that the files have in a folder."""
        return {**self.options, **{option: str(folder / file_name(option)) for option in self.files}}

    def text(self, folder: Path) -> str:
        """Returns the line as people type it."""
        written = self.written_to(folder)
        return " ".join(["opensm", *(f"{flag} {written[option]}" for option, flag in _FLAGS.items() if option in written)])

    def configuration(self, folder: Path) -> str:
        """Returns the options as lines of opensm.conf."""
        return "".join(f"{option} {value}\n" for option, value in self.written_to(folder).items())


def file_name(option: str) -> str:
    """Name of the file that an option takes."""
    return option.removesuffix("_file").replace("_", "-") + "s"


def opensm_line(document: FabricDocument, shape: Recognized) -> OpensmLine:
    """Returns the line for a fabric of a shape."""
    options = {"routing_engine": ",".join(shape.opensm)}
    if shape.kind != "fat-tree":
        return OpensmLine(options, {})
    graph = SwitchGraph(document)
    found = levels(graph)
    switch_of = {
        (own.node, own.port): other.node
        for _, *ends in document.ends()
        for own, other in (ends, ends[::-1])
        if own.node >= graph.size and other.node < graph.size
    }
    compute: list[int] = []
    io: list[int] = []
    for endport in HostDirectory(document).endports:
        switch = switch_of.get((endport.node, endport.port))
        if switch is not None:
            on_leaf = endport.kind == "host" and found.level_of[switch] == 1
            (compute if on_leaf else io).append(endport.guids[-1])
    files = {
        "root_guid_file": _guids([document.guid_of(root) for root in _roots(document, shape, found)]),
        "cn_guid_file": _guids(compute),
    }
    if io:
        files["io_guid_file"] = _guids(io)
        options["max_reverse_hops"] = str(2 * (max(level for level in found.level_of if level is not None) - 1))
    return OpensmLine(options, files)


def _roots(document: FabricDocument, shape: Recognized, found: Levels) -> tuple[int, ...]:
    """The switches at the top; for updn as first engine, those that `updown` takes as its roots."""
    if shape.opensm[0] != "updn" or found.tops == found.full_tops:
        return found.tops
    built = connected(document)
    counter = LoadCounter(document, built.fabric, shape.order)

    def share(roots: tuple[int, ...]) -> float:
        try:
            built.fabric.route_by("updown", roots=roots)
        except ValueError:  # some hosts do not reach each other
            return 0.0
        return counter.count().uniform_share

    return found.full_tops if share(found.full_tops) > share(found.tops) else found.tops


def _guids(guids: list[int]) -> str:
    return "".join(f"0x{guid:016x}\n" for guid in guids)

# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The whole line of OpenSM that routes a fabric as advised, and the files of GUIDs that it names.

By themselves, `ftree` and `updn` look for the top of a tree by the distance from channel adapters, and are misled by those that
are not on leaves. They are told the switches at the top (`root_guid_file`), and `ftree` also the ports of hosts on leaves
(`cn_guid_file`), those of hosts elsewhere (`io_guid_file`) and how often routes between these may go down to go up
again. Aggregation nodes are neither: OpenSM takes minutes to find such routes to all of them, and nobody uses them.
`torus-2QoS` is told the grid (`torus_config`), and `dfsssp` that it may use VLs (`qos`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from tuner.documents.fabric import FabricDocument
from tuner.documents.hosts import HostDirectory
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import connected
from tuner.fabric.engine_loads import LoadCounter
from tuner.fabric.exporters.base import EXPORTERS
from tuner.fabric.levels import Levels, levels
from tuner.fabric.routing_advice import suited_shape, with_places
from tuner.fabric.shapes.base import Recognized
from tuner.fabric.shapes.switch_graph import SwitchGraph
from tuner.fabric.subnets import largest, of_subnet, subnets

_FLAGS = {
    "routing_engine": "-R",
    "root_guid_file": "-a",
    "cn_guid_file": "-u",
    "io_guid_file": "-G",
    "max_reverse_hops": "-H",
    "torus_config": "--torus_config",
    "qos": "-Q",
}
"""Flags of opensm(8) by the option of its configuration."""


@dataclass(frozen=True)
class OpensmLine:
    """Options of OpenSM. `files`: texts by option, each of which takes the path of a file."""

    options: Mapping[str, str]
    files: Mapping[str, str]

    def written_to(self, folder: PurePath) -> dict[str, str]:
        """Returns all options, with the paths that the files have in a folder."""
        return {**self.options, **{option: str(folder / file_name(option)) for option in self.files}}

    def named_files(self, folder: PurePath) -> dict[str, str]:
        """Returns the texts of all files by name, `opensm.conf` among them, which has the paths of the others in a folder."""
        named = {file_name(option): text for option, text in self.files.items()}
        return {**named, "opensm.conf": self.configuration(folder)}

    def text(self, folder: PurePath) -> str:
        """Returns the line as people type it."""
        written = self.written_to(folder)
        words = (flag if option == "qos" else f"{flag} {written[option]}" for option, flag in _FLAGS.items() if option in written)
        return " ".join(["opensm", *words])

    def configuration(self, folder: PurePath) -> str:
        """Returns the options as lines of opensm.conf."""
        return "".join(f"{option} {value}\n" for option, value in self.written_to(folder).items())


def file_name(option: str) -> str:
    """Name of the file that an option takes."""
    return "torus-2QoS.conf" if option == "torus_config" else option.removesuffix("_file").replace("_", "-") + "s"


def engines_line(engines: Sequence[str]) -> OpensmLine:
    """Returns the line that names engines alone."""
    return OpensmLine({"routing_engine": ",".join(engines)}, {})


def suited_line(document: FabricDocument) -> OpensmLine:
    """Returns the line that suits the shape of a fabric, or of the largest of its subnets. Raises BadInputError for what the
    simulator refuses."""
    found = subnets(document)
    part = document if len(found) < 2 else of_subnet(document, largest(found).number)
    return opensm_line(part, suited_shape(part))


def opensm_line(document: FabricDocument, shape: Recognized, engines: Sequence[str] | None = None) -> OpensmLine:
    """Returns the line for a fabric of a shape. `engines`: others than those that suit the shape."""
    engines = shape.opensm if engines is None else engines
    options = {"routing_engine": ",".join(engines)}
    if engines[0] == "dfsssp":
        options["qos"] = "TRUE"
    if "torus-2QoS" in engines and shape.at:
        try:
            torus = EXPORTERS.get("torus-2qos").export(with_places(document, shape)).text
        except BadInputError:  # the engine cannot be told of such a grid, and the next one is tried
            return OpensmLine(options, {})
        return OpensmLine(options | {"qos": "TRUE"}, {"torus_config": torus})
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
        if endport.kind == "host" and switch is not None:
            (compute if found.level_of[switch] == 1 else io).append(endport.guids[-1])
    files = {
        "root_guid_file": _guids([document.guid_of(root) for root in _roots(document, shape, engines, found)]),
        "cn_guid_file": _guids(compute),
    }
    if io:
        files["io_guid_file"] = _guids(io)
        options["max_reverse_hops"] = str(max(level for level in found.level_of if level is not None) - 1)
    return OpensmLine(options, files)


def _roots(document: FabricDocument, shape: Recognized, engines: Sequence[str], found: Levels) -> tuple[int, ...]:
    """The switches at the top; where updn comes before ftree, those that `updown` takes as its roots."""
    if next((engine for engine in engines if engine in ("updn", "ftree")), None) != "updn" or found.tops == found.full_tops:
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

# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The page of congestion trees over time: one HTML file that needs nothing else, with a slider, and several runs side by side."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any

import numpy as np
import numpy.typing as npt
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from tuner.documents.byte_sizes import bytes_text
from tuner.documents.fabric import End
from tuner.documents.printable import printable, shortened
from tuner.errors import BadInputError
from tuner.measuring.port_series import PortSeries
from tuner.report.plots.fabric_wiring import Wiring
from tuner.report.trees import packing
from tuner.report.trees.drawing import draw, indexed
from tuner.report.trees.moments import Moment, TreeFinder

QUEUE_STEPS = (0, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 1, 2, 4)
"""Lower ends of the looks of a queue, as parts of an input buffer; a port that queues nothing has none."""
PART_STEPS = (0, 0.05, 0.2, 0.5, 0.8)
"""Lower ends of the looks of a host, as parts of the whole."""
LONGEST_NAME = 28
"""Maximum number of characters of a name in a sentence."""
LONGEST_TOLD = 120
"""Maximum number of characters of a name in a tooltip or a table."""


@dataclass(frozen=True, kw_only=True)
class Run:
    """One run of a page, with the series of its ports."""

    name: str
    """What sets it apart from the others: its profile, and settings of the model."""
    series: PortSeries


def trees_html(wiring: Wiring, runs: Sequence[Run], *, title: str, about: str = "") -> str:
    """Returns the page of one run or several of a fabric. `about`: a sentence about all of them. Raises BadInputError as
    `trees_document`."""
    environment = Environment(
        loader=PackageLoader("tuner.report"), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.policies["json.dumps_kwargs"] = {"separators": (",", ":"), "allow_nan": False}
    # Constant, so that no name from a document can get into it.
    script = Markup(resources.files("tuner.report").joinpath("templates/trees.js").read_text(encoding="utf-8"))  # ours
    document = trees_document(wiring, runs, title=title, about=about)
    return environment.get_template("trees.html.j2").render(d=document, script=script)


def trees_document(wiring: Wiring, runs: Sequence[Run], *, title: str, about: str = "") -> dict[str, Any]:
    """Returns all that the page shows, as plain values; docs/use/fabrics.md says what it means. Raises BadInputError if there is
    no run, or runs differ in their ports, hosts or samples, or none has a sample."""
    _require_alike(runs)
    first = runs[0].series
    n_switches = len(wiring.document.switches)
    of_switch = np.array([end.node < n_switches for end in first.ports])
    drawing = draw(wiring)
    drawn_ports = {end for shape in drawing.shapes if shape.kind in ("link", "cell") for end in shape.ends}
    drawn_hosts = {end for shape in drawing.shapes if shape.kind in ("received", "sender") for end in shape.ends}
    shown = of_switch & np.array([end in drawn_ports for end in first.ports])
    most_queued = np.max([_busiest(run.series) for run in runs], axis=0) * shown
    ports = packing.longest(most_queued)
    at_host = {end: row for row, end in enumerate(first.hosts) if end in drawn_hosts}
    port_of_host = {end: row for row, end in enumerate(first.ports) if end in at_host}
    activity = np.zeros(len(first.hosts))
    for end, row in at_host.items():
        for run in runs:
            moved = run.series.received_gbps[row].sum() + run.series.waited[port_of_host[end]].sum()
            activity[row] = max(activity[row], float(moved))
    hosts = packing.longest(activity)
    badges = any(run.series.special_queues is not None for run in runs)
    cost = packing.characters(len(ports), len(hosts), badges=badges) * len(runs)
    samples = packing.chosen_samples(first.n_samples, cost)
    buffer_bytes = max(run.series.buffer_bytes for run in runs)
    full_gbps = max(float(run.series.received_gbps.max(initial=0.0)) for run in runs) or 1.0
    port_at = {first.ports[row]: place for place, row in enumerate(ports.tolist())}
    host_at = {first.hosts[row]: place for place, row in enumerate(hosts.tolist())}
    finder = TreeFinder(wiring.document, first)
    names = _Names(wiring)
    rows = [(first.ports[row], finder.peers[row]) for row in ports.tolist()]
    return {
        "title": printable(title),
        "about": printable(about),
        "notes": list(_notes(first, samples, int((most_queued > 0).sum()), len(ports), int((activity > 0).sum()), len(hosts))),
        "t_ms": [round(float(sample + 1) * first.interval_s * 1e3, 9) for sample in samples],
        "box": list(drawing.box),
        "links": drawing.links,
        "thin": round(min(1.0, max(0.4, (60 / max(1, drawing.n_lines)) ** 0.25)), 2),
        "bars": [drawing.bars, drawing.bar_width],
        "switches": drawing.switches,
        "texts": [list(text) for text in drawing.texts],
        "unfolded": drawing.unfolded,
        "has_bars": any(shape.kind == "cell" for shape in drawing.shapes),
        "shapes": indexed(drawing.shapes, port_at, host_at),
        "ports": [[names.at(own.node), own.port, names.at(peer.node), peer.port] for own, peer in rows],
        "hosts": [[names.at(first.hosts[row].node), first.hosts[row].port] for row in hosts.tolist()],
        "runs": [_run(wiring, run, samples, ports, hosts, port_of_host, names) for run in runs],
        "names": names.texts,
        "buffer_bytes": buffer_bytes,
        "queue_steps": [step * buffer_bytes for step in QUEUE_STEPS],
        "queue_labels": [bytes_text(step * buffer_bytes) for step in QUEUE_STEPS],
        "part_steps": list(PART_STEPS),
        "full_gbps": round(full_gbps, 3),
        "badges": badges,
    }


class _Names:
    """Names of nodes, each once."""

    def __init__(self, wiring: Wiring) -> None:
        self._wiring = wiring
        self._places: dict[int, int] = {}
        self.texts: list[str] = []

    def at(self, node: int) -> int:
        """Position of the node's name in `texts`."""
        if node not in self._places:
            self._places[node] = len(self.texts)
            self.texts.append(shortened(self._wiring.document.nodes[node].name, LONGEST_TOLD))
        return self._places[node]

    def short(self, node: int) -> str:
        return shortened(self._wiring.document.nodes[node].name, LONGEST_NAME)


def _require_alike(runs: Sequence[Run]) -> None:
    if not runs:
        raise BadInputError("a page of congestion trees has 0 runs; it needs one or more")
    first = runs[0].series
    if not first.n_samples:
        raise BadInputError(f"run '{runs[0].name}' has 0 samples; a page of congestion trees needs one or more")
    for run in runs[1:]:
        one = run.series
        if (one.ports, one.hosts) != (first.ports, first.hosts):
            raise BadInputError(f"run '{run.name}' has other ports than '{runs[0].name}'; runs side by side are of one fabric")
        if (one.n_samples, one.interval_s) != (first.n_samples, first.interval_s):
            raise BadInputError(
                f"run '{run.name}' has {one.n_samples} samples of {one.interval_s * 1e3:g} ms, and '{runs[0].name}' has "
                f"{first.n_samples} of {first.interval_s * 1e3:g} ms; runs side by side have the same"
            )


def _busiest(series: PortSeries) -> npt.NDArray[np.float64]:
    """The longest queue of each port in bytes; a port with a special queue in use counts, even if its queue is never seen."""
    most: npt.NDArray[np.float64] = series.queued_bytes.max(axis=1).astype(np.float64)
    return most if series.special_queues is None else np.maximum(most, series.special_queues.max(axis=1) > 0)


def _notes(series: PortSeries, samples: npt.NDArray[np.int64], queued: int, kept: int, busy: int, hosts: int) -> list[str]:
    """A sentence for each thing that is left out."""
    notes = []
    if len(samples) < series.n_samples:
        step = int(samples[1] - samples[0]) if len(samples) > 1 else series.n_samples
        notes.append(f"The page has {len(samples)} of {series.n_samples:,} samples, one of {step}, to keep the file small.")
    if kept < queued:
        notes.append(
            f"{queued:,} ports queue packets; the {kept:,} with the longest queues are drawn. Sentences count all of them."
        )
    if hosts < busy:
        notes.append(f"{busy:,} hosts receive or wait; the {hosts:,} that do most are drawn.")
    return notes


def _run(
    wiring: Wiring,
    run: Run,
    samples: npt.NDArray[np.int64],
    ports: npt.NDArray[np.int64],
    hosts: npt.NDArray[np.int64],
    port_of_host: Mapping[End, int],
    names: _Names,
) -> dict[str, Any]:
    series = run.series
    finder = TreeFinder(wiring.document, series)
    moments = [finder.at(int(sample)) for sample in samples]
    place = {row: i for i, row in enumerate(ports.tolist())}
    members = np.array([moment.members for moment in moments]).T
    waited = np.rint(100 * series.waited[:, samples]).astype(np.int64) + packing.TREE * members
    senders = np.array([port_of_host[series.hosts[row]] for row in hosts.tolist()], dtype=np.int64)
    queued = packing.packed(series.queued_bytes[np.ix_(ports, samples)], unit=packing.BLOCK_BYTES)
    received = packing.packed(series.received_gbps[np.ix_(hosts, samples)], unit=0.01)
    special = None if series.special_queues is None else np.minimum(series.special_queues[:, samples], 255)
    return {
        "name": printable(run.name),
        "queued": queued.text,
        "queued_unit": queued.unit,
        "waited": packing.packed_bytes(waited[ports]),
        "received": received.text,
        "received_unit": received.unit,
        "sender_waited": packing.packed_bytes(waited[senders]),
        "special": None if special is None else packing.packed_bytes(special[ports]),
        "sender_special": None if special is None else packing.packed_bytes(special[senders]),
        "total_gbps": [round(float(total), 2) for total in series.received_gbps[:, samples].sum(axis=0)],
        "roots": [place.get(moment.root, -1) if moment.root is not None else -1 for moment in moments],
        "texts": [
            moment_text(moment, finder, series, int(sample), names.short) for moment, sample in zip(moments, samples, strict=True)
        ],
    }


def moment_text(moment: Moment, finder: TreeFinder, series: PortSeries, sample: int, name: Callable[[int], str]) -> str:
    """Returns sentences about one sample. `name`: a function from a node's number to its name."""
    switch_queued = int(series.queued_bytes[:, sample].sum(dtype=np.int64))
    half = bytes_text(finder.half_bytes)
    above = "No port queues" if not moment.above_half else f"{_count(moment.above_half, 'port')} "
    above += "" if not moment.above_half else "queues" if moment.above_half == 1 else "queue"
    parts = [
        f"Hosts receive {float(series.received_gbps[:, sample].sum()):,.1f} Gb/s together, and switches queue "
        f"{bytes_text(switch_queued) if switch_queued else 'nothing'}.",
        f"{above} more than half of an input buffer ({half}).",
    ]
    if moment.root is None:
        parts.append("No port is the root of a congestion tree.")
    else:
        own, peer = series.ports[moment.root], finder.peers[moment.root]
        queued = bytes_text(int(series.queued_bytes[moment.root, sample]))
        parts.append(
            f"The root of the deepest congestion tree is {name(own.node)}/{own.port} → {name(peer.node)} with {queued} queued; "
            f"{_count(moment.switch_ports, 'port')} of switches {'belongs' if moment.switch_ports == 1 else 'belong'} to the "
            f"tree, and {_count(moment.adapters, 'host')} {'waits' if moment.adapters == 1 else 'wait'} for it."
        )
    if series.special_queues is not None:
        used = series.special_queues[:, sample]
        queues = _count(int(used.sum()), "special queue")
        parts.append(f"{queues} at {_count(int((used > 0).sum()), 'input port')} {'is' if used.sum() == 1 else 'are'} in use.")
    return " ".join(parts)


def _count(number: int, noun: str) -> str:
    return f"1 {noun}" if number == 1 else f"{number:,} {noun}s"

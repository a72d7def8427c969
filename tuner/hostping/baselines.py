# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What is normal for a machine model: the medians of a batch of idle hosts, kept as a document with date and number of hosts.

With three hosts of a model a median says which of them differs; from five on, which is wrong: two that are broken do not move it.
"""

import json
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Literal

from tuner.atomic_file import write_atomically
from tuner.document_base.model import DocumentModel, ListOf, Within, load
from tuner.hostping.loopback import Measured
from tuner.hostping.matrix import Cell, Place
from tuner.hostping.topology import HostTopology

LINE_RATE_SHARE = 0.9
"""A memory of another socket is affinitive if its baseline is at least this share of the best one of its adapter."""


class Confidence(StrEnum):
    NONE = "none"
    DIFFERS = "differs"
    WRONG = "wrong"


DIFFERS_FROM, WRONG_FROM = 3, 5
"""Numbers of hosts of a model."""


class BaselineCell(DocumentModel):
    adapter: str
    endpoint: str
    bandwidth_gbps: Annotated[float | int, Within(0, 100_000)]
    latency_us: Annotated[float | int, Within(0, 1_000_000)]


class ModelBaseline(DocumentModel):
    model: str
    date: str
    """Day on which it was measured, YYYY-MM-DD, UTC."""
    hosts: Annotated[int, Within(1, 1_000_000)]
    cells: ListOf[BaselineCell]

    @property
    def confidence(self) -> Confidence:
        return confidence(self.hosts)

    @property
    def by_place(self) -> Mapping[Place, BaselineCell]:
        return {(cell.adapter, cell.endpoint): cell for cell in self.cells}


class HostBaselines(DocumentModel):
    """Baselines by machine model (`ibcc_host_baselines: 1`)."""

    ibcc_host_baselines: Literal[1] = 1
    models: ListOf[ModelBaseline] = ()

    @property
    def by_model(self) -> Mapping[str, ModelBaseline]:
        return {one.model: one for one in self.models}

    def with_models(self, others: Iterable[ModelBaseline]) -> "HostBaselines":
        """Baselines of the same model are replaced."""
        merged = {**self.by_model, **{one.model: one for one in others}}
        return HostBaselines(models=tuple(merged[model] for model in sorted(merged)))


@dataclass(frozen=True, kw_only=True)
class Sample:
    """One idle host of a batch."""

    model: str
    cells: Mapping[Place, Measured]


def confidence(hosts: int) -> Confidence:
    if hosts < DIFFERS_FROM:
        return Confidence.NONE
    return Confidence.DIFFERS if hosts < WRONG_FROM else Confidence.WRONG


def batch_baselines(samples: Sequence[Sample], date: str) -> HostBaselines:
    """Medians over the hosts of each model. A place counts where at least half of them have measured it."""
    found = []
    for model in sorted({sample.model for sample in samples}):
        alike = [sample for sample in samples if sample.model == model]
        places = sorted({place for sample in alike for place in sample.cells})
        cells = []
        for adapter, endpoint in places:
            known = [sample.cells[adapter, endpoint] for sample in alike if (adapter, endpoint) in sample.cells]
            if 2 * len(known) >= len(alike):
                cells.append(
                    BaselineCell(
                        adapter=adapter,
                        endpoint=endpoint,
                        bandwidth_gbps=round(statistics.median(one.bandwidth_gbps for one in known), 3),
                        latency_us=round(statistics.median(one.latency_us for one in known), 3),
                    )
                )
        found.append(ModelBaseline(model=model, date=date, hosts=len(alike), cells=tuple(cells)))
    return HostBaselines(models=tuple(found))


def standing(known: HostBaselines | None, batch: HostBaselines) -> HostBaselines:
    """What is normal after a batch: models that are known stay as they are, so that one that becomes slower by and by is found,
    unless the batch has enough hosts to tell which is wrong, and the former had not."""
    old = HostBaselines() if known is None else known
    return old.with_models(
        model
        for model in batch.models
        if model.confidence is not Confidence.NONE
        and (
            model.model not in old.by_model
            or (model.confidence is Confidence.WRONG and old.by_model[model.model].confidence is not Confidence.WRONG)
        )
    )


def load_baselines(path: Path) -> HostBaselines:
    """Raises BadInputError for a file that is no such document."""
    return load(HostBaselines, path)


def save_baselines(path: Path, baselines: HostBaselines) -> None:
    write_atomically(path, json.dumps(baselines.model_dump(mode="json"), indent=2) + "\n")


def compared(cells: Mapping[Place, Measured], baseline: ModelBaseline | None) -> Mapping[Place, Cell]:
    """Cells beside their baselines; without one that says anything, as they are."""
    normal = baseline.by_place if baseline is not None and baseline.confidence is not Confidence.NONE else {}
    return {
        place: Cell(
            bandwidth_gbps=cell.bandwidth_gbps,
            latency_us=cell.latency_us,
            baseline_bandwidth_gbps=float(normal[place].bandwidth_gbps) if place in normal else None,
            baseline_latency_us=float(normal[place].latency_us) if place in normal else None,
        )
        for place, cell in cells.items()
    }


def reaches_line_rate_across_sockets(topology: HostTopology, baseline: ModelBaseline | None) -> bool:
    """False if the model's baseline of a memory of another socket is well below that of the adapter's own (Hostping, footnote
    5)."""
    normal = baseline.by_place if baseline is not None else {}
    for adapter in topology.adapter_names:
        rates = {memory: float(cell.bandwidth_gbps) for memory in topology.memories if (cell := normal.get((adapter, memory)))}
        if rates and min(rates.values()) < LINE_RATE_SHARE * max(rates.values()):
            return False
    return True

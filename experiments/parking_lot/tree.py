# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""All hosts of a k-ary n-tree send to one of them; what round robin gives to each, by the paper's formula."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass

from experiments._common.fabric_files import fabric_files
from experiments._common.runs import Run
from tuner.document_base.model import build_model
from tuner.documents.workload import Workload
from tuner.fabric.topologies.base import generate
from tuner.goals.series import Series
from tuner.measuring.measurement import Measurement

DURATION_S, SETTLED_S = 0.8, 0.4
TABLE_US_A_CONTRIBUTOR = 139 / 65
"""Full scale of gran-2010's curve by contributor, with which contributors meet their fair share at about index 79, as in the
table for 65 contributors of experiments/fat_tree_648. gran-2010 itself, with 7 us, is made for three of them."""


@dataclass(frozen=True, kw_only=True)
class Tree:
    k: int
    n: int
    destination: int = 0
    """Position of the host that all others send to."""
    routing: str = "dmodk"

    @property
    def name(self) -> str:
        where = f", to host {self.destination + 1}" if self.destination else ""
        return f"{self.k}-ary {self.n}-tree{where}{'' if self.routing == 'dmodk' else f', {self.routing}'}"

    @property
    def sources(self) -> list[int]:
        """Positions of the hosts that send, by which the flows are ordered."""
        return [i for i in range(self.k**self.n) if i != self.destination]

    def level(self, source: int) -> int:
        """Level of the switches over which a host's packets turn around: 1 for the destination's neighbours on its leaf, n for
        those that are furthest."""
        level = 1
        while source // self.k**level != self.destination // self.k**level:
            level += 1
        return level

    def share(self, level: int) -> float:
        """Part of the last link that a host at `level` gets by round robin: at each switch on the way down, one of k inputs, and
        the inputs of the lower levels hold one destination's subtree each. At the top no input comes from above."""
        k = self.k
        inputs = k**level if level < self.n else k ** (level - 1) * (k - 1)
        share: float = 1 / (inputs * k ** (level - 1))
        return share

    def run(self, fabric: str, *, cc: bool, scaled: bool = True, seed: int = 1) -> Run:
        """`fabric`: path of the tree's document. `scaled`: gran-2010 with a table for as many contributors as there are."""
        hosts = [f"H{i + 1}" for i in range(self.k**self.n)]
        flows = [
            {"name": f"F{i + 1}", "src": hosts[i], "dst": hosts[self.destination], "role": "contributor"} for i in self.sources
        ]
        workload = build_model(
            Workload,
            {"ibcc_workload": 1, "name": "parking-lot", "fabric": fabric, "duration_s": DURATION_S, "warmup_s": SETTLED_S}
            | {"sample_interval_s": 0.01, "flows": flows},
        )
        table = {"cct.curve.full_scale_us": max(7, round(TABLE_US_A_CONTRIBUTOR * len(flows), 2))} if cc and scaled else {}
        return Run(workload=workload, profile="gran-2010" if cc else "off", profile_settings=table, seed=seed)

    def shares(self, measurement: Measurement) -> tuple[Series, float]:
        """Each source's part of the total, settled, and the total in Gb/s."""
        means = measurement.gbps[:, round(SETTLED_S / measurement.interval_s) :].mean(axis=1)
        parts: Series = means / means.sum()
        return parts, float(means.sum())

    def worst(self, shares: Series) -> float:
        """Largest deviation from the formula, as a fraction of what it says."""
        expected = [self.share(self.level(source)) for source in self.sources]
        return max(abs(float(share) / formula - 1) for share, formula in zip(shares, expected, strict=True))

    def by_level(self, shares: Series) -> Mapping[int, tuple[float, float]]:
        """The smallest and the largest share at each level."""
        found: dict[int, list[float]] = {}
        for source, share in zip(self.sources, shares, strict=True):
            found.setdefault(self.level(source), []).append(float(share))
        return {level: (min(values), max(values)) for level, values in sorted(found.items())}


def fabrics(trees: Sequence[Tree]) -> AbstractContextManager[Mapping[Tree, str]]:
    """Paths of the trees' documents, which live as long as the context."""
    documents = {
        tree: generate("k-ary-n-tree", k=tree.k, n=tree.n, mtu_bytes=2048, host_rate="4xDDR", routing=tree.routing)
        for tree in trees
    }
    return fabric_files(documents)

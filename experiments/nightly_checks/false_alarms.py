# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Years without a fault, as the hundred nights are and worse, and how many of them have a false alarm."""

import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from experiments.nightly_checks import hundred
from experiments.nightly_checks.proportion import interval
from experiments.nightly_checks.years import YEARS, Alarms, Worse, alarms
from tuner.atomic_file import write_atomically
from tuner.documents.check import load_check
from tuner.documents.check_kinds import KindOptions

AS_THEY_ARE, STATED = "as the hundred nights are", "with the stated drift"
PART = 100
"""Years that are drawn and kept at once."""
DRIFT = 0.25
"""The stated one: of a metric's standard deviation of a night, in a year, to the worse."""
CONDITIONS: dict[str, tuple[Worse, int]] = {
    STATED: (Worse(drift=DRIFT), YEARS),
    AS_THEY_ARE: (Worse(), YEARS // 10),
    "twice that drift": (Worse(drift=2 * DRIFT), YEARS // 10),
    "with jobs of five nights, in one night of six, by 3 standard deviations": (Worse(jobs=3.0), YEARS // 10),
    "with a yearly wave of 2 standard deviations": (Worse(wave=2.0), YEARS // 10),
    "normal noise in place of theirs, nights correlate by 0.3": (Worse(resemblance=0.3, share=1.0), YEARS // 10),
    "the same, by 0.45": (Worse(resemblance=0.45, share=1.0), YEARS // 10),
    "the same, by 0.6": (Worse(resemblance=0.6, share=1.0), YEARS // 10),
}
"""Each with its number of years."""


@dataclass(frozen=True, kw_only=True)
class Row:
    """`raised`: years with an alarm of any metric. `failed`: those in which the check failed by it; in the others it warned, as
    the change was less than the metric's least effect. `by_metric`: years with its alarm."""

    name: str
    years: int
    raised: int
    failed: int
    by_metric: dict[str, int]

    def with_more(self, years: int, found: Mapping[str, Alarms]) -> "Row":
        by_metric = Counter(self.by_metric) + Counter({metric: int(one.raised.sum()) for metric, one in found.items()})
        return Row(
            name=self.name,
            years=self.years + years,
            raised=self.raised + int(np.any([one.raised for one in found.values()], axis=0).sum()),
            failed=self.failed + int(np.any([one.failed for one in found.values()], axis=0).sum()),
            by_metric=dict(by_metric),
        )

    @property
    def rate(self) -> tuple[float, float]:
        """95 % interval of the yearly rate of false alarms."""
        return interval(self.raised, self.years)


def entries() -> Mapping[str, KindOptions]:
    """The entries of the check of the hundred nights."""
    return {entry.entry: entry for entry in load_check(hundred.CHECK).kinds}


def rows(
    kept: Path,
    *,
    years: int | None = None,
    workers: int | None = None,
    on_progress: Callable[[float], None] = lambda fraction: None,
) -> list[Row]:
    """`years`: of each condition, for a quick look. `kept`: a file, to which each PART of years is added; those that it has are
    not drawn again."""
    known = {row["name"]: Row(**row) for row in json.loads(kept.read_text())} if kept.is_file() else {}
    nights, options = hundred.stored(), entries()
    wanted = {name: years or usual for name, (_, usual) in CONDITIONS.items()}
    for name, (worse, _) in CONDITIONS.items():
        row = known.get(name, Row(name=name, years=0, raised=0, failed=0, by_metric={}))
        while row.years < wanted[name]:
            count = min(PART, wanted[name] - row.years)
            row = row.with_more(count, alarms(nights, options, years=count, worse=worse, seed=1 + row.years, workers=workers))
            known[name] = row
            write_atomically(kept, json.dumps([asdict(one) for one in known.values()]))
            on_progress(sum(one.years for one in known.values()) / sum(wanted.values()))
    return [known[name] for name in CONDITIONS]

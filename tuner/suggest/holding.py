# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Says for which devices and how many contributors a profile holds, and who loses elsewhere: measured or by forecast."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from tuner.document_base.words import listed


@dataclass(frozen=True, kw_only=True)
class Cell:
    """A profile in one scenario."""

    model: str
    """Name of the devices' model."""
    devices: str
    """The devices in a sentence."""
    contributors: int
    losers: str | None
    """Who gets less than is asked for, such as `victims`; None where the scenario is served."""

    @property
    def served(self) -> bool:
        return self.losers is None


def holding(cells: Sequence[Cell], *, how: str = "", lose: str = "lose") -> list[str]:
    """Returns clauses: `holds for all 3 models of the devices from 2 to 4 contributors`, then those on who loses.

    `how`: words behind the verb, such as ` by forecast`; `lose`: the verb of who gets less, such as `may lose`.
    """
    models = list(dict.fromkeys(cell.model for cell in cells))
    fan_ins = sorted({cell.contributors for cell in cells})
    whole = [fan_in for fan_in in fan_ins if all(cell.served for cell in cells if cell.contributors == fan_in)]
    everybody = f"for all {len(models)} models of the devices " if len(models) > 1 else ""
    served = sum(cell.served for cell in cells)
    held = f"{everybody}{_fan_ins(whole, fan_ins)}" if whole else f"in {served} of {len(cells)} scenarios"
    return [f"holds{how} {held}", *_losses(cells, fan_ins, lose)]


def _fan_ins(whole: Sequence[int], fan_ins: Sequence[int]) -> str:
    """Returns `from 2 to 8 contributors`, `with 2 and with 8 contributors`; both ends of each run of neighbours that hold.
    `everywhere` where nobody contributes."""
    if fan_ins == [0]:
        return "everywhere"
    runs = [
        [fan_in for _, fan_in in run]
        for held, run in groupby(((fan_in in whole, fan_in) for fan_in in fan_ins), key=lambda pair: pair[0])
        if held
    ]
    said = [f"from {run[0]} to {run[-1]}" if len(run) > 1 else f"with {run[0]}" for run in runs]
    return f"{listed(said)} contributors"


def _losses(cells: Sequence[Cell], fan_ins: Sequence[int], lose: str) -> Iterator[str]:
    """Yields who loses with how many contributors on which devices, a clause for each set of devices and losers."""
    known = dict.fromkeys(cell.devices for cell in cells)
    found: dict[tuple[tuple[str, ...], str], list[int]] = {}
    for fan_in in fan_ins:
        by_loser: dict[str, list[str]] = {}
        for cell in cells:
            if cell.contributors == fan_in and cell.losers is not None:
                by_loser.setdefault(cell.losers, []).append(cell.devices)
        for losers, devices in by_loser.items():
            found.setdefault((tuple(dict.fromkeys(devices)), losers), []).append(fan_in)
    for (who, losers), at in found.items():
        on = "all of them" if len(who) == len(known) > 2 else listed(who)
        count = "" if fan_ins == [0] else f"with {listed([str(fan_in) for fan_in in at])} contributors, "
        yield f"{count}{losers} {lose} with {on}"

# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The claims of the experiment, so that a run shows when one of them stops being true."""

from collections.abc import Iterator, Sequence

from experiments._common.findings import Claim
from experiments.carry_over.beds import IMPORTED, Ground
from experiments.carry_over.carry import AS_WRITTEN, BY_SHARE
from experiments.carry_over.matrix import RULE, Cell, Cells, Key, rule_name
from experiments.carry_over.searches import Found
from experiments.carry_over.trials import trials

STARVED, FED, GENEROUS = 0.9, 1.5, 3.0
"""Balances: notifications cannot hold a CCTI up; they can, also where they come unevenly; up to here contributors hardly pay."""
MOSTLY = 0.9


def claims(grounds: Sequence[Ground], found: Sequence[Found], cells: Cells) -> list[Claim]:
    return list(_claims(grounds, found, cells))


def _claims(grounds: Sequence[Ground], found: Sequence[Found], cells: Cells) -> Iterator[Claim]:
    recommended = [one.name for one in found if one.profile is not None]
    yield _claim("every campaign recommends a profile", len(recommended), len(found), least=len(found))
    home = [cells[Key(name, AS_WRITTEN.name), name] for name in recommended]
    yield _good("at home, among hosts that it never measured, each is good", home)
    wire, share = (_away(cells, recommended, way) for way in (AS_WRITTEN.name, BY_SHARE.name))
    more = sum(cell.good for cell in share) > sum(cell.good for cell in wire)
    here = f"{_count(share)} instead of {_count(wire)}"
    yield Claim(sentence="elsewhere, more are good by the fair share than as on the wire", published="-", here=here, holds=more)
    if {"tree-648", "torus"} <= set(recommended):
        pair = [cells[Key(a, AS_WRITTEN.name), b] for a, b in (("tree-648", "torus"), ("torus", "tree-648"))]
        yield _good("between tree and torus, with as many contributors, values are good as they are", pair)
    yield _good("the rule is good on every fabric", [cells[Key(rule_name(1), RULE), g.name] for g in grounds])
    # Where links are no faster than receivers, several ports on the way mark, and a Marking_Rate above 0 counts for less.
    sure = [trial for one in found if one.ground.name != IMPORTED for trial in trials(one)]
    starved = [trial for trial in sure if trial.balance < STARVED or trial.room < STARVED]
    cured = sum(trial.cures for trial in starved)
    yield Claim(
        sentence=f"on generated fabrics, nothing with a balance or room below {STARVED:g} cures",
        published="-",
        here=f"{cured} of {len(starved)} trials",
        holds=not cured,
        known_to_fail=True,
    )
    fed = [trial for one in found for trial in trials(one) if FED <= trial.balance < GENEROUS and trial.room >= 1]
    sentence = f"with a balance of {FED:g} to {GENEROUS:g} and room, most are good, whatever the fabric"
    yield _claim(sentence, sum(trial.good for trial in fed), len(fed), least=MOSTLY * len(fed), known_to_fail=True)


def _away(cells: Cells, recommended: Sequence[str], way: str) -> list[Cell]:
    return [
        cell for (key, ground), cell in cells.items() if key.way == way and key.profile in recommended and key.profile != ground
    ]


def _good(sentence: str, judged: Sequence[Cell]) -> Claim:
    return _claim(sentence, sum(cell.good for cell in judged), len(judged), least=len(judged))


def _claim(sentence: str, held: int, of: int, *, least: float, known_to_fail: bool = False) -> Claim:
    return Claim(sentence=sentence, published="-", here=f"{held} of {of}", holds=held >= least, known_to_fail=known_to_fail)


def _count(judged: Sequence[Cell]) -> str:
    return f"{sum(cell.good for cell in judged)} of {len(judged)}"

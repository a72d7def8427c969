# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Sets of links that explain all slow paths if each link of the set is slow: hitting sets of the paths' suspects.

Few links fail at a time, so an explanation with fewer links is preferred, as in binary network tomography (N. Duffield, "Network
tomography of binary network performance characteristics", IEEE Trans. Inf. Theory 52, 2006). Where several have the fewest, they
cannot be told apart.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, islice, product

MOST_LINKS = 4
"""Explanations with more links, for slow paths that share suspects, are not looked for."""
MOST_SETS = 200
"""Explanations that are kept."""


@dataclass(frozen=True, kw_only=True)
class Explanations:
    certain: frozenset[str]
    """Links of all explanations with the fewest links."""
    ambiguous: Sequence[frozenset[str]]
    """Groups of links of which some, but not all, are slow."""
    fewest: Sequence[frozenset[str]]
    """Explanations with the fewest links, whole."""
    larger: Sequence[frozenset[str]]
    """Those with one link more, of which no link is superfluous, where a single link explains everything."""


def explanations(suspects: Iterable[frozenset[str]]) -> Explanations:
    """`suspects`: for each slow path the links that may slow it. Paths without any are left out."""
    needed = _smallest(suspects)
    groups = _connected(needed)
    solved = [_fewest_of(group) for group in groups]
    certain = frozenset(link for sets in solved if sets for link in frozenset.intersection(*sets))
    ambiguous = []
    for group, sets in zip(groups, solved, strict=True):
        open_links = frozenset().union(*(sets or group)) - certain
        if open_links:
            ambiguous.append(open_links)
    combined = product(*(sets or [frozenset()] for sets in solved))
    whole = [frozenset().union(*chosen) for chosen in islice(combined, MOST_SETS)]
    is_single = len(whole) >= 1 and len(whole[0]) == 1 and bool(needed)
    return Explanations(
        certain=certain,
        ambiguous=ambiguous,
        fewest=[one for one in whole if one],
        larger=_irredundant(needed, 2) if is_single else [],
    )


def _smallest(suspects: Iterable[frozenset[str]]) -> list[frozenset[str]]:
    """Without sets that hold another one: whatever explains that one explains them too."""
    kept: list[frozenset[str]] = []
    for suspect in sorted({each for each in suspects if each}, key=lambda each: (len(each), sorted(each))):
        if not any(other <= suspect for other in kept):
            kept.append(suspect)
    return kept


def _connected(needed: Sequence[frozenset[str]]) -> list[list[frozenset[str]]]:
    """Groups of sets that share links, directly or through others; each is solved alone."""
    groups: list[list[frozenset[str]]] = []
    for need in needed:
        touched = [group for group in groups if any(need & other for other in group)]
        groups = [group for group in groups if group not in touched]
        groups.append([need, *(other for group in touched for other in group)])
    return groups


def _fewest_of(needed: Sequence[frozenset[str]]) -> list[frozenset[str]]:
    """Empty if more than MOST_LINKS would be needed."""
    return next((found for size in range(1, MOST_LINKS + 1) if (found := _hitting(needed, size))), [])


def _irredundant(needed: Sequence[frozenset[str]], size: int) -> list[frozenset[str]]:
    return [
        chosen for chosen in _hitting(needed, size) if not any(all(one & (chosen - {link}) for one in needed) for link in chosen)
    ]


def _hitting(needed: Sequence[frozenset[str]], size: int) -> list[frozenset[str]]:
    """All sets of `size` links that have a link of each set. The first set bounds the search."""
    if not needed:
        return [frozenset()]
    links = sorted(frozenset().union(*needed))
    if size == 1:
        return [frozenset((link,)) for link in links if all(link in one for one in needed)]
    return [chosen for chosen in map(frozenset, combinations(links, size)) if all(one & chosen for one in needed)]

# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Pareto fronts and the hypervolume they dominate. Points here are losses: less is better in every coordinate."""

from collections.abc import Sequence

Point = tuple[float, ...]


def dominates(a: Point, b: Point) -> bool:
    """`a` is nowhere worse than `b` and somewhere better."""
    return all(x <= y for x, y in zip(a, b, strict=True)) and a != b


def front(points: Sequence[Point]) -> list[int]:
    """Indices of the points that no other one dominates, in the order given; of equal points the first."""
    return [
        i
        for i, point in enumerate(points)
        if not any(dominates(other, point) or (other == point and j < i) for j, other in enumerate(points) if j != i)
    ]


def hypervolume(points: Sequence[Point], reference: Point) -> float:
    """Volume of the space that the points dominate and that is better than `reference` in every coordinate.

    By slicing along the last coordinate: exact, and fast enough for fronts of a few hundred points in two or three objectives.
    """
    inside = [p for p in points if all(x < r for x, r in zip(p, reference, strict=True))]
    if not inside:
        return 0.0
    if len(reference) == 1:
        return reference[0] - min(p[0] for p in inside)
    inside.sort(key=lambda p: p[-1])
    edges = [p[-1] for p in inside] + [reference[-1]]
    volume = 0.0
    for i in range(len(inside)):
        depth = edges[i + 1] - edges[i]
        if depth > 0:
            volume += depth * hypervolume([p[:-1] for p in inside[: i + 1]], reference[:-1])
    return volume

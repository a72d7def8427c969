# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Series in a page: whole numbers of one or two bytes in base64, and the choice of samples and ports that keeps it small."""

import base64
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

MOST_SAMPLES = 200
"""Maximum number of moments of a page: a slider of about 600 pixels shows no more."""
MOST_PORTS = 4000
"""Maximum number of ports of switches, and of hosts, that a page has series of; more shapes would make it slow."""
MOST_CHARACTERS = 4_200_000
"""Maximum length of all series of a page in base64, so that its file stays below 5 MB."""
BLOCK_BYTES = 64
"""Unit of queues: the unit of credits."""
TREE = 0x80
"""Bit that is set in a port's `waited` if it belongs to the deepest tree."""


@dataclass(frozen=True, kw_only=True)
class Packed:
    """A series as 16-bit numbers, the lower byte first, one sample after the other, in base64."""

    text: str
    unit: float
    """Value of 1."""


def chosen_samples(n_samples: int, characters_each: int) -> npt.NDArray[np.int64]:
    """Returns the positions of the samples to show, at equal distances and with the last one."""
    room = max(2, MOST_CHARACTERS // max(1, characters_each))
    step = -(-n_samples // max(1, min(MOST_SAMPLES, room)))
    return np.arange(n_samples - 1, -1, -step, dtype=np.int64)[::-1]


def longest(most: npt.NDArray[np.floating | np.integer]) -> npt.NDArray[np.int64]:
    """Returns the positions of the values above 0, in ascending order; of more than MOST_PORTS, those of the largest values."""
    found = np.flatnonzero(most > 0)
    if len(found) > MOST_PORTS:
        found = np.sort(found[np.argsort(-most[found].astype(np.float64), kind="stable")[:MOST_PORTS]])
    return found.astype(np.int64)


def packed(values: npt.NDArray[np.floating | np.integer], *, unit: float) -> Packed:
    """Returns values of shape (n, n_samples) in whole units, rounded; in larger units if the largest is beyond 16 bits."""
    top = float(values.max(initial=0)) / unit
    unit *= max(1, int(np.ceil(top / 0xFFFF)))
    return Packed(text=_base64(np.rint(values.T / unit).astype("<u2")), unit=unit)


def packed_bytes(values: npt.NDArray[np.floating | np.integer]) -> str:
    """Returns values of shape (n, n_samples) from 0 to 255, one sample after the other, in base64."""
    return _base64(np.rint(values.T).astype(np.uint8))


def characters(n_ports: int, n_hosts: int, *, badges: bool) -> int:
    """Length in base64 of one sample of one run: queue, time of waiting and badge of each port; received, waited
    and badge of each host."""
    return -(-4 * ((4 if badges else 3) * n_ports + (4 if badges else 3) * n_hosts) // 3)


def _base64(values: npt.NDArray[np.generic]) -> str:
    return base64.b64encode(np.ascontiguousarray(values).tobytes()).decode("ascii")

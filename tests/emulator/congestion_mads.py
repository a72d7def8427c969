# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""MADs of the congestion-control class, sent by a program that is attached to an emulated fabric."""

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.emulator.conftest import Bed
from tuner.mads.request import GET

ROOT = Path(__file__).parents[2]
DELIVERED_BYTES = 160
"""Bytes of an attribute that Debian's client library hands to a program."""


@dataclass(frozen=True)
class Ask:
    """A request; `data` is its attribute's first bytes."""

    lid: int
    attribute: int
    modifier: int = 0
    data: bytes = b""
    method: int = GET
    key: int = 0


@dataclass(frozen=True)
class Answer:
    """`status`: None for a request that has timed out. `data`: the first 160 bytes of the attribute."""

    status: int | None
    data: bytes


def answers(bed: Bed, questions: Sequence[Ask]) -> list[Answer]:
    """Sends the requests one after the other, from the first host."""
    file = bed.clients.folder / "questions.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(
        "\n".join(json.dumps([ask.lid, ask.method, ask.attribute, ask.modifier, ask.key, ask.data.hex()]) for ask in questions)
    )
    path = f"PYTHONPATH={ROOT}:{ROOT / 'simulator/python'}"
    text = bed.clients.output("env", path, sys.executable, "-m", "tests.emulator.ask_congestion", file)
    told = [json.loads(line) for line in text.splitlines()]
    assert len(told) == len(questions)
    return [Answer(status, bytes.fromhex(data)[:DELIVERED_BYTES]) for status, data in told]

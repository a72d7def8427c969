# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Any bytes are forwarding tables of a fabric, one with LIDs or one without, or refused by a sentence."""

import zlib
from pathlib import Path

from tests.tuner.fabric.importers.fabric_or_sentence import require_buildable, require_sentence
from tuner.errors import BadInputError
from tuner.fabric.importers.base import import_fabric
from tuner.fabric.importers.lft_dump import read_tables
from tuner.fabric.importers.routes import with_routes

INSTRUMENT = ["tuner.fabric.importers.lft_dump", "tuner.fabric.importers.routes"]

_CORPUS = Path(__file__).resolve().parent / "corpus"
FABRICS = [import_fabric(_CORPUS / name).fabric for name in ("ibnetdiscover/two-leaves.txt", "ibsim/two-leaves.net")]


def one_input(data: bytes) -> None:
    text = data.decode("utf-8", errors="replace")
    try:
        tables = read_tables(text, source="fuzz")
    except BadInputError as error:
        require_sentence(error)
        return
    fabric = FABRICS[zlib.crc32(data) % len(FABRICS)]
    try:
        with_tables, notes = with_routes(fabric, tables, source="fuzz")
    except BadInputError as error:
        require_sentence(error)
        return
    assert notes
    require_buildable(with_tables, notes, data)

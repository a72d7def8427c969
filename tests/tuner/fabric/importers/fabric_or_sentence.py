# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What every importer has to do with any text: make a fabric of it that can be built, or refuse it by one sentence."""

import zlib
from collections.abc import Sequence

from tuner.document_base.model import validate
from tuner.document_base.yaml_core import parse_document
from tuner.documents.fabric import FabricDocument
from tuner.documents.fabric_text import fabric_text
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import build

# Writing a document and reading it back takes longer than all the rest.
_READ_BACK_ONE_IN = 64


def require_buildable(fabric: FabricDocument, notes: Sequence[str], data: bytes) -> None:
    """The fabric can be built, or the simulator says in a sentence why not; and its document reads back as it was.

    `notes`: what the importer told about it; they stand in the document as comments. `data`: what it was read from; it decides
    whether the document is read back.
    """
    try:
        build(fabric)
    except BadInputError as error:
        require_sentence(error)
    if zlib.crc32(data) % _READ_BACK_ONE_IN == 0:
        text = fabric_text(fabric, notes)
        assert validate(FabricDocument, parse_document(text, source="written")) == fabric


def require_sentence(error: BadInputError) -> None:
    """It is one line, short enough to be read, and says where."""
    assert error.sentence
    assert "\n" not in error.sentence
    assert len(error.sentence) < 5000

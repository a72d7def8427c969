# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Imports fabric documents as they are (docs/use/documents.md), so that whoever takes a fabric need not ask for its format.

A document holds its MTU and its routing.
"""

import re

from tuner.document_base.model import validate
from tuner.document_base.yaml_core import parse_document
from tuner.documents.fabric import FabricDocument
from tuner.errors import BadInputError
from tuner.fabric.importers.base import IMPORTERS, Imported

LIMIT_BYTES = 32 * 2**20
"""The service stores no longer documents. A tree of 11,664 hosts takes 3 MiB."""

_MENTIONED = re.compile(r"""^[ \t\ufeff]*\{?[ \t]*["']?ibcc_fabric["']?[ \t]*:""", re.MULTILINE)


class FabricDocumentText:
    """The importer; see the module's text."""

    name = "fabric document"

    def recognises(self, text: str) -> bool:
        return _MENTIONED.search(text) is not None

    def read(self, text: str, *, source: str, name: str, mtu_bytes: int, strict: bool = False) -> Imported:
        if len(text) > LIMIT_BYTES:
            raise BadInputError(f"has {len(text):,} characters; a fabric document has at most {LIMIT_BYTES:,}", source=source)
        fabric = validate(FabricDocument, parse_document(text, source=source))
        notes = () if fabric.mtu_bytes == mtu_bytes else (f"the document's own MTU of {fabric.mtu_bytes} bytes holds",)
        return Imported(fabric.model_copy(update={"name": name}), self.name, notes)


IMPORTERS.add(FabricDocumentText.name, FabricDocumentText())

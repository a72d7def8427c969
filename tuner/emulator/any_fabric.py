# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A fabric of whatever describes one: a document, or what other programs print."""

from pathlib import Path

from tuner.documents import catalogue
from tuner.documents.fabric import FabricDocument, load_fabric
from tuner.errors import BadInputError
from tuner.fabric.importers.base import IMPORTERS, import_fabric
from tuner.fabric.importers.fabric_document import FabricDocumentText


def any_fabric(reference: str, *, mtu_bytes: int = 4096) -> tuple[FabricDocument, tuple[str, ...]]:
    """The fabric, and what people should know about how it was read. `mtu_bytes`: of one whose description does not say.

    Raises BadInputError.
    """
    path = Path(reference)
    if not path.is_file() or (not catalogue.is_path(reference) and reference in catalogue.names("fabric")):
        return load_fabric(reference), ()
    try:
        text = path.read_bytes().decode("utf-8", errors="replace")
    except OSError as error:
        raise BadInputError(f"cannot be read: {error.strerror}", source=reference) from error
    if any(importer.recognises(text) for importer in IMPORTERS if importer.name != FabricDocumentText.name):
        imported = import_fabric(path, mtu_bytes=mtu_bytes)
        return imported.fabric, imported.notes
    return load_fabric(path), ()

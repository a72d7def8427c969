# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A fabric of whatever describes one: a document, or what other programs print."""

from pathlib import Path

from tuner.documents import catalogue
from tuner.documents.congestion_control import Dialect
from tuner.documents.fabric import FabricDocument, load_fabric
from tuner.errors import BadInputError
from tuner.fabric.importers.base import IMPORTERS, LOCAL_LIMIT_BYTES, import_fabric
from tuner.fabric.importers.fabric_document import FabricDocumentText
from tuner.fabric.importers.neighbors import neighbor
from tuner.fabric.importers.unpacked import unpacked_text
from tuner.fabric.subnets import described, of_subnet, subnets


def any_fabric(
    reference: str, *, mtu_bytes: int = 4096, subnet: int | None = None, congestion_control: Dialect | None = None
) -> tuple[FabricDocument, tuple[str, ...]]:
    """The fabric, and what people should know about how it was read. `mtu_bytes`: of one whose description does not say.
    `subnet`: the one to take of a fabric that has several. `congestion_control`: of all devices of an imported one.

    Raises BadInputError, also for a fabric of several subnets of which none is taken: a subnet manager serves one.
    """
    fabric, notes = _read(reference, mtu_bytes, congestion_control)
    if subnet is not None:
        return of_subnet(fabric, subnet), notes
    if len(found := subnets(fabric)) > 1:
        raise BadInputError(f"has {described(found)}; a subnet manager serves one of them: --subnet takes it", source=reference)
    return fabric, notes


def _read(reference: str, mtu_bytes: int, congestion_control: Dialect | None) -> tuple[FabricDocument, tuple[str, ...]]:
    path = Path(reference)
    if not path.is_file() or (not catalogue.is_path(reference) and reference in catalogue.names("fabric")):
        return load_fabric(reference), ()
    text = unpacked_text(path, source=reference, limit_bytes=LOCAL_LIMIT_BYTES)
    if any(importer.recognises(text) for importer in IMPORTERS if importer.name != FabricDocumentText.name):
        imported = import_fabric(path, mtu_bytes=mtu_bytes)
        if congestion_control is not None:
            imported = imported.with_congestion_control(congestion_control)
        return imported.fabric, imported.sentences
    if not IMPORTERS.get(FabricDocumentText.name).recognises(text) and (sentence := neighbor(text)):
        raise BadInputError(sentence, source=reference)
    return load_fabric(path), ()

# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The wiring of a fabric, from an option that names a packaged document or holds one's text; built once and shared."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from tuner.document_base.model import DocumentModel, unknown_name, validate
from tuner.document_base.yaml_core import parse_document
from tuner.documents import catalogue
from tuner.documents.fabric import FabricDocument, load_fabric
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import BuiltFabric, build
from tuner.fabric.subnets import of_subnet

MAX_DOCUMENT_BYTES = 32 * 1024 * 1024
"""A tree of 11,664 hosts takes 3 MiB."""


class WiringOptions(DocumentModel):
    """Either of the two; without both, there is no wiring."""

    fabric: str | None = None
    """The name of a fabric that comes with ibcc."""
    document: str | None = None
    """The text of a fabric document (YAML)."""


def check_wiring(options: WiringOptions, *, needed: bool) -> None:
    """Raises BadInputError if the options name no fabric that can be built."""
    if options.fabric is not None and options.document is not None:
        raise BadInputError("gives both options.fabric and options.document; one of them is the fabric")
    if wiring(options) is None and needed:
        raise BadInputError(f"lacks options.fabric, one of {', '.join(catalogue.names('fabric'))}, or options.document")


def wiring(options: WiringOptions) -> FabricDocument | None:
    """None if the options have none. Raises BadInputError."""
    if options.document is not None:
        return fabric_of_text(options.document)
    if options.fabric is None:
        return None
    return packaged_fabric(options.fabric)


def built_wiring(options: WiringOptions, *, subnet: int | None = None) -> BuiltFabric | None:
    """Routed, and shared by all callers. `subnet`: the one to take of several. Raises BadInputError."""
    if subnet is not None:
        return _built_subnet(options.fabric, options.document, subnet)
    if options.document is not None:
        return _built_of_text(options.document)
    return None if options.fabric is None else _built_packaged(options.fabric)


@lru_cache(maxsize=8)
def fabric_of_text(text: str) -> FabricDocument:
    """Raises BadInputError with the line."""
    if len(text.encode()) > MAX_DOCUMENT_BYTES:
        raise BadInputError(f"options.document has {len(text.encode()):,} bytes; at most {MAX_DOCUMENT_BYTES:,} are read")
    return validate(FabricDocument, parse_document(text, source="options.document"))


@lru_cache(maxsize=8)
def packaged_fabric(name: str) -> FabricDocument:
    """Returns a packaged fabric by name only: a path that somebody sends is not a name. Raises BadInputError."""
    known = catalogue.names("fabric")
    if name not in known:
        raise BadInputError(unknown_name("fabric", name, known))
    return load_fabric(name)


@lru_cache(maxsize=4)
def _built_of_text(text: str) -> BuiltFabric:
    return build(fabric_of_text(text))


@lru_cache(maxsize=4)
def _built_packaged(name: str) -> BuiltFabric:
    return build(packaged_fabric(name))


@lru_cache(maxsize=4)
def _built_subnet(name: str | None, text: str | None, number: int) -> BuiltFabric | None:
    document = wiring(WiringOptions(fabric=name, document=text))
    return None if document is None else build(of_subnet(document, number))


def own_options(kind: str, options: Mapping[str, Any], model: type[Any]) -> Any:
    """The options of a kind, checked. Raises BadInputError."""
    from tuner.document_base.model import build_model

    try:
        return build_model(model, options)
    except BadInputError as error:
        raise BadInputError(f"fabric of kind '{kind}': options: {error.sentence}") from error

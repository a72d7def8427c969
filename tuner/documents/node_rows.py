# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Rows of a fabric document that say something of its nodes: of all, of those of one kind, or of listed ones."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from pydantic import model_validator

from tuner.document_base.model import DocumentModel, ListOf
from tuner.documents.flow import Name

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    T = TypeVar("T", bound=DataclassInstance)


class NodeRow(DocumentModel):
    """Properties of all nodes, of those of one kind, or of the nodes that it lists. Later rows replace what earlier ones say."""

    kind: Literal["switch", "host", "aggregation", "router"] | None = None
    nodes: ListOf[Name] = ()
    """Nodes, written as in links."""

    @model_validator(mode="after")
    def _selects_once(self) -> "NodeRow":
        if self.kind is not None and self.nodes:
            raise ValueError(f"gives both kind {self.kind} and nodes; one of them is enough")
        return self


def by_node(rows: Iterable[tuple[NodeRow, Sequence[int]]], kinds: Sequence[str], default: "T") -> "list[T]":
    """Returns the properties of each node, which has those of `default` where no row gives others.

    `rows`: with the numbers of their `nodes`; `kinds`: of all nodes, by number.
    """
    found = [default] * len(kinds)
    for row, nodes in rows:
        given: dict[str, Any] = {
            name: value
            for name in type(row).model_fields
            if name not in ("kind", "nodes") and (value := getattr(row, name)) is not None
        }
        for node in nodes if row.nodes else range(len(kinds)):
            if row.kind in (None, kinds[node]):
                found[node] = replace(found[node], **given)
    return found
